"""Categories: values that are one of a list, which pandas keeps with the column. `astype("category")`, `.cat`.

The list is known to Python, so `astype("category")` asks Spark for the values there are.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from pyspark.sql import Column
from pyspark.sql import functions as F

from predtrace.frontends.pandas.core.dtypes import TEXT, Dtype, check_not_kept, dtype_named, dtype_of_scalar
from predtrace.frontends.pandas.core.elements import series_of
from predtrace.frontends.pandas.core.held import Held
from predtrace.frontends.pandas.core.scalars import literal
from predtrace.frontends.pandas.core.spaces import Value
from predtrace.frontends.pandas.core.steps import refused

if TYPE_CHECKING:
    from predtrace.frontends.pandas.series import Series


def as_category(value: Value, name: Any) -> Value:
    """The value as a category: of the values there are, or of those that a dtype lists."""
    dtype = value.dtype
    given = name if isinstance(name, pd.CategoricalDtype) else pd.CategoricalDtype()
    if given.categories is not None:
        return _limited(value, list(given.categories), bool(given.ordered))
    if dtype.categories is not None:
        is_ordered = dtype.is_ordered if given.ordered is None else bool(given.ordered)
        return replace(value, dtype=replace(dtype, is_ordered=is_ordered))
    if not (dtype.is_text or dtype.is_number):
        raise refused(f"astype('category') of {dtype.name}", "only texts and numbers are categories here")
    return _categorised(value, _values_of(value), bool(given.ordered))


def plain(value: Value) -> Value:
    """The values of a category as they are without it; other values as they are. Intervals are texts then."""
    dtype = value.dtype
    if dtype.categories is None:
        return value
    if any(isinstance(one, pd.Interval) for one in dtype.categories):
        return _looked_up(value, [str(one) for one in dtype.categories], TEXT.missing(dtype.may_miss))
    kind = TEXT if dtype.is_text else dtype_named(np.asarray(dtype.categories).dtype.name)
    assert kind is not None
    return replace(value, dtype=kind.missing(dtype.may_miss))


def _values_of(value: Value) -> list[Any]:
    rows = value.space.rows(value.uses).select(value.column.alias("found")).distinct()
    return sorted(row["found"] for row in rows.collect() if row["found"] is not None)


def _categorised(value: Value, categories: list[Any], is_ordered: bool) -> Value:
    dtype = Dtype("category", value.dtype.spark, value.dtype.may_miss, tuple(categories), is_ordered)
    return value.with_column(value.column, dtype)


def _limited(value: Value, categories: list[Any], is_ordered: bool) -> Value:
    """A category of these values; others are missing."""
    old = plain(value)
    check_not_kept("a category", old.dtype)
    if not all(isinstance(one, str) == old.dtype.is_text for one in categories):
        raise refused("a category", "its values are of another type than the column's")
    constants = [literal(one, old.dtype) for one in categories]
    known = old.column.isin(*constants) if constants else F.lit(False)
    made = old.with_column(F.when(known, old.column), old.dtype.missing())
    return _categorised(made, categories, is_ordered)


def number_of_category(value: Value) -> Column:
    """The number of each value's category, from 1; 0 for none, missing for a missing value."""
    from predtrace.frontends.pandas.core.categories import held

    constants = [_constant(held(one)) for one in value.dtype.categories or ()]
    return F.array_position(F.array(*constants), value.column) if constants else F.lit(0)


def _constant(one: Any) -> Column:
    dtype = dtype_of_scalar(one)
    assert dtype is not None
    return literal(one, dtype)


def _looked_up(value: Value, news: Sequence[Any], dtype: Dtype) -> Value:
    """Another value for each category."""
    if not news:
        return value.with_column(literal(None, dtype), dtype)
    column = F.get(F.array(*(_constant(one) for one in news)), (number_of_category(value) - 1).cast("int"))
    return value.with_column(column, dtype)


class Categories:
    """The accessor `.cat` of a series."""

    def __init__(self, series: Held) -> None:
        self._series = series_of(series)
        if self._dtype.categories is None:
            raise refused(
                f"Series.cat of {self._dtype.name}", "it is for values of the dtype 'category' alone"
            )

    @property
    def _dtype(self) -> Dtype:
        return self._series._value.dtype

    @property
    def _list(self) -> list[Any]:
        return list(self._dtype.categories or ())

    @property
    def categories(self) -> Any:
        """The values that may be there."""
        return self._dtype.shown(False).categories

    @property
    def ordered(self) -> bool:
        """Whether the categories have an order."""
        return self._dtype.is_ordered

    @property
    def codes(self) -> Series:
        """The number of each value's category; -1 for a missing value."""
        value = self._series._value
        code = dtype_named(str(pd.Categorical([], dtype=self._dtype.shown(False)).codes.dtype))
        assert code is not None
        column = F.coalesce(number_of_category(value) - 1, F.lit(-1)).cast(code.spark)
        return self._series._made(value.with_column(column, code))._named(None)

    def as_ordered(self) -> Series:
        """The same, with the order that the categories are in."""
        return self._with(self._list, True)

    def as_unordered(self) -> Series:
        """The same without an order."""
        return self._with(self._list, False)

    def rename_categories(self, new_categories: Any) -> Series:
        """Other values for the categories: a list, a dict or a function."""
        from predtrace.frontends.pandas.core.categories import category_dtype, held

        old = self._list
        new = _renamed(old, new_categories)
        if len(new) != len(old):
            raise ValueError("new categories need to have the same number of items as the old categories!")
        if len(set(new)) < len(new):
            raise ValueError("Categorical categories must be unique")
        value = self._series._value
        dtype = category_dtype(new, self.ordered, "cat.rename_categories()").missing(value.dtype.may_miss)
        return self._series._made(_looked_up(value, [held(one) for one in new], dtype))

    def set_categories(
        self, new_categories: Any, ordered: bool | None = None, rename: bool = False
    ) -> Series:
        """Other categories; values that are none of them are missing."""
        if rename:
            return self.rename_categories(new_categories)
        is_ordered = self.ordered if ordered is None else ordered
        return self._series._made(_limited(self._series._value, list(new_categories), is_ordered))

    def add_categories(self, new_categories: Any) -> Series:
        """More categories, at the end."""
        new = [new_categories] if np.isscalar(new_categories) else list(new_categories)
        known = set(new) & set(self._list)
        if known:
            raise ValueError(f"new categories must not include old categories: {known}")
        if not all(isinstance(one, str) == self._dtype.is_text for one in new):
            raise refused("cat.add_categories()", "the new categories are of another type than the old ones")
        return self._with([*self._list, *new], self.ordered)

    def remove_categories(self, removals: Any) -> Series:
        """Fewer categories; values that were one of the others are missing."""
        gone = [removals] if np.isscalar(removals) else list(removals)
        unknown = [one for one in gone if one not in self._list]
        if unknown:
            raise ValueError(f"removals must all be in old categories: {unknown}")
        return self.set_categories([one for one in self._list if one not in gone])

    def remove_unused_categories(self) -> Series:
        """Without the categories that no value has."""
        from predtrace.frontends.pandas.core.categories import held

        used = set(_values_of(self._series._value))
        return self._with([one for one in self._list if held(one) in used], self.ordered)

    def reorder_categories(self, new_categories: Any, ordered: bool | None = None) -> Series:
        """The same categories in another order."""
        new = list(new_categories)
        if set(new) != set(self._list) or len(new) != len(self._list):
            raise ValueError("items in new_categories are not the same as in old categories")
        return self._with(new, self.ordered if ordered is None else ordered)

    def _with(self, categories: list[Any], is_ordered: bool) -> Series:
        return self._series._made(_categorised(self._series._value, categories, is_ordered))

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        raise refused(f"Series.cat.{name}", "it is not made for Spark yet")


def _renamed(old: list[Any], new: Any) -> list[Any]:
    if isinstance(new, Mapping):
        return [new.get(one, one) for one in old]
    return [new(one) for one in old] if callable(new) else list(new)
