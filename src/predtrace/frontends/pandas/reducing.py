"""One value from many: sums, means, counts; and describing, counting and listing values."""

from __future__ import annotations

from predtrace.frontends.pandas.held import Held


class ReducingFrame(Held):
    """These methods of a DataFrame."""


class ReducingSeries(Held):
    """These methods of a Series."""
