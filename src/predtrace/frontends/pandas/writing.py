"""Frames and series out of Spark: files, dicts, lists, texts to look at."""

from __future__ import annotations

from predtrace.frontends.pandas.held import Held


class WritingFrame(Held):
    """These methods of a DataFrame."""


class WritingSeries(Held):
    """These methods of a Series."""
