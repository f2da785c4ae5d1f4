"""Expressions survive the way from Spark to our model and back: same type, same values on real rows."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.functions import udf
from tests.spark.expression_samples import AGGREGATES, GENERATORS, GROUPS, WINDOWS, split

from predtrace.errors import PlanIntegrityError, UnsupportedExpression
from predtrace.frontends.spark.expressions import Handle, read_expression
from predtrace.ir import expressions as ir
from predtrace.ir.operators import Operator
from predtrace.ir.parts import columns_of
from predtrace.ir.spark_sql import to_sql
from predtrace.ir.types import from_json, quoted

TABLE = """
    SELECT * FROM VALUES
    (1, true, 1Y, 2S, 1, 10L, 1.5F, 2.25D, 1.50BD, 2.2500BD, 'a', 'b', X'6162',
     date'2020-01-31', date'2019-12-01', timestamp'2020-01-01 10:11:12.123456',
     timestamp_ntz'2020-06-01 00:00:00', array(1, 2), array('x', null), map('k', 1),
     named_struct('x', 1, 'y', 'p'), array(named_struct('x', 1, 'y', 'p')),
     interval '1 02:03:04.5' day to second, interval '1-2' year to month, '2020-02-29', '7'),
    (2, false, -1Y, -2S, 3, -10L, -1.5F, double('NaN'), -7.25BD, 0.0001BD, 'ab,it''s', 'a', X'',
     date'1999-12-31', date'2020-01-31', timestamp'1999-12-31 23:59:59',
     timestamp_ntz'1999-12-31 23:59:59.5', array(3, null, 1), array('y'), map('k', 5, 'z', 0),
     named_struct('x', null, 'y', 'q'), array(),
     interval '-1' day, interval '-1' month, '1999-01-01 10:00:00', '-3'),
    (3, null, null, null, null, null, null, null, null, null, null, null, null, null, null, null,
     null, null, null, null, null, null, null, null, null, null),
    (4, true, 1Y, 2S, 2, 7L, 0.0F, -0.0D, 99999999.99BD, 3.0000BD, 'Ab%_', 'ab', X'61',
     date'2020-02-29', date'2020-02-28', timestamp'2020-02-29 00:00:00',
     timestamp_ntz'2020-02-29 00:00:00', array(5), array(), map(),
     named_struct('x', 2, 'y', null), array(named_struct('x', null, 'y', null)),
     interval '0' day, interval '0' month, '2020-01-01', '0')
    AS data(id, b, ti, si, i, l, f, d, n, m, s, t, bin, da, db, ts, tn, ai, asn, mp, st, sta, dt, ym,
            s_date, s_int)
"""


class PlainScope:
    """The output columns of the plans below one Catalyst operator."""

    def __init__(self, operator: Any) -> None:
        self.columns: dict[int, ir.Column] = {}
        for below in _sequence(operator.children()):
            for attribute in _sequence(below.output()):
                identity = attribute.exprId().id()
                type_ = from_json(json.loads(attribute.dataType().json()))
                self.columns[identity] = ir.Column(ir.ColumnId(str(identity)), attribute.name(), type_)

    def column(self, expr_id: int, name: str) -> ir.Column:
        if expr_id not in self.columns:
            raise PlanIntegrityError(f"column {name}#{expr_id} is unknown")
        return self.columns[expr_id]

    def outer_column(self, expr_id: int, name: str) -> ir.Column:
        raise PlanIntegrityError(f"no query around has {name}")

    def subquery_plan(self, plan_json: list[dict[str, Any]], handle: Handle) -> Operator:
        raise PlanIntegrityError("a subquery in a test of plain expressions")

    def saw_aggregate(self, call: ir.AggregateCall, handle: Handle) -> None:
        pass

    def user_function(self, node: dict[str, Any], handle: Handle) -> str:
        return str(node["name"])

    def understood(self, call: ir.UserCall) -> ir.UserCall:
        return call


def _sequence(found: Any) -> Iterator[Any]:
    return (found.apply(index) for index in range(found.size()))


def _analysed(frame: DataFrame) -> Any:
    return frame._jdf.queryExecution().analyzed()


def _read(operator: Any, field: str) -> list[ir.Expression]:
    """All expressions in a field of one operator."""
    parts = json.loads(operator.toJSON())[0][field]
    parts = [parts] if isinstance(parts[0], dict) else parts
    java = getattr(operator, field)()
    scope = PlainScope(operator)

    def handle(index: int) -> Handle:
        return lambda: java if field == "generator" else java.apply(index)

    return [read_expression(part, scope, handle(index)) for index, part in enumerate(parts)]


def _sql(expression: ir.Expression) -> str:
    return to_sql(expression, lambda column: quoted(column.name))


def _find(frame: DataFrame, kind: str) -> Any:
    """The first operator of a class, from the top."""
    node = _analysed(frame)
    while node.getClass().getSimpleName() != kind:
        node = node.children().apply(0)
    return node


def _plain(value: Any) -> Any:
    """A value that compares with NaN, -0.0 and nested rows told apart by what they hold."""
    if isinstance(value, float):
        return repr(value)
    if isinstance(value, (list, tuple)):
        return [_plain(part) for part in value]
    if isinstance(value, dict):
        return sorted((repr(_plain(key)), _plain(part)) for key, part in value.items())
    return value


def _types(frame: DataFrame) -> list[str]:
    return [_without_nullability(field.dataType.json()) for field in frame.schema.fields]


def _without_nullability(text: str) -> str:
    return re.sub(r'"(nullable|containsNull|valueContainsNull)":(true|false)', "", text)


@pytest.fixture(scope="module")
def data(spark: SparkSession) -> DataFrame:
    frame = spark.sql(TABLE)
    frame.createOrReplaceTempView("every_type")
    return frame


def _differences(
    originals: list[str], select: Callable[[list[str]], DataFrame], again: list[str]
) -> list[str]:
    """Evaluate both spellings of all expressions in one query and list those that differ."""
    count = len(originals)
    frame = select([*originals, *again])
    types, rows = _types(frame), [_plain(tuple(row)) for row in frame.collect()]
    wrong = [i for i in range(count) if types[i] != types[count + i]]
    wrong += [i for i in range(count) if any(row[i] != row[count + i] for row in rows)]
    return [f"{originals[i]}  became  {again[i]}" for i in sorted(set(wrong))]


CHANGING = re.compile(r"\b(rand|randn|uuid|now|current_date|monotonically_increasing_id)\(")


@pytest.mark.parametrize("group", GROUPS)
def test_row_wise_expressions_come_back(data: DataFrame, group: str) -> None:
    originals = GROUPS[group]
    aliased = [f"{text} AS x{index}" for index, text in enumerate(originals)]
    read = _read(_analysed(data.selectExpr(*aliased)), "projectList")
    again = [_sql(expression) for expression in read]
    for text, expression in zip(originals, read, strict=True):
        expected = not CHANGING.search(text) and "spark_partition" not in text and "input_file" not in text
        assert expression.is_deterministic() == expected, text

    def select(texts: list[str]) -> DataFrame:
        return data.selectExpr(*[f"{text} AS x{index}" for index, text in enumerate(texts)])

    assert _differences(originals, select, again) == []


def test_there_are_enough_samples() -> None:
    assert sum(map(len, GROUPS.values())) + len(split(AGGREGATES)) + len(split(WINDOWS)) > 500


@pytest.mark.parametrize("grouping", ["", "GROUP BY b"])
def test_aggregates_come_back(spark: SparkSession, data: DataFrame, grouping: str) -> None:
    originals = split(AGGREGATES)

    def select(texts: list[str]) -> DataFrame:
        listed = ", ".join(f"{text} AS x{index}" for index, text in enumerate(texts))
        return spark.sql(f"SELECT {listed} FROM every_type {grouping}")

    wrong = []
    # Spark itself fails on DISTINCT beside an ordered listagg, so a few at a time.
    for start in range(0, len(originals), 5):
        part = originals[start : start + 5]
        again = [_sql(e) for e in _read(_find(select(part), "Aggregate"), "aggregateExpressions")]
        wrong += _differences(part, select, again)
    assert wrong == []


def test_window_functions_come_back(spark: SparkSession, data: DataFrame) -> None:
    originals = split(WINDOWS)
    again: list[str] = []

    def select(texts: list[str]) -> DataFrame:
        listed = ", ".join(f"{text} AS x{index}" for index, text in enumerate(texts))
        return spark.sql(f"SELECT {listed} FROM every_type ORDER BY id")

    for original in originals:  # one query for all would hide which window Spark planned for which
        again += [_sql(e) for e in _read(_find(select([original]), "Window"), "windowExpressions")]
    assert _differences(originals, select, again) == []


@pytest.mark.parametrize("original", split(GENERATORS))
def test_generators_come_back(data: DataFrame, original: str) -> None:
    frame = data.selectExpr("id", original)
    generate = _find(frame, "Generate")
    again = _sql(_read(generate, "generator")[0])
    if generate.outer():
        again = again.replace("explode(", "explode_outer(", 1)
    other = data.selectExpr("id", again)
    assert _types(other) == _types(frame)
    assert [_plain(tuple(row)) for row in other.collect()] == [_plain(tuple(row)) for row in frame.collect()]


def test_a_python_function_is_a_user_call(spark: SparkSession, data: DataFrame) -> None:
    shout = udf(lambda text: f"{text}!", "string")
    call = _read(_analysed(data.select(shout("s").alias("x"))), "projectList")[0]
    assert isinstance(call, ir.UserCall)
    assert call.name == "<lambda>"
    assert call.deterministic
    changing = _read(_analysed(data.select(shout.asNondeterministic()("s"))), "projectList")[0]
    assert not changing.is_deterministic()


REPLACED = {
    "nvl(i, 0)": "coalesce(`i`, 0)",
    "i BETWEEN 1 AND 2": "(`i` BETWEEN 1 AND 2)",
    "nullif(i, 1)": "nullif(`i`, 1)",
    "try_divide(d, 2D)": "try_divide(`d`, 2.0D)",
    "try_element_at(ai, 1)": "try_element_at(`ai`, 1)",
    "try_to_binary(s, 'utf-8')": "try_to_binary(`s`, 'utf-8')",
    "extract(second FROM ts)": "date_part('SECOND', `ts`)",
    "da - INTERVAL 1 MONTH": "(`da` + (- INTERVAL '1' MONTH))",
    "decode(i, 1, 'x')": "(CASE WHEN (`i` <=> 1) THEN 'x' ELSE CAST(NULL AS STRING) END)",
}
"""Functions that Spark implements by others, and how they are written once only the others are up to date."""


@pytest.mark.parametrize("text", REPLACED)
def test_a_replaced_function_follows_a_self_join(data: DataFrame, text: str) -> None:
    """Spark gives the second copy new column ids, but only in the replacement, not in the arguments."""
    frame = data.selectExpr("id", f"{text} AS x")
    joined = frame.alias("p").join(frame.alias("q"), on="id")
    both = _find(joined, "Join").children()
    copies = [both.apply(index).children().apply(0) for index in range(2)]
    first, second = (_read(copy, "projectList")[1] for copy in copies)
    assert not columns_of(first) & columns_of(second), "the copies must not share columns"
    assert _sql(second) == REPLACED[text]
    rows = [_plain(tuple(row)) for row in data.selectExpr(text, _sql(second), _sql(first)).collect()]
    assert all(original == again == other for original, again, other in rows)


def test_an_unknown_class_is_named_with_its_place(data: DataFrame) -> None:
    frame = data.sparkSession.sql("SELECT id,\n  counter_diff(i) OVER (ORDER BY id) FROM every_type")
    with pytest.raises(UnsupportedExpression) as caught:
        _read(_find(frame, "Window"), "windowExpressions")
    assert "CounterDiff" in str(caught.value)
    assert "in line 2, column 3 of the SQL" in str(caught.value)
    assert "What to do" in str(caught.value)


def test_a_plan_of_another_time_zone_is_refused(spark: SparkSession, data: DataFrame) -> None:
    operator = _analysed(data.selectExpr("CAST(s AS TIMESTAMP)"))
    zone = spark.conf.get("spark.sql.session.timeZone")
    spark.conf.set("spark.sql.session.timeZone", "Asia/Tokyo")
    try:
        with pytest.raises(UnsupportedExpression, match=r"time zone UTC.*What to do"):
            _read(operator, "projectList")
    finally:
        spark.conf.set("spark.sql.session.timeZone", str(zone))


def test_a_plan_of_another_mode_is_refused(spark: SparkSession, data: DataFrame) -> None:
    frames = [data.selectExpr(text) for text in ("i + 1", "CAST(s AS INT)", "-i", "ai[0]")]
    operators = [_analysed(frame) for frame in frames]
    spark.conf.set("spark.sql.ansi.enabled", "false")
    try:
        for operator in operators:
            with pytest.raises(UnsupportedExpression, match="analysed in ANSI mode"):
                _read(operator, "projectList")
        legacy = _read(_analysed(data.selectExpr("i + 1", "TRY_CAST(s AS INT)")), "projectList")
        assert [_sql(expression) for expression in legacy] == ["(`i` + 1)", "TRY_CAST(`s` AS INT)"]
    finally:
        spark.conf.unset("spark.sql.ansi.enabled")


def _examples(spark: SparkSession) -> list[str]:
    """The queries of Spark's own function reference."""
    jvm: Any = spark._jvm
    registry = getattr(jvm, "org.apache.spark.sql.catalyst.analysis.FunctionRegistry$")
    builtin = getattr(registry, "MODULE$").builtin()
    found: list[str] = []
    for name in _sequence(builtin.listFunction()):
        text = builtin.lookupFunction(name).get().getExamples()
        found += [match.strip().rstrip(";") for match in re.findall(r">\s*(SELECT.*?;)", text, re.DOTALL)]
    return found


NOT_READ = {"CounterDiff", "CounterDiffWithStartTime", "TryEval"}
"""Classes of the function reference that are refused, with the error that says so."""


def test_the_examples_of_the_function_reference_come_back(spark: SparkSession) -> None:
    """What we write is analysed to the same expression, or at least evaluates to the same value."""
    compared, invalid, wrong = 0, 0, []
    refused: set[str] = set()
    for query in _examples(spark):
        try:
            original = spark.sql(query)
        except (PySparkException, Py4JJavaError):  # needs a setting, a JAR or a table
            invalid += 1
            continue
        plan = _analysed(original)
        alone = plan.getClass().getSimpleName() == "Project" and not plan.children().apply(0).output().size()
        if not alone or "st_srid(NULL)" in query:  # Spark has no text for the type of that NULL
            continue
        try:
            read = _read(plan, "projectList")
        except UnsupportedExpression as error:
            refused |= set(re.findall(r"Spark's (\w+)", str(error)))
            continue
        compared += 1
        again = ", ".join(map(_sql, read))
        if not _same(original, f"SELECT {again}", all(e.is_deterministic() for e in read)):
            wrong.append(f"{query}  became  {again}")
    assert wrong == []
    assert refused <= NOT_READ
    assert compared > 900
    assert invalid < 80


def _same(original: DataFrame, again: str, deterministic: bool) -> bool:
    try:
        other = original.sparkSession.sql(again)
    except PySparkException:
        return False
    pairs = list(zip(_selected(original), _selected(other), strict=True))
    if any(left.dataType().sql() != right.dataType().sql() for left, right in pairs):
        return False
    if not deterministic or all(left.semanticEquals(right) for left, right in pairs):
        return True
    return bool(_texts(original) == _texts(other))


def _selected(frame: DataFrame) -> list[Any]:
    """The expressions of a Project, without their names."""
    parts = _sequence(_analysed(frame).projectList())
    return [part.children().apply(0) if part.children().size() else part for part in parts]


def _texts(frame: DataFrame) -> Any:
    """The result as text, which every type has; an error is a result, too."""
    names = [f"x{index}" for index in range(len(frame.columns))]
    try:
        return frame.toDF(*names).selectExpr(*[f"CAST({name} AS STRING)" for name in names]).collect()
    except PySparkException as error:
        return error.getCondition()
