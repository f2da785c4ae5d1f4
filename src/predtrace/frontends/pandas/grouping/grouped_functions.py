"""The user's functions of groups: `apply`, `filter`, and `agg` and `transform` with functions.

Spark calls them with each group (`group_calls.py`). It must know the types of what comes back, so the functions run
twice: the first time they only tell, group by group, what they give (`group_worker.Shape`).

The index of the rows: where it only counts them, each group gets numbers of its own, if the function gives the same
for other numbers. If not, the rows of the whole frame are counted.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from pyspark.sql import DataFrame as Rows
from pyspark.sql import functions as F
from pyspark.sql import types as spark

from predtrace.frontends.pandas.applying.calling import Function
from predtrace.frontends.pandas.applying.users_functions import prepared
from predtrace.frontends.pandas.core.certain import misses
from predtrace.frontends.pandas.core.dtypes import Dtype
from predtrace.frontends.pandas.core.scalars import Scalar
from predtrace.frontends.pandas.core.spaces import Space, fresh
from predtrace.frontends.pandas.core.steps import only, refused
from predtrace.frontends.pandas.core.tables import Label, Positions, Table
from predtrace.frontends.pandas.grouping import group_calls
from predtrace.frontends.pandas.grouping.aggregate_specs import Specs
from predtrace.frontends.pandas.grouping.applied import applied
from predtrace.frontends.pandas.grouping.group_layouts import Mapped, combined, schema_of
from predtrace.frontends.pandas.grouping.grouped_state import Grouped
from predtrace.frontends.pandas.reducing.aggregates import name_of, named
from predtrace.ir.operators import OneFor


class GroupedFunctions(Grouped):
    """These methods of groups."""

    def apply(self, func: Any, *args: Any, include_groups: bool = True, **kwargs: Any) -> Any:
        """What a function gives for each group, put together: values, series or frames."""
        if isinstance(func, str):
            return getattr(self, func)(*args, **kwargs)
        return applied(self, func, args, kwargs, include_groups)

    def pipe(self, func: Any, *args: Any, **kwargs: Any) -> Any:
        """What a function gives for these groups."""
        return func(self, *args, **kwargs)

    def filter(self, func: Any, dropna: bool = True, *args: Any, **kwargs: Any) -> Any:
        """The rows of the groups for which a function is true."""
        only(f"{self._kind}.filter()", {"dropna": True}, {"dropna": dropna})
        call = f"{self._kind}.filter({name_of(func)})"
        fit, scalars = prepared(func, args, kwargs, call)
        here = self._indexed()
        mapped = Mapped(call, here._groups, here._shown_table(), self._is_series, tuple(scalars))
        rows = mapped.rows()
        schema = spark.StructType([spark.StructField(f.name, f.dataType) for f in rows.schema.fields])
        came = [(name, name) for name in rows.columns]
        kept = mapped.run(rows, group_calls.filtering(mapped.layout, fit), schema, OneFor.ROW, came)
        return self._of(_under_new_names(mapped.shown, kept))


def _under_new_names(table: Table, rows: Rows) -> Table:
    names = {name: fresh(name.rpartition("_")[0]) for name in table.names()}
    space = Space(rows.select(*(F.col(old).alias(new) for old, new in names.items())))
    return _under_names(table, space, names)


def _under_names(table: Table, space: Space, names: dict[str, str]) -> Table:
    """The table in another space, where its columns have other names."""
    index = table.index
    if not isinstance(index, Positions):
        index = tuple(
            replace(level, value=space.value(names[level.value.name], level.value.dtype)) for level in index
        )
    return replace(
        table,
        space=space,
        columns=tuple((label, space.value(names[v.name], v.dtype)) for label, v in table.columns),
        index=index,
        order=tuple(replace(key, name=names[key.name]) for key in table.order),
    )


def aggregated_by_functions(grouped: Any, specs: Specs, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """A row for each group: what functions, or aggregates by name, give for its columns."""
    own = [spec.function for spec in specs.listed if named(spec.function) is None]
    call = f"{grouped._kind}.agg({name_of(own[0]) if own else '...'})"
    grouped._groups.check_rows(call)
    functions, scalars = _all_prepared(specs, args, kwargs, call)
    is_counted = isinstance(grouped._groups.table.index, Positions)
    shown, calls = _columns_of(grouped._indexed(), specs, functions)
    mapped = Mapped(call, grouped._indexed()._groups, shown, False, scalars)
    shapes = mapped.shapes(group_calls.describing_aggregates(mapped.layout, calls, is_counted))
    dtypes = [
        combined(call, [shape.columns[place][1] for shape in shapes], of_values=True)
        for place in range(len(calls))
    ]
    _check_categories(grouped, specs, dtypes, call)
    if is_counted and all(shape.is_free for shape in shapes):
        shown, calls = _columns_of(grouped, specs, functions)
        mapped = Mapped(call, grouped._groups, shown, False, scalars)
    rows = mapped.rows()
    groups = mapped.groups
    order = [] if groups.sort else [key.name for key in mapped.shown.order]
    kept = mapped.kept([*(key.value.name for key in groups.keys), *order])
    output = [(fresh(spec.label), dtype) for spec, dtype in zip(specs.listed, dtypes, strict=True)]
    wrapper = group_calls.aggregating(mapped.layout, calls, output, kept)
    found = mapped.run(rows, wrapper, schema_of(rows, kept, output), OneFor.GROUP, kept)
    new = dict(kept)
    keys = [new[key.value.name] for key in groups.keys]
    cells = [(spec.label, name, dtype) for spec, (name, dtype) in zip(specs.listed, output, strict=True)]
    if groups.sort:
        found, by = groups.ordered(found, keys)
    else:
        by = [replace(key, name=new[key.name]) for key in mapped.shown.order]
    return grouped._put_together(specs, groups.finished(found, keys, cells, by, specs.column_names))


def _check_categories(grouped: Any, specs: Specs, dtypes: list[Dtype], call: str) -> None:
    """Refuse results that may be categories: pandas makes them such if all are categories of the column."""
    values = dict(grouped._certain_of(specs))
    for spec, dtype in zip(specs.listed, dtypes, strict=True):
        own = values[spec.column].dtype
        if named(spec.function) is None and own.categories is not None and own.spark == dtype.spark:
            raise refused(call, f"{spec.column!r} has categories, and the results may be some of them")


def _all_prepared(
    specs: Specs, args: tuple[Any, ...], kwargs: dict[str, Any], call: str
) -> tuple[list[Any], tuple[Scalar, ...]]:
    """The functions, and the scalars that each of them is given after the group."""
    found: list[Any] = []
    for spec in specs.listed:
        name = named(spec.function)
        is_known = name is not None and not args
        found.append((name, []) if is_known else prepared(spec.function, args, kwargs, call))
    every = tuple(scalar for _, scalars in found for scalar in scalars)
    functions: list[Any] = []
    first = 0
    for one, scalars in found:
        is_all = isinstance(one, str) or len(scalars) == len(every)
        functions.append(one if is_all else _given_some(one, first, len(scalars)))
        first += len(scalars)
    return functions, every


def _given_some(function: Function, first: int, count: int) -> Function:
    """A function that is given all scalars, and calls one that takes some of them."""

    def given_some(group: Any, *scalars: Any) -> Any:
        return function(group, *scalars[first : first + count])

    given_some.__name__ = name_of(function)
    return given_some


def _columns_of(grouped: Any, specs: Specs, functions: list[Any]) -> tuple[Table, list[tuple[int, Any]]]:
    """The table with the columns that are aggregated, and which function is for which of them."""
    values = dict(grouped._certain_of(specs))
    labels = list(values)
    table = replace(grouped._groups.table, columns=tuple(values.items()), column_names=(None,))
    calls = [(labels.index(spec.column), one) for spec, one in zip(specs.listed, functions, strict=True)]
    return table, calls


def transformed_by_function(
    grouped: Grouped, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Any:
    """For each row what a function gives for its group.

    The rows of the frame come along, so that the result is beside them without a join.
    """
    call = f"{grouped._kind}.transform({name_of(function)})"
    fit, scalars = prepared(function, args, kwargs, call)
    groups = grouped._groups
    columns = tuple(grouped._certain())
    table = replace(groups.table, columns=columns)
    mapped = Mapped(call, groups, table, grouped._is_series, tuple(scalars))
    shapes = mapped.shapes(group_calls.describing_transform(mapped.layout, fit))
    drops = groups.there() is not None
    output = []
    for place, (label, _) in enumerate(columns):
        kinds = [shape.columns[place][1] for shape in shapes]
        dtype = combined(call, kinds)
        output.append((fresh("value" if label is None else label), dtype.missing(dtype.may_miss or drops)))
    own = groups.table.names() if _comes_back_as_it_went(groups.table) else []
    base = replace(groups.table, columns=()).names()
    rows = mapped.rows(all_rows=True, more=own)
    kept = [(name, name) for name in own] or mapped.kept(base)
    wrapper = group_calls.transforming(mapped.layout, fit, output, kept, drops)
    found = mapped.run(rows, wrapper, schema_of(rows, kept, output), OneFor.ROW, kept)
    space = Space(found, kept_of=(groups.table.space, None) if own else None)
    names: tuple[Label, ...] = (None,) if grouped._is_series else groups.table.column_names
    cells = tuple((label, space.value(n, d)) for (label, _), (n, d) in zip(columns, output, strict=True))
    made = replace(groups.table, columns=(), column_names=names)
    made = made.moved(space) if own else _under_names(made, space, dict(kept))
    return grouped._of(replace(made, columns=cells))


def _comes_back_as_it_went(table: Table) -> bool:
    """Whether Python gives back all values as they are: it has floats for whole numbers of which one is missing."""
    values = [value for _, value in table.columns]
    kinds = [(value, value.dtype) for value in values]
    whole = [value for value, kind in kinds if kind.may_miss and (kind.is_integer or kind.is_whole_with_na)]
    is_plain = all(value.dtype.name != "object" or value.dtype.is_text for value in values)
    return is_plain and not any(misses(whole).values())
