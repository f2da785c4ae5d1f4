"""Which values there are and how often: `value_counts`, `unique`, `mode`, `is_unique`."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pandas as pd
from pyspark.sql import Column, Window
from pyspark.sql import DataFrame as Rows
from pyspark.sql import functions as F

from predtrace.frontends.pandas.core.certain import certain
from predtrace.frontends.pandas.core.dtypes import FLOAT64, INT64, Dtype, check_not_kept
from predtrace.frontends.pandas.core.held import Held
from predtrace.frontends.pandas.core.places import first_place
from predtrace.frontends.pandas.core.spaces import Key, Value, fresh
from predtrace.frontends.pandas.core.steps import refused
from predtrace.frontends.pandas.core.tables import Label, Table, new_table
from predtrace.frontends.pandas.core.uniting import outer
from predtrace.frontends.pandas.grouping.category_groups import all_categories, completed, in_order
from predtrace.frontends.pandas.reducing.within import Within

if TYPE_CHECKING:
    from predtrace.frontends.pandas.frame import DataFrame
    from predtrace.frontends.pandas.series import Series


class CountingSeries(Held):
    """These methods of a Series."""

    def value_counts(
        self,
        normalize: bool = False,
        sort: bool = True,
        ascending: bool = False,
        bins: Any = None,
        dropna: bool = True,
    ) -> Series:
        """How often each value is there, the most frequent first; of those alike, the one that came first."""
        from predtrace.frontends.pandas.series import Series

        if bins is not None:
            raise refused("Series.value_counts(bins=...)", "it is not made for Spark yet")
        table = certain(self._table)
        label, value = table.columns[0]
        if value.dtype.is_whole_with_na or value.dtype.is_difference:
            check_not_kept("value_counts()", value.dtype)
        counted = _Counted(table, [(label, value)], dropna)
        if value.dtype.categories is not None:
            rows, first = _with_all_categories(counted, value.dtype)
        else:
            rows, first = counted.rows, counted.first
        return Series._of(_counts(counted, rows, first if sort else None, first, normalize, ascending))

    def unique(self) -> Any:
        """The different values in the order in which they come. This runs on Spark now."""
        from predtrace.frontends.pandas.series import Series

        table = certain(self._table)
        label, value = table.columns[0]
        counted = _Counted(table, [(label, value)], dropna=False)
        found = new_table(counted.rows, [(label, counted.levels[0], value.dtype)], None, counted.first)
        return Series._of(found).to_pandas().unique()

    @property
    def is_unique(self) -> bool:
        """Whether no value comes twice."""
        name = self._table.columns[0][1].name
        twice = self._table.rows().groupBy(name).count().where("count > 1")
        return not twice.take(1)

    @property
    def is_monotonic_increasing(self) -> bool:
        """Whether no value is less than the one before it."""
        return self._is_monotonic(backwards=False)

    @property
    def is_monotonic_decreasing(self) -> bool:
        """Whether no value is greater than the one before it."""
        return self._is_monotonic(backwards=True)

    def _is_monotonic(self, backwards: bool) -> bool:
        table = self._table
        column = table.columns[0][1].column
        before = F.lag(column).over(table.window(backwards=backwards))
        wrong = column.isNull() | F.coalesce(before > column, F.lit(False))
        return not table.rows().select(wrong.alias("wrong")).where("wrong").take(1)

    def mode(self, dropna: bool = True) -> Series:
        """The most frequent values, sorted."""
        from predtrace.frontends.pandas.series import Series

        table = certain(self._table)
        label, value = table.columns[0]
        return Series._of(_modes(table, label, value, dropna))


class CountingFrame(Held):
    """These methods of a DataFrame."""

    def value_counts(
        self,
        subset: Any = None,
        normalize: bool = False,
        sort: bool = True,
        ascending: bool = False,
        dropna: bool = True,
    ) -> Series:
        """How often each combination of values is there, the most frequent first."""
        from predtrace.frontends.pandas.series import Series

        frame: Any = self
        if subset is not None:
            frame = frame[list(subset) if isinstance(subset, (list, tuple)) else [subset]]
        table = certain(frame._table)
        if len(table.columns) < 2:
            todo = "count the values of the column itself: df[label].value_counts()"
            raise refused("DataFrame.value_counts() of one column", "its index has a single level", todo)
        if any(value.dtype.categories is not None for _, value in table.columns):
            raise refused("DataFrame.value_counts() of categories", "it is not made for Spark yet")
        counted = _Counted(table, list(table.columns), dropna)
        by_values = [Key(level) for level in counted.levels]
        order = by_values if sort else None
        return Series._of(_counts(counted, counted.rows, order, by_values, normalize, ascending))

    def mode(self, axis: int | str = 0, numeric_only: bool = False, dropna: bool = True) -> DataFrame:
        """The most frequent values of each column, sorted, one below the other."""
        from predtrace.frontends.pandas.frame import DataFrame

        if axis not in (0, "index") or numeric_only:
            raise refused("DataFrame.mode(axis, numeric_only)", "only whole columns are known on Spark")
        table = certain(self._table)
        found: Table | None = None
        for label, value in table.columns:
            modes = _modes(table, label, value, dropna)
            found = modes if found is None else _side_by_side(found, modes)
        if found is None:
            raise refused("DataFrame.mode()", "the frame has no column")
        return DataFrame._of(replace(found, column_names=table.column_names))


class _Counted:
    """The groups of equal values, with their numbers and the places where they come first."""

    def __init__(self, table: Table, columns: list[tuple[Label, Value]], dropna: bool) -> None:
        within = Within(table)
        place = within.place
        self.columns = columns
        self.levels = [fresh(label if label is not None else "value") for label, _ in columns]
        self.count = fresh("count")
        first = fresh("first")
        rows = table.rows(*within.uses)
        if dropna:
            rows = without_missing(rows, [value for _, value in columns])
        keys = [F.col(v.name).alias(level) for (_, v), level in zip(columns, self.levels, strict=True)]
        grouped = rows.groupBy(*keys).agg(F.count(F.lit(1)).alias(self.count), F.min(place).alias(first))
        self.rows, self.first = first_place(grouped, first)


def without_missing(rows: Rows, values: list[Value]) -> Rows:
    """The rows in which none of these values is missing."""
    for value in values:
        if value.dtype.may_miss:
            rows = rows.where(value.column.isNotNull())
    return rows


def most_frequent(table: Table, value: Value) -> tuple[Column, Column]:
    """The value that comes most often, the first of those, and how often: two scalar queries."""
    counted = _Counted(table, [(None, value)], dropna=True)
    keys = [Key(counted.count, ascending=False), *counted.first]
    one = counted.rows.orderBy(*(key.column() for key in keys)).limit(1)
    return one.select(counted.levels[0]).scalar(), one.select(counted.count).scalar()


def _with_all_categories(counted: _Counted, dtype: Dtype) -> tuple[Rows, list[Key]]:
    level, place = counted.levels[0], fresh("category")
    rows = completed(counted.rows, [(level, all_categories(dtype))])
    rows = rows.withColumns(
        {counted.count: F.coalesce(F.col(counted.count), F.expr("0L")), place: in_order(F.col(level), dtype)}
    )
    return rows, [Key(place)]


def _counts(
    counted: _Counted,
    rows: Rows,
    ties: list[Key] | None,
    plain: list[Key],
    normalize: bool,
    ascending: bool,
) -> Table:
    """The numbers as a series. `ties`: the order of values that are as frequent; None if it is not sorted."""
    name, dtype, label = counted.count, INT64, "count"
    if normalize:
        name, dtype, label = fresh("proportion"), FLOAT64, "proportion"
        rows = rows.withColumn(name, F.col(counted.count) / _over_all(F.sum(counted.count)))
    order = plain if ties is None else [Key(name, ascending), *ties]
    levels = [
        (label, level, value.dtype)
        for (label, value), level in zip(counted.columns, counted.levels, strict=True)
    ]
    return new_table(rows, [(label, name, dtype)], levels, order, is_unique=True)


def _over_all(column: Column) -> Column:
    return column.over(Window.partitionBy(F.lit(0)))


def _modes(table: Table, label: Label, value: Value, dropna: bool) -> Table:
    if value.dtype.is_mixed or value.dtype.is_difference:
        check_not_kept("mode()", value.dtype)
    level, count, most = fresh(label if label is not None else "value"), fresh("count"), fresh("most")
    rows = without_missing(table.rows(), [value]) if dropna else table.rows()
    grouped = rows.groupBy(F.col(value.name).alias(level)).agg(F.count(F.lit(1)).alias(count))
    rows = grouped.withColumn(most, _over_all(F.max(count))).where(F.col(count) == F.col(most))
    key = level
    if value.dtype.categories is not None:
        key = fresh("category")
        rows = rows.withColumn(key, in_order(F.col(level), value.dtype))
    return new_table(rows, [(label, level, value.dtype)], None, [key])


def _side_by_side(left: Table, right: Table) -> Table:
    """Two tables whose rows are counted, in one; the shorter one has missing values at its end."""
    wide, mine, theirs = outer(left, right)
    labels = [*left.labels, *right.labels]
    return wide.with_columns(zip(labels, [*mine, *theirs], strict=True))


def unique(values: Any) -> Any:
    """`pd.unique`: the different values in the order in which they come."""
    return values.unique() if isinstance(values, Held) else pd.unique(values)  # type: ignore[attr-defined]


def value_counts(values: Any, **options: Any) -> Any:
    """`pd.value_counts`: how often each value is there."""
    if isinstance(values, Held):
        return values.value_counts(**options)  # type: ignore[attr-defined]
    return pd.Series(values).value_counts(**options)
