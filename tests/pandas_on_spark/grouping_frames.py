"""The frames that the tests of `groupby` have in common."""

from __future__ import annotations

import pandas

nan = float("nan")

FRAME = pandas.DataFrame(
    {
        "k": ["b", "a", nan, "b", "a", "c", "b"],
        "n": [2, 1, 1, 2, 1, 2, 1],
        "x": [3, -1, 4, 4, -5, 0, 3],
        "y": [1.5, nan, -2.5, 0.0, nan, nan, 1.5],
        "b": [True, False, True, True, False, True, False],
        "s": ["p", "q", nan, "r", "q", nan, "p"],
        "t": ["b", "a", "c", "b", "a", "a", "z"],
        "d": pandas.to_datetime(
            ["2020-01-05", None, "2019-12-31", "2020-03-01", "2020-01-05", None, "2018-01-01"]
        ),
    },
    index=[10, 20, 30, 40, 50, 60, 70],
)
COUNTED = FRAME.reset_index(drop=True)
NUMBERS = FRAME[["k", "x", "y"]]
EMPTY = FRAME.iloc[:0]
KINDS = pandas.DataFrame(
    {
        "c": pandas.Series(["u", "v", "u", nan, "v"], dtype=pandas.CategoricalDtype(["w", "v", "u"])),
        "k": [1, 1, 2, 2, 1],
        "x": [1, 2, 3, 4, 5],
    }
)
