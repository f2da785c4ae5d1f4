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


def _scala_object(package: Any, name: str) -> Any:
    return getattr(getattr(package, f"{name}$"), "MODULE$")


class Catalyst:
    """The internal Spark classes this module stands on, each looked up once (a lookup costs ~1 ms)."""

    def __init__(self, jvm: Any) -> None:
        catalyst = jvm.org.apache.spark.sql.catalyst
        self.sequence: Callable[[list[Any]], JavaSequence] = jvm.org.apache.spark.api.python.PythonUtils.toSeq
        self.identity_map: Any = jvm.java.util.IdentityHashMap
        self.as_scala: Any = jvm.scala.jdk.javaapi.CollectionConverters.asScala
        self.same: Any = getattr(jvm.scala.Predef, "$conforms")()
        self._object: Any = jvm.java.lang.Object
        self.none: Any = jvm.scala.Option.empty()
        self.holds_plan: Any = catalyst.trees.TreePattern.PLAN_EXPRESSION()
        self.holds_in: Any = catalyst.trees.TreePattern.IN_SUBQUERY()
        self.plan_expression: Any = jvm.java.lang.Class.forName(
            "org.apache.spark.sql.catalyst.expressions.PlanExpression"
        )
        self.place: Any = catalyst.trees.TreeNodeTag("predtrace.place")
        self.inline_cte: Any = catalyst.optimizer.InlineCTE
        self.literal: Any = catalyst.expressions.Literal
        self.alias: Any = catalyst.expressions.Alias
        self.attribute: Any = catalyst.expressions.AttributeReference
        self.no_metadata: Any = jvm.org.apache.spark.sql.types.Metadata.empty()
        self.type_from_json: Any = jvm.org.apache.spark.sql.types.DataType.fromJson
        self.new_id: Any = catalyst.expressions.NamedExpression.newExprId
        self.boolean: Any = _scala_object(jvm.org.apache.spark.sql.types, "BooleanType")
        self.max: Any = catalyst.expressions.aggregate.Max
        self.min: Any = catalyst.expressions.aggregate.Min
        self.negation: Any = catalyst.expressions.Not
        self.both: Any = catalyst.expressions.And
        self.choice: Any = catalyst.expressions.If
        self.is_not_null: Any = catalyst.expressions.IsNotNull
        self.false: Any = self.literal(False, self.boolean)
        self.coalesce: Any = catalyst.expressions.Coalesce
        self.either: Any = catalyst.expressions.Or
        self.array_item: Any = catalyst.expressions.GetArrayItem
        self.array_contains: Any = catalyst.expressions.ArrayContains
        self._array_data: Any = catalyst.util.GenericArrayData
        self._array_type: Any = jvm.org.apache.spark.sql.types.ArrayType
        self._integer: Any = _scala_object(jvm.org.apache.spark.sql.types, "IntegerType")
        self.known_nullable: Any = catalyst.expressions.KnownNullable
        self.some: Any = jvm.scala.Some
        self.known_not_null: Any = catalyst.expressions.KnownNotNull
        self.row_number: Any = catalyst.expressions.RowNumber
        self.window_expression: Any = catalyst.expressions.WindowExpression
        self.window_specification: Any = catalyst.expressions.WindowSpecDefinition
        self.rows_until_current: Any = catalyst.expressions.SpecifiedWindowFrame(
            *(
                _scala_object(catalyst.expressions, n)
                for n in ("RowFrame", "UnboundedPreceding", "CurrentRow")
            )
        )
        self.project: Any = catalyst.plans.logical.Project
        self.filter: Any = catalyst.plans.logical.Filter
        self.in_subquery: Any = catalyst.expressions.InSubquery
        self.list_query: Any = catalyst.expressions.ListQuery
        self.equal_keys: Any = _scala_object(catalyst.planning, "ExtractEquiJoinKeys")
        self.generate: Any = catalyst.plans.logical.Generate
        self.local_relation: Any = catalyst.plans.logical.LocalRelation
        self.equals_structurally: Any = jvm.org.apache.spark.sql.types.DataType.equalsStructurally
        self.active_session: Any = jvm.org.apache.spark.sql.classic.SparkSession.active
        self.identity_of: Any = jvm.java.lang.System.identityHashCode
        self.of_rows: Any = jvm.org.apache.spark.sql.classic.Dataset.ofRows
        self.column_of: Any = jvm.org.apache.spark.sql.classic.ExpressionUtils.column

    def integer(self, value: int) -> JavaExpression:
        """An integer literal."""
        return self.literal(value, self._integer)

    def array_literal(self, values: JavaSequence, element_type: Any) -> JavaExpression:
        """A literal array of Spark's own values, which never come to this side."""
        return self.literal(self._array_data(values), self._array_type(element_type, True))

    def array(self, elements: list[Any]) -> Any:
        """A Java array of objects."""
        context = SparkContext._active_spark_context
        assert context is not None
        gateway: Any = context._gateway
        array = gateway.new_array(self._object, len(elements))
        for position, element in enumerate(elements):
            array[position] = element
        return array


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


def with_arguments(node: Any, **changes: Any) -> Any:
    """A copy of a plan node or expression with some of its constructor's arguments exchanged."""
    names = [node.productElementName(at) for at in range(node.productArity())]
    arguments = [changes.get(name) or node.productElement(at) for at, name in enumerate(names)]
    return node.makeCopy(catalyst().array(arguments))


def items(sequence: JavaSequence) -> list[Any]:
    """The elements of a Scala Seq."""
    return [sequence.apply(position) for position in range(sequence.size())]
