"""Changing values and labels one by one: dropping, renaming, replacing, filling, converting, masking."""

from __future__ import annotations

from predtrace.frontends.pandas.held import Held


class CleaningFrame(Held):
    """These methods of a DataFrame."""


class CleaningSeries(Held):
    """These methods of a Series."""
