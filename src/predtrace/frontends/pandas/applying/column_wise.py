"""`DataFrame.apply(function)`: a function that is given each column as a series of ours.

What it returns decides on the result: series of the same rows are columns of a frame, single values are a series with
the columns' labels as its index. Nothing is worked out here: the function makes expressions, as a program does.
"""

from __future__ import annotations

from dataclasses import replace
from functools import reduce
from typing import Any

import numpy as np
import pandas as pd
from pyspark.sql import DataFrame as Rows
from pyspark.sql import functions as F

from predtrace.frontends.pandas.core.construction import placed
from predtrace.frontends.pandas.core.dtypes import INT64, TEXT, Dtype, common
from predtrace.frontends.pandas.core.scalars import Scalar, literal, value_in
from predtrace.frontends.pandas.core.sessions import session
from predtrace.frontends.pandas.core.spaces import Space, fresh
from predtrace.frontends.pandas.core.steps import refused
from predtrace.frontends.pandas.core.tables import Label, Table, new_table

_CALL = "DataFrame.apply()"


def applied_to_columns(frame: Any, function: Any, args: Any, kwargs: dict[str, Any]) -> Any:
    """What a function makes of each column."""
    from predtrace.frontends.pandas.series import Series

    table: Table = frame._table
    columns = [
        Series._of(replace(table, columns=((label, value),), column_names=(None,)))
        for label, value in table.columns
    ]
    results = [function(column, *args, **kwargs) for column in columns]
    if all(isinstance(one, Series) for one in results):
        return _framed(table, results)
    if all(isinstance(one, (np.ndarray, list, tuple)) for one in results):
        return _in_places(frame, results)
    if all(_is_single(one) for one in results):
        return Series._of(series_of_scalars(table.labels, results, _CALL, table.column_names[0]))
    kinds = sorted({type(one).__name__ for one in results})
    raise refused(_CALL, f"it is not known how results of the types {', '.join(kinds)} belong together")


def _is_single(result: Any) -> bool:
    return isinstance(result, Scalar) or bool(pd.api.types.is_scalar(result))


def _framed(table: Table, results: list[Any]) -> Any:
    from predtrace.frontends.pandas.frame import DataFrame

    pairs = []
    for label, result in zip(table.labels, results, strict=True):
        if not result._raw.has_rows_of(table) or result._raw.order != table.order:
            raise refused(_CALL, "the function returns series with other rows than the frame's")
        pairs.append((label, result._value))
    return DataFrame._of(table.with_columns(pairs))


def _in_places(frame: Any, results: list[Any]) -> Any:
    """Values that a function returned as an array, in the order of the rows."""
    made = frame.copy()
    labels, made_labels = frame.columns, range(len(results))
    made.columns = made_labels
    for label, values in zip(made_labels, results, strict=True):
        table, value = placed(made._table, values)
        made._become(type(made)._of(table.with_column(label, value)))
    made.columns = labels
    return made


def series_of_scalars(labels: list[Label], results: list[Any], call: str, index_name: Label) -> Table:
    """A series of values that were worked out apart from each other, one row for each."""
    dtypes = [value_in(_nowhere(), one).dtype for one in results]
    dtype = reduce(lambda a, b: _together(a, b, call), dtypes)
    index = INT64 if all(type(label) is int for label in labels) else TEXT
    if index is TEXT and not all(isinstance(label, str) for label in labels):
        raise refused(call, "the labels of the columns are neither all texts nor all whole numbers")
    name, label_name, place = fresh("value"), fresh("label"), fresh("place")
    parts = [
        _row(one, dtype).select(
            F.col("value").alias(name),
            literal(label, index).alias(label_name),
            F.lit(at).alias(place),
        )
        for at, (label, one) in enumerate(zip(labels, results, strict=True))
    ]
    rows: Rows = reduce(lambda a, b: a.union(b), parts)
    columns = [(None, name, dtype)]
    return new_table(
        rows, columns, [(index_name, label_name, index)], [place], is_unique=len(set(labels)) == len(labels)
    )


def _together(left: Dtype, right: Dtype, call: str) -> Dtype:
    found = common(left, right)
    if found is None:
        raise refused(call, f"the results are of several types ({left.name}, {right.name})")
    return found


def _nowhere() -> Space:
    return Space(session().range(0))


def _row(result: Any, dtype: Dtype) -> Rows:
    if isinstance(result, Scalar):
        column = F.col(result._rows.columns[0]).cast(dtype.spark)
        return result._rows.select(column.alias("value"))
    return session().range(1).select(literal(result, dtype).cast(dtype.spark).alias("value"))
