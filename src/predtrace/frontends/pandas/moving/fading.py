"""`ewm`: means of all rows up to each, of which the older ones weigh less and less.

pandas goes through the rows once and keeps the mean and its weight. Windows of Spark keep nothing from row to row, so
each row goes through all before it: that takes the square of the number of rows.

| | |
|---|---|
| a missing value | makes what is older weigh less all the same, unless `ignore_na` |
| before the first value | missing |
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from pandas.errors import DataError
from pyspark.sql import Column
from pyspark.sql import functions as F

from predtrace.frontends.pandas.core.certain import is_numeric
from predtrace.frontends.pandas.core.dtypes import FLOAT64
from predtrace.frontends.pandas.core.numbers import number
from predtrace.frontends.pandas.core.spaces import Value
from predtrace.frontends.pandas.core.steps import refused
from predtrace.frontends.pandas.core.tables import Label
from predtrace.frontends.pandas.moving.along import Along

_Column = tuple[Label, Value]


@dataclass(frozen=True)
class Weights:
    """How rows weigh. `alpha`: the part of the newest one."""

    alpha: float
    adjust: bool
    ignore_na: bool
    min_periods: int


def weights_of(given: dict[str, Any]) -> Weights:
    """The weights for what a user gives; pandas checks it."""
    asked = pd.Series([0.0]).ewm(**given)
    return Weights(1 / (1 + float(asked._com)), asked.adjust, asked.ignore_na, max(asked.min_periods or 0, 1))


class Fading:
    """What `ewm` gives. `finish` makes a series or a frame of new columns."""

    def __init__(
        self, along: Along, columns: list[_Column], finish: Callable[[list[_Column]], Any], weights: Weights
    ) -> None:
        self._along = along
        self._columns = columns
        self._finish = finish
        self._weights = weights

    def mean(self, numeric_only: bool = False) -> Any:
        """The means."""
        found = []
        for label, value in self._columns:
            if is_numeric(value.dtype):
                found.append((label, self._mean(value)))
            elif not numeric_only:
                raise DataError(f"Cannot aggregate non-numeric type: {value.dtype.name}")
        return self._finish(found)

    def _mean(self, value: Value) -> Value:
        column = number(value.column, value.dtype).cast("double")
        if value.dtype.is_float:  # pandas takes infinite numbers for missing ones here
            column = F.when(F.abs(column) < float("inf"), column)
        rows = self._along.until_here()
        every = F.collect_list(F.struct(column.alias("value"))).over(rows)  # of values alone, none is missing
        start = F.struct(F.lit(None).cast("double").alias("mean"), F.lit(1.0).alias("weight"))
        mean = F.aggregate(every, start, self._next).getField("mean")
        enough = F.count(column).over(rows) >= self._weights.min_periods
        return self._along.value(F.when(enough, mean), FLOAT64, value)

    def _next(self, so_far: Column, row: Column) -> Column:
        """The mean and its weight with one more row."""
        new = 1.0 if self._weights.adjust else self._weights.alpha
        old_mean, value = so_far.getField("mean"), row.getField("value")
        faded = so_far.getField("weight") * F.lit(1 - self._weights.alpha)
        both = (faded * old_mean + F.lit(new) * value) / (faded + F.lit(new))
        weight = faded + F.lit(new) if self._weights.adjust else F.lit(1.0)
        unseen = so_far.getField("weight") if self._weights.ignore_na else faded
        return (
            F.when(old_mean.isNull(), _state(value, F.lit(1.0)))
            .when(value.isNull(), _state(old_mean, unseen))
            .otherwise(_state(F.when(old_mean == value, old_mean).otherwise(both), weight))
        )

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        raise refused(f"ewm().{name}", "only means are known on Spark")


def _state(mean: Column, weight: Column) -> Column:
    return F.struct(mean.alias("mean"), weight.alias("weight"))


def checked(given: dict[str, Any], kind: str) -> dict[str, Any]:
    """The options of `ewm`; an error for those that are not known here."""
    usual = {"axis": 0, "times": None, "method": "single"}
    for name, value in usual.items():
        if name in given and given.pop(name) != value:
            raise refused(f"{kind}.ewm({name}=...)", "it is not made for Spark yet")
    if not all(one is None or isinstance(one, (int, float, np.number, bool)) for one in given.values()):
        raise refused(f"{kind}.ewm()", "weights by time are not made for Spark")
    return given
