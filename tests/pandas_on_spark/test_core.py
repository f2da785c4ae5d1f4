"""Assignments, expressions, masks and alignment."""

from __future__ import annotations

from typing import Any

import pandas
import pytest
from tests.pandas_on_spark.same import same

nan = float("nan")


@pytest.fixture
def numbers() -> Any:
    return pandas.DataFrame({"a": [1, 2, 3, 4], "b": [1.5, nan, -2.5, 0.0], "s": ["x", "y", nan, "x"]})


def test_expressions(spark: Any, numbers: Any) -> None:
    def program(pd: Any, df: Any) -> Any:
        df["c"] = df["a"] * 2 + df.b
        df["d"] = df.a // -3
        df["e"] = df.a / df.b
        df["f"] = df.a % -3
        df["g"] = df.b // 0.4
        df["h"] = (df.s == "x") & (df.a > 1)
        df["i"] = [9, 8, 7, 6]
        df["j"] = 1 - df.a
        df["k"] = df.s != "x"
        df["l"] = df.s + "!"
        df["m"] = -df.b
        return df

    same(program, df=numbers)


def test_parts_of_a_frame_go_back_by_the_index(spark: Any, numbers: Any) -> None:
    def program(pd: Any, df: Any) -> Any:
        part = df[df.a > 1]
        df["z"] = part["b"] + 1
        return df[df.b.notnull()]

    same(program, df=numbers)
