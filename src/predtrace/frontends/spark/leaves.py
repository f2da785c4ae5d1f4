"""Leaves for a rebuilt plan: other rows under the output attributes of a leaf, and a DataFrame of the result."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.classic.dataframe import DataFrame as ClassicDataFrame

from predtrace.errors import PlanIntegrityError, UnsupportedOperator
from predtrace.frontends.spark.catalyst import JavaExpression, JavaPlan, catalyst, items
from predtrace.frontends.spark.rewrite import with_expressions


@dataclass(frozen=True)
class Output:
    """What a plan node returns. Java is asked once: each question takes 0.1 ms, and plans have many columns."""

    node: JavaPlan

    @cached_property
    def attributes(self) -> list[JavaExpression]:
        return items(self.node.output())

    @cached_property
    def ids(self) -> list[int]:
        return [identity.id() for identity, *_ in self.described]

    @cached_property
    def described(self) -> list[tuple[Any, str, Any, bool]]:
        """Of each attribute: its identity, name and qualifier, and whether it may be NULL."""
        return [(a.exprId(), a.name(), a.qualifier(), a.nullable()) for a in self.attributes]

    @cached_property
    def schema(self) -> Any:
        return self.node.schema()

    @cached_property
    def as_set(self) -> Any:
        return self.node.outputSet()


def with_output_of(leaf: Output, replacement: JavaPlan) -> JavaPlan:
    """`replacement` with the output attributes of `leaf`, column by column in their order.

    A leaf read with metadata columns (`_metadata`) has them at the end of its output. A replacement
    without them still serves if Spark can add them to it, that is, if it reads files itself.
    """
    spark = catalyst()
    given = items(replacement.output())
    if len(given) > len(leaf.attributes):
        raise _wrong_columns(leaf, replacement)
    missing = leaf.attributes[len(given) :]
    added = [_metadata_attribute(leaf.node, attribute, replacement) for attribute in missing]
    # Aliasing an attribute to its own id is avoided; checked in bulk.
    disjoint = leaf.as_set.intersect(replacement.outputSet()).isEmpty()
    nothing = spark.sequence([])
    columns = []
    for (identity, name, qualifier, nullable), column in zip(leaf.described, given + added, strict=True):
        if not disjoint and column.exprId().equals(identity):
            columns.append(column)
        else:
            if not nullable and column.nullable():
                column = spark.known_not_null(column)  # rows read back from files may be anything to Spark
            columns.append(spark.alias(column, name, identity, qualifier, spark.none, nothing))
    project = spark.project(spark.sequence(columns), replacement)
    if added:
        # Only the analyzer makes a relation emit its metadata columns.
        project = spark.of_rows(spark.active_session(), project).queryExecution().analyzed()
    if not spark.equals_structurally(leaf.schema, project.schema(), True):
        raise _wrong_columns(leaf, replacement)
    return project


def any_value(type_sql: str) -> str:
    """Some value of a type, in SQL."""
    return f"CAST(NULL AS {type_sql})"


def with_schema_of(wanted: JavaPlan, plan: JavaPlan) -> JavaPlan:
    """The plan with names, metadata and nullability of another one's output."""
    spark = catalyst()
    nothing = spark.sequence([])
    columns = []
    for target, column in zip(items(wanted.output()), items(plan.output()), strict=True):
        if column.nullable() != target.nullable():
            column = (spark.known_nullable if target.nullable() else spark.known_not_null)(column)
        metadata = spark.some(target.metadata())
        columns.append(spark.alias(column, target.name(), spark.new_id(), nothing, metadata, nothing))
    return spark.project(spark.sequence(columns), plan)


def leaf_of_rows(leaf: JavaPlan, rows: DataFrame) -> JavaPlan:
    """A leaf with the output attributes of `leaf` and the given rows.

    A leaf, not a projection to those attributes: where a plan holds a leaf twice, Spark's rules tell the two
    apart by making new instances of leaves. A leaf with metadata columns falls back to a projection.
    """
    execution: Any = rows._jdf.queryExecution()
    if leaf.output().size() != len(rows.columns):
        return with_output_of(Output(leaf), execution.analyzed())
    session: Any = rows.sparkSession._jsparkSession
    plan = (
        session.internalCreateDataFrame(execution.toRdd(), leaf.schema(), False).queryExecution().analyzed()
    )
    if not catalyst().equals_structurally(leaf.schema(), rows._jdf.schema(), True):
        raise _wrong_columns(Output(leaf), execution.analyzed())
    return with_expressions(plan, list(zip(items(plan.output()), items(leaf.output()), strict=True)))


def _wrong_columns(leaf: Output, replacement: JavaPlan) -> PlanIntegrityError:
    given, wanted = replacement.schema().simpleString(), leaf.schema.simpleString()
    return PlanIntegrityError(
        f"the rows that replace a source have the columns {given}",
        where=f"for the source {leaf.node.nodeName()}",
        todo=f"give them the columns {wanted}",
    )


def empty_like(leaf: JavaPlan) -> JavaPlan:
    """A relation with the leaf's output attributes and no rows."""
    spark = catalyst()
    return spark.local_relation(leaf.output(), spark.sequence([]), False, spark.none)


def _metadata_attribute(leaf: JavaPlan, attribute: JavaExpression, replacement: JavaPlan) -> JavaExpression:
    for candidate in items(replacement.metadataOutput()):
        if candidate.name() == attribute.name():
            return candidate
    raise UnsupportedOperator(
        f"the column {attribute.name()} of {leaf.nodeName()} cannot be read from the rows that replace it",
        todo=f"add {attribute.name()} as the last column of these rows",
    )


def dataframe_of(session: SparkSession, plan: JavaPlan) -> DataFrame:
    """A DataFrame that runs an analyzed plan as it is.

    The plan is marked as analyzed: analysing it again would give leaves that occur twice new expression
    ids and could rewrite what the user wrote.
    """
    if not plan.resolved():
        raise PlanIntegrityError(f"a rebuilt plan does not resolve: {plan.toString()}")
    plan.setAnalyzed()
    return ClassicDataFrame(catalyst().of_rows(session._jsparkSession, plan), session)
