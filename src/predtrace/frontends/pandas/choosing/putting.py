"""Other values at some places of a column, and the dtype that pandas gives the column then.

| the column holds | and gets | it is afterwards |
|---|---|---|
| anything | a missing value | the same; whole numbers are shown as float64 |
| whole numbers | whole floats (2.0) | the same |
| whole numbers | other floats | float64, if one of them is really put in |
| texts | numbers of one dtype, or the other way round | objects of both kinds (`core.mixed`) |
| anything | what is no such value | refused, unless no old value is left (or no place is found) |

`replace` then looks at what it has got: a column of objects that are all numbers becomes one of numbers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce

import numpy as np
import pandas as pd
from pyspark.sql import Column
from pyspark.sql import functions as F

from predtrace.frontends.pandas.core.dtypes import BOOL, FLOAT64, TEXT, Dtype, common
from predtrace.frontends.pandas.core.elements import is_whole
from predtrace.frontends.pandas.core.facts import any_true, as_shown
from predtrace.frontends.pandas.core.mixed import as_mixed, is_text, mixed_of
from predtrace.frontends.pandas.core.scalars import literal
from predtrace.frontends.pandas.core.spaces import Value
from predtrace.frontends.pandas.core.steps import refused


@dataclass(frozen=True)
class Place:
    """Where another value is put. The condition is never missing."""

    where: Value
    other: Value


def put(value: Value, places: Sequence[Place], call: str, infers: bool = False) -> Value:
    """The value with others at some places; of several places for one row, the first counts.

    `infers`: pandas looks for the best dtype of what it has got, as after `replace`.
    """
    if not all(holds(value.dtype, place.other) for place in places):
        (value,) = as_shown([value])
    if all(holds(value.dtype, place.other) for place in places):
        if infers and value.dtype.is_mixed:
            _check_texts_stay(value, places, call)
        return _cased(value, places, value.dtype, is_kept=True)
    if value.dtype.categories is not None:
        raise TypeError("Cannot setitem on a Categorical with a new category, set the categories first")
    return _widened(value, places, call, infers)


def _check_texts_stay(value: Value, places: Sequence[Place], call: str) -> None:
    """Refuse what leaves only numbers: pandas makes a column of numbers of them then."""
    hit, kept = _conditions(value, places)
    texts = [there for there, place in zip(hit, places, strict=True) if place.other.dtype.is_text]
    stays = kept.with_column(kept.column & F.coalesce(is_text(value), F.lit(False)), BOOL, value)
    if not any(any_true([*texts, stays])):
        raise refused(call, "only numbers would be left", "convert the values instead: .astype(float)")


def holds(dtype: Dtype, other: Value) -> bool:
    """Whether a column can hold a value and keep its dtype."""
    if _is_nothing(other):
        return True
    kind, constant = other.dtype, other.constant
    if dtype.categories is not None:
        return kind.categories == dtype.categories or (constant is not None and constant in dtype.categories)
    if dtype.is_integer:
        if constant is None:
            return kind.is_integer and bool(np.can_cast(kind.name, dtype.name))
        if not (kind.is_integer or (kind.is_float and float(constant).is_integer())):
            return False
        limits = np.iinfo(dtype.name)
        return bool(limits.min <= int(constant) <= limits.max)
    if dtype.is_float:
        is_number = kind.is_integer or kind.is_float
        return is_number and (constant is not None or kind.is_integer or np.can_cast(kind.name, dtype.name))
    if dtype.is_text:
        return kind.is_text
    if dtype.is_mixed:
        found = mixed_of([dtype, kind])
        return found is not None and found.name == dtype.name
    return dtype.name == kind.name and dtype.spark == kind.spark


def _is_nothing(value: Value) -> bool:
    return value.constant is not None and bool(pd.isna(value.constant))


def _cased(value: Value, places: Sequence[Place], dtype: Dtype, is_kept: bool) -> Value:
    if not places:
        return value
    column: Column | None = None
    for place in places:
        put_in = _of_type(place.other, dtype)
        column = (
            F.when(place.where.column, put_in) if column is None else column.when(place.where.column, put_in)
        )
    assert column is not None
    column = column.otherwise(_of_type(value, dtype) if is_kept else literal(None, dtype))
    may_miss = value.dtype.may_miss or any(place.other.dtype.may_miss for place in places)
    parts = [part for place in places for part in (place.where, place.other)]
    return value.with_column(column, dtype.missing(may_miss), *parts)


def _of_type(value: Value, dtype: Dtype) -> Column:
    if dtype.is_mixed and not _is_nothing(value):
        return as_mixed(value)
    if value.dtype.spark == dtype.spark and not _is_nothing(value):
        return value.column
    return value.column.cast(dtype.spark)


def _widened(value: Value, places: Sequence[Place], call: str, infers: bool) -> Value:
    """The value with others that its dtype cannot hold: what comes out depends on which of them are put in."""
    hit, kept = _conditions(value, places)
    *found, is_kept = any_true([*hit, kept])
    used = [place for place, is_used in zip(places, found, strict=True) if is_used]
    unfit = [place for place in used if not holds(value.dtype, place.other)]
    if all(_fits_where_put(value, place) for place in unfit):
        return _cased(value, used, value.dtype, is_kept=True)
    others = [place.other.dtype for place in used if not _is_nothing(place.other)]
    stays = is_kept or all(_is_plain_number(kind) for kind in [*others, value.dtype])
    kinds = [*others, value.dtype] if stays else others
    return _cased(value, used, _together(kinds, value, call, infers), is_kept=stays)


def _conditions(value: Value, places: Sequence[Place]) -> tuple[list[Value], Value]:
    """Where each place is the first for its row, and where none is and the old value is not missing."""
    hit: list[Value] = []
    before: Value | None = None
    for place in places:
        column = place.where.column if before is None else place.where.column & ~before.column
        parts = [] if before is None else [before]
        hit.append(place.where.with_column(column, BOOL, *parts))
        before = (
            place.where
            if before is None
            else before.with_column(before.column | place.where.column, BOOL, place.where)
        )
    assert before is not None
    return hit, value.with_column(value.column.isNotNull() & ~before.column, BOOL, before)


def _fits_where_put(value: Value, place: Place) -> bool:
    """Whether floats for a column of whole numbers are whole where they are put in."""
    if not (value.dtype.is_integer and place.other.dtype.is_float and place.other.constant is None):
        return False
    whole = is_whole(place.other)
    broken = place.where.with_column(place.where.column & ~whole.column, BOOL, whole)
    return not any_true([broken])[0]


def _is_plain_number(dtype: Dtype) -> bool:
    return dtype.is_number and not dtype.is_bool


def _together(kinds: Sequence[Dtype], value: Value, call: str, infers: bool) -> Dtype:
    if all(_is_plain_number(kind) for kind in kinds):
        is_small = value.dtype.is_integer and value.dtype.name != "int64"
        made = reduce(_wider, kinds)
        if (infers or _is_plain_number(value.dtype)) and not (is_small and made.is_integer):
            return made
    if all(kind.is_text for kind in kinds):
        return TEXT
    if infers and all(kind.is_bool for kind in kinds):
        return BOOL
    mixed = mixed_of([*kinds, value.dtype])
    if mixed is not None:
        return mixed
    names = sorted({_in_words(kind) for kind in [*kinds, value.dtype]})
    raise refused(call, f"the column would hold objects of several types ({', '.join(names)})")


def _wider(left: Dtype, right: Dtype) -> Dtype:
    return common(left, right) or FLOAT64


def _in_words(dtype: Dtype) -> str:
    return "text" if dtype.is_text else dtype.name
