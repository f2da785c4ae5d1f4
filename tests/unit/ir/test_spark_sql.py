"""The text of single expressions; that Spark reads it back is tested in tests/spark/test_expressions.py."""

from __future__ import annotations

import math
from datetime import datetime, timedelta, timezone
from decimal import Decimal
from typing import Any

import pytest
from tests.unit.ir.samples import ORDER_KEY, call, column, number, orders, text

from predtrace.errors import PlanIntegrityError
from predtrace.ir import expressions as ir
from predtrace.ir.spark_sql import to_sql
from predtrace.ir.types import DOUBLE, INTEGER, LONG, STRING, ArrayType, DataType, DecimalType, quoted

A, B = column(1, "a"), column(2, "b c")
IGNORE_NULLS = (("ignore_nulls", "true"),)


def written(expression: ir.Expression) -> str:
    return to_sql(expression, lambda found: quoted(found.name))


LITERALS: list[tuple[Any, DataType, str]] = [
    (7, LONG, "7L"),
    (-7, INTEGER, "(-7)"),
    (-128, DataType("byte"), "(-128Y)"),
    ("it's a \\ and\nnew", STRING, r"'it\'s a \\ and\nnew'"),
    (Decimal("1.50"), DecimalType("decimal", 3, 2), "1.50BD"),
    (Decimal("1.50"), DecimalType("decimal", 10, 2), "CAST('1.50' AS DECIMAL(10,2))"),
    (Decimal("0.05"), DecimalType("decimal", 2, 2), "0.05BD"),
    (math.nan, DOUBLE, "CAST('NaN' AS DOUBLE)"),
    (-0.0, DOUBLE, "(-0.0D)"),
    (1e300, DOUBLE, "1E300D"),
    (None, LONG, "CAST(NULL AS BIGINT)"),
    (None, DataType("void"), "NULL"),
    (b"\x00\xff", DataType("binary"), "X'00FF'"),
    (
        datetime(2020, 1, 1, 5, tzinfo=timezone(timedelta(hours=2))),
        DataType("timestamp"),
        "TIMESTAMP_LTZ '2020-01-01 03:00:00+00:00'",
    ),
    (timedelta(hours=-1), DataType("interval day to second"), "INTERVAL '-0 01:00:00.000000' DAY TO SECOND"),
    ((), ArrayType("array", INTEGER), "CAST(array() AS ARRAY<INT>)"),
]


@pytest.mark.parametrize(("value", "type_", "wanted"), LITERALS, ids=[wanted for *_, wanted in LITERALS])
def test_a_literal_keeps_its_type(value: Any, type_: DataType, wanted: str) -> None:
    assert written(ir.Literal(value, type_)) == wanted


EXPRESSIONS = [
    (call("and", call("or", A, B), call("not", A)), "((`a` OR `b c`) AND (NOT `a`))"),
    (call("-", A, call("-", A, number(1))), "(`a` - (`a` - 1))"),
    (ir.Call("like", (A, text("x!%")), INTEGER, options=(("escape", "!"),)), "(`a` LIKE 'x!%' ESCAPE '!')"),
    (call("in", A, number(1), B), "(`a` IN (1, `b c`))"),
    (ir.Call("getfield", (A,), INTEGER, options=(("field", "x`y"),)), "(`a`).`x``y`"),
    (ir.UserCall("f0", "shout", (A,), STRING), "predtrace_f0(`a`)"),
    (
        ir.AggregateCall("first", (A,), LONG, condition=call("isnull", B), options=IGNORE_NULLS),
        "first(`a`) FILTER (WHERE (`b c` IS NULL)) IGNORE NULLS",
    ),
    (
        ir.WindowCall(
            ir.AggregateCall("sum", (A,), LONG, True),
            (B,),
            (ir.SortKey(A, False, True),),
            ir.Frame(ir.FrameKind.ROWS, "unbounded", number(-1)),
        ),
        "sum(DISTINCT `a`) OVER (PARTITION BY `b c` ORDER BY `a` DESC NULLS FIRST "
        "ROWS BETWEEN UNBOUNDED PRECEDING AND (-1) FOLLOWING)",
    ),
]


@pytest.mark.parametrize(("expression", "wanted"), EXPRESSIONS, ids=[wanted for _, wanted in EXPRESSIONS])
def test_an_expression_is_written_with_all_its_parentheses(expression: ir.Expression, wanted: str) -> None:
    assert written(expression) == wanted


@pytest.mark.parametrize("expression", [ir.OuterColumn(ORDER_KEY), ir.Exists(orders())])
def test_what_refers_to_another_query_is_refused(expression: ir.Expression) -> None:
    with pytest.raises(PlanIntegrityError, match="on its own"):
        written(expression)
