"""Rows to columns and back: pivots, `crosstab`, `melt`, `stack`, `unstack`, `get_dummies`, `explode`."""

from __future__ import annotations

from predtrace.frontends.pandas.held import Held


class ReshapingFrame(Held):
    """These methods of a DataFrame."""


class ReshapingSeries(Held):
    """These methods of a Series."""
