"""Programs made of expressions: each is worked out with plain pandas and with ours."""

from __future__ import annotations

import re
import warnings
from collections import defaultdict
from typing import Any

import numpy as np
import pandas
import pytest
from tests.pandas_on_spark.same import given, same

from predtrace.frontends.pandas.core.steps import Unfaithful

nan = float("nan")


def value_of(expression: str, pd: Any, **frames: Any) -> Any:
    """What an expression gives, with these names for the frames."""
    names = {
        "pd": pd,
        "np": np,
        "nan": nan,
        "inf": float("inf"),
        "re": re,
        "defaultdict": defaultdict,
        **frames,
    }
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return eval(expression, names)


def columns_are_same(expressions: str, df: Any, **others: Any) -> None:
    """Each line is a column for the rows of `df`; all are compared at once."""

    def program(pd: Any, df: Any, **others: Any) -> Any:
        made = df.copy()
        for line in lines(expressions):
            made[line] = value_of(line, pd, df=df, **others)
        return made

    same(program, df=df, **others)


def results_are_same(expressions: str, **frames: Any) -> None:
    """Each line is a result of its own: a frame, a series, a scalar, or an error of the same class."""
    for line in lines(expressions):

        def program(pd: Any, line: str = line, **frames: Any) -> Any:
            return value_of(line, pd, **frames)

        try:
            same(program, **frames)
        except (AssertionError, Unfaithful) as problem:
            raise AssertionError(f"{line}\n{problem}") from problem


def changes_are_same(statements: str, df: Any, **others: Any) -> None:
    """Each line changes the frame in place."""

    def program(pd: Any, df: Any, **others: Any) -> Any:
        names = {"pd": pd, "np": np, "nan": nan, "df": df, **others}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for line in lines(statements):
                exec(line, names)
        return names["df"]

    same(program, df=df, **others)


def all_refused(expressions: str, **frames: Any) -> None:
    """Each line is refused, in one sentence that names this file's line."""
    import predtrace.pandas as ours

    held = {name: given(frame) for name, frame in frames.items()}
    for line in lines(expressions):
        with pytest.raises(Unfaithful, match=r"is not supported") as refusal:
            value_of(line, ours, **held)
        assert "line" in str(refusal.value), line


def lines(text: str) -> list[str]:
    """The lines of a text that say something."""
    return [line.strip() for line in text.strip().splitlines() if line.strip()]


def people() -> Any:
    """A small frame with what notebooks have: numbers, texts and booleans, some missing, and an index with labels."""
    return pandas.DataFrame(
        {
            "a": [1, 2, 3, 4, 2],
            "b": [1.5, nan, -2.5, 0.0, 2.0],
            "s": ["x", "y", nan, "x", " z "],
            "t": ["1", "20", "-3", "4", "5"],
            "f": [True, False, True, True, False],
        }
    )
