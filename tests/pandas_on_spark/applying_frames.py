"""The frame that the tests of `apply` have in common."""

from __future__ import annotations

import pandas

nan = float("nan")

PEOPLE = pandas.DataFrame(
    {
        "name": ["Ann", "bob", nan, "Cy"],
        "age": [30, 41, 5, 0],
        "size": [1.5, nan, -2.0, 0.25],
        "old": [True, False, True, True],
        "born": pandas.to_datetime(["1990-05-01 00:00", None, "2015-02-03 04:05", "2020-12-31 23:00"]),
    }
)
