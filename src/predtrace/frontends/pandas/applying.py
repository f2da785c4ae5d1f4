"""The user's Python functions, called for values, rows and whole columns: `apply`, `map`, `applymap`."""

from __future__ import annotations

from predtrace.frontends.pandas.held import Held


class ApplyingFrame(Held):
    """These methods of a DataFrame."""


class ApplyingSeries(Held):
    """These methods of a Series."""
