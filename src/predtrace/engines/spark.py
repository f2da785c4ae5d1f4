"""The Spark engine: operators and predicates as DataFrames.

Columns are named by their ids, so no two columns of a pipeline ever share a name. A predicate over the tuples of a
relation is a semi join with it: Spark broadcasts or shuffles as sizes demand, and nothing is collected.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any

from pyspark.sql import Column as SparkColumn
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from predtrace.errors import UnsupportedOperator
from predtrace.ir.expressions import Column, ColumnId, Expression, SortKey, transform
from predtrace.ir.operators import (
    Distinct,
    Except,
    Expand,
    Filter,
    GroupBy,
    Intersect,
    Join,
    JoinKind,
    Limit,
    OneRow,
    Operator,
    Project,
    SetOperation,
    Sort,
    Source,
    Union,
)
from predtrace.ir.predicates import Parameter
from predtrace.ir.spark_sql import to_sql
from predtrace.operators import Selection
from predtrace.operators.pushing import NOTHING

PARAMETER = "parameter:"


def column_name(column: Column) -> str:
    """The Spark name of a column, or of a parameter that stands as one."""
    plain = column.id.replace(".", "_")
    return plain.replace(PARAMETER, "p_") if column.id.startswith(PARAMETER) else f"c{plain}"


def _parameter_column(parameter: Parameter) -> Column:
    return Column(ColumnId(PARAMETER + parameter.name), parameter.name, parameter.type)


def sql(expression: Expression) -> str:
    """Spark SQL over our column names; parameters are columns of the relation they range over."""

    def bind(part: Expression) -> Expression:
        return _parameter_column(part) if isinstance(part, Parameter) else part

    return to_sql(transform(expression, bind), lambda column: f"`{column_name(column)}`")


def _named(items: Iterable[tuple[Expression, Column]]) -> list[SparkColumn]:
    return [F.expr(sql(expression)).alias(column_name(column)) for expression, column in items]


def _names(columns: Iterable[Column]) -> list[str]:
    return [f"`{column_name(column)}`" for column in columns]


@dataclass(frozen=True)
class SparkEngine:
    """Runs on the session that the sources are read with. `sources` reads a reference's rows."""

    session: SparkSession
    sources: Callable[[Source], DataFrame]

    def source(self, operator: Source) -> DataFrame:
        return self.sources(operator).toDF(*map(column_name, operator.columns))

    def run(self, operator: Operator, inputs: Sequence[DataFrame]) -> DataFrame:
        rule = next((RULES[kind] for kind in type(operator).__mro__ if kind in RULES), None)
        if rule is None:
            raise UnsupportedOperator(
                f"{operator.title()} cannot be recomputed on its own", operator.origin, "trace it by tracking"
            )
        result: DataFrame = rule(self, operator, *inputs)
        return result

    def where(self, rows: DataFrame, predicate: Selection, relation: DataFrame) -> DataFrame:
        if predicate == NOTHING:
            return rows.limit(0)
        condition = "true" if predicate is None else sql(predicate)
        return rows.join(relation, F.expr(condition), "left_semi")

    def relation(self, name: str, columns: Sequence[Column], rows: DataFrame) -> DataFrame:
        parameters = [_parameter_column(Parameter(f"{name}.{column.id}", column.type)) for column in columns]
        # Used by several semi joins: computed once. (Not persisted: Spark's cache loses NaN under a filter.)
        return rows.toDF(*map(column_name, parameters)).distinct().localCheckpoint()


def _filter(engine: SparkEngine, operator: Filter, rows: DataFrame) -> DataFrame:
    return rows.filter(sql(operator.condition))


def _project(engine: SparkEngine, operator: Project, rows: DataFrame) -> DataFrame:
    return rows.select(*_named((named.expression, named.column) for named in operator.columns))


def _order(keys: Iterable[SortKey]) -> str:
    return ", ".join(
        f"{sql(k.expression)} {'ASC' if k.ascending else 'DESC'} NULLS {'FIRST' if k.nulls_first else 'LAST'}"
        for k in keys
    )


def _sort(engine: SparkEngine, operator: Sort, rows: DataFrame) -> DataFrame:
    how = "ORDER BY" if operator.everywhere else "SORT BY"
    return engine.session.sql(f"SELECT * FROM {{rows}} {how} {_order(operator.keys)}", rows=rows)


def _limit(engine: SparkEngine, operator: Limit, rows: DataFrame) -> DataFrame:
    if operator.within:
        raise UnsupportedOperator("a limit per group cannot be recomputed on its own", operator.origin)
    rest = rows.offset(operator.offset) if operator.offset else rows
    return rest if operator.count is None else rest.limit(operator.count)


_KINDS = {
    JoinKind.INNER: "inner",
    JoinKind.CROSS: "inner",
    JoinKind.LEFT: "left",
    JoinKind.SCALAR: "left",
    JoinKind.RIGHT: "right",
    JoinKind.FULL: "full",
    JoinKind.SEMI: "left_semi",
    JoinKind.ANTI: "left_anti",
}


def _join(engine: SparkEngine, operator: Join, left: DataFrame, right: DataFrame) -> DataFrame:
    condition = "true" if operator.condition is None else sql(operator.condition)
    if operator.flag is None:
        return left.join(right, F.expr(condition), _KINDS[operator.kind])
    flagged = f"EXISTS (SELECT 1 FROM {{right}} WHERE {condition}) AS `{column_name(operator.flag)}`"
    return engine.session.sql(f"SELECT *, {flagged} FROM {{left}}", left=left, right=right)


def _group_by(engine: SparkEngine, operator: GroupBy, rows: DataFrame) -> DataFrame:
    # Keys get names of their own first: one may be called like a column that an aggregate still reads.
    keys = [(f"key_{at}", named) for at, named in enumerate(operator.keys)]
    keyed = rows.select("*", *(F.expr(sql(named.expression)).alias(name) for name, named in keys))
    aggregates = _named((named.expression, named.column) for named in operator.aggregates)
    names = [name for name, _ in keys]
    grouped = keyed.groupBy(*names).agg(*aggregates) if aggregates else keyed.select(*names).distinct()
    renamed = [F.col(name).alias(column_name(named.column)) for name, named in keys]
    return grouped.select(*renamed, *_names(named.column for named in operator.aggregates))


def _distinct(engine: SparkEngine, operator: Distinct, rows: DataFrame) -> DataFrame:
    return (
        rows.distinct() if operator.is_full() else rows.dropDuplicates([column_name(c) for c in operator.on])
    )


def _set_operation(engine: SparkEngine, operator: SetOperation, *branches: DataFrame) -> DataFrame:
    names = [column_name(column) for column in operator.columns]
    parts = [branch.toDF(*names) for branch in branches]
    if isinstance(operator, Union):
        return reduce(DataFrame.unionAll, parts)
    left, right = parts
    if isinstance(operator, Intersect):
        return left.intersectAll(right) if operator.keep_duplicates else left.intersect(right)
    return left.exceptAll(right) if operator.keep_duplicates else left.subtract(right)


def _expand(engine: SparkEngine, operator: Expand, rows: DataFrame) -> DataFrame:
    levels = [
        F.struct(
            *(
                F.expr(sql(part)).cast(column.type.sql()).alias(column_name(column))
                for part, column in zip(projection, operator.columns, strict=True)
            )
        )
        for projection in operator.projections
    ]
    return rows.select(F.explode(F.array(*levels)).alias("level")).select("level.*")


def _one_row(engine: SparkEngine, operator: OneRow) -> DataFrame:
    return engine.session.range(1).select()


RULES: dict[type[Operator], Any] = {
    Filter: _filter,
    Project: _project,
    Sort: _sort,
    Limit: _limit,
    Join: _join,
    GroupBy: _group_by,
    Distinct: _distinct,
    Union: _set_operation,
    Intersect: _set_operation,
    Except: _set_operation,
    Expand: _expand,
    OneRow: _one_row,
}
