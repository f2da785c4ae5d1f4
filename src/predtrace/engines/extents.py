"""Whether a comparison with constants can hold for a column of which only the extent of its values is known.

Whatever is not certain may hold. Values are compared as Spark compares them: strings by their bytes, -0.0 equals 0.0,
NaN equals NaN and is greater than every number.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from typing import Any

from predtrace.ir.types import DataType

_PYTHON_TYPES: dict[str, type[Any]] = {
    "boolean": bool,
    "byte": int,
    "short": int,
    "integer": int,
    "long": int,
    "float": float,
    "double": float,
    "decimal": Decimal,
    "string": bytes,
    "date": date,
    "timestamp": datetime,
    "timestamp_ntz": datetime,
}
OPERATORS = frozenset({"=", "<=>", "<", "<=", ">", ">=", "in"})


@dataclass(frozen=True)
class Extent:
    """What is known of some values: none of them lies below `low` or above `high`; None where that is not known."""

    low: Any = None
    high: Any = None
    has_nulls: bool = True
    has_values: bool = True

    @classmethod
    def between(cls, low: Any, high: Any, type_: DataType) -> Extent:
        """Of values that lie between two others; of any values, if the two make no sense."""
        expected = _PYTHON_TYPES[type_.name]
        if not (isinstance(low, expected) and isinstance(high, expected)):
            return cls()
        if not low <= high:  # also where one of them is NaN
            return cls()
        if isinstance(low, date) and low.year < 1900:
            return cls()  # an old calendar may be meant, and Spark would convert it
        return cls(low, high)


@dataclass(frozen=True)
class Comparison:
    """A column of a source compared with constants. Made by `comparison`."""

    column: str
    type: DataType
    operator: str
    values: tuple[Any, ...]

    def may_hold(self, extent: Extent) -> bool:
        """Whether it may hold for one of the values.

        >>> from predtrace.ir.types import INTEGER
        >>> small = comparison("n", INTEGER, "<", (10,))
        >>> small.may_hold(Extent(3, 20)), small.may_hold(Extent(10, 20)), small.may_hold(Extent())
        (True, False, True)
        """
        if self.operator == "<=>" and self.values[0] is None:
            return extent.has_nulls
        compared = (value for value in self.values if value is not None)  # a comparison with NULL is not true
        return extent.has_values and any(_may_hold(self.operator, value, extent) for value in compared)


def comparison(column: str, type_: DataType, operator: str, values: tuple[Any, ...]) -> Comparison | None:
    """The comparison of a column with constants of its own type; None if nothing is certain about it.

    >>> from predtrace.ir.types import STRING
    >>> comparison("s", STRING, "=", ("é",)).values, comparison("s", STRING, "like", ("é",))
    ((b'\\xc3\\xa9',), None)
    """
    if operator not in OPERATORS or type_.name not in _PYTHON_TYPES:
        return None
    try:
        compared = tuple(value if value is None else _as_compared(value, type_) for value in values)
    except (OverflowError, UnicodeEncodeError):
        return None
    expected = _PYTHON_TYPES[type_.name]
    usable = all(value is None or isinstance(value, expected) for value in compared)
    return Comparison(column, type_, operator, compared) if usable else None


def _as_compared(value: Any, type_: DataType) -> Any:
    if type_.name == "float":  # Python has no such numbers: 0.1 is another one than Spark's 0.1F
        return struct.unpack("<f", struct.pack("<f", value))[0]
    return value.encode() if isinstance(value, str) else value


def _may_hold(operator: str, value: Any, extent: Extent) -> bool:
    if isinstance(value, float) and (value != value or operator in (">", ">=")):
        return True  # there may be a NaN, which no extent tells
    if operator in ("<", "<="):
        return _reaches_down(operator, value, extent)
    if operator in (">", ">="):
        return _reaches_up(operator, value, extent)
    return _reaches_down("<=", value, extent) and _reaches_up(">=", value, extent)


def _reaches_down(operator: str, value: Any, extent: Extent) -> bool:
    if extent.low is None:
        return True
    return bool(extent.low < value or (operator == "<=" and extent.low == value))


def _reaches_up(operator: str, value: Any, extent: Extent) -> bool:
    if extent.high is None:
        return True
    return bool(extent.high > value or (operator == ">=" and extent.high == value))
