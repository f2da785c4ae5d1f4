"""A whole number beside a decimal: Spark compares them exactly, so a condition on both is understood."""

from __future__ import annotations

from decimal import Decimal

from tests.unit.ir.samples import call, column, number, source
from tests.unit.operators import cases as c
from tests.unit.operators.proofs import is_sound, lineage

from predtrace.ir.expressions import Literal
from predtrace.ir.operators import Filter
from predtrace.ir.types import DecimalType

PRICE = column(1, "price", DecimalType("decimal", 10, 2))
LOW = Literal(Decimal("1.50"), DecimalType("decimal", 3, 2))
FILTER = Filter(input=source("sales", PRICE), condition=call("between", PRICE, LOW, number(4)))


def test_a_whole_number_beside_a_decimal() -> None:
    selected = c.everything(FILTER)
    assert lineage(FILTER, None) == [("price between 1.50 and 4", True)]
    assert is_sound(FILTER, selected, call("<", PRICE, number(5)))
    assert not is_sound(FILTER, selected, call("<", PRICE, number(4)))
    assert not is_sound(FILTER, selected, call(">", PRICE, number(2)))
