"""Putting frames together: `merge`, `join`, `concat`, `append`."""

from __future__ import annotations

from predtrace.frontends.pandas.held import Held


class MergingFrame(Held):
    """These methods of a DataFrame."""


class MergingSeries(Held):
    """These methods of a Series."""
