"""What a DataFrame or a Series of pandas is at one moment: labelled values in a space, an index and an order.

A table is never changed. What users change in place is the table that their object holds.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, field, replace

from pyspark.sql import DataFrame as Rows
from pyspark.sql import Window, WindowSpec
from pyspark.sql import functions as F
from pyspark.sql.internal import InternalFunction

from predtrace.frontends.pandas.core.dtypes import INT64, check_no_difference
from predtrace.frontends.pandas.core.spaces import Key, Order, Space, Value, fresh

Label = Hashable


@dataclass(frozen=True)
class Level:
    """One level of an index.

    `known`: its labels, where pandas has them in another order than their own: that of the columns they were, say.
    `AS_THEY_CAME`: the order is that of rows that are gone.
    """

    label: Label
    value: Value
    known: tuple[Label, ...] | None = field(default=None, compare=False)

    def __post_init__(self) -> None:
        check_no_difference("an index", self.value.dtype)


AS_THEY_CAME: tuple[Label, ...] = ()


@dataclass(frozen=True)
class Positions:
    """The index 0, 1, 2... in the order of the rows. It has no column until somebody needs one."""

    label: Label = None


Index = tuple[Level, ...] | Positions


@dataclass(frozen=True)
class Table:
    """Labelled values in one space. `order`: how pandas has the rows in order.

    Values are settled, except in the table of a series that was used in expressions only. `is_unique`: whether the
    index is known to have each label once. `is_array`: numpy would give an array here, such as `np.where` does: its
    values have no labels, and belong to other rows by their places.
    """

    space: Space
    columns: tuple[tuple[Label, Value], ...]
    index: Index
    order: Order
    is_unique: bool = False
    column_names: tuple[Label, ...] = (None,)
    is_array: bool = False

    @property
    def labels(self) -> list[Label]:
        """The labels of the columns; they may repeat."""
        return [label for label, _ in self.columns]

    def values(self, label: Label) -> list[Value]:
        """The columns of a label."""
        return [value for known, value in self.columns if known == label and type(known) is type(label)]

    def with_columns(self, columns: Iterable[tuple[Label, Value]]) -> Table:
        """The same rows with other columns."""
        return replace(
            self, columns=tuple((label, self.space.settled(value, label)) for label, value in columns)
        )

    def with_column(self, label: Label, value: Value) -> Table:
        """The same with one column set: where it was, or at the end."""
        settled = self.space.settled(value, label)
        if label in self.labels:
            return replace(
                self,
                columns=tuple((known, settled if known == label else old) for known, old in self.columns),
            )
        return replace(self, columns=(*self.columns, (label, settled)))

    def settled(self) -> Table:
        """The same with a name for every value."""
        if all(value.is_name for _, value in self.columns):
            return self
        return self.with_columns(self.columns)

    def names(self) -> list[str]:
        """The names of all columns that tell its rows: values, index and order."""
        levels = () if isinstance(self.index, Positions) else self.index
        found = [value.name for _, value in self.columns] + [level.value.name for level in levels]
        return list(dict.fromkeys([*found, *(key.name for key in self.order)]))

    def rows(self, *more: str) -> Rows:
        """Spark's rows with all columns of the table, by name, and more."""
        return self.space.rows([*self.names(), *more])

    def kept(self, condition: Value) -> Table:
        """The rows for which a condition is true. Their dtypes are those of all rows, as pandas has it."""
        from predtrace.frontends.pandas.core.certain import certain_whole

        table = certain_whole(self)
        return table.moved(self.space.kept(condition, table.names()))

    def moved(self, space: Space) -> Table:
        """The same names in another space, which has them all."""

        def there(value: Value) -> Value:
            return space.value(value.name, value.dtype)

        columns = tuple((label, there(value)) for label, value in self.columns)
        index = self.index
        if not isinstance(index, Positions):
            index = tuple(replace(level, value=there(level.value)) for level in index)
        return replace(self, space=space, columns=columns, index=index)

    def window(self, by: Sequence[str] = (), backwards: bool = False) -> WindowSpec:
        """Rows in this table's order, all together or by the values of columns."""
        keys = [key.column(backwards) for key in self.order]
        return Window.partitionBy(*by).orderBy(*keys) if by else Window.orderBy(*keys)

    def levels(self) -> tuple[Level, ...]:
        """The levels of the index, each with a value: positions are counted."""
        if not isinstance(self.index, Positions):
            return self.index
        number = F.row_number().over(self.window()).cast("bigint") - 1
        uses = frozenset(key.name for key in self.order)
        counted = Value(self.space, number, uses, INT64, is_window=True)
        return (Level(self.index.label, self.space.settled(counted, "position")),)

    def indexed(self) -> Table:
        """The same with an index that has values. Positions are counted by an operator of Spark made for that.

        (A window function would count as looking at all rows before.)
        """
        if not isinstance(self.index, Positions):
            return self
        if self.order not in self.space.numbered:
            names = list(dict.fromkeys([*self.space.base.columns, *(key.name for key in self.order)]))
            ordered = self.space.rows(names).orderBy(*(key.column() for key in self.order))
            position = fresh("position")
            numbers = ordered.select(*names, InternalFunction.distributed_sequence_id().alias(position))
            self.space.numbered[self.order] = Space(numbers, kept_of=(self.space, None)), position
        space, position = self.space.numbered[self.order]
        table = self.settled()
        adopted = [space.adopted(self.space.value(name, INT64)) for name in table.names()]
        assert None not in adopted
        level = Level(self.index.label, space.value(position, INT64))
        return replace(table.moved(space), index=(level,), is_unique=True)

    def has_rows_of(self, other: Table) -> bool:
        """Whether each row of the one is a row of the other by their indexes, too: no join can change that."""
        return self.space is other.space and self.index == other.index and _same_positions(self, other)


def _same_positions(one: Table, other: Table) -> bool:
    return not isinstance(one.index, Positions) or one.order == other.order


def new_table(
    rows: Rows,
    columns: Iterable[tuple[Label, str, object]],
    index: Iterable[tuple[Label, str, object]] | None,
    order: Iterable[str | Key],
    **known: object,
) -> Table:
    """A table over new rows. Columns and levels are given as label, name and dtype; no index: positions."""
    space = Space(rows)
    keys = tuple(key if isinstance(key, Key) else Key(key) for key in order)
    made: Callable[[str, object], Value] = space.value  # type: ignore[assignment]
    levels: Index = (
        Positions()
        if index is None
        else tuple(Level(label, made(name, dtype)) for label, name, dtype in index)
    )
    return Table(
        space,
        tuple((label, made(name, dtype)) for label, name, dtype in columns),
        levels,
        keys,
        **known,  # type: ignore[arg-type]
    )


def renamed(table: Table) -> Table:
    """The same rows under new names, so that they can be joined with themselves."""
    names = {name: fresh(name.rpartition("_")[0]) for name in table.names()}
    rows = table.rows().select(*(F.col(old).alias(new) for old, new in names.items()))
    space = Space(rows)

    def there(value: Value) -> Value:
        return space.value(names[value.name], value.dtype)

    index = table.index
    if not isinstance(index, Positions):
        index = tuple(replace(level, value=there(level.value)) for level in index)
    return replace(
        table,
        space=space,
        columns=tuple((label, there(value)) for label, value in table.columns),
        index=index,
        order=tuple(replace(key, name=names[key.name]) for key in table.order),
    )
