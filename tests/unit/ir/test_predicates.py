"""Parameters and tuple sets go through every consumer of expressions, and never into SQL."""

from __future__ import annotations

import pytest
from tests.unit.ir.samples import LINE_KEY, ORDER_KEY, call

from predtrace.errors import PlanIntegrityError
from predtrace.ir import expressions as ir
from predtrace.ir.describing import describe
from predtrace.ir.parts import columns_of, transform
from predtrace.ir.predicates import InTuples, Parameter
from predtrace.ir.serialise import from_text, to_text
from predtrace.ir.spark_sql import to_sql
from predtrace.ir.types import BOOLEAN, LONG, quoted

TARGET = Parameter("key", LONG)
KEYS = InTuples((ORDER_KEY, LINE_KEY), "keys")
BOTH = call("and", call("<=>", ORDER_KEY, TARGET), call("not", KEYS))


def test_they_are_described_as_people_write_them() -> None:
    assert describe(BOTH) == "order_key <=> :key and not (order_key, line_key) in keys"


def test_they_come_back_from_json() -> None:
    assert from_text(to_text(BOTH)) == BOTH


@pytest.mark.parametrize("expression", [TARGET, KEYS, BOTH], ids=["parameter", "tuples", "inside"])
def test_no_sql_is_written_before_they_are_bound(expression: ir.Expression) -> None:
    with pytest.raises(PlanIntegrityError, match="bind parameters and tuple sets"):
        to_sql(expression, lambda column: quoted(column.name))


def test_their_columns_are_found_and_replaced() -> None:
    assert columns_of(BOTH) == {ORDER_KEY, LINE_KEY}
    renamed = transform(KEYS, lambda node: ORDER_KEY if node == LINE_KEY else node)
    assert renamed == InTuples((ORDER_KEY, ORDER_KEY), "keys")
    assert (KEYS.type, KEYS.nullable) == (BOOLEAN, False)
    assert (TARGET.type, TARGET.nullable) == (LONG, True)


def test_an_empty_tuple_is_our_bug() -> None:
    with pytest.raises(PlanIntegrityError, match="empty tuple"):
        InTuples((), "keys")
