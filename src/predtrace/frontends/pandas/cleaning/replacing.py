"""Other values for some values: `replace`.

All pairs of old and new are looked up in the values as they were, so `{1: 2, 2: 3}` changes no value twice. A value
is found by what it is: 1 is no boolean, and "1" no number. What comes out has the dtype that pandas would find for it
(`choosing/putting.py`). Patterns are Python's own, called for each text.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from pyspark.sql import functions as F

from predtrace.frontends.pandas.applying.calling import each
from predtrace.frontends.pandas.choosing.putting import Place, put
from predtrace.frontends.pandas.core.arithmetic import operate
from predtrace.frontends.pandas.core.dtypes import BOOL, TEXT, check_not_kept
from predtrace.frontends.pandas.core.elements import (
    changed,
    frame_of,
    is_listing,
    is_missing_scalar,
    is_series,
    nothing,
    series_of,
)
from predtrace.frontends.pandas.core.facts import is_missing
from predtrace.frontends.pandas.core.held import Held
from predtrace.frontends.pandas.core.scalars import value_in
from predtrace.frontends.pandas.core.spaces import Value
from predtrace.frontends.pandas.core.steps import in_place, only, refused
from predtrace.frontends.pandas.core.tables import Label
from predtrace.frontends.pandas.texts.patterns import only_text

if TYPE_CHECKING:
    from predtrace.frontends.pandas.frame import DataFrame
    from predtrace.frontends.pandas.series import Series

_NOT_GIVEN: Any = pd.api.extensions.no_default

Pairs = list[tuple[Any, Any]]
"""Old values, each with its new one."""


class ReplacingFrame(Held):
    """These methods of a DataFrame."""

    @in_place
    def replace(
        self, to_replace: Any = None, value: Any = _NOT_GIVEN, *, regex: Any = False, **given: Any
    ) -> DataFrame:
        """Other values for some; a dict of dicts says which, for each column."""
        call = "DataFrame.replace()"
        to_replace, is_regex = _arguments(call, to_replace, regex, given)
        by_column = _by_column(call, to_replace, value)
        if by_column is not None:
            pairs_of = by_column
            return frame_of(
                changed(
                    self, lambda label, one: _replaced(one, pairs_of.get(label, []), is_regex, call, label)
                )
            )
        pairs = _pairs(call, to_replace, value)
        return frame_of(changed(self, lambda label, one: _replaced(one, pairs, is_regex, call, label)))


class ReplacingSeries(Held):
    """These methods of a Series."""

    @in_place
    def replace(
        self, to_replace: Any = None, value: Any = _NOT_GIVEN, *, regex: Any = False, **given: Any
    ) -> Series:
        """Other values for some."""
        call = "Series.replace()"
        to_replace, is_regex = _arguments(call, to_replace, regex, given)
        pairs = _pairs(call, to_replace, value)
        return series_of(changed(self, lambda label, one: _replaced(one, pairs, is_regex, call, label)))


def _arguments(call: str, to_replace: Any, regex: Any, given: dict[str, Any]) -> tuple[Any, bool]:
    only(call, {"limit": None, "method": _NOT_GIVEN}, given)
    to_replace = to_replace.to_pandas() if is_series(to_replace) else to_replace
    if isinstance(regex, (bool, np.bool_)):
        return (dict(to_replace) if isinstance(to_replace, pd.Series) else to_replace), bool(regex)
    if to_replace is not None:
        raise ValueError("'to_replace' must be 'None' if 'regex' is not a bool")
    return regex, True


def _by_column(call: str, to_replace: Any, value: Any) -> dict[Label, Pairs] | None:
    """The pairs for each column, where an argument names columns; None where it does not."""
    if not isinstance(to_replace, Mapping):
        if isinstance(value, Mapping):
            return {label: _pairs(call, to_replace, new) for label, new in value.items()}
        return None
    if value is not _NOT_GIVEN:
        new = value if isinstance(value, Mapping) else dict.fromkeys(to_replace, value)
        return {label: _pairs(call, old, new[label]) for label, old in to_replace.items() if label in new}
    nested = [isinstance(one, Mapping) for one in to_replace.values()]
    if not any(nested):
        return None
    if not all(nested):
        raise TypeError("If a nested mapping is passed, all values of the top level mapping must be mappings")
    return {label: list(pairs.items()) for label, pairs in to_replace.items()}


def _pairs(call: str, to_replace: Any, value: Any) -> Pairs:
    if isinstance(to_replace, Mapping):
        if value is not _NOT_GIVEN or any(isinstance(one, Mapping) for one in to_replace.values()):
            raise refused(call, "a dict of columns is only for frames")
        return list(to_replace.items())
    if value is _NOT_GIVEN:
        raise refused(call, "without new values it fills from the row before, which is deprecated")
    if not is_listing(to_replace):
        if is_listing(value):
            raise refused(call, "a list of new values for one old value is not")
        return [(to_replace, value)]
    old = list(to_replace)
    if not is_listing(value):
        return [(one, value) for one in old]
    new = list(value)
    if len(old) != len(new):
        raise ValueError(f"Replacement lists must match in length. Expecting {len(old)} got {len(new)} ")
    return list(zip(old, new, strict=True))


def _replaced(value: Value, pairs: Pairs, is_regex: bool, call: str, label: Label) -> Value:
    named = f"{call} of {label!r}"
    return _substituted(value, pairs, named) if is_regex else replaced(value, dict(pairs), named)


def replaced(value: Value, pairs: Mapping[Any, Any], call: str) -> Value:
    """Other values for some, which are found by equality."""
    dtype = value.dtype
    if not dtype.is_mixed:
        check_not_kept(call, dtype)
    places: list[Place] = []
    for old, new in pairs.items():
        where = matches(value, old)
        if where is None:
            continue
        if dtype.categories is not None:
            raise refused(call, "a category's values are changed with cat.rename_categories()")
        if new is None and not dtype.is_text:
            raise refused(call, "None among numbers makes objects of them", "replace with np.nan")
        put_in = nothing(value.space, value) if is_missing_scalar(new) else value_in(value.space, new)
        places.append(Place(where, put_in))
    return put(value, places, call, infers=True) if places else value


def matches(value: Value, old: Any) -> Value | None:
    """Where a value is the one that is looked for; None if it can be nowhere."""
    dtype = value.dtype
    if is_missing_scalar(old):
        return is_missing(value) if dtype.may_miss else None
    if dtype.categories is not None:
        return operate("==", value, value_in(value.space, old)) if old in dtype.categories else None
    is_bool = isinstance(old, (bool, np.bool_))
    if dtype.is_text or dtype.is_mixed:
        fits = isinstance(old, str) or (dtype.is_mixed and not is_bool)
    elif dtype.is_bool or is_bool:
        fits = dtype.is_bool and is_bool
    elif dtype.is_number:
        is_number = isinstance(old, (int, float, np.number))
        fits = is_number and (dtype.is_float or float(old).is_integer())
    elif dtype.is_moment or isinstance(old, (str, int, float, np.number)):
        fits = dtype.is_moment and isinstance(old, (datetime.datetime, np.datetime64))
    else:
        raise refused(f"looking for a {type(old).__name__}", f"the column has {dtype.name} values")
    return operate("==", value, value_in(value.space, old)) if fits else None


def _substituted(value: Value, pairs: Pairs, call: str) -> Value:
    """Parts of texts by patterns. A new value that is no text takes the place of the whole text."""
    if not value.dtype.is_text or value.dtype.categories is not None:
        return value
    patterns = [(_pattern(old, call), None if is_missing_scalar(new) else new) for old, new in pairs]
    as_texts = _by_texts(value, patterns)
    if as_texts is not None:
        return as_texts
    if all(new is None or isinstance(new, str) for _, new in patterns):
        return each(_substituting(patterns), value, TEXT, "substituted")
    if any(isinstance(new, str) for _, new in patterns):
        raise refused(call, "the new values are texts and others")
    places = [
        Place(
            _found(each(_searching(pattern), value, BOOL, "is_found")),
            nothing(value.space, value) if new is None else value_in(value.space, new),
        )
        for pattern, new in reversed(patterns)
    ]
    return put(value, places, call, infers=True)


def _by_texts(value: Value, patterns: list[tuple[re.Pattern[str], Any]]) -> Value | None:
    """By Spark itself, where a pattern is no more than a text; None if it is more."""
    text = only_text(patterns[0][0]) if len(patterns) == 1 else None
    new = patterns[0][1] if patterns else ""
    if not text or not (new is None or (isinstance(new, str) and "\\" not in new)):
        return None
    if new is None:
        return value.with_column(F.when(~F.contains(value.column, F.lit(text)), value.column), TEXT)
    return value.with_column(F.replace(value.column, F.lit(text), F.lit(new)), value.dtype)


def _pattern(old: Any, call: str) -> re.Pattern[str]:
    if not isinstance(old, (str, re.Pattern)):
        raise refused(call, f"{old!r} is no pattern")
    return re.compile(old)


def _substituting(pairs: list[tuple[re.Pattern[str], Any]]) -> Callable[[str], str | None]:
    def substituted(text: str) -> str | None:
        found = [pair for pair in pairs if pair[0].search(text)]
        for pattern, new in found:
            if new is not None:
                text = pattern.sub(new, text)
            elif pattern.search(text):
                return None
        return text

    return substituted


def _searching(pattern: re.Pattern[str]) -> Callable[[str], bool]:
    return lambda text: pattern.search(text) is not None


def _found(answer: Value) -> Value:
    return answer.with_column(F.coalesce(answer.column, F.lit(False)), BOOL)
