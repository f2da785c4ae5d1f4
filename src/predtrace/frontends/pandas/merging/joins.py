"""The join that a `merge` is: two tables side by side, the rows that have no partner, and the order.

| | where it is not what Spark does |
|---|---|
| missing keys | match each other, but not where several columns are looked up in an index |
| keys of different numbers | are compared as floats; a text never matches a number, which is an error |
| order | inner and left: the left rows' order, then the right ones'; right: the other way round; outer: by the keys |
| order by keys | missing ones come last; but first, if they are moments or categories |
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce

from pyspark.sql import Column
from pyspark.sql import DataFrame as Rows
from pyspark.sql import functions as F

from predtrace.frontends.pandas.core.aligning import is_unique
from predtrace.frontends.pandas.core.categories import held
from predtrace.frontends.pandas.core.certain import certain, misses
from predtrace.frontends.pandas.core.dtypes import MOMENT, SPAN, Dtype, common
from predtrace.frontends.pandas.core.spaces import Key, Order, Value, fresh, where_rows_may_lack
from predtrace.frontends.pandas.core.steps import refused
from predtrace.frontends.pandas.core.tables import Label, Positions, Table, renamed
from predtrace.frontends.pandas.merging.keys import Keys, compared, is_level, key_values

_SPARK = {"inner": "inner", "left": "left", "right": "right", "outer": "full", "cross": "cross"}


@dataclass(frozen=True, eq=False)
class Side:
    """One of the tables, its keys, and the keys as they are compared. `may_lack`: rows may have no partner here."""

    table: Table
    keys: tuple[Value, ...]
    compared: tuple[Column, ...]
    may_lack: bool

    def dtype(self, value: Value) -> Dtype:
        """The dtype of a value of this side in the joined rows."""
        return value.dtype.missing() if self.may_lack else value.dtype

    def rows(self) -> Rows:
        """The rows of this side alone, with all that the result may need."""
        names = dict.fromkeys([*self.table.names(), *(key.name for key in self.keys)])
        return self.table.rows(*names).select(*names)


class Joined:
    """Two tables that are being joined. `made`: columns of the result that are made of both sides, by name."""

    def __init__(self, left: Table, right: Table, keys: Keys, how: str, sort: bool) -> None:
        self.keys = keys
        self.how = how
        self.sort = sort or how == "outer"
        self.made: dict[str, Column] = {}
        self.both_counted = isinstance(left.index, Positions) and isinstance(right.index, Positions)
        # pandas does not go back to whole numbers where the rows with missing ones drop out.
        left = certain(left) if how in ("inner", "right") else left.settled()
        right = certain(right) if how in ("inner", "left") else right.settled()
        first = left.indexed() if self._needs_index(left, keys.left, right, keys.right, "left") else left
        second = right.indexed() if self._needs_index(right, keys.right, left, keys.left, "right") else right
        self.left, self.right = self._sides(first, renamed(second))
        if self.by_indexes and how != "outer" and self._differ():
            self.sort = False  # pandas forgets it where the indexes have different dtypes
        self.is_lookup = len(self.left.keys) > 1 and (keys.left is None) != (keys.right is None)
        self._check_lookup()

    def _check_lookup(self) -> None:
        """Refuse what pandas does wrong: looking up several columns in an index of several levels."""
        if not self.is_lookup:
            return
        looking, indexed = ("left", self.right) if self.keys.right is None else ("right", self.left)
        if self.how not in ("inner", looking) or (self.how == "inner" and any(misses(indexed.keys).values())):
            raise refused(
                f"merge(how={self.how!r}) with an index of several levels", "pandas mixes up its labels"
            )

    def _needs_index(
        self,
        table: Table,
        labels: tuple[Label, ...] | None,
        other: Table,
        others: tuple[Label, ...] | None,
        all_kept: str,
    ) -> bool:
        """Whether an index that only counts must have values: as a key, or for rows that come out otherwise."""
        if not isinstance(table.index, Positions):
            return False
        if labels is None or any(is_level(table, label) for label in labels):
            return True
        return others is None and not (self.how == all_kept and is_unique(other))

    def _sides(self, left: Table, right: Table) -> tuple[Side, Side]:
        if self.how == "cross":
            return Side(left, (), (), False), Side(right, (), (), False)
        one, other = key_values(left, self.keys.left), key_values(right, self.keys.right)
        if len(one) != len(other):
            raise refused("merge by indexes", "they have different numbers of levels")
        names = [a if a is not None else b for a, b in self.keys.pairs()] or [None] * len(one)
        pairs = [
            compared(a, b, label, self.by_indexes) for a, b, label in zip(one, other, names, strict=True)
        ]
        return (
            Side(left, one, tuple(a for a, _ in pairs), self.how in ("right", "outer")),
            Side(right, other, tuple(b for _, b in pairs), self.how in ("left", "outer")),
        )

    @property
    def by_indexes(self) -> bool:
        """Whether rows are paired by both indexes."""
        return self.keys.left is None and self.keys.right is None

    def _differ(self) -> bool:
        pairs = zip(self.left.keys, self.right.keys, strict=True)
        return any(one.dtype.name != other.dtype.name for one, other in pairs)

    def condition(self) -> Column:
        """Whether two rows belong together."""
        equal = [
            a == b if self.is_lookup or not (one.dtype.may_miss and other.dtype.may_miss) else a.eqNullSafe(b)
            for a, b, one, other in zip(
                self.left.compared, self.right.compared, self.left.keys, self.right.keys, strict=True
            )
        ]
        return reduce(lambda a, b: a & b, equal)

    def rows(self, flags: tuple[str, str] | None = None) -> Rows:
        """The joined rows with all columns of both sides. `flags`: names of columns, true where a side has a row."""
        one, other = self.left.rows(), self.right.rows()
        if flags is not None:
            one, other = (
                rows.withColumn(flag, F.lit(True)) for rows, flag in zip((one, other), flags, strict=True)
            )
        if self.how == "cross":
            return one.crossJoin(other)
        return one.join(other, self.condition(), _SPARK[self.how])

    def lacks(self, side: Side) -> bool:
        """Whether some row has no partner on a side. Asks Spark."""
        if not side.may_lack:
            return False
        other = self.right if side is self.left else self.left
        return bool(other.rows().join(side.rows(), self.condition(), "left_anti").take(1))

    def _has_any(self, side: Side) -> bool:
        """Whether some joined row has a row of a side. Asks Spark."""
        rows = side.rows()
        if self.how != "outer":
            other = self.right if side is self.left else self.left
            rows = rows.join(other.rows(), self.condition(), "left_semi")
        return bool(rows.take(1))

    def key(self, place: int, label: Label, main: Side) -> tuple[str, Dtype]:
        """A key's value from the side that has a row: its name in the joined rows, and its dtype.

        `main`: the side whose column it is.
        """
        other = self.right if main is self.left else self.left
        mine, theirs = main.keys[place], other.keys[place]
        dtype = mine.dtype
        if (dtype.name, dtype.categories) != (theirs.dtype.name, theirs.dtype.categories):
            both = common(mine.dtype, theirs.dtype)
            assert both is not None
            # pandas has the column as it is, unless a value of the other side must be put into it.
            if both.is_text or self.by_indexes:
                dtype = both
            elif self.lacks(main):
                dtype = both if self._has_any(main) else theirs.dtype
        if not main.may_lack:
            return self._cast(mine, dtype, label), dtype
        if not other.may_lack:
            dtype = dtype.missing(theirs.dtype.may_miss)
            return self._cast(theirs, dtype, label), dtype
        dtype = dtype.missing(mine.dtype.may_miss or theirs.dtype.may_miss)
        either = F.coalesce(mine.column.cast(dtype.spark), theirs.column.cast(dtype.spark))
        return self.make(either, label), dtype

    def _cast(self, value: Value, dtype: Dtype, label: Label) -> str:
        if value.dtype.spark == dtype.spark:
            return value.name
        return self.make(value.column.cast(dtype.spark), label)

    def make(self, column: Column, label: Label) -> str:
        """Add a column to the joined rows; its name."""
        name = fresh(label if label is not None else "key")
        self.made[name] = column
        return name

    def order(self) -> Order:
        """How pandas has the joined rows in order."""
        one, other = (
            where_rows_may_lack(side.table.order) if side.may_lack else side.table.order
            for side in (self.left, self.right)
        )
        rows = (*other, *one) if self.how == "right" else (*one, *other)
        if not self.sort or self.how == "cross":
            return rows
        return (*(self._sorted_by(place) for place in range(len(self.left.keys))), *rows)

    def _sorted_by(self, place: int) -> Key:
        """The keys in pandas' order: that of the categories, if both have the same."""
        columns = [self.left.compared[place], self.right.compared[place]]
        one, other = (side.keys[place].dtype.categories for side in (self.left, self.right))
        if one is not None and one == other:
            known = F.array(*(F.lit(held(category)) for category in one))
            columns = [F.nullif(F.array_position(known, column), F.lit(0)) for column in columns]
        return Key(self.make(F.coalesce(*columns), "sorted"), missing_last=not self._missing_first(place))

    def _missing_first(self, place: int) -> bool:
        one, other = (side.keys[place].dtype for side in (self.left, self.right))
        if one.name not in (MOMENT.name, SPAN.name) and (
            one.categories is None or one.categories != other.categories
        ):
            return False
        return not (self.by_indexes and is_unique(self.left.table) and is_unique(self.right.table))
