"""`explode`: a row for each element of a list."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from pyspark.sql import functions as F
from pyspark.sql import types as spark

from predtrace.frontends.pandas.core.dtypes import TEXT, Dtype
from predtrace.frontends.pandas.core.held import Held
from predtrace.frontends.pandas.core.spaces import Key, Space, Value, fresh
from predtrace.frontends.pandas.core.steps import refused
from predtrace.frontends.pandas.core.tables import Label, Level, Positions, Table

if TYPE_CHECKING:
    from predtrace.frontends.pandas.frame import DataFrame
    from predtrace.frontends.pandas.series import Series


class ExplodingFrame(Held):
    """These methods of a DataFrame."""

    def explode(self, column: Any, ignore_index: bool = False) -> DataFrame:
        """A row for each element of the lists of a column; the other columns repeat."""
        if isinstance(column, list):
            if len(column) != 1:
                raise refused("DataFrame.explode() of several columns", "it is not made for Spark yet")
            (column,) = column
        if not self._table.values(column):
            raise KeyError(column)
        return self._of(_exploded(self._table, column, ignore_index))  # type: ignore[return-value]


class ExplodingSeries(Held):
    """These methods of a Series."""

    def explode(self, ignore_index: bool = False) -> Series:
        """An element of a list in each row; the index repeats."""
        return self._of(_exploded(self._table, self._table.labels[0], ignore_index))  # type: ignore[return-value]


def _exploded(table: Table, label: Label, ignore_index: bool) -> Table:
    kind = table.values(label)[0].dtype.spark
    if not isinstance(kind, spark.ArrayType):
        return replace(table, index=Positions(), is_unique=False) if ignore_index else table
    if not ignore_index:
        table = table.indexed()
    value = table.values(label)[0]
    place, element = fresh("place"), fresh(label if label is not None else "value")
    kept = [name for name in table.names() if name != value.name]
    rows = table.rows().select(*kept, F.posexplode_outer(value.column).alias(place, element))
    space = Space(rows)
    dtype = TEXT if isinstance(kind.elementType, spark.StringType) else Dtype("object", kind.elementType)

    def there(old: Value) -> Value:
        return space.value(element, dtype) if old == value else space.value(old.name, old.dtype)

    index = table.index
    if not isinstance(index, Positions):
        index = tuple(Level(level.label, there(level.value)) for level in index)
    return replace(
        table,
        space=space,
        columns=tuple((known, there(old)) for known, old in table.columns),
        index=Positions() if ignore_index else index,
        order=(*table.order, Key(place)),
        is_unique=False,
    )
