"""Rows in groups by keys, and the tables that have a row for each group.

| | |
|---|---|
| a missing key | the row is in no group, unless `dropna=False` |
| order of groups | by their keys; `sort=False`: as they come first |
| categories | by their own order; those that no row has are groups, too, unless `observed=True` |
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from pyspark.sql import Column
from pyspark.sql import DataFrame as Rows
from pyspark.sql import functions as F

from predtrace.frontends.pandas.core.dtypes import check_no_difference, check_not_kept
from predtrace.frontends.pandas.core.places import first_place
from predtrace.frontends.pandas.core.spaces import Key, Order, Value, fresh
from predtrace.frontends.pandas.core.steps import refused
from predtrace.frontends.pandas.core.tables import AS_THEY_CAME, Label, Positions, Table, new_table
from predtrace.frontends.pandas.grouping.category_groups import all_categories, completed, in_order
from predtrace.frontends.pandas.grouping.time_bins import TimeBins
from predtrace.frontends.pandas.moving.along import Along
from predtrace.frontends.pandas.reducing.aggregates import Cell
from predtrace.frontends.pandas.reducing.within import Within


@dataclass(frozen=True)
class GroupKey:
    """A key. `label`: its name in the index. `is_column`: whether it is a column of the frame."""

    label: Label
    value: Value
    is_column: bool

    def __post_init__(self) -> None:
        check_no_difference("groups by values", self.value.dtype)


@dataclass(frozen=True)
class Groups:
    """How the rows of a table are in groups. `is_list`: the keys were given as a list.

    `bins`: the only key are spans of time; unless it was given as a list, rows are then in the order of time.
    `spans`: the last of several keys are spans of time, and each group has all from its first to its last.
    """

    table: Table
    keys: tuple[GroupKey, ...]
    is_list: bool = False
    as_index: bool = True
    sort: bool = True
    dropna: bool = True
    group_keys: bool = True
    observed: bool = False
    bins: TimeBins | None = None
    spans: TimeBins | None = None

    @property
    def by(self) -> tuple[Value, ...]:
        """The values of the keys."""
        for key in self.keys:
            if key.value.dtype.is_mixed:
                check_not_kept("groupby()", key.value.dtype)
        return tuple(key.value for key in self.keys)

    @cached_property
    def within(self) -> Within:
        """The rows of a group, for aggregates."""
        return Within(replace(self.table, order=self.order), self.by)

    @property
    def order(self) -> Order:
        """What the rows of a group are in order by."""
        bins = self.spans or (None if self.is_list else self.bins)
        return self.table.order if bins is None else (Key(bins.moments.name), *self.table.order)

    def windows(self) -> Within:
        """The same for aggregates that each row gets."""
        return Within(self.table, self.by, is_window=True)

    def along(self) -> Along:
        """The rows of a group in order."""
        return Along(self.table, self.by, drops=self.dropna)

    def there(self) -> Value | None:
        """Whether a row is in a group; None if all are."""
        from predtrace.frontends.pandas.core.dtypes import BOOL

        condition = self.along().there
        if condition is None:
            return None
        uses = frozenset[str]().union(*(key.uses for key in self.by))
        return Value(self.table.space, condition, uses, BOOL)

    def rows(self, *names: str) -> Rows:
        """The rows that are in groups, with at least these columns."""
        rows = self.table.rows(*(name for key in self.by for name in key.uses), *names)
        there = self.there()
        return rows if there is None else rows.where(there.column)

    def collapsed(
        self, cells: Sequence[tuple[Label, Cell]], column_names: Sequence[Label] = (None,)
    ) -> Table:
        """A table with a row for each group: its keys and some aggregates."""
        names = [fresh(key.label if key.label is not None else "key") for key in self.keys]
        made = [(label, fresh(label if label is not None else "value"), cell) for label, cell in cells]
        aggregates = [cell.column.alias(name) for _, name, cell in made]
        uses = {used for cell in cells for used in cell[1].uses}
        first = fresh("first")
        whole = Within(self.table)
        if not self.sort:  # by where a group comes first among all rows
            aggregates.append(F.min(whole.place).alias(first))
        if not aggregates:
            aggregates.append(F.count(F.lit(1)).alias(fresh("size")))
        keys: list[Column] = [F.col(v.name).alias(n) for v, n in zip(self.by, names, strict=True)]
        grouped = self.rows(*uses, *whole.uses).groupBy(*keys).agg(*aggregates)
        every = self._all_labels()
        wider = completed(grouped, list(zip(names, every, strict=True))) if every is not None else None
        if self.spans is not None:
            wider = self.spans.completed(grouped, names)
        if wider is not None:
            grouped = wider
            grouped = grouped.withColumns(
                {
                    name: F.coalesce(F.col(name), F.lit(cell.nothing).cast(cell.dtype.spark))
                    for _, name, cell in made
                    if cell.nothing is not None
                }
            )
            made = [
                (label, name, cell if cell.nothing is not None else replace(cell, dtype=cell.dtype.missing()))
                for label, name, cell in made
            ]
        grouped, order = self.ordered(grouped, names) if self.sort else first_place(grouped, first)
        return self.finished(
            grouped, names, [(label, n, c.dtype) for label, n, c in made], order, column_names
        )

    def indexed(self) -> Groups:
        """The same, of a table whose index has values."""
        table = self.table.settled().indexed()
        return replace(
            self,
            table=table,
            keys=tuple(replace(key, value=adopted(table, key.value)) for key in self.keys),
            bins=self.bins and replace(self.bins, moments=adopted(table, self.bins.moments)),
            spans=self.spans and replace(self.spans, moments=adopted(table, self.spans.moments)),
        )

    def key_table(self) -> Table:
        """The keys of all groups, one column for each."""
        plain = replace(self, keys=tuple(replace(key, is_column=True) for key in self.keys), as_index=False)
        return plain.collapsed(())

    def _all_labels(self) -> list[Rows | None] | None:
        """All labels that a key may have, for each key that may have others than there are; None if none may."""
        if self.bins is not None:
            return None if self.bins.all_labels is None else [self.bins.all_labels]
        if self.observed or all(value.dtype.categories is None for value in self.by):
            return None
        if not self.dropna or not self.sort:
            raise refused(
                "groupby() by categories with dropna=False or sort=False",
                "groups that no row has are not made then",
                "give observed=True",
            )
        return [
            all_categories(value.dtype) if value.dtype.categories is not None else None for value in self.by
        ]

    def check_rows(self, call: str) -> None:
        """Refuse what cannot be done for groups without rows, if there are any. Asks Spark."""
        every = self._all_labels()
        if every is None:
            return
        names = [key.name for key in self.by]
        there = self.rows().select(*names).distinct().withColumn("is_there", F.lit(True))
        if completed(there, list(zip(names, every, strict=True))).where("is_there is null").take(1):
            if self.bins is not None:
                raise refused(call, "there are spans of time without rows")
            raise refused(call, "there are categories without rows", "give groupby() observed=True")

    def ordered(self, rows: Rows, names: list[str]) -> tuple[Rows, list[Key]]:
        """Rows that have keys under these names, and what sorts them by the keys."""
        keys: list[Key] = []
        for name, value in zip(names, self.by, strict=True):
            key = name
            if value.dtype.categories is not None:
                key = fresh("category")
                rows = rows.withColumn(key, in_order(F.col(name), value.dtype))
            keys.append(Key(key))
        return rows, keys

    def finished(
        self,
        rows: Rows,
        names: list[str],
        columns: Sequence[tuple[Label, str, object]],
        order: list[Key],
        column_names: Sequence[Label],
    ) -> Table:
        """A table over rows that have keys: they are its index, or its first columns."""
        levels: list[tuple[Label, str, object]] = [
            (key.label, name, self.key_dtype(key.value)) for key, name in zip(self.keys, names, strict=True)
        ]
        if self.as_index:
            made = new_table(rows, columns, levels, order, is_unique=True, column_names=tuple(column_names))
            if self.sort or isinstance(made.index, Positions):
                return made
            return replace(made, index=tuple(replace(level, known=AS_THEY_CAME) for level in made.index))
        # A key that is no column of the frame does not become one.
        taken = {label for label, _, _ in columns}
        first = [
            ((label, *[""] * (len(column_names) - 1)) if len(column_names) > 1 else label, name, dtype)
            for (label, name, dtype), key in zip(levels, self.keys, strict=True)
            if key.is_column and label not in taken
        ]
        return new_table(rows, [*first, *columns], None, order, column_names=tuple(column_names))

    def key_dtype(self, value: Value) -> object:
        """The dtype of a key in the result."""
        return value.dtype.missing(value.dtype.may_miss and not self.dropna)


def adopted(table: Table, value: Value) -> Value:
    """A value of rows that a table has all, with more columns, as a value of the table's."""
    found = table.space.adopted(value)
    assert found is not None
    return found
