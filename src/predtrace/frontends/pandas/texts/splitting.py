"""Parts of texts: `str.split`, `str.extract`, `str[0]`, slices."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from pyspark.sql import Column
from pyspark.sql import functions as F
from pyspark.sql import types as spark

from predtrace.frontends.pandas.applying.calling import Function, each
from predtrace.frontends.pandas.core.dtypes import INT64, TEXT, Dtype, listed
from predtrace.frontends.pandas.core.spaces import Value
from predtrace.frontends.pandas.core.steps import refused
from predtrace.frontends.pandas.texts.patterns import in_java, only_text
from predtrace.frontends.pandas.texts.shared import TextValues, as_missing

if TYPE_CHECKING:
    from predtrace.frontends.pandas.series import Series

_TEXTS = listed(spark.StringType())


class SplittingTexts(TextValues):
    """Methods of `Series.str` that give parts of texts, and of lists."""

    def len(self) -> Series:
        """The number of characters, or of a list's values."""
        value = self._series._value
        count = F.array_size(value.column) if self._is_list else F.char_length(value.column)
        return self._series._made(value.with_column(count.cast("bigint"), as_missing(INT64, value)))

    def get(self, i: int) -> Series:
        """The character, or the value of a list, at a place; missing if there is none."""
        value = self._series._value
        if self._is_list:
            assert isinstance(value.dtype.spark, spark.ArrayType)
            return self._series._made(value.with_column(_item(value.column, i), _of_items(value.dtype)))
        has = F.char_length(value.column) > (i if i >= 0 else -i - 1)
        letter = F.substring(value.column, i + 1 if i >= 0 else i, 1)
        return self._series._made(value.with_column(F.when(has, letter), TEXT))

    def __getitem__(self, key: Any) -> Series:
        return self.slice(key.start, key.stop, key.step) if isinstance(key, slice) else self.get(key)

    def slice(self, start: int | None = None, stop: int | None = None, step: int | None = None) -> Series:
        """A part of each text, or of each list."""
        value = self._series._value
        part = None if self._is_list or step not in (None, 1) else _part(value.column, start, stop)
        if part is not None:
            return self._series._made(value.with_column(part, as_missing(TEXT, value)))
        dtype = value.dtype if self._is_list else as_missing(TEXT, value)
        return self._series._made(each(lambda text: text[start:stop:step], value, dtype, "slice"))

    def slice_replace(
        self, start: int | None = None, stop: int | None = None, repl: str | None = None
    ) -> Series:
        """Each text with a part of it replaced."""
        new = "" if repl is None else repl

        def replaced(text: str) -> str:
            end = start if text[start:stop] == "" else stop
            before = "" if start is None else text[:start]
            return before + new + ("" if stop is None else text[end:])

        return self._each("slice_replace", replaced, TEXT)

    def split(
        self, pat: Any = None, *, n: int | None = -1, expand: bool = False, regex: bool | None = None
    ) -> Any:
        """The parts of each text, as lists or as columns."""
        if regex is False and isinstance(pat, re.Pattern):
            raise ValueError("Cannot use a compiled regex as replacement pattern with regex=False")
        is_pattern = isinstance(pat, re.Pattern) or regex is True
        is_pattern = is_pattern or (regex is None and pat is not None and len(pat) != 1)
        count = -1 if n in (None, 0, -1) else n
        text = only_text(pat) if is_pattern else pat
        if text and count is not None and count >= -1:
            limit = -1 if count == -1 else count + 1
            value = self._text("split")
            column = F.split(value.column, in_java(text), limit)
            return self._in_columns(value.with_column(column, _TEXTS), expand)
        if is_pattern:
            pattern, most = re.compile(pat), 0 if n in (None, -1) else n
            return self._parts("split", lambda one: pattern.split(one, maxsplit=most), expand)
        return self._parts("split", lambda one: one.split(pat, count), expand)

    def rsplit(self, pat: Any = None, *, n: int | None = -1, expand: bool = False) -> Any:
        """The parts of each text, split from its end."""
        count = -1 if n in (None, 0) else n
        return self._parts("rsplit", lambda one: one.rsplit(pat, count), expand)

    def partition(self, sep: str = " ", expand: bool = True) -> Any:
        """What is before a text, the text, and what is after it."""
        _refuse_tuples("partition", expand)
        return self._parts("partition", lambda one: list(one.partition(sep)), True)

    def rpartition(self, sep: str = " ", expand: bool = True) -> Any:
        """What is before the last place of a text, the text, and what is after it."""
        _refuse_tuples("rpartition", expand)
        return self._parts("rpartition", lambda one: list(one.rpartition(sep)), True)

    def _parts(self, method: str, function: Function, expand: bool) -> Any:
        return self._in_columns(each(function, self._text(method), _TEXTS, method), expand)

    def _in_columns(self, parts: Value, expand: bool) -> Any:
        """Lists, or a frame with as many columns as the longest of them needs."""
        if not expand:
            return self._series._made(parts)
        parts = self._series._raw.space.settled(parts, "parts")
        longest, misses = (
            parts.space.rows(parts.uses)
            .agg(F.max(F.size(parts.column)), F.max(parts.column.isNull()))
            .collect()[0]
        )
        count = max(longest or 0, int(bool(misses)))
        return self._framed(
            (at, parts.with_column(F.get(parts.column, F.lit(at)), TEXT)) for at in range(count)
        )

    def extract(self, pat: Any, flags: int = 0, expand: bool = True) -> Any:
        """The groups of a pattern in each text, as columns."""
        if not isinstance(expand, bool):
            raise ValueError("expand must be True or False")
        pattern = re.compile(pat, flags=flags)
        if not pattern.groups:
            raise ValueError("pattern contains no capture groups")
        names = {number - 1: name for name, number in pattern.groupindex.items()}

        def groups(text: str) -> list[Any] | None:
            found = pattern.search(text)
            return list(found.groups()) if found else None

        found = self._listed("extract", groups, _TEXTS)
        columns = [
            (names.get(at, at), found.with_column(F.get(found.column, F.lit(at)), TEXT))
            for at in range(pattern.groups)
        ]
        if expand or pattern.groups > 1:
            return self._framed(columns)
        return self._series._made(columns[0][1], names.get(0))

    def extractall(self, pat: Any, flags: int = 0) -> Any:
        """Refused: it has a row for each match."""
        raise refused("Series.str.extractall()", "it has a row for each match", "use findall() and explode()")

    def findall(self, pat: Any, flags: int = 0) -> Series:
        """All places of a pattern in each text, as lists."""
        pattern = re.compile(pat, flags=flags)
        if pattern.groups > 1:
            raise refused(
                "Series.str.findall()", "of several groups it makes tuples, which Spark does not hold"
            )
        return self._each("findall", lambda text: pattern.findall(text), _TEXTS)


def _refuse_tuples(method: str, expand: bool) -> None:
    if not expand:
        raise refused(f"Series.str.{method}()", "expand=False makes tuples, which Spark does not hold")


def _item(column: Column, at: int) -> Column:
    return F.get(column, F.lit(at)) if at >= 0 else F.try_element_at(column, F.lit(at))


def _of_items(dtype: Dtype) -> Dtype:
    """The dtype of one of a list's values."""
    assert isinstance(dtype.spark, spark.ArrayType)
    of = dtype.spark.elementType
    if isinstance(of, spark.StringType):
        return TEXT
    raise refused(
        "Series.str.get()", "the lists have values that are no texts", "use apply(lambda values: values[0])"
    )


def _part(text: Column, start: int | None, stop: int | None) -> Column | None:
    """A slice of a text as Spark takes it: its places begin with 1; None if its rules are others."""
    first = start or 0
    if first >= 0 and stop is None:
        return F.substr(text, F.lit(first + 1)) if first else text
    if first >= 0 and stop is not None and stop >= 0:
        return F.substring(text, first + 1, max(stop - first, 0))
    if first < 0 and stop is None:
        return F.substring(text, first, -first)
    if not first and stop is not None:
        return F.substr(text, F.lit(1), F.char_length(text) + stop)
    return None
