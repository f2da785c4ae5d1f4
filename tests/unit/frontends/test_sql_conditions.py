"""Target rows read without Spark. That they mean the same to Spark is shown in test_duckdb_agreement."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from predtrace.errors import InvalidCondition, UnknownColumn
from predtrace.frontends.sql import AskSpark, target_condition
from predtrace.ir.expressions import Column, ColumnId
from predtrace.ir.spark_sql import to_sql
from predtrace.ir.types import BOOLEAN, DATE, INTEGER, LONG, STRING, DataType, DecimalType

TYPES = {
    "key": LONG,
    "name": STRING,
    "day": DATE,
    "price": DecimalType("decimal", 12, 2),
    "open": BOOLEAN,
    "at": DataType("timestamp"),
    "weight": DataType("float"),
    "order key": STRING,
    "X": INTEGER,
    "x": INTEGER,
}
COLUMNS = [Column(ColumnId(str(at)), name, type_) for at, (name, type_) in enumerate(TYPES.items())]


def _read(rows: Any) -> str:
    return to_sql(target_condition(COLUMNS, rows), lambda column: column.name)


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        ("key = 5", "(key = 5L)"),
        ("key > 5.5", "(CAST(key AS DECIMAL(21,1)) > CAST('5.5' AS DECIMAL(21,1)))"),
        ("price = 2.55", "(price = CAST('2.55' AS DECIMAL(12,2)))"),
        ("key between 1 and 2", "((key >= 1L) AND (key <= 2L))"),
        ("price = 1e2", "(CAST(price AS DOUBLE) = 100.0D)"),
        ("day >= '1998-01-01'", "(day >= DATE '1998-01-01')"),
        ("name not like 'a%'", "(NOT (name LIKE 'a%'))"),
        ("name like 'a!%' escape '!'", "(name LIKE 'a!%' ESCAPE '!')"),
        ("key not in (1, null)", "(NOT (key IN (1L, CAST(NULL AS BIGINT))))"),
        ("KEY is not null and `order key` <> 'a'", "((NOT (key IS NULL)) AND (NOT (order key = 'a')))"),
        ("key = 1 or key = 2 and not open", "((key = 1L) OR ((key = 2L) AND (NOT open)))"),
        ({"Key": 1, "name": "x' or 1=1"}, "((key <=> 1L) AND (name <=> 'x\\' or 1=1'))"),
        ({"X": 1}, "(X <=> 1)"),
        (
            {"price": Decimal("1.5")},
            "(price <=> CAST('1.5' AS DECIMAL(12,2)))",
        ),
        (["key = 1", {"key": 2}], "((key = 1L) OR (key <=> 2L))"),
    ],
    ids=str,
)
def test_what_is_read(condition: Any, expected: str) -> None:
    assert _read(condition) == expected


@pytest.mark.parametrize(
    ("condition", "says"),
    [
        ("1=1; drop table x", "2 statements"),
        ("key = 1; key = 2", "2 statements"),
        ("drop table x", "statement"),
        ("select 1", "subquery"),
        ("key = (select 1)", "subquery"),
        ("key in (select 1)", "subquery"),
        ("exists (select 1)", "subquery"),
        ("shady(key) = 1", "SHADY"),
        ("sum(key) > 1", "SUM"),
        ("key = ", "no valid SQL"),
        ("key = 1) or (1 = 1", "no valid SQL"),
        ("name = 'a", "no valid SQL"),
        ("", "empty"),
        ("null", "NULL"),
        ("key", "bigint, not true or false"),
        ("open and key", "bigint, not true or false"),
        ("x = 1", "2 columns named 'x'"),
        ("key in ()", "IN without values"),
        (5, "int"),
        ([], "no row"),
        ({}, "no column value"),
        ({1: 2}, "a column name is 1"),
        ({"name": {}}, "map"),
    ],
    ids=str,
)
def test_what_is_invalid(condition: Any, says: str) -> None:
    with pytest.raises(InvalidCondition) as problem:
        target_condition(COLUMNS, condition)
    assert says in problem.value.what
    assert problem.value.todo


@pytest.mark.parametrize("condition", ["keys = 1", {"keys": 1}], ids=str)
def test_an_unknown_column_names_those_there_are(condition: Any) -> None:
    with pytest.raises(UnknownColumn, match=r"no column 'keys'.*did you mean key.*order key"):
        target_condition(COLUMNS, condition)


@pytest.mark.parametrize(
    "condition",
    [
        *(
            "upper(name) = 'A'",
            "key + 1 = 2",
            "name ilike 'a'",
            "name rlike 'a'",
            "open is true",
            "! open",
            "t.key = 1",
        ),
        *(
            "at > '2020-01-01'",
            "day = '1998-1-1'",
            "day = '2020-02-30'",
            "key = '5'",
            "name = 5",
            "weight = 1",
        ),
        *(
            "name = 'a\\\\b'",
            "name like name",
            "name like any ('a', 'b')",
            "name not like all ('a', 'b')",
            "key = :p",
        ),
        *("name = 'a' collate utf8_lcase", "key between symmetric 2 and 1", "case when open then true end"),
        *({"name": [1]}, {"key": 2**70}, {"key": True}, {"name": b"x"}),
    ],
    ids=str,
)
def test_what_only_spark_can_say(condition: Any) -> None:
    with pytest.raises(AskSpark):
        target_condition(COLUMNS, condition)
