"""`agg`: one aggregate or several, by name or by function.

A function of the user's own gets the series as it is here, on Spark: what it works out, as in
`lambda s: s.max() - s.min()`, stays a query.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pandas as pd

from predtrace.frontends.pandas.core.certain import certain
from predtrace.frontends.pandas.core.dtypes import Dtype, check_not_kept
from predtrace.frontends.pandas.core.held import Held
from predtrace.frontends.pandas.core.scalars import Scalar
from predtrace.frontends.pandas.core.spaces import Value
from predtrace.frontends.pandas.core.stacked import stacked
from predtrace.frontends.pandas.core.steps import refused
from predtrace.frontends.pandas.core.tables import Label, Table
from predtrace.frontends.pandas.reducing.aggregates import Cell, aggregate, name_of, named
from predtrace.frontends.pandas.reducing.within import Within

if TYPE_CHECKING:
    from predtrace.frontends.pandas.series import Series

_Function = str | Callable[..., Any]


class AggregatingSeries(Held):
    """These methods of a Series."""

    def agg(self, func: Any = None, axis: Any = 0, *args: Any, **kwargs: Any) -> Any:
        """One aggregate as a scalar, or several as a series of them."""
        if isinstance(func, dict):
            return self._listed(list(func), list(func.values()))
        if isinstance(func, (list, tuple)):
            return self._listed([name_of(one) for one in func], list(func))
        name = _alone(func, self._table.columns[0][1].dtype)
        if name is None:
            return func(self, *args, **kwargs)
        if not hasattr(type(self), name):
            raise AttributeError(f"'{name}' is not a valid function for 'Series' object")
        return getattr(self, name)(*args, **kwargs)

    aggregate = agg

    def _listed(self, labels: list[Label], functions: list[_Function]) -> Series:
        from predtrace.frontends.pandas.series import Series

        table = certain(self._table)
        label, value = table.columns[0]
        if value.dtype.is_whole_with_na:
            check_not_kept("agg() with a list", value.dtype)
        cells = [_cell(table, label, value, one) for one in functions]
        rows = table.rows(*(name for cell in cells for name in cell.uses))
        return Series._of(stacked("Series.agg()", rows, labels, [(label, cells)]))


class AggregatingFrame(Held):
    """These methods of a DataFrame."""

    def agg(self, func: Any = None, axis: Any = 0, *args: Any, **kwargs: Any) -> Any:
        """An aggregate of each column as a series, or several as a frame with a line for each."""
        frame: Any = self
        if axis not in (0, "index"):
            raise refused("DataFrame.agg(axis=1)", "it is not made for Spark yet")
        if func is None:
            raise refused("DataFrame.agg(name=(column, function))", "it is not made for Spark yet")
        if isinstance(func, str) and not (args or kwargs):
            return getattr(frame, func)()
        table = certain(self._table)
        if not isinstance(func, dict):
            func = dict.fromkeys(table.labels, func)
        _check_labels(table, func)
        if any(isinstance(given, (list, tuple)) for given in func.values()):
            return self._of(_lines(table, func))
        return _one_line(table, func)

    aggregate = agg


def _alone(function: Any, dtype: Dtype) -> str | None:
    """The aggregate that a function alone means; None if it is to be called with the series.

    pandas calls it with each value first; only if that fails, with the series.
    """
    if isinstance(function, str) or (named(function) is not None and function is not len):
        return named(function)
    example: Any = "" if dtype.is_text else pd.Timestamp(0) if dtype.is_moment else 1.0
    try:
        function(example)
    except (ValueError, AttributeError, TypeError):
        return None
    raise refused(
        f"Series.agg({name_of(function)})",
        "pandas would call the function with each value",
        "write s.apply(function), or function(s)",
    )


def _check_labels(table: Table, given: dict[Hashable, Any]) -> None:
    missing = [label for label in given if label not in table.labels]
    if missing:
        raise KeyError(f"Label(s) {missing} do not exist")


def _one_line(table: Table, given: dict[Hashable, Any]) -> Series:
    from predtrace.frontends.pandas.series import Series

    cells = [_cell(table, label, table.values(label)[0], one) for label, one in given.items()]
    rows = table.rows(*(name for cell in cells for name in cell.uses))
    names = table.column_names
    return Series._of(stacked("DataFrame.agg()", rows, list(given), [(None, cells)], names))


def _lines(table: Table, given: dict[Hashable, Any]) -> Table:
    """A line for each function that a column is given, missing for the other columns."""
    for label, value in table.columns:
        if label in given and value.dtype.is_whole_with_na:
            check_not_kept("agg() with a list", value.dtype)
    lists = {label: list(one) if isinstance(one, (list, tuple)) else [one] for label, one in given.items()}
    lines = list(dict.fromkeys(name_of(one) for functions in lists.values() for one in functions))
    columns: list[tuple[Label, list[Cell | None]]] = []
    for label, functions in lists.items():
        cells = {name_of(one): _cell(table, label, table.values(label)[0], one) for one in functions}
        columns.append((label, [cells.get(line) for line in lines]))
    uses = {name for _, cells in columns for cell in cells if cell is not None for name in cell.uses}
    made = stacked("DataFrame.agg()", table.rows(*uses), lines, columns)
    return replace(made, column_names=table.column_names)


def _cell(table: Table, label: Label, value: Value, function: _Function) -> Cell:
    """An aggregate of a column. What a user's function gives is a query of its own."""
    from predtrace.frontends.pandas.series import Series

    name = named(function)
    if name is not None:
        return aggregate(name, value, Within(table))
    assert callable(function)
    found = function(Series._of(replace(table, columns=((label, value),), column_names=(None,))))
    if not isinstance(found, Scalar):
        raise refused(
            f"agg({name_of(function)})", f"it gives a {type(found).__name__}, and not one value of Spark"
        )
    return Cell(found.column(), found._dtype, value.uses)
