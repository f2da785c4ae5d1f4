"""`rolling().apply(function)`: a function that is called with the values around each row.

The values of a window come as a list, in the order of the rows, and Python makes of it what pandas gives a function:
an array (`raw=True`), or a series. That one has the labels of its rows, which nobody looks at as a rule; so it has
numbers here, then other ones that fall, then one number everywhere, and a function that gives several results is
refused.

| | |
|---|---|
| the result | a float, whatever the function gives; what is no number is a TypeError |
| the function is not called | where fewer than `min_periods` values are there |
"""

from __future__ import annotations

from array import array
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
from pyspark.sql import Column, WindowSpec
from pyspark.sql import functions as F
from pyspark.sql import types as spark

from predtrace.frontends.pandas.applying.calling import Function, bound_to_its_rows, called
from predtrace.frontends.pandas.applying.row_calls import RowCall, kinds_of, with_scalars
from predtrace.frontends.pandas.applying.users_functions import prepared
from predtrace.frontends.pandas.core.dtypes import FLOAT64, listed
from predtrace.frontends.pandas.core.spaces import Value
from predtrace.frontends.pandas.core.steps import refused
from predtrace.frontends.pandas.core.tables import Positions
from predtrace.frontends.pandas.moving.along import Along
from predtrace.frontends.pandas.reducing.aggregates import name_of

_LOOKS_AT_LABELS = "the function looks at the labels of the rows around a row"
_ANOTHER_NUMBER = 1_000_003


class WindowFunction:
    """A function of the user's for the rows around each row."""

    def __init__(self, function: Any, raw: bool, args: Any, kwargs: Any) -> None:
        if not isinstance(raw, bool):
            raise ValueError("raw parameter must be `True` or `False`")
        self._call = f"rolling().apply({name_of(function)})"
        self._name = name_of(function)
        fit, self._scalars = prepared(function, tuple(args or ()), dict(kwargs or {}), self._call)
        self._function = _of_list(fit, raw)

    def value(self, along: Along, value: Value, column: Column, rows: WindowSpec, enough: Column) -> Value:
        """What the function gives for each row. Spark runs now: where the function raises, so does this.

        `column`: the values as floats, NULL where they are missing.
        """
        there = F.collect_list(F.coalesce(column, F.lit(float("nan")))).over(rows)
        given = along.value(F.when(enough, there), listed(spark.DoubleType()), value)
        table = along.table.with_columns([(None, along.table.space.settled(given, "window"))])
        call = with_scalars(
            RowCall(self._function, (table.columns[0][1],), self._name, self._call), self._scalars
        )
        self._try(along, call)
        return bound_to_its_rows(called(call.function, call.arguments, FLOAT64, self._name))

    def _try(self, along: Along, call: RowCall) -> None:
        index = along.table.index
        has_numbers = isinstance(index, Positions) or all(level.value.dtype.is_integer for level in index)
        try:
            kinds_of(replace(along.table, columns=()), [call])
        except Exception as problem:
            # With labels that are no numbers pandas may have raised nothing.
            if has_numbers and str(problem) != _LOOKS_AT_LABELS:
                raise
            todo = "let it go by places (x.iloc[0]), or take raw=True"
            raise refused(self._call, f"{_LOOKS_AT_LABELS}, or raises an error", todo) from problem


def _of_list(function: Function, raw: bool) -> Function:
    """The function of a list of floats. (All it uses is inside of it: it is sent to Spark's processes as a whole.)"""
    looks, another = _LOOKS_AT_LABELS, _ANOTHER_NUMBER

    def all_labels(count: int) -> list[pd.Index]:
        """In order; irregular and the other way round; all the same."""
        falling = [another - place * (place + 7) for place in range(count)]
        return [pd.RangeIndex(count), pd.Index(falling, dtype="int64"), pd.Index([another] * count)]

    def outcome(labels: pd.Index, values: np.ndarray, more: tuple[Any, ...]) -> tuple[Any, Exception | None]:
        try:
            return function(pd.Series(values.copy(), index=labels), *more), None
        except Exception as problem:
            return None, problem

    def number_of(values: np.ndarray, more: tuple[Any, ...]) -> float:
        if raw:
            return float(array("d", [function(values, *more)])[0])
        found = [outcome(labels, values, more) for labels in all_labels(len(values))]
        problems = [problem for _, problem in found]
        if isinstance(problems[0], LookupError) or len({type(problem) for problem in problems}) > 1:
            raise RuntimeError(looks)
        if problems[0] is not None:
            raise problems[0]
        numbers = [float(array("d", [one])[0]) for one, _ in found]
        if len({repr(number) for number in numbers}) > 1:
            raise RuntimeError(looks)
        return numbers[0]

    def call(values: Any, *more: Any) -> Any:
        if values is None:
            return None
        found = number_of(np.array(values, dtype="float64"), more)
        return None if found != found else found

    return call
