"""Looking for texts and patterns: `str.contains`, `str.match`, `str.find`, `str.count`."""

from __future__ import annotations

import re
import warnings
from typing import TYPE_CHECKING, Any

import numpy as np
from pyspark.sql import functions as F

from predtrace.frontends.pandas.core.dtypes import BOOL, INT64
from predtrace.frontends.pandas.texts.patterns import alternatives, any_of
from predtrace.frontends.pandas.texts.shared import TextValues

if TYPE_CHECKING:
    from predtrace.frontends.pandas.series import Series


class SearchingTexts(TextValues):
    """Methods of `Series.str` that look for something in texts."""

    def contains(
        self, pat: Any, case: bool = True, flags: int = 0, na: Any = np.nan, regex: bool = True
    ) -> Series:
        """Whether a text or a pattern is found in each text."""
        if regex and re.compile(pat).groups:
            warnings.warn(
                "This pattern is interpreted as a regular expression, and has match groups. "
                "To actually get the groups, use str.extract.",
                UserWarning,
                stacklevel=2,
            )
        texts = alternatives(pat) if regex else [pat]
        if texts is not None and case and not flags:
            found = self._made(
                "contains", lambda text: any_of(text, [text.contains(one) for one in texts]), BOOL
            )
        elif regex:
            pattern = compiled(pat, case, flags)
            found = self._each("contains", lambda text: pattern.search(text) is not None, BOOL)
        elif case:
            found = self._made("contains", lambda text: text.contains(pat), BOOL)
        else:
            upper = pat.upper()
            found = self._each("contains", lambda text: upper in text.upper(), BOOL)
        return self._with_na("contains", found, na)

    def match(self, pat: Any, case: bool = True, flags: int = 0, na: Any = np.nan) -> Series:
        """Whether a pattern matches the beginning of each text."""
        texts = alternatives(pat)
        if texts is not None and case and not flags:
            found = self._made(
                "match", lambda text: any_of(text, [text.startswith(one) for one in texts]), BOOL
            )
        else:
            pattern = compiled(pat, case, flags)
            found = self._each("match", lambda text: pattern.match(text) is not None, BOOL)
        return self._with_na("match", found, na)

    def fullmatch(self, pat: Any, case: bool = True, flags: int = 0, na: Any = np.nan) -> Series:
        """Whether a pattern matches each text as a whole."""
        pattern = compiled(pat, case, flags)
        found = self._each("fullmatch", lambda text: pattern.fullmatch(text) is not None, BOOL)
        return self._with_na("fullmatch", found, na)

    def startswith(self, pat: Any, na: Any = np.nan) -> Series:
        """Whether each text begins so."""
        texts = _choices(pat)
        found = self._made(
            "startswith", lambda text: any_of(text, [text.startswith(one) for one in texts]), BOOL
        )
        return self._with_na("startswith", found, na)

    def endswith(self, pat: Any, na: Any = np.nan) -> Series:
        """Whether each text ends so."""
        texts = _choices(pat)
        found = self._made("endswith", lambda text: any_of(text, [text.endswith(one) for one in texts]), BOOL)
        return self._with_na("endswith", found, na)

    def count(self, pat: Any, flags: int = 0) -> Series:
        """How often a pattern is found in each text."""
        pattern = re.compile(pat, flags=flags)
        return self._each("count", lambda text: len(pattern.findall(text)), INT64)

    def find(self, sub: str, start: int = 0, end: int | None = None) -> Series:
        """Where a text is found first, or -1."""
        _check_looked_for(sub)
        if sub and not start and end is None:
            return self._made("find", lambda text: (F.instr(text, sub) - 1).cast("bigint"), INT64)
        return self._each("find", lambda text: text.find(sub, start, end), INT64)

    def rfind(self, sub: str, start: int = 0, end: int | None = None) -> Series:
        """Where a text is found last, or -1."""
        _check_looked_for(sub)
        return self._each("rfind", lambda text: text.rfind(sub, start, end), INT64)

    def index(self, sub: str, start: int = 0, end: int | None = None) -> Series:
        """Where a text is found first; an error if it is not in one of the texts."""
        return self._found(self.find(sub, start, end))

    def rindex(self, sub: str, start: int = 0, end: int | None = None) -> Series:
        """Where a text is found last; an error if it is not in one of the texts."""
        return self._found(self.rfind(sub, start, end))

    def _found(self, places: Series) -> Series:
        value = places._table.columns[0][1]
        if value.space.rows(value.uses).where(value.column < 0).take(1):
            raise ValueError("substring not found")
        return places


def compiled(pattern: Any, case: bool, flags: int) -> re.Pattern[str]:
    """A pattern; `case`: whether it tells the cases of letters apart."""
    return re.compile(pattern, flags=flags if case else flags | re.IGNORECASE)


def _choices(texts: Any) -> tuple[str, ...]:
    if not isinstance(texts, (str, tuple)):
        raise TypeError(f"expected a string or tuple, not {type(texts).__name__}")
    return texts if isinstance(texts, tuple) else (texts,)


def _check_looked_for(text: Any) -> None:
    if not isinstance(text, str):
        raise TypeError(f"expected a string object, not {type(text).__name__}")
