"""`groupby(...).apply(function)`: what comes back depends on what the function gives.

| for each group | groups of a frame | groups of a series |
|---|---|---|
| a value | a series by the keys | a series by the keys |
| a series, always with the same labels | a frame: a row for each group | all below each other |
| another series | all below each other, the keys before their index | the same |
| a frame | all below each other, the keys before their index | the same |

With `group_keys=False` there are no keys; where each result has the index of its group, the rows are then in the
order of the frame. With `as_index=False` the groups' numbers stand in place of the keys before an index.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from pyspark.sql import DataFrame as Rows
from pyspark.sql import Window
from pyspark.sql import functions as F

from predtrace.frontends.pandas.applying.users_functions import prepared
from predtrace.frontends.pandas.core.dtypes import INT64, Dtype
from predtrace.frontends.pandas.core.spaces import Key, Value, fresh
from predtrace.frontends.pandas.core.steps import refused
from predtrace.frontends.pandas.core.tables import Label, Level, Positions, Table, new_table
from predtrace.frontends.pandas.grouping import group_calls
from predtrace.frontends.pandas.grouping.group_layouts import Mapped, combined, schema_of
from predtrace.frontends.pandas.grouping.group_worker import Function, Shape
from predtrace.frontends.pandas.grouping.grouped_state import Grouped
from predtrace.frontends.pandas.reducing.aggregates import name_of
from predtrace.ir.operators import OneFor

_Column = tuple[Label, str, object]


def applied(
    grouped: Grouped, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any], with_keys: bool
) -> Any:
    """What a function gives for the groups, put together."""
    call = f"{grouped._kind}.apply({name_of(function)})"
    grouped._groups.check_rows(call)
    fit, scalars = prepared(function, args, kwargs, call)
    is_counted = isinstance(grouped._groups.table.index, Positions)
    indexed = grouped._indexed()
    mapped = _mapped(indexed, call, with_keys, tuple(scalars))
    shapes = mapped.shapes(group_calls.describing(mapped.layout, fit, is_counted))
    there = [shape for shape in shapes if shape.kind != "nothing"]
    kinds = {shape.kind for shape in there}
    if len(kinds) != 1:
        why = f"it gives {' and '.join(sorted(kinds))}" if kinds else "there is no group, or it gives nothing"
        raise refused(call, f"{why}, so it is not known what comes back")
    if is_counted and all(shape.is_free for shape in there):
        # Then nobody needs to know where in the frame a row is.
        result = _Applied(grouped, _mapped(grouped, call, with_keys, tuple(scalars)), fit, shapes)
    else:
        result = _Applied(indexed, mapped, fit, shapes)
    (kind,) = kinds
    if kind == "scalar":
        return result.values()
    if kind == "series" and not grouped._is_series and _have_same_labels(there):
        return result.lines()
    return result.below_each_other(kind)


def _mapped(grouped: Grouped, call: str, with_keys: bool, scalars: tuple[Any, ...]) -> Mapped:
    table = grouped._shown_table()
    if not with_keys and not grouped._is_series:
        taken = {key.label for key in grouped._groups.keys if key.is_column}
        table = replace(table, columns=tuple(c for c in table.columns if c[0] not in taken))
    return Mapped(call, grouped._groups, table, grouped._is_series, scalars)


def _have_same_labels(shapes: list[Shape]) -> bool:
    return all(shape.labels is not None and shape.labels == shapes[0].labels for shape in shapes)


def _shared(names: list[Label]) -> Label:
    """The name that all have; None if they have several."""
    return names[0] if all(name == names[0] for name in names) else None


def _numbers(table: Table, groups: list[Key]) -> Level:
    """The number of each row's group, which are in order by these keys. Nobody counts unless it is looked at."""
    number = F.dense_rank().over(Window.orderBy(*(key.column() for key in groups))).cast("bigint") - 1
    uses = frozenset(key.name for key in groups)
    counted = Value(table.space, number, uses, INT64, is_window=True)
    return Level(None, table.space.settled(counted, "group"))


class _Applied:
    """A function, and what it gives."""

    def __init__(self, grouped: Grouped, mapped: Mapped, function: Function, shapes: list[Shape]) -> None:
        self.grouped = grouped
        self.groups = grouped._groups
        self.mapped = mapped
        self.function = function
        self.shapes = shapes
        self.there = [shape for shape in shapes if shape.kind != "nothing"]
        self.first = self.there[0]

    def values(self) -> Any:
        """One value for each group."""
        kinds = [shape.columns[0][1] if shape.columns else None for shape in self.shapes]
        dtype = combined(self.mapped.call, kinds, of_values=True)
        label: Label = self.grouped._columns[0][0] if self.grouped._is_series else None
        table = self._by_key([(label, dtype)], (None,))
        from predtrace.frontends.pandas.series import Series

        return Series._of(table) if self.groups.as_index else self.grouped._of_frame(table)

    def lines(self) -> Any:
        """A row for each group, with the labels of the series that the function gives."""
        assert self.first.labels is not None
        if any(shape.kind == "nothing" for shape in self.shapes):
            raise refused(self.mapped.call, "it gives nothing for some groups")
        columns = [(label, self._line_dtype(place)) for place, label in enumerate(self.first.labels)]
        return self.grouped._of_frame(self._by_key(columns, self.first.column_names))

    def _line_dtype(self, place: int) -> Dtype:
        """pandas puts the series below each other: a dtype that is not `object` is that of all columns."""
        if all(len(shape.columns) == 1 and shape.columns[0][0] is None for shape in self.there):
            dtype = combined(self.mapped.call, [shape.columns[0][1] for shape in self.there])
            if dtype.is_whole_with_na and (dtype.may_miss or dtype.name != "Int64"):
                raise refused(self.mapped.call, f"pandas makes other numbers of lines of {dtype.name}")
            return INT64 if dtype.name == "Int64" else dtype
        kinds = []
        for shape in self.there:
            is_whole = len(shape.columns) == 1 and shape.columns[0][0] is None
            kinds.append(shape.columns[0 if is_whole else place][1])
        return combined(self.mapped.call, kinds, of_values=True)

    def _by_key(self, columns: list[tuple[Label, Dtype]], names: tuple[Label, ...]) -> Table:
        found, new, made = self._run([], columns, one_row=True)
        keys = [new[key.value.name] for key in self.groups.keys]
        found, order = self._ordered(found, new)
        return self.groups.finished(found, keys, made, order, names)

    def _run(
        self, levels: list[tuple[Label, Dtype]], columns: list[tuple[Label, Dtype]], one_row: bool
    ) -> tuple[Rows, dict[str, str], list[_Column]]:
        """The rows from Spark, the new names of what came along, and the number of each row and the new columns."""
        mapped = self.mapped
        rows = mapped.rows()
        order = [] if self.groups.sort else [key.name for key in mapped.shown.order]
        kept = mapped.kept([*(key.value.name for key in self.groups.keys), *order])
        named = [(label, fresh("value" if label is None else label), d) for label, d in [*levels, *columns]]
        output = [(fresh("number"), INT64), *((name, dtype) for _, name, dtype in named)]
        wrapper = group_calls.applying(mapped.layout, self.function, output, kept, len(levels), one_row)
        one_for = OneFor.GROUP if one_row else OneFor.UNKNOWN
        found = mapped.run(rows, wrapper, schema_of(rows, kept, output), one_for, kept)
        made: list[_Column] = [] if one_row else [(None, output[0][0], INT64)]
        return found, dict(kept), [*made, *named]

    def _ordered(self, rows: Rows, new: dict[str, str]) -> tuple[Rows, list[Key]]:
        """The order of the groups, by columns that came along under new names."""
        if self.groups.sort:
            return self.groups.ordered(rows, [new[key.value.name] for key in self.groups.keys])
        return rows, [replace(key, name=new[key.name]) for key in self.mapped.shown.order]

    def below_each_other(self, kind: str) -> Any:
        """All rows that the function gives, group by group."""
        call = self.mapped.call
        layouts = {(tuple(label for label, _ in shape.columns), len(shape.index)) for shape in self.there}
        if kind == "series":
            layouts = {((), count) for _, count in layouts}
        if len(layouts) > 1:
            raise refused(call, "it gives frames with different columns, or indexes, for different groups")
        is_numbered = self.groups.group_keys and not self.groups.as_index
        if is_numbered:
            self._check_numbers(kind)
        columns = self._columns(kind)
        if not self.groups.group_keys and all(shape.is_like for shape in self.shapes):
            return self._finish(kind, self._alike(columns))
        levels = [
            (
                _shared([shape.index[place][0] for shape in self.there]),
                combined(call, [shape.index[place][1] for shape in self.there]),
            )
            for place in range(len(self.first.index))
        ]
        found, new, (number, *made) = self._run(levels, columns, one_row=False)
        outer: list[_Column] = [
            (key.label, new[key.value.name], self.groups.key_dtype(key.value)) for key in self.groups.keys
        ]
        inner, cells = made[: len(levels)], made[len(levels) :]
        index = [*outer, *inner] if self.groups.group_keys and not is_numbered else inner
        names = self.first.column_names if kind == "frame" else (None,)
        found, groups = self._ordered(found, new)
        order = [*groups, Key(number[1])]
        table = new_table(found, cells, index, order, column_names=names)
        if is_numbered:
            table = replace(table, index=(_numbers(table, groups), *table.levels()))
        same = {shape.labels for shape in self.there}
        if kind == "series" and self.groups.group_keys and len(same) == 1 and None not in same:
            assert not isinstance(table.index, Positions)
            *above, last = table.index
            table = replace(table, index=(*above, replace(last, known=same.pop())))
        return self._finish(kind, table)

    def _check_numbers(self, kind: str) -> None:
        """Whether the groups whose rows come out have the numbers that pandas gives them."""
        if kind == "series":
            raise refused(self.mapped.call, "with as_index=False pandas makes a frame of several series")
        if not self.groups.sort:
            raise refused(self.mapped.call, "pandas numbers the groups as they come")
        if any(shape.kind == "nothing" or shape.is_empty for shape in self.shapes):
            raise refused(
                self.mapped.call,
                "pandas numbers the groups, also those for which the function gives no rows",
                "group without as_index=False",
            )

    def _columns(self, kind: str) -> list[tuple[Label, Dtype]]:
        call = self.mapped.call
        if kind == "frame":
            return [
                (label, combined(call, [shape.columns[place][1] for shape in self.there]))
                for place, (label, _) in enumerate(self.first.columns)
            ]
        kinds = [one for shape in self.there for _, one in shape.columns]
        is_values = any(label is not None for shape in self.there for label, _ in shape.columns)
        label = _shared([shape.name for shape in self.there])
        if self.grouped._is_series:
            label = self.grouped._columns[0][0]
        return [(label, combined(call, kinds, of_values=is_values))]

    def _alike(self, columns: list[tuple[Label, Dtype]]) -> Table:
        """The rows of the frame, in its order, with what the function gives for them."""
        mapped = self.mapped
        rows = mapped.rows()
        shown = mapped.shown
        levels = shown.levels()
        kept = mapped.kept([*(level.value.name for level in levels), *(key.name for key in shown.order)])
        output = [(fresh("value" if label is None else label), dtype) for label, dtype in columns]
        wrapper = group_calls.alike(mapped.layout, self.function, output, kept)
        found = mapped.run(rows, wrapper, schema_of(rows, kept, output), OneFor.ROW, kept)
        new = dict(kept)
        return new_table(
            found,
            [(label, name, dtype) for (label, dtype), (name, _) in zip(columns, output, strict=True)],
            [(level.label, new[level.value.name], level.value.dtype) for level in levels],
            [replace(key, name=new[key.name]) for key in shown.order],
            column_names=self.first.column_names if self.first.kind == "frame" else (None,),
        )

    def _finish(self, kind: str, table: Table) -> Any:
        from predtrace.frontends.pandas.series import Series

        return Series._of(table) if kind == "series" else self.grouped._of_frame(table)
