"""Series: a labelled column of pandas, worked out by Spark."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from predtrace.frontends.pandas.applying.methods import ApplyingSeries
from predtrace.frontends.pandas.choosing.methods import ChoosingSeries
from predtrace.frontends.pandas.cleaning.masking import absolute
from predtrace.frontends.pandas.cleaning.methods import CleaningSeries
from predtrace.frontends.pandas.core.aligning import beside, beside_by_place, same_places, same_rows
from predtrace.frontends.pandas.core.arithmetic import inverted, negated, operate
from predtrace.frontends.pandas.core.held import Held
from predtrace.frontends.pandas.core.making import table_for_series
from predtrace.frontends.pandas.core.scalars import give_operators, value_in
from predtrace.frontends.pandas.core.spaces import Value
from predtrace.frontends.pandas.core.steps import refused
from predtrace.frontends.pandas.core.tables import Label, Table
from predtrace.frontends.pandas.core.uniting import outer, same_rows_beside
from predtrace.frontends.pandas.files.methods import WritingSeries
from predtrace.frontends.pandas.grouping.methods import GroupingSeries
from predtrace.frontends.pandas.merging.methods import MergingSeries
from predtrace.frontends.pandas.moving.methods import MovingSeries
from predtrace.frontends.pandas.reducing.methods import ReducingSeries
from predtrace.frontends.pandas.reshaping.methods import ReshapingSeries
from predtrace.frontends.pandas.times.offsets import is_offset, moved

if TYPE_CHECKING:
    from predtrace.frontends.pandas.frame import DataFrame


class Series(
    ChoosingSeries,
    CleaningSeries,
    ReducingSeries,
    GroupingSeries,
    MovingSeries,
    ApplyingSeries,
    MergingSeries,
    ReshapingSeries,
    WritingSeries,
):
    """One column with its index. Nothing is worked out until it is looked at."""

    _kind = "Series"
    _column_of: DataFrame | None = None
    """The frame that this is a column of: what is changed in place here is changed there."""

    def __init__(
        self, data: Any = None, index: Any = None, dtype: Any = None, name: Label = None, copy: Any = None
    ) -> None:
        super().__init__(table_for_series(data, index, dtype, name))

    @property
    def _value(self) -> Value:
        return self._raw.columns[0][1]

    @property
    def name(self) -> Label:
        """The label of the column."""
        return self._raw.columns[0][0]

    @name.setter
    def name(self, label: Label) -> None:
        self._become(self._named(label))

    def _become(self, other: Held) -> None:
        before = self._raw
        super()._become(other)
        frame, label = self._column_of, before.labels[0]
        if frame is not None and self.name == label and frame._follow(label, before, self):
            super()._become(frame._one(label))

    def _named(self, label: Label) -> Series:
        return Series._of(replace(self._raw, columns=((label, self._value),)))

    def _made(self, value: Value, name: Label | None = None) -> Series:
        """Another value for each row, under the same name or another one."""
        label = self.name if name is None else name
        return Series._of(_with_value(self._raw, label, value))

    def to_frame(self, name: Label | None = None) -> DataFrame:
        """A frame of this column alone."""
        from predtrace.frontends.pandas.frame import DataFrame

        label = name if name is not None else 0 if self.name is None else self.name
        return DataFrame._of(replace(self._named(label)._table))

    @property
    def dtype(self) -> Any:
        """The dtype that pandas would show. Where that depends on the values, Spark looks at them."""
        return self._shown_dtypes()[0]

    def _operated(self, symbol: str, other: Any, swapped: bool = False) -> Any:
        from predtrace.frontends.pandas.frame import DataFrame

        if isinstance(other, DataFrame):
            return NotImplemented
        if is_offset(other):
            return self._made(moved(symbol, self._value, other, swapped))
        table, mine, theirs, name = self._with(other)
        one, two = (theirs, mine) if swapped else (mine, theirs)
        return Series._of(_with_value(table, name, operate(symbol, one, two)))

    def _operate_in_place(self, symbol: str, other: Any) -> Any:
        """`s += other`. If the dtype stays, so does the frame change that this is a column of; as in pandas."""
        made = self._operated(symbol, other)
        if made is NotImplemented:
            raise refused(f"s {symbol}= a {type(other).__name__}", "it is not one column")
        if not same_places(self._raw, made._raw):
            table, (value,) = beside(self._table, made._raw)
            made = Series._of(replace(table, columns=((self.name, value),)))
        if made._value.dtype.name != self._value.dtype.name:
            self._column_of = None
        self._become(made._named(self.name))
        return self

    def _with(self, other: Any) -> tuple[Table, Value, Value, Label]:
        """This and another operand as values of one space; the name of what is made of them."""
        if not isinstance(other, Series):
            if isinstance(other, (list, tuple, np.ndarray, pd.Series, pd.Index)) and not np.isscalar(other):
                from predtrace.frontends.pandas.core.construction import placed

                table, theirs = placed(self._table, other)
                return table, table.columns[0][1], theirs, self.name
            return self._raw, self._value, value_in(self._raw.space, other), self.name
        if self._raw.is_array and not other._raw.is_array:  # the result is a series, with the other's labels
            table, theirs, mine, name = other._with(self)
            return table, mine, theirs, name
        if (other._kind == "Index" or other._raw.is_array) and not same_places(self._raw, other._raw):
            table, (theirs,) = beside_by_place(self._table, other._table)
            return table, table.columns[0][1], theirs, self.name
        name = self.name if self.name == other.name or other._raw.is_array else None
        if self._raw.has_rows_of(other._raw) and self._raw.order == other._raw.order:
            return self._raw, self._value, other._value, name
        if same_rows(self._raw, other._raw):
            table, (mine,), (theirs,) = same_rows_beside(self._raw, other._raw)
            return table, mine, theirs, name
        from predtrace.frontends.pandas.core.stacked import lines_beside

        lines = lines_beside(self._table, other._table)
        if lines is not None:
            return (*lines, name)
        table, (mine,), (theirs,) = outer(self._table, other._table)
        return table, mine, theirs, name

    def __neg__(self) -> Series:
        return self._made(negated(self._value))

    def __invert__(self) -> Series:
        return self._made(inverted(self._value))

    def __abs__(self) -> Series:
        return self.abs()

    def abs(self) -> Series:
        """Absolute values."""
        return self._made(absolute(self._value))

    def __getitem__(self, key: Any) -> Any:
        from predtrace.frontends.pandas.choosing.selecting import item_of_series

        return item_of_series(self, key)

    def __iter__(self) -> Iterator[Any]:
        return iter(self.to_pandas())

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        return np.asarray(self.to_pandas(), dtype=dtype)

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
        from predtrace.frontends.pandas.for_numpy.functions import apply_ufunc

        return apply_ufunc(ufunc, method, inputs, kwargs)

    def __array_function__(self, function: Callable[..., Any], types: Any, args: Any, kwargs: Any) -> Any:
        from predtrace.frontends.pandas.for_numpy.functions import apply_function

        return apply_function(function, args, kwargs)

    def isnull(self) -> Series:
        """Where values are missing."""
        from predtrace.frontends.pandas.core.dtypes import BOOL

        return self._made(self._value.with_column(self._value.column.isNull(), BOOL))

    isna = isnull

    def notnull(self) -> Series:
        """Where values are not missing."""
        return ~self.isnull()

    notna = notnull

    def __bool__(self) -> bool:
        raise ValueError(
            "The truth value of a Series is ambiguous. Use a.empty, a.bool(), a.item(), a.any() or a.all()."
        )

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or not hasattr(pd.Series, name):
            raise AttributeError(f"'Series' object has no attribute {name!r}")
        if hasattr(type(self), name):  # an accessor that is not for such values says so itself
            return getattr(type(self), name).__get__(self)
        raise refused(f"Series.{name}", "it is not made for Spark yet")


_HEAVY = 40
"""Expressions larger than this get a name, so that using them twice does not double them again and again."""


def _with_value(table: Table, label: Label, value: Value) -> Table:
    if value.weight > _HEAVY:
        value = table.space.settled(value, label)
    return replace(table, columns=((label, value),))


give_operators(Series)
