"""What frames and series have in common: the table they hold, and getting it out of Spark."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, TypeVar

import pandas as pd
from pyspark.sql import DataFrame as Rows
from pyspark.sql import functions as F

from predtrace.frontends.pandas.core.certain import depends, misses
from predtrace.frontends.pandas.core.dtypes import kept_value
from predtrace.frontends.pandas.core.mixed import content
from predtrace.frontends.pandas.core.tables import Label, Level, Positions, Table
from predtrace.frontends.pandas.core.watching import tell_left

Same = TypeVar("Same", bound="Held")


class Held:
    """An object of pandas whose table may be replaced: that is what changing it in place means."""

    _kind = ""
    _raw: Table
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, table: Table) -> None:
        object.__setattr__(self, "_raw", table)

    @property
    def _table(self) -> Table:
        """The table, its values settled. (`_raw`: as it is, for use in expressions.)"""
        if any(not value.is_name for _, value in self._raw.columns):
            object.__setattr__(self, "_raw", self._raw.settled())
        return self._raw

    @classmethod
    def _of(cls: type[Same], table: Table) -> Same:
        made = cls.__new__(cls)
        Held.__init__(made, table)
        return made

    def _become(self, other: Held) -> None:
        object.__setattr__(self, "_raw", other._raw)

    def copy(self: Same, deep: bool = True) -> Same:
        """The same under another name: what is changed there is not changed here."""
        return self._of(self._raw)

    def __len__(self) -> int:
        return self._table.rows().count()

    @property
    def empty(self) -> bool:
        """Whether there is no row, or no column."""
        return not self._table.columns or not self._table.rows().take(1)

    @property
    def ndim(self) -> int:
        """The number of axes."""
        return 2 if self._kind == "DataFrame" else 1

    @property
    def size(self) -> int:
        """The number of values."""
        return len(self) * len(self._table.columns)

    def to_spark(self) -> Rows:
        """The rows as a Spark frame, in order, with the labels as names; an index that holds data comes first."""
        table = self._table
        levels = () if isinstance(table.index, Positions) else table.index
        named = [(_index_label(level, place, len(levels)), level.value) for place, level in enumerate(levels)]
        labels = [(str(label) if label is not None else "0", value) for label, value in table.columns]
        chosen = [
            (content(value) if value.dtype.is_mixed else F.col(value.name)).alias(label)
            for label, value in [*named, *labels]
        ]
        return table.rows().orderBy(*(key.column() for key in table.order)).select(*chosen)

    def to_pandas(self) -> Any:
        """All rows, on this machine, as pandas has them."""
        tell_left(f"{self._kind}.to_pandas()", self._table.rows)
        return self._collected()

    def _collected(self) -> Any:
        table = self._table
        levels = () if isinstance(table.index, Positions) else table.index
        values = [value for _, value in table.columns]
        names = [level.value.name for level in levels] + [value.name for value in values]
        sorted_rows = table.rows().orderBy(*(key.column() for key in table.order))
        something: list[Any] = [*names] or [F.lit(0)]  # without a column Spark gives no rows
        arrow = sorted_rows.select(*something).toArrow()
        dtypes = [level.value.dtype for level in levels] + [value.dtype for value in values]
        columns = [_in_pandas(arrow.column(place), dtype) for place, dtype in enumerate(dtypes)]
        index = _index(columns[: len(levels)], levels, table, arrow.num_rows)
        frame = pd.concat(columns[len(levels) :], axis=1) if values else pd.DataFrame(index=range(len(index)))
        frame.index = index
        frame.columns = _labels(table)
        return frame

    def _shown_dtypes(self) -> list[Any]:
        """The dtypes of the columns; where they depend on the values, Spark is asked whether one is missing."""
        values = [value for _, value in self._table.columns]
        missing = misses(value for value in values if depends(value.dtype))
        return [value.dtype.shown(missing.get(value.name, False)) for value in values]

    def __repr__(self) -> str:
        return repr(self._shortened())

    def _repr_html_(self) -> str | None:
        shown = self._shortened()
        return shown._repr_html_() if hasattr(shown, "_repr_html_") else None

    def _shortened(self) -> Any:
        """What pandas would show. Long frames are cut by Spark, not here."""
        return self.to_pandas()


def _index_label(level: Level, place: int, count: int) -> str:
    if level.label is not None:
        return str(level.label)
    return "index" if count == 1 else f"level_{place}"


def _labels(table: Table) -> Any:
    labels = table.labels
    if len(table.column_names) > 1 and all(isinstance(label, tuple) for label in labels):
        return pd.MultiIndex.from_tuples(labels, names=list(table.column_names))
    return pd.Index(labels, name=table.column_names[0], tupleize_cols=False)


def _index(columns: list[pd.Series], levels: tuple[Level, ...], table: Table, count: int) -> Any:
    if isinstance(table.index, Positions):
        return pd.RangeIndex(count, name=table.index.label)
    names = [level.label for level in levels]
    if len(columns) == 1:
        return pd.Index(columns[0].array, name=names[0])
    return pd.MultiIndex.from_arrays(columns, names=names)


def _in_pandas(column: Any, dtype: Any) -> pd.Series:
    shown = dtype.shown(bool(column.null_count))
    if dtype.is_whole_with_na:  # floats would lose digits
        return pd.Series(pd.array(column.to_pylist(), dtype=shown))
    if dtype.is_mixed or dtype.is_difference:
        return pd.Series([kept_value(one, dtype) for one in column.to_pylist()], dtype=object)
    values = column.to_pandas()
    if dtype.is_period:
        return pd.Series(pd.PeriodIndex(values.astype("datetime64[ns]"), dtype=shown))
    if dtype.name == "object" and not dtype.is_text:
        return pd.Series(
            [list(v) if v is not None and hasattr(v, "__len__") else v for v in values], dtype=object
        )
    if shown.name == "object":
        values = values.astype(object)
        return values.where(values.notna(), float("nan"))
    return values.astype(shown)


def labelled(table: Table, label: Label) -> Table:
    """A table of one column under another label."""
    return replace(table, columns=((label, table.columns[0][1]),))
