"""The internal Spark classes that plans are rebuilt with: the one list of what a new Spark could break."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any, TypeAlias

from pyspark import SparkContext

from predtrace.errors import EnvironmentProblem

JavaPlan: TypeAlias = Any
JavaExpression: TypeAlias = Any
JavaSequence: TypeAlias = Any


class Catalyst:
    """The internal Spark classes this module stands on, each looked up once (a lookup costs ~1 ms)."""

    def __init__(self, jvm: Any) -> None:
        catalyst = jvm.org.apache.spark.sql.catalyst
        self.sequence: Callable[[list[Any]], JavaSequence] = jvm.org.apache.spark.api.python.PythonUtils.toSeq
        self.identity_map: Any = jvm.java.util.IdentityHashMap
        self.as_scala: Any = jvm.scala.jdk.javaapi.CollectionConverters.asScala
        self.same: Any = getattr(jvm.scala.Predef, "$conforms")()
        self.none: Any = jvm.scala.Option.empty()
        self.holds_plan: Any = catalyst.trees.TreePattern.PLAN_EXPRESSION()
        self.plan_expression: Any = jvm.java.lang.Class.forName(
            "org.apache.spark.sql.catalyst.expressions.PlanExpression"
        )
        self.inline_cte: Any = catalyst.optimizer.InlineCTE
        self.literal: Any = catalyst.expressions.Literal
        self.alias: Any = catalyst.expressions.Alias
        self.project: Any = catalyst.plans.logical.Project
        self.local_relation: Any = catalyst.plans.logical.LocalRelation
        self.equals_structurally: Any = jvm.org.apache.spark.sql.types.DataType.equalsStructurally
        self.active_session: Any = jvm.org.apache.spark.sql.classic.SparkSession.active
        self.identity_of: Any = jvm.java.lang.System.identityHashCode
        self.of_rows: Any = jvm.org.apache.spark.sql.classic.Dataset.ofRows


@lru_cache(maxsize=1)
def _catalyst_of(jvm: Any) -> Catalyst:
    return Catalyst(jvm)


def catalyst() -> Catalyst:
    """The internal classes of the running JVM."""
    context = SparkContext._active_spark_context
    if context is None:
        raise EnvironmentProblem(
            "no Spark session is running", todo="create one with SparkSession.builder.getOrCreate()"
        )
    return _catalyst_of(context._jvm)


def items(sequence: JavaSequence) -> list[Any]:
    """The elements of a Scala Seq."""
    return [sequence.apply(position) for position in range(sequence.size())]
