"""Windows in the order of the rows: `shift`, `diff`, `rolling`, `expanding`, cumulative functions, ranks."""

from __future__ import annotations

from predtrace.frontends.pandas.held import Held


class MovingFrame(Held):
    """These methods of a DataFrame."""


class MovingSeries(Held):
    """These methods of a Series."""
