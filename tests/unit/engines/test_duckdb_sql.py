"""The text of expressions for DuckDB. That they mean the same is shown beside Spark, in test_duckdb_agreement."""

from __future__ import annotations

from datetime import date, datetime, timezone
from decimal import Decimal
from typing import Any

import duckdb
import pytest
from tests.unit.engines.duckdb_samples import FUNCTION_SAMPLES
from tests.unit.engines.duckdb_values import EDGES, TYPES

from predtrace.engines.duckdb_frames import column_text
from predtrace.engines.duckdb_sql import NotInDuckDB, to_duckdb
from predtrace.engines.duckdb_sql.functions import FUNCTIONS
from predtrace.engines.duckdb_sql.types import SCALARS
from predtrace.ir import expressions as ir
from predtrace.ir.predicates import InTuples, Parameter
from predtrace.ir.types import BOOLEAN, DATE, DOUBLE, INTEGER, LONG, STRING, DataType, DecimalType

NAME = ir.Column(ir.ColumnId("1"), "name", STRING)
DAY = ir.Column(ir.ColumnId("2"), "day", DATE)


def test_every_function_has_a_sample() -> None:
    assert set(FUNCTION_SAMPLES) == set(FUNCTIONS)
    assert all(FUNCTION_SAMPLES.values())


def test_every_type_has_values() -> None:
    assert {type_.name for type_ in TYPES.values()} == set(SCALARS)
    assert set(EDGES) == set(TYPES)


def _value(expression: ir.Expression) -> Any:
    text, values = to_duckdb(expression, column_text)
    with duckdb.connect() as connection:
        return connection.execute(f"SELECT {text}", values).fetchall()[0][0]


@pytest.mark.parametrize(
    ("value", "type_"),
    [
        ("'; drop table x; --", STRING),
        ("a\0b", STRING),
        (b"\\x41\0", DataType("binary")),
        (Decimal("1.50"), DecimalType("decimal", 12, 2)),
        (date(1, 1, 1), DATE),
        (-(2**63), LONG),
        (datetime(2020, 1, 1, 2, 3, 4, 567), DataType("timestamp_ntz")),
        (float("inf"), DOUBLE),
        (None, DATE),
    ],
    ids=str,
)
def test_constants_are_bound(value: Any, type_: DataType) -> None:
    constant = ir.Literal(value, type_)
    assert _value(constant) == value
    assert str(value) not in to_duckdb(constant, column_text)[0] or value is None


def test_an_instant_does_not_depend_on_time_zones() -> None:
    noon = datetime(2020, 1, 1, 12, tzinfo=timezone.utc)
    text, values = to_duckdb(ir.Literal(noon, DataType("timestamp")), column_text)
    with duckdb.connect() as connection:
        connection.execute("SET TimeZone = 'Asia/Tokyo'")
        found = connection.execute(f"SELECT epoch_us({text})", values).fetchall()
    assert found == [(int(noon.timestamp()) * 1_000_000,)]


def _call(function: str, *arguments: ir.Expression, type_: DataType = BOOLEAN) -> ir.Call:
    return ir.Call(function, arguments, type_)


@pytest.mark.parametrize(
    "expression",
    [
        _call("like", NAME, ir.Literal("50\\% off\\", STRING)),
        _call("like", NAME, ir.Literal("a\\bc", STRING)),
        _call("like", NAME, ir.Literal(None, STRING)),
        _call("like", NAME, ir.Literal("a%", STRING), type_=BOOLEAN).rebuilt((NAME, NAME)),
        _call("=", NAME, DAY),
        _call("=", NAME, ir.Literal("\ud800", STRING)),
        _call("=", DAY, ir.Literal("1998-1-1", STRING)),
        _call("=", DAY, ir.Literal("2020-02-30", STRING)),
        _call("=", DAY, ir.Literal(None, DATE, text="DATE '+12000-01-01'")),
        ir.Literal(Decimal("1.555"), DecimalType("decimal", 3, 2)),
        ir.Cast(ir.Literal("300", STRING), DataType("byte")),
        ir.Cast(ir.Literal(" 7", STRING), INTEGER),
        _call(
            "+",
            DAY,
            ir.Literal(None, DataType("interval day"), text="INTERVAL '1 02' DAY TO HOUR"),
            type_=DATE,
        ),
        ir.Call("year", (DAY,), INTEGER, deterministic=False),
        ir.UserCall("f1", "clean", (NAME,), STRING),
        InTuples((NAME,), "keys"),
        _call("isnull", ir.Column(ir.ColumnId("3"), "span", DataType("interval month"))),
        _call("isnull", Parameter("target.3", DecimalType("decimal", 5, -2))),
    ],
    ids=str,
)
def test_what_is_not_certain_is_refused(expression: ir.Expression) -> None:
    with pytest.raises(NotInDuckDB):
        to_duckdb(expression, column_text)


def test_a_refusal_says_what() -> None:
    with pytest.raises(NotInDuckDB) as refusal:
        to_duckdb(_call("=", ir.Call("upper", (NAME,), STRING), NAME), column_text)
    assert refusal.value.reason == "the function upper"
    assert "trace with Spark" in str(refusal.value)
