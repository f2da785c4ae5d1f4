"""Choosing rows, cells and orders: `loc`, `iloc`, `head`, sorting, duplicates, the index."""

from __future__ import annotations

from predtrace.frontends.pandas.held import Held


class ChoosingFrame(Held):
    """These methods of a DataFrame."""


class ChoosingSeries(Held):
    """These methods of a Series."""
