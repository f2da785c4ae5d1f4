"""Arrays of categories, `pd.Categorical(df["size"], categories=[...])`, and the numbers of values: `pd.factorize`.

An array has no index: beside other rows it goes by place. It is a series over the same rows here, so what it is made
of can be traced.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
from pyspark.sql import functions as F

from predtrace.frontends.pandas.cleaning.casting import cast
from predtrace.frontends.pandas.cleaning.categorical import number_of_category
from predtrace.frontends.pandas.core.categories import category_dtype, held
from predtrace.frontends.pandas.core.dtypes import INT64
from predtrace.frontends.pandas.core.facts import as_shown
from predtrace.frontends.pandas.core.held import Held
from predtrace.frontends.pandas.core.spaces import Value
from predtrace.frontends.pandas.core.steps import refused
from predtrace.frontends.pandas.series import Series


class _OfPandas(type):
    """The kind of a class that is pandas' own, too."""

    def __instancecheck__(cls, instance: Any) -> bool:
        return isinstance(instance, pd.Categorical) or super().__instancecheck__(instance)

    def __getattr__(cls, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(pd.Categorical, name)


class Categorical(Series, metaclass=_OfPandas):
    """Values that are one of a list, without an index. Of values of the program it is pandas' own."""

    def __new__(cls, values: Any = (), *args: Any, **kwargs: Any) -> Any:
        """pandas' own, if the program holds the values."""
        return super().__new__(cls) if isinstance(values, Held) else pd.Categorical(values, *args, **kwargs)

    def __init__(self, values: Any, categories: Any = None, ordered: bool | None = None, dtype: Any = None):
        if not isinstance(values, Series) or len(values._raw.columns) != 1:
            raise refused(f"pd.Categorical({values._kind})", "it is for one column")
        if dtype is None:
            old = values._value.dtype
            if ordered is None and old.categories is not None:
                ordered = old.is_ordered
            known = list(categories) if categories is not None else None
            dtype = pd.CategoricalDtype(known, ordered)
        elif categories is not None or ordered is not None:
            raise ValueError("Cannot specify `categories` or `ordered` together with `dtype`.")
        made = values.copy() if values._kind == "Series" else values.to_series()
        value = cast(made._value, dtype, made._raw)
        table = replace(made._raw, columns=((None, value),), column_names=(None,), is_array=True)
        Held.__init__(self, table)

    @classmethod
    def _array(cls, series: Series) -> Categorical:
        table = replace(series._raw, columns=((None, series._value),), is_array=True)
        made = object.__new__(cls)
        Held.__init__(made, table)
        return made

    @property
    def codes(self) -> Series:
        """The number of each value's category; -1 for a missing value."""
        return Series._of(replace(self.cat.codes._raw, is_array=True))

    @property
    def categories(self) -> Any:
        """The values that may be there."""
        return self.cat.categories

    @property
    def ordered(self) -> bool:
        """Whether the categories have an order."""
        return self.cat.ordered

    def value_counts(self, *args: Any, **given: Any) -> Series:
        """Refused: of an array pandas has them in the order of the categories."""
        raise refused(
            "Categorical.value_counts()", "it is not made for Spark yet", "count those of the column"
        )

    def describe(self, *args: Any, **given: Any) -> Any:
        """Refused: of an array pandas gives a frame."""
        raise refused("Categorical.describe()", "it is not made for Spark yet", "describe the column")

    def _collected(self) -> Any:
        return super()._collected().array

    def __getattr__(self, name: str) -> Any:
        if name in _OF_CATEGORIES:
            method = getattr(self.cat, name)
            return lambda *args, **kwargs: Categorical._array(method(*args, **kwargs))
        return super().__getattr__(name)


_OF_CATEGORIES = frozenset(
    {"add_categories", "as_ordered", "as_unordered", "remove_categories", "remove_unused_categories"}
    | {"rename_categories", "reorder_categories", "set_categories"}
)


def factorize(values: Any, sort: bool = False, use_na_sentinel: bool = True, size_hint: Any = None) -> Any:
    """The number of each value, and the values by number: in the order in which they come, or sorted."""
    if not isinstance(values, Held):
        return pd.factorize(values, sort, use_na_sentinel, size_hint)
    if not isinstance(values, Series) or values._kind != "Series":
        raise refused(f"pd.factorize({values._kind})", "it is for one column")
    if not use_na_sentinel:
        raise refused("pd.factorize(use_na_sentinel=False)", "a missing value has no number of its own")
    dtype = values._value.dtype
    if dtype.categories is not None or not (dtype.is_text or dtype.is_number):
        raise refused(f"pd.factorize() of {dtype.name}", "only texts and numbers are numbered here")
    uniques = pd.Index(values.unique())
    uniques = uniques[uniques.notna()]
    uniques = uniques.sort_values() if sort else uniques
    numbers = _numbers(as_shown([values._value])[0], uniques)
    table = replace(values._raw, columns=((None, numbers),), column_names=(None,), is_array=True)
    return Series._of(table), uniques if not values._raw.is_array else np.asarray(uniques)


def _numbers(value: Value, uniques: pd.Index) -> Value:
    known = category_dtype([held(one) for one in uniques], False, "pd.factorize()")
    number = number_of_category(value.with_column(value.column, known))
    return value.with_column((F.coalesce(number, F.lit(0)) - 1).cast("bigint"), INT64)
