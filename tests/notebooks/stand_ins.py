"""What notebooks use besides pandas and numpy, replaced by objects that take everything and give nothing.

Drawing and training end a line of work: no frame is made of what they return. So they need not be installed here.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

REPLACED = frozenset({"matplotlib", "seaborn", "sklearn"})
"""Packages whose every name is a stand-in."""


class StandIn:
    """Any module, function, object or number: it can be called, read, written, compared, printed and taken apart."""

    def __init__(self, pieces: int = 2) -> None:
        self._pieces = pieces

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or name == "_pieces":
            raise AttributeError(name)
        return Splitter() if name == "train_test_split" else StandIn()

    def __call__(self, *args: Any, **kwargs: Any) -> StandIn:
        return StandIn()

    def __iter__(self) -> Iterator[StandIn]:
        return iter([StandIn() for _ in range(self._pieces)])

    def __getitem__(self, key: Any) -> StandIn:
        return StandIn()

    def __setitem__(self, key: Any, value: Any) -> None:
        pass

    def __len__(self) -> int:
        return self._pieces

    def __float__(self) -> float:
        return 0.0

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        return np.zeros((), dtype)  # else numpy would take it for a list of lists of lists

    def __format__(self, how: str) -> str:
        return format(0.0, how)

    def __mul__(self, other: Any) -> StandIn:
        return self

    def __repr__(self) -> str:
        return "StandIn()"


class Splitter(StandIn):
    """sklearn's train_test_split: two pieces for each frame."""

    def __call__(self, *args: Any, **kwargs: Any) -> StandIn:
        return StandIn(pieces=2 * len(args))


# pandas draws with the module that its option names, so `df.plot()` comes here.
plot = hist_frame = hist_series = boxplot = boxplot_frame = boxplot_frame_groupby = StandIn()
