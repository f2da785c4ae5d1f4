"""SQL values: three-valued logic by hand tables, equality and order as Spark has them."""

from __future__ import annotations

import math
import sys
from datetime import date, datetime, timedelta, timezone
from decimal import Decimal
from typing import Any

import pytest

from predtrace.ir.types import (
    BOOLEAN,
    DATE,
    DOUBLE,
    INTEGER,
    STRING,
    VOID,
    ArrayType,
    DataType,
    DecimalType,
    MapType,
)
from predtrace.symbolic.claims import Claim
from predtrace.symbolic.solver import prove
from predtrace.symbolic.sorts import INFINITY, equality_is_identity, readable, sort_of
from predtrace.symbolic.terms import Term, implication
from predtrace.symbolic.values import (
    NotExpressible,
    SymbolicValue,
    compared,
    contained,
    equal,
    first_known,
    fresh_value,
    identical,
    is_true,
    known_value,
    less,
    null_safe_equal,
    sql_and,
    sql_not,
    sql_or,
)

THREE = {"T": True, "F": False, "N": None}


def sql(value: Any, type_: DataType = BOOLEAN) -> SymbolicValue:
    return known_value(value, type_)


def folded(value: SymbolicValue) -> Any:
    return None if value.null.value else value.term.value


AND = {"TT": "T", "TF": "F", "TN": "N", "FT": "F", "FF": "F", "FN": "F", "NT": "N", "NF": "F", "NN": "N"}
OR = {"TT": "T", "TF": "T", "TN": "T", "FT": "T", "FF": "F", "FN": "N", "NT": "T", "NF": "N", "NN": "N"}
EQUAL = {"TT": "T", "TF": "F", "TN": "N", "FT": "F", "FF": "T", "FN": "N", "NT": "N", "NF": "N", "NN": "N"}
NULL_SAFE = {
    "TT": "T",
    "TF": "F",
    "TN": "F",
    "FT": "F",
    "FF": "T",
    "FN": "F",
    "NT": "F",
    "NF": "F",
    "NN": "T",
}


@pytest.mark.parametrize("operands", AND)
def test_two_booleans(operands: str) -> None:
    left, right = (sql(THREE[o]) for o in operands)
    assert folded(sql_and(left, right)) is THREE[AND[operands]]
    assert folded(sql_or(left, right)) is THREE[OR[operands]]
    assert folded(compared("=", left, right)) is THREE[EQUAL[operands]]
    assert folded(compared("<=>", left, right)) is THREE[NULL_SAFE[operands]]


@pytest.mark.parametrize(("operand", "wanted"), [("T", "F"), ("F", "T"), ("N", "N")])
def test_not(operand: str, wanted: str) -> None:
    assert folded(sql_not(sql(THREE[operand]))) is THREE[wanted]


@pytest.mark.parametrize(
    ("found", "choices", "wanted"), [(1, [1, None], True), (2, [1, None], None), (2, [1, 3], False)]
)
def test_in(found: int, choices: list[int | None], wanted: bool | None) -> None:
    answer = contained(sql(found, INTEGER), tuple(sql(choice, INTEGER) for choice in choices))
    assert folded(answer) is wanted


def test_an_untyped_null_stands_beside_anything() -> None:
    assert folded(compared("=", sql(None, VOID), sql(1, INTEGER))) is None
    assert folded(first_known(sql(None, VOID), sql(1, INTEGER))) == 1


def test_values_of_different_types_are_not_compared() -> None:
    with pytest.raises(NotExpressible, match="beside"):
        equal(sql(1, INTEGER), sql("1", STRING))
    with pytest.raises(NotExpressible):
        equal(sql(1, INTEGER), sql(date(1970, 1, 2), DATE))


MONEY, BINARY = DecimalType("decimal", 10, 2), DataType("binary")
ASCENDING: list[tuple[DataType, list[Any]]] = [
    (BOOLEAN, [False, True]),
    (INTEGER, [-(2**31), -1, 0, 1, 2**31 - 1]),
    (MONEY, [Decimal("-1.50"), Decimal("0.00"), Decimal("0.10"), Decimal("0.30")]),
    (DOUBLE, [-math.inf, -1.7e308, -5e-324, 0.0, 0.1, 1.7976931348623157e308, math.inf, math.nan]),
    (STRING, ["", "\0", "A", "Z", "a", "a\0", "aa", "b", "é", "日", "\U0001f600"]),
    (BINARY, [b"", b"\0", b"\0\0", b"\x01", b"\xff"]),
    (DATE, [date(1, 1, 1), date(1969, 12, 31), date(1970, 1, 1), date(9999, 12, 31)]),
    (DataType("timestamp_ntz"), [datetime(1, 1, 1), datetime(2020, 1, 1), datetime(2020, 1, 1, 0, 0, 0, 1)]),
    (DataType("interval day to second"), [timedelta(-1), timedelta(0), timedelta(microseconds=1)]),
]


@pytest.mark.parametrize(("type_", "values"), ASCENDING, ids=[str(type_) for type_, _ in ASCENDING])
def test_literals_are_ordered_and_distinct_and_can_be_read_back(type_: DataType, values: list[Any]) -> None:
    for place, one in enumerate(values):
        for other_place, other in enumerate(values):
            left, right = sql(one, type_), sql(other, type_)
            assert less(left, right).value is (place < other_place)
            assert equal(left, right).value is (place == other_place)
        raw = sql(one, type_).term.value
        assert raw is not None
        if not isinstance(one, timedelta):
            assert repr(readable(raw, type_)) in {
                repr(one),
                repr(Decimal(one).normalize()) if type_ is MONEY else "",
            }


def test_a_moment_is_the_same_in_every_zone() -> None:
    there = datetime(2020, 1, 1, 2, tzinfo=timezone(timedelta(hours=2)))
    here = datetime(2020, 1, 1, tzinfo=timezone.utc)
    assert equal(sql(there, DataType("timestamp")), sql(here, DataType("timestamp"))).value is True


def test_a_single_precision_number_is_what_spark_makes_of_it() -> None:
    assert equal(sql(1.1, DataType("float")), sql(1.100000023841858, DataType("float"))).value is True


@pytest.mark.parametrize("sign", [1, -1])
def test_a_number_between_the_greatest_double_and_infinity_can_be_shown(sign: int) -> None:
    """Z3 may choose one for a counterexample, and inference stopped with an OverflowError."""
    assert readable(sign * (INFINITY - 1), DOUBLE) == sign * sys.float_info.max
    assert str(readable(INFINITY, STRING)).startswith("<string at")


class TestZero:
    """-0.0 equals 0.0, and yet a function may tell them apart."""

    def test_it_is_equal_and_not_identical(self) -> None:
        minus, plus = sql(-0.0, DOUBLE), sql(0.0, DOUBLE)
        assert null_safe_equal(minus, plus).value is True
        assert identical(minus, plus).value is False
        assert identical(minus, minus).value is True

    def test_only_zero_has_a_sign(self) -> None:
        x, y = fresh_value("x", DOUBLE, nullable=False), fresh_value("y", DOUBLE, nullable=False)
        both = Claim(implication(equal(x, y), identical(x, y)))
        verdict = prove(Claim(both.conclusion, tables=(), parameters=(("x", x), ("y", y))))
        assert verdict.counterexample is not None
        assert {str(v) for v in verdict.counterexample.parameters.values()} == {"0.0", "-0.0"}


OPAQUE = [ArrayType("array", INTEGER), ArrayType("array", DOUBLE), MapType("map", STRING, INTEGER)]


@pytest.mark.parametrize("type_", OPAQUE, ids=str)
def test_opaque_values_are_compared_and_nothing_more_is_known(type_: DataType) -> None:
    x, y, z = (fresh_value(name, type_, nullable=False) for name in "xyz")

    def always(term: Term) -> bool:
        return prove(Claim(term)).is_proved

    assert always(implication(equal(x, y), equal(y, x)))
    assert always(implication(less(x, y), sql_not(compared("<", y, x)).term))
    assert not always(equal(x, y))
    assert always(implication(equal(x, y), identical(x, y))) is equality_is_identity(type_)
    assert sort_of(type_) not in {"Int", "Real", "Bool"}
    assert always(implication(less(x, y), implication(less(y, z), less(x, z))))


def test_a_literal_only_spark_can_write_is_equal_to_itself_alone() -> None:
    interval = DataType("calendar_interval")
    day, same_day = (
        known_value(None, interval, "INTERVAL '1 day'"),
        known_value(None, interval, "INTERVAL '1 day'"),
    )
    other = known_value(None, interval, "INTERVAL '24 hours'")
    assert equal(day, same_day).value is True
    assert prove(Claim(equal(day, other))).is_refuted
    assert prove(Claim(sql_not(compared("=", day, other)).term)).is_refuted


def test_what_a_null_holds_does_not_matter() -> None:
    x, y = fresh_value("x", INTEGER), fresh_value("y", INTEGER)
    both_null = sql_and(SymbolicValue(BOOLEAN, x.null), SymbolicValue(BOOLEAN, y.null))
    assert prove(Claim(implication(is_true(both_null), null_safe_equal(x, y)))).is_proved
