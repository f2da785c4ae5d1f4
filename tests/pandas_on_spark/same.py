"""A program gives with our frames on Spark what it gives with plain pandas."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas

import predtrace.pandas as ours
from predtrace.frontends.pandas.core.held import Held
from predtrace.frontends.pandas.core.scalars import Scalar

Program = Callable[..., Any]


def same(program: Program, check_order: bool = True, **frames: Any) -> Any:
    """Run a program with both; what plain pandas gives. The program takes `pd` and the frames by name.

    Where pandas raises, ours must raise the same kind of error.
    """
    try:
        expected = program(pandas, **{name: frame.copy() for name, frame in frames.items()})
    except Exception as problem:
        try:
            found = settled(program(ours, **{name: given(frame) for name, frame in frames.items()}))
        except type(problem):
            return None
        raise AssertionError(f"pandas raises {problem!r}, ours gives\n{found}") from None
    found = settled(program(ours, **{name: given(frame) for name, frame in frames.items()}))
    assert_same(found, expected, check_order)
    return expected


def given(frame: Any) -> Any:
    """A frame or a series of pandas as one of ours."""
    return ours.DataFrame(frame) if isinstance(frame, pandas.DataFrame) else ours.Series(frame)


def settled(result: Any) -> Any:
    """A result of ours as plain pandas has it."""
    if isinstance(result, Held):
        return result.to_pandas()
    if isinstance(result, Scalar):
        return result._known
    if isinstance(result, (list, tuple)):
        return type(result)(settled(one) for one in result)
    if isinstance(result, dict):
        return {key: settled(value) for key, value in result.items()}
    return result


def assert_same(found: Any, expected: Any, check_order: bool = True) -> None:
    """Compare values, dtypes, order and index. Floats may differ in the last digits: sums have no fixed order."""
    assert type(found) is type(expected) or np.isscalar(expected), (type(found), type(expected))
    if isinstance(expected, pandas.DataFrame):
        if not check_order:
            found, expected = (
                one.sort_values(list(one.columns), ignore_index=True) for one in (found, expected)
            )
        pandas.testing.assert_frame_equal(
            plain(found), plain(expected), check_freq=False, check_index_type=False
        )
    elif isinstance(expected, pandas.Series):
        if not check_order:
            found, expected = (one.sort_index() for one in (found, expected))
        pandas.testing.assert_series_equal(
            plain(found), plain(expected), check_freq=False, check_index_type=False
        )
    elif isinstance(expected, pandas.Index):
        pandas.testing.assert_index_equal(found, expected, exact=False)
    elif isinstance(expected, np.ndarray):
        np.testing.assert_array_equal(found, expected)
    elif isinstance(expected, (list, tuple)):
        assert len(found) == len(expected)
        for one, other in zip(found, expected, strict=True):
            assert_same(one, other)
    elif isinstance(expected, float):
        assert (
            found == expected
            or (found != found and expected != expected)
            or abs(found - expected) <= 1e-9 * max(abs(found), abs(expected))
        ), (found, expected)
    else:
        # (Whether NA equals anything is NA.)
        both_miss = pandas.api.types.is_scalar(found) and pandas.isna(found) and pandas.isna(expected)
        assert both_miss or found == expected, (found, expected)


def plain(result: Any) -> Any:
    """Missing objects are NaN, however they are written; moments have the unit of nanoseconds."""
    if isinstance(result, pandas.DataFrame):
        made = result.copy()
        for place in range(made.shape[1]):
            column = made.iloc[:, place]
            if column.dtype == object:
                made.isetitem(place, column.where(column.notna(), np.nan))
    else:
        made = result.where(result.notna(), np.nan) if result.dtype == object else result.copy()
    if made.index.dtype == object and not isinstance(made.index, pandas.MultiIndex):
        made.index = made.index.where(made.index.notna(), np.nan)
    return made
