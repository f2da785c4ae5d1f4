"""The JSON form keeps everything and refuses what it does not know."""

from __future__ import annotations

import dataclasses
import json
import math
from datetime import date, datetime, timedelta, timezone
from decimal import Decimal
from typing import Any

import pytest
from tests.unit.ir.samples import ORDER_KEY, PRIORITY, call, column, late_orders, lines, number, orders

from predtrace.errors import InputError, PlanIntegrityError
from predtrace.ir import expressions as ir
from predtrace.ir import operators as op
from predtrace.ir.serialise import from_json, from_text, to_json, to_text
from predtrace.ir.types import BOOLEAN, DOUBLE, INTEGER, STRING, ArrayType, DataType, DecimalType


def same(left: Any, right: Any) -> bool:
    """Equal also in the fields that `==` leaves out: names, types, origins."""
    if dataclasses.is_dataclass(left) and not isinstance(left, type):
        fields = [field.name for field in dataclasses.fields(left)]
        return type(left) is type(right) and all(same(getattr(left, f), getattr(right, f)) for f in fields)
    if isinstance(left, tuple):
        return len(left) == len(right) and all(map(same, left, right))
    if isinstance(left, float) and math.isnan(left):
        return isinstance(right, float) and math.isnan(right)
    return bool(type(left) is type(right) and left == right and repr(left) == repr(right))


def windowed() -> op.Operator:
    key = ir.SortKey(ORDER_KEY, ascending=False, nulls_first=False)
    frame = ir.Frame(ir.FrameKind.ROWS, number(-2), "current")
    total = ir.AggregateCall("sum", (ORDER_KEY,), INTEGER, True, call(">", ORDER_KEY, number(1)))
    function = ir.WindowCall(total, (PRIORITY,), (key,), frame)
    return op.Window(input=orders(), functions=(op.Named(column(9, "total"), function),))


def with_subquery() -> op.Operator:
    inner = op.Filter(input=lines(), condition=call("=", column(3, "line_key"), ir.OuterColumn(ORDER_KEY)))
    condition = call("or", ir.Exists(inner), ir.InSubquery(lines(), (ORDER_KEY, ORDER_KEY)))
    return op.Filter(input=orders(), condition=condition)


@pytest.mark.parametrize(
    "tree", [late_orders(), windowed(), with_subquery()], ids=["join", "window", "subquery"]
)
def test_a_tree_comes_back_with_names_types_and_origins(tree: op.Operator) -> None:
    again = from_text(to_text(tree))
    assert again == tree
    assert same(again, tree)


LITERALS: list[tuple[Any, DataType]] = [
    (None, STRING),
    (True, BOOLEAN),
    (2**62, INTEGER),
    ("é\U0001f600'\\\n", STRING),
    (-0.0, DOUBLE),
    (math.nan, DOUBLE),
    (-math.inf, DOUBLE),
    (1e-320, DOUBLE),
    (Decimal("-1.50"), DecimalType("decimal", 3, 2)),
    (date(1, 1, 1), DataType("date")),
    (datetime(2020, 1, 2, 3, 4, 5, 6, tzinfo=timezone.utc), DataType("timestamp")),
    (datetime(2020, 1, 2), DataType("timestamp_ntz")),
    (timedelta(days=-1, microseconds=1), DataType("interval day to second")),
    (b"\x00\xff", DataType("binary")),
    ((1, None), ArrayType("array", INTEGER)),
    ([1, [2.5]], ArrayType("array", DOUBLE)),
    ({"a": Decimal(1)}, STRING),
]


@pytest.mark.parametrize(("value", "type_"), LITERALS, ids=[repr(value) for value, _ in LITERALS])
def test_a_literal_comes_back_with_the_same_python_type(value: Any, type_: DataType) -> None:
    literal = ir.Literal(value, type_)
    assert same(from_text(to_text(literal)), literal)


def test_the_text_is_plain_json_without_nan() -> None:
    def refuse(constant: str) -> None:
        raise AssertionError(f"{constant} is no JSON")

    assert json.loads(to_text(ir.Literal(math.nan, DOUBLE)), parse_constant=refuse)["predtrace"] == 2


def test_another_version_is_refused() -> None:
    with pytest.raises(InputError, match=r"version 3 .* only 2 is known"):
        from_json({**to_json(late_orders()), "predtrace": 3})


def test_an_unknown_class_is_refused() -> None:
    document = to_json(orders())
    document["node"]["is"] = "Subprocess"
    with pytest.raises(InputError, match="'Subprocess' is no part of the operator model"):
        from_json(document)


def test_a_field_too_many_or_too_few_is_refused() -> None:
    document = to_json(late_orders())
    document["node"]["colour"] = "red"
    with pytest.raises(InputError, match="Sort has other fields than this version knows: colour"):
        from_json(document)


def test_broken_text_is_refused() -> None:
    with pytest.raises(InputError, match="no JSON"):
        from_text("{")


def test_a_tree_that_breaks_its_own_rules_is_refused() -> None:
    document = to_json(late_orders())
    document["node"]["keys"][0]["expression"]["id"] = "99"
    with pytest.raises(PlanIntegrityError, match="priority#99"):
        from_json(document)


def test_a_value_without_json_form_is_our_bug() -> None:
    with pytest.raises(PlanIntegrityError, match="no JSON form"):
        to_json(ir.Literal(object(), STRING))
