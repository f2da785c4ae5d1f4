"""`pd.DataFrame(...)` and `pd.Series(...)` of what is on Spark already: its rows stay there, and known as its rows.

What the program holds itself is made by pandas, and is a source (`construction.py`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from predtrace.frontends.pandas.core.aligning import beside_by_place, same_rows
from predtrace.frontends.pandas.core.built_lists import BuiltList, on_spark
from predtrace.frontends.pandas.core.construction import table_of_frame, table_of_series
from predtrace.frontends.pandas.core.held import Held
from predtrace.frontends.pandas.core.scalars import Scalar
from predtrace.frontends.pandas.core.steps import refused
from predtrace.frontends.pandas.core.tables import Label, Positions, Table
from predtrace.frontends.pandas.core.uniting import outer
from predtrace.frontends.pandas.core.watching import tell_left

if TYPE_CHECKING:
    from predtrace.frontends.pandas.frame import DataFrame
    from predtrace.frontends.pandas.series import Series


def table_for_frame(data: Any, index: Any, columns: Any, dtype: Any) -> Table:
    """What `pd.DataFrame(data, index, columns, dtype)` holds."""
    made: DataFrame
    rows = data.frame(columns) if isinstance(data, BuiltList) and index is None else None
    data = on_spark(data)
    if rows is not None:
        made = rows
    elif isinstance(data, Held):
        made = _frame_of(data, columns)
    elif isinstance(data, Mapping) and any(isinstance(one, Held) for one in data.values()):
        made = _beside_each_other(dict(data))
        made = made if columns is None else made.reindex(columns=columns)
    elif isinstance(index, Held):
        made = _over(index, pd.DataFrame(data, columns=columns))
        index = None
    elif isinstance(data, (list, tuple)) and any(isinstance(one, Held) for one in data):
        raise refused("pd.DataFrame([series, ...])", "the rows would be series", "use pd.concat()")
    else:
        return table_of_frame(pd.DataFrame(known(data), index=index, columns=columns, dtype=dtype))
    made = made if index is None else made.reindex(index=index)
    return (made if dtype is None else made.astype(dtype))._table


def table_for_series(data: Any, index: Any, dtype: Any, name: Label) -> Table:
    """What `pd.Series(data, index, dtype, name)` holds."""
    from predtrace.frontends.pandas.series import Series

    data = on_spark(data)
    if isinstance(data, Held):
        if not isinstance(data, Series):
            raise refused(f"pd.Series() of a {data._kind}", "it has several columns")
        made = _labelled(data, index)
    elif isinstance(index, Held):
        made = _over(index, pd.Series(known(data)).to_frame())._one(0)._named(None)
    else:
        return table_of_series(pd.Series(known(data), index=index, dtype=dtype, name=name))
    made = made if dtype is None else made.astype(dtype)
    return (made if name is None else made._named(name))._table


def known(data: Any) -> Any:
    """The same with plain values for what Spark works out: a table that the program writes down itself."""
    if isinstance(data, Scalar):
        tell_left("a number of a frame", lambda: data._rows)
        return data._known
    if isinstance(data, Mapping):
        return {key: known(value) for key, value in data.items()}
    if isinstance(data, (list, tuple)) and any(isinstance(one, (Scalar, list, tuple, dict)) for one in data):
        return type(data)([known(one) for one in data])
    return data


def _has_no_labels(held: Held) -> bool:
    return held._kind == "Index" or held._raw.is_array


def _labelled(data: Series, index: Any) -> Series:
    from predtrace.frontends.pandas.series import Series

    if not _has_no_labels(data):
        return Series._of(data._raw) if index is None else data.reindex(index)
    name = data.name if data._kind == "Index" else None
    if index is None:
        return Series._of(replace(data._table, index=Positions(), is_unique=True, is_array=False))._named(
            name
        )
    if not isinstance(index, Held):
        raise refused("pd.Series(array, index=...)", "the array is on Spark, and its index is not")
    table, (value,) = beside_by_place(_rows_of(index), data._table)
    return Series._of(replace(table, columns=((name, value),)))


def _rows_of(index: Held) -> Table:
    """A table without columns that has an index."""
    from predtrace.frontends.pandas.choosing.index import Index

    if not isinstance(index, Index):
        raise refused("index=", f"a {index._kind} is no index", "give its values with set_index()")
    return index._as_index


def _over(index: Held, values: pd.DataFrame) -> DataFrame:
    """Values of the program for the rows of an index that is on Spark: by position."""
    from predtrace.frontends.pandas.frame import DataFrame

    if not isinstance(values.index, pd.RangeIndex):
        raise refused("index=", "the values have an index of their own, and the new one is on Spark")
    table = _rows_of(index)
    made = DataFrame._of(table)
    for place, label in enumerate(values.columns):
        made._set(label, values.iloc[:, place].to_numpy())
    return made


def _frame_of(data: Held, columns: Any) -> DataFrame:
    from predtrace.frontends.pandas.frame import DataFrame
    from predtrace.frontends.pandas.series import Series

    if isinstance(data, DataFrame):
        return data if columns is None else data.reindex(columns=columns)
    if not isinstance(data, Series):
        raise refused(
            f"pd.DataFrame() of a {data._kind}", "it is one row", "use to_frame().T in plain pandas"
        )
    labels = None if columns is None else list(columns)
    if labels is not None and (len(labels) != 1 or data.name not in (None, labels[0])):
        raise refused("pd.DataFrame(series, columns=...)", "it has one column", "rename it")
    named = data if labels is None else data._named(labels[0])
    if _has_no_labels(named):
        named = _labelled(named, None)
    return named.to_frame()


def _beside_each_other(data: dict[Label, Any]) -> DataFrame:
    """Columns by their labels: series by the index, of which all labels are there, and others by position."""
    from predtrace.frontends.pandas.frame import DataFrame
    from predtrace.frontends.pandas.series import Series

    held = {label: one for label, one in data.items() if isinstance(one, Held)}
    if not all(isinstance(one, Series) for one in held.values()):
        raise refused("pd.DataFrame({...})", "a column is a frame")
    labelled = {label: one for label, one in held.items() if not _has_no_labels(one)}
    if not labelled:
        first = next(iter(held.values()))
        rows = replace(first._table, columns=(), index=Positions(), is_unique=True, is_array=False)
        return _with_all(DataFrame._of(rows), data)
    first, *others = labelled.values()
    if all(same_rows(first._raw, other._raw) for other in others):
        if any(first._raw.order != other._raw.order for other in others):
            raise refused("pd.DataFrame({...})", "the series are of the same rows in another order")
        return _with_all(DataFrame._of(replace(first._table, columns=(), column_names=(None,))), data)
    if any(isinstance(one, (list, tuple, np.ndarray, pd.Index)) for one in data.values()):
        raise refused("pd.DataFrame({...})", "series of other rows and lists are put beside each other")
    table = replace(first._table, columns=())
    for other in others:
        table, _, _ = outer(table, replace(other._table, columns=()))
    return _with_all(DataFrame._of(table), data)


def _with_all(frame: DataFrame, data: dict[Label, Any]) -> DataFrame:
    for label, values in data.items():
        frame._set(label, values)
    return frame
