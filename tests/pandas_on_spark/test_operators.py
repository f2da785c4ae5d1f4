"""Every operator for every pair of dtypes: the values, the dtypes and the errors that pandas has, or a refusal."""

from __future__ import annotations

import operator
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pandas
import pytest
from tests.pandas_on_spark.same import assert_same, given

import predtrace.pandas as ours
from predtrace.frontends.pandas.core.steps import Unfaithful

nan = float("nan")
CALCULATING = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
    "//": operator.floordiv,
    "%": operator.mod,
    "**": operator.pow,
}
COMPARING = {"==": operator.eq, "!=": operator.ne, "<": operator.lt, ">=": operator.ge}
LOGIC = {"&": operator.and_, "|": operator.or_, "^": operator.xor}
NUMBERS = pandas.DataFrame(
    {
        "small": np.array([1, -2, 3, 0, 100], dtype="int8"),
        "whole": [3, -7, 0, 2, -1],
        "single": np.array([1.5, -2, 0, nan, 3], dtype="float32"),
        "broken": [1.5, nan, 0.0, -2.5, np.inf],
        "sign": [-np.inf, 2.0, 5.0, nan, -1.0],
        "flag": [True, False, True, True, False],
    }
)
OTHERS = pandas.DataFrame(
    {
        "whole": NUMBERS.whole,
        "flag": NUMBERS.flag,
        "objects": pandas.Series([True, nan, False, True, nan], dtype=object),
        "text": ["x", "y", None, "", "b"],
        "moment": pandas.to_datetime(["2020-01-01", "2020-01-02", None, "1969-12-31", "2021-05-05"]),
        "span": pandas.to_timedelta(["1 days", None, "-2 hours", "0 days", "3 days 01:00:00"]),
        "category": pandas.Series(["x", "y", None, "x", "y"], dtype="category"),
    }
)
SCALARS = [1, 0, -2, 2.5, 0.0, True, nan]
OTHER_SCALARS = ["x", None, pandas.Timestamp("2020-01-01"), pandas.Timedelta("1h")]
Operation = Callable[[Any], Any]


def operations(frame: Any, scalars: list[Any], symbols: dict[str, Any]) -> Iterator[tuple[str, Operation]]:
    for symbol, function in symbols.items():
        for one in frame.columns:
            for other in frame.columns:
                yield f"{one} {symbol} {other}", of_columns(function, one, other)
            for scalar in scalars:
                yield f"{one} {symbol} {scalar}", of_scalar(function, one, scalar, swapped=False)
                if not isinstance(scalar, str):  # "x" % series is Python's own
                    yield f"{scalar} {symbol} {one}", of_scalar(function, one, scalar, swapped=True)


def of_columns(function: Callable[..., Any], one: str, other: str) -> Operation:
    return lambda df: function(df[one], df[other])


def of_scalar(function: Callable[..., Any], one: str, scalar: Any, swapped: bool) -> Operation:
    return lambda df: function(scalar, df[one]) if swapped else function(df[one], scalar)


def outcome(operation: Operation, frame: Any) -> Any:
    """What an operation gives, or the error it raises."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return operation(frame)
    except Exception as problem:
        return problem


def all_are_same(frame: Any, scalars: list[Any], symbols: dict[str, Any]) -> int:
    """Compare all operations; how many of them have a result. Those that have are worked out together."""
    on_spark = given(frame)
    expected, found = {}, {}
    for name, operation in operations(frame, scalars, symbols):
        theirs, own = outcome(operation, frame), outcome(operation, on_spark)
        if isinstance(own, Unfaithful):
            continue
        if isinstance(theirs, Exception) or isinstance(own, Exception):
            assert type(own) is type(theirs), f"{name}: pandas {theirs!r}, ours {own!r}"
            continue
        expected[name], found[name] = theirs.rename(None), own
    names = list(found)
    for start in range(0, len(names), 150):
        part = names[start : start + 150]
        results = ours.DataFrame({name: found[name] for name in part}).to_pandas()
        for name in part:
            try:
                assert_same(results[name].rename(None), expected[name])
            except AssertionError as problem:
                raise AssertionError(f"{name}\n{problem}") from problem
    return len(names)


@pytest.mark.parametrize("symbol", CALCULATING)
def test_calculating_with_numbers(spark: Any, symbol: str) -> None:
    assert all_are_same(NUMBERS, SCALARS, {symbol: CALCULATING[symbol]}) > 60


def test_comparing_numbers(spark: Any) -> None:
    assert all_are_same(NUMBERS, SCALARS, COMPARING) > 400


def test_other_values(spark: Any) -> None:
    assert all_are_same(OTHERS, OTHER_SCALARS, {**CALCULATING, **COMPARING}) > 100


def test_logic(spark: Any) -> None:
    assert all_are_same(OTHERS, [True, False], LOGIC) > 20


def test_whole_numbers_to_a_power_are_exact(spark: Any) -> None:
    frame = pandas.DataFrame({"a": [7, -3, 94906267], "n": [2, 3, 1]})
    on_spark = given(frame)
    assert_same((on_spark.a**2).to_pandas(), frame.a**2)
    assert_same((on_spark.a**on_spark.n).to_pandas(), frame.a**frame.n)
    with pytest.raises(Unfaithful, match="too large"):
        on_spark.a ** (on_spark.n + 10)
    with pytest.raises(ValueError, match="negative integer powers"):
        on_spark.a ** (on_spark.n - 3)
