"""Small programs as texts, and the frames that they are about."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas
from tests.pandas_on_spark.same import same

nan = float("nan")


def program(text: str) -> Callable[..., Any]:
    """A function that runs the lines of a text and gives the value of the last one."""
    *steps, last = (line.strip() for line in text.strip().split("\n"))

    def run(pd: Any, **frames: Any) -> Any:
        names = {"__name__": "__main__", "pd": pd, "np": np, "nan": nan, **frames}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # pandas announces what later versions will do
            exec("\n".join(steps), names)
            return eval(last, names)

    return run


def check(text: str, **frames: Any) -> None:
    """The program gives the same with both."""
    same(program(text), **frames)


def numbers() -> pandas.DataFrame:
    """Columns of all kinds, counted rows."""
    return pandas.DataFrame(
        {
            "a": [3, 1, 2, 1, -4],
            "b": [1.5, nan, -2.5, 0.0, 1.5],
            "s": ["x", "y", nan, "x", "z"],
            "t": [True, False, True, False, False],
            "d": pandas.to_datetime(["2020-01-01", "2021-06-01", None, "2020-03-05", "2019-12-31"]),
        }
    )


def labelled() -> pandas.DataFrame:
    """Labels of rows that are texts, each once, not in order."""
    return pandas.DataFrame(
        {"a": [1, 2, 3, 4], "b": [0.5, nan, 2.5, 3.5], "s": list("pqrs")}, index=["x", "z", "y", "w"]
    )


def repeated() -> pandas.DataFrame:
    """Labels of rows that repeat, in order."""
    return pandas.DataFrame({"a": [1, 2, 3, 4], "b": list("wxyz")}, index=[1, 2, 2, 5])


def levelled() -> pandas.DataFrame:
    """Labels of two levels."""
    labels = [("a", 1), ("a", 2), ("b", 1), ("c", 3)]
    index = pandas.MultiIndex.from_tuples(labels, names=["k", "n"])
    return pandas.DataFrame({"v": [1, 2, 3, 4], "w": [1.5, 2.5, 3.5, nan]}, index=index)


def dated() -> pandas.DataFrame:
    """Labels that are moments, finer than days."""
    moments = ["2020-01-30", "2020-01-31 12:00", "2020-02-01", "2020-02-01 06:30", "2021-01-01"]
    return pandas.DataFrame({"v": [1, 2, 3, 4, 5]}, index=pandas.to_datetime(moments, format="ISO8601"))


FRAMES = {
    "df": numbers,
    "k": labelled,
    "r": repeated,
    "m": levelled,
    "days": dated,
}


def frames_of(text: str) -> dict[str, Any]:
    """The frames that a program names."""
    words = set("".join(c if c.isalnum() or c == "_" else " " for c in text).split())
    return {name: make() for name, make in FRAMES.items() if name in words}
