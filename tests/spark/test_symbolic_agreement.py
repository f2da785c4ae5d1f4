"""The symbolic layer against Spark itself: generated expressions, and every fact it states about functions."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession
from tests.unit.symbolic.ground_expressions import COLUMNS, ROWS, Generator, ground

from predtrace.ir import expressions as ir
from predtrace.ir.spark_sql import to_sql
from predtrace.ir.types import DOUBLE, INTEGER, LONG, DataType, DecimalType, quoted
from predtrace.symbolic.expressions import Scope, evaluate
from predtrace.symbolic.functions import BLIND_TO_SIGN_OF_ZERO, NULL_IF_ANY_IS, NULL_ONLY_IF_ANY_IS
from predtrace.symbolic.values import known_value

CHECKED = Scope(checked_arithmetic=True)
EXPRESSIONS = 300


@pytest.fixture(scope="module")
def rows(spark: SparkSession) -> DataFrame:
    schema = ", ".join(f"{name} {type_.sql()}" for name, type_ in COLUMNS.items())
    return spark.createDataFrame([tuple(row.values()) for row in ROWS], schema).coalesce(1)


@pytest.mark.parametrize("start", range(0, EXPRESSIONS, 50))
def test_generated_expressions_have_spark_s_value(rows: DataFrame, start: int) -> None:
    expressions = [Generator(1000 + seed).any(3) for seed in range(start, start + 50)]
    texts = [to_sql(expression, lambda column: quoted(column.name)) for expression in expressions]
    found = rows.selectExpr(*(f"{text} AS r{index}" for index, text in enumerate(texts))).collect()
    for row, answers in zip(ROWS, found, strict=True):
        values = {ir.ColumnId(name): known_value(row[name], type_) for name, type_ in COLUMNS.items()}
        for expression, text, answer in zip(expressions, texts, answers, strict=True):
            assert ground(evaluate(expression, values, CHECKED)) == answer, f"{text} for {row}"


MONEY = DecimalType("decimal", 5, 2)
DOUBLES = (0.0, -0.0, 1.5, float("nan"), float("inf"), None)


def test_what_stands_for_nan(spark: SparkSession) -> None:
    """`nanvl`, the sign of zero included: text tells it."""
    first, second = (ir.Column(ir.ColumnId(name), name, DOUBLE) for name in "ab")
    chosen = ir.Call("nanvl", (first, second), DOUBLE)
    pairs = [(one, other) for one in DOUBLES for other in DOUBLES]
    frame = spark.createDataFrame(pairs, "a double, b double").coalesce(1)
    found = frame.selectExpr(to_sql(chosen, lambda column: quoted(column.name))).collect()
    for pair, (answer,) in zip(pairs, found, strict=True):
        values = dict(zip((first.id, second.id), (known_value(value, DOUBLE) for value in pair), strict=True))
        assert repr(ground(evaluate(chosen, values))) == repr(answer), pair


CASTS: list[tuple[Any, DataType, DataType]] = [
    (-7, INTEGER, LONG),
    (-7, INTEGER, DecimalType("decimal", 12, 2)),
    (2**63 - 1, LONG, DecimalType("decimal", 20, 0)),
    (Decimal("-1.25"), MONEY, DecimalType("decimal", 7, 3)),
    (2**31 - 1, INTEGER, DOUBLE),
    (1.1, DataType("float"), DOUBLE),
    (None, INTEGER, LONG),
]


@pytest.mark.parametrize(("value", "source", "target"), CASTS, ids=str)
def test_casts_that_keep_the_value(
    spark: SparkSession, value: Any, source: DataType, target: DataType
) -> None:
    cast = ir.Cast(ir.Literal(value, source), target)
    found = spark.sql(f"SELECT {to_sql(cast, str)}").collect()
    assert ground(evaluate(cast, {})) == found[0][0]


ARGUMENTS: dict[str, str] = {
    **dict.fromkeys(("+", "-", "*", "/", "%", "div"), "7 3"),
    **dict.fromkeys(("negative", "positive", "abs", "sqrt", "ceil", "floor", "round"), "1.5D"),
    **dict.fromkeys(("upper", "lower", "length", "trim", "ltrim", "rtrim", "reverse"), "'ab'"),
    **dict.fromkeys(("like", "ilike", "rlike", "concat", "startswith", "endswith", "contains"), "'ab' 'a'"),
    **dict.fromkeys(("left", "right", "repeat"), "'ab' 1"),
    **dict.fromkeys(("year", "month", "dayofmonth", "quarter", "last_day"), "DATE'2020-02-29'"),
    **dict.fromkeys(("date_add", "date_sub", "add_months"), "DATE'2020-02-29' 1"),
    "datediff": "DATE'2020-02-29' DATE'2020-02-28'",
    "substring": "'abc' 1 2",
    "replace": "'abc' 'a' 'x'",
}


def _sql(function: str, arguments: list[str]) -> str:
    operands = tuple(ir.Column(ir.ColumnId(a), a, INTEGER) for a in arguments)
    return to_sql(ir.Call(function, operands, INTEGER), lambda column: column.name)


@pytest.mark.parametrize("ansi", ["true", "false"])
def test_where_null_comes_from(spark: SparkSession, ansi: str) -> None:
    columns, expected = [], []
    for function, text in sorted(ARGUMENTS.items()):
        arguments = text.split()
        if function in NULL_ONLY_IF_ANY_IS:
            columns.append(_sql(function, arguments))
            expected.append(False)
        for index, argument in enumerate(arguments):
            null = f"CASE WHEN rand() > 2 THEN {argument} END"  # a NULL that is not folded away
            columns.append(_sql(function, [*arguments[:index], null, *arguments[index + 1 :]]))
            expected.append(True)
    spark.conf.set("spark.sql.ansi.enabled", ansi)
    try:
        found = spark.range(1).selectExpr(*columns).collect()[0]
    finally:
        spark.conf.set("spark.sql.ansi.enabled", "true")
    is_null = {column: value is None for column, value in zip(columns, found, strict=True)}
    assert is_null == dict(zip(columns, expected, strict=True))


def test_the_facts_about_null_are_all_checked() -> None:
    assert set(ARGUMENTS) == NULL_IF_ANY_IS
    assert NULL_ONLY_IF_ANY_IS <= NULL_IF_ANY_IS


ZEROS: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(
        ("+", "-", "*"), ("x 0.0D", "0.0D x", "x -0.0D", "x 1.5D", "x double('-infinity')", "x x")
    ),
    **dict.fromkeys(("/", "%"), ("x 2.0D", "x -2.0D", "1.0D x", "x x")),
    **dict.fromkeys(
        ("negative", "positive", "abs", "sqrt", "ceil", "floor", "rint", "signum", "cbrt"), ("x",)
    ),
    **dict.fromkeys(("round", "bround"), ("x", "x 2", "x -1")),
    **dict.fromkeys(("greatest", "least", "hypot"), ("x 0.0D", "0.0D x", "x -0.0D", "x 1.5D", "x x")),
    **dict.fromkeys(("exp", "expm1", "ln", "log2", "log10", "log1p", "radians", "degrees"), ("x",)),
    **dict.fromkeys(("sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh"), ("x",)),
    "log": ("2.0D x", "x 2.0D", "x x"),
}


def test_functions_that_do_not_see_the_sign_of_zero(spark: SparkSession) -> None:
    """Of two zeros that compare equal, the function makes values that compare equal (Python's are tested apart)."""
    assert set(ZEROS) == {name for name in BLIND_TO_SIGN_OF_ZERO if not name.startswith("python ")}
    columns = [_sql(name, text.split()) for name, texts in sorted(ZEROS.items()) for text in texts]
    spark.conf.set("spark.sql.ansi.enabled", "false")  # with it, division by either zero fails
    try:
        zeros = spark.sql("SELECT * FROM VALUES (0.0D), (-0.0D) AS zeros(x)")
        results = zeros.selectExpr(*(f"{text} AS v{index}" for index, text in enumerate(columns)))
        results.createOrReplaceTempView("results")
        equal = ", ".join(f"a.v{index} <=> b.v{index}" for index in range(len(columns)))
        found = spark.sql(f"SELECT {equal} FROM results a CROSS JOIN results b").collect()
    finally:
        spark.catalog.dropTempView("results")
        spark.conf.set("spark.sql.ansi.enabled", "true")
    for row in found:
        assert [text for text, same in zip(columns, row, strict=True) if not same] == []
