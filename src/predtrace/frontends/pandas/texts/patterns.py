"""Patterns of Python's `re` that say no more than a text: Spark looks for the text itself.

All other patterns are left to Python: Java's regular expressions differ in what a digit, a word, the end of a line
and the other case of a letter are.
"""

from __future__ import annotations

import re
from functools import reduce

from pyspark.sql import Column
from pyspark.sql import functions as F

_SPECIAL = frozenset(".^$*+?{}[]|()\\")


def alternatives(pattern: object) -> list[str] | None:
    """The texts that a pattern is the alternatives of; None if it is more than that.

    >>> alternatives("Mr|Mrs"), alternatives(r"a\\.b"), alternatives("a+")
    (['Mr', 'Mrs'], ['a.b'], None)
    """
    if isinstance(pattern, re.Pattern):
        plain = re.compile(pattern.pattern).flags == pattern.flags
        return alternatives(pattern.pattern) if plain else None
    if not isinstance(pattern, str):
        return None
    found, at = [""], 0
    while at < len(pattern):
        letter = pattern[at]
        if (
            letter == "\\"
            and at + 1 < len(pattern)
            and not pattern[at + 1].isalnum()
            and pattern[at + 1].isascii()
        ):
            found[-1] += pattern[at + 1]
            at += 1
        elif letter == "|":
            found.append("")
        elif letter in _SPECIAL:
            return None
        else:
            found[-1] += letter
        at += 1
    return found


def only_text(pattern: object) -> str | None:
    """The text that a pattern stands for; None if it stands for several, or more."""
    found = alternatives(pattern)
    return found[0] if found is not None and len(found) == 1 else None


def in_java(text: str) -> str:
    """A text as a pattern of Java that matches it alone.

    >>> in_java("a.b")
    'a\\\\.b'
    """
    return "".join(f"\\{c}" if c.isascii() and not c.isalnum() else c for c in text)


def any_of(text: Column, conditions: list[Column]) -> Column:
    """Whether one of some conditions on a text holds; missing if the text is."""
    if not conditions:
        return F.when(text.isNotNull(), F.lit(False))
    return reduce(lambda one, other: one | other, conditions)
