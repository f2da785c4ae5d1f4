"""`Series.str`: methods of texts, for every value.

Spark's own functions are used only where they give the same for every text; all others are Python's own methods.

| method | where Spark's function would differ |
|---|---|
| `lower`, `upper`, `title`... | letters that one of Java and Python does not know, or has another case for |
| `strip` | Spark strips blanks only: it is given all characters that Python takes for space |
| `contains`, `replace`, `split`... | Java's patterns are others (`patterns`) |
| `zfill`, `pad`, `center` | Spark cuts texts that are too long |
"""

from __future__ import annotations

import re
import sys
import textwrap
import unicodedata
from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from pyspark.sql import Column
from pyspark.sql import functions as F

from predtrace.frontends.pandas.applying.calling import Function
from predtrace.frontends.pandas.applying.users_functions import prepared
from predtrace.frontends.pandas.core.dtypes import BOOL, TEXT, Dtype
from predtrace.frontends.pandas.core.steps import refused
from predtrace.frontends.pandas.texts.encoding import Encoded
from predtrace.frontends.pandas.texts.joining import JoiningTexts
from predtrace.frontends.pandas.texts.patterns import only_text
from predtrace.frontends.pandas.texts.searching import SearchingTexts, compiled
from predtrace.frontends.pandas.texts.splitting import SplittingTexts

if TYPE_CHECKING:
    from predtrace.frontends.pandas.series import Series


@cache
def _space() -> str:
    """All characters that Python takes for space."""
    return "".join(c for c in map(chr, range(sys.maxunicode + 1)) if c.isspace())


def _method(name: str, function: Function, dtype: Dtype) -> Callable[[Any], Any]:
    """A method without arguments."""

    def method(self: Texts) -> Any:
        return self._each(name, function, dtype)

    method.__name__, method.__doc__ = name, f"Python's `str.{name}` of each text."
    return method


def _stripped(name: str, trim: Callable[[Column, Column], Column]) -> Callable[..., Any]:
    def method(self: Texts, to_strip: str | None = None) -> Any:
        letters = _space() if to_strip is None else to_strip
        return self._made(name, lambda text: trim(text, F.lit(letters)), TEXT)

    method.__name__, method.__doc__ = name, f"Python's `str.{name}` of each text."
    return method


class Texts(SearchingTexts, SplittingTexts, JoiningTexts):
    """`Series.str`."""

    lower = _method("lower", lambda text: text.lower(), TEXT)
    upper = _method("upper", lambda text: text.upper(), TEXT)
    title = _method("title", lambda text: text.title(), TEXT)
    capitalize = _method("capitalize", lambda text: text.capitalize(), TEXT)
    swapcase = _method("swapcase", lambda text: text.swapcase(), TEXT)
    casefold = _method("casefold", lambda text: text.casefold(), TEXT)
    isalnum = _method("isalnum", lambda text: text.isalnum(), BOOL)
    isalpha = _method("isalpha", lambda text: text.isalpha(), BOOL)
    isdecimal = _method("isdecimal", lambda text: text.isdecimal(), BOOL)
    isdigit = _method("isdigit", lambda text: text.isdigit(), BOOL)
    islower = _method("islower", lambda text: text.islower(), BOOL)
    isnumeric = _method("isnumeric", lambda text: text.isnumeric(), BOOL)
    isspace = _method("isspace", lambda text: text.isspace(), BOOL)
    istitle = _method("istitle", lambda text: text.istitle(), BOOL)
    isupper = _method("isupper", lambda text: text.isupper(), BOOL)
    strip = _stripped("strip", F.btrim)
    lstrip = _stripped("lstrip", F.ltrim)
    rstrip = _stripped("rstrip", F.rtrim)

    def replace(
        self,
        pat: Any,
        repl: Any = None,
        n: int = -1,
        case: bool | None = None,
        flags: int = 0,
        regex: bool = False,
    ) -> Series:
        """Each text with what is found replaced."""
        _check_replacing(pat, repl, case, flags, regex)
        plain = only_text(pat) if regex else pat
        is_plain = case is not False and not flags and isinstance(repl, str)
        if regex and isinstance(repl, str) and "\\" in repl:
            is_plain = False
        if is_plain and plain and n < 0:
            return self._made("replace", lambda text: F.replace(text, F.lit(plain), F.lit(repl)), TEXT)
        if is_plain and not regex:
            return self._each("replace", lambda text: text.replace(pat, repl, n), TEXT)
        pattern = (
            pat
            if isinstance(pat, re.Pattern)
            else compiled(pat if regex else re.escape(pat), case is not False, flags)
        )
        count = max(n, 0)
        if callable(repl):
            repl, scalars = prepared(repl, (), {}, "Series.str.replace()")
            if scalars:
                raise refused("Series.str.replace()", "the function uses a value that Spark works out")
        return self._each("replace", lambda text: pattern.sub(repl, text, count=count), TEXT)

    def zfill(self, width: int) -> Series:
        """Each text, filled up with zeros on the left."""
        _check_width(width)
        return self._each("zfill", lambda text: text.zfill(width), TEXT)

    def pad(self, width: int, side: str = "left", fillchar: str = " ") -> Series:
        """Each text, filled up to a width."""
        if not isinstance(fillchar, str):
            raise TypeError(f"fillchar must be a character, not {type(fillchar).__name__}")
        if len(fillchar) != 1:
            raise TypeError("fillchar must be a character, not str")
        _check_width(width)
        if side == "left":
            return self._each("pad", lambda text: text.rjust(width, fillchar), TEXT)
        if side == "right":
            return self._each("pad", lambda text: text.ljust(width, fillchar), TEXT)
        if side == "both":
            return self._each("pad", lambda text: text.center(width, fillchar), TEXT)
        raise ValueError("Invalid side")

    def rjust(self, width: int, fillchar: str = " ") -> Series:
        """Each text, filled up on the left."""
        return self.pad(width, "left", fillchar)

    def ljust(self, width: int, fillchar: str = " ") -> Series:
        """Each text, filled up on the right."""
        return self.pad(width, "right", fillchar)

    def center(self, width: int, fillchar: str = " ") -> Series:
        """Each text, filled up on both sides."""
        return self.pad(width, "both", fillchar)

    def removeprefix(self, prefix: str) -> Series:
        """Each text without a beginning."""
        return self._each("removeprefix", lambda text: text.removeprefix(prefix), TEXT)

    def removesuffix(self, suffix: str) -> Series:
        """Each text without an ending."""
        return self._each("removesuffix", lambda text: text.removesuffix(suffix), TEXT)

    def normalize(self, form: Any) -> Series:
        """Each text in a normal form of Unicode."""
        unicodedata.normalize(form, "")
        return self._each("normalize", lambda text: unicodedata.normalize(form, text), TEXT)

    def encode(self, encoding: str, errors: str = "strict") -> Encoded:
        """Each text as bytes, which no column holds: they can be decoded at once."""
        return Encoded(self._series, encoding, errors)

    def translate(self, table: dict[int, Any]) -> Series:
        """Each text with characters exchanged."""
        return self._each("translate", lambda text: text.translate(table), TEXT)

    def wrap(self, width: int, **how: Any) -> Series:
        """Each text in lines of a width."""
        wrapper = textwrap.TextWrapper(width=width, **how)
        return self._each("wrap", lambda text: "\n".join(wrapper.wrap(text)), TEXT)

    def __iter__(self) -> Any:
        raise TypeError(f"'{type(self).__name__}' object is not iterable")

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or not hasattr(pd.Series.str, name):
            raise AttributeError(f"'StringMethods' object has no attribute {name!r}")
        raise refused(f"Series.str.{name}", "it is not made for Spark yet")


def _check_replacing(pat: Any, repl: Any, case: bool | None, flags: int, regex: bool) -> None:
    if not (isinstance(repl, str) or callable(repl)):
        raise TypeError("repl must be a string or callable")
    is_compiled = isinstance(pat, re.Pattern)
    if regex and is_compiled and (case is not None or flags != 0):
        raise ValueError("case and flags cannot be set when pat is a compiled regex")
    if not regex and is_compiled:
        raise ValueError("Cannot use a compiled regex as replacement pattern with regex=False")
    if not regex and callable(repl):
        raise ValueError("Cannot use a callable replacement when regex=False")


def _check_width(width: Any) -> None:
    if not isinstance(width, (int, np.integer)):
        raise TypeError(f"width must be of integer type, not {type(width).__name__}")
