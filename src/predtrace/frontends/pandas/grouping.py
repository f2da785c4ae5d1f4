"""`groupby`: aggregates, transforms and functions by group."""

from __future__ import annotations

from predtrace.frontends.pandas.held import Held


class GroupingFrame(Held):
    """These methods of a DataFrame."""


class GroupingSeries(Held):
    """These methods of a Series."""
