"""From a PySpark DataFrame to the operator model, without running a Spark job.

Two operator graphs come out. `written` is the analyzed plan as the user wrote it, subqueries as expressions:
the reference tracker runs that one, so that no rewriting can hide a change of lineage. `operators` is the same
plan with subqueries as joins: the one to reason about and to show. Both name sources by the same reference
numbers: before anything is rewritten, each leaf is marked with its number in the qualifier of its first
column, where Catalyst's rules keep it and its JSON shows it (metadata would be dropped there).
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from py4j.protocol import Py4JJavaError
from pyspark.sql import DataFrame, SparkSession

from predtrace.errors import InputError, PlanIntegrityError, UnsupportedOperator
from predtrace.frontends.spark.catalyst import catalyst
from predtrace.frontends.spark.leaves import dataframe_of
from predtrace.frontends.spark.node_rows import PlanNodes
from predtrace.frontends.spark.normalise import Decorrelation, subqueries_as_joins
from predtrace.frontends.spark.origins import origin_of
from predtrace.frontends.spark.plans import read_plan
from predtrace.frontends.spark.plans.reader import Converted, NodeScope, NumberedNode, Reading
from predtrace.frontends.spark.plans.sources import SourceNames, describe_source
from predtrace.frontends.spark.plans.tree import PlanNode, parse_plan
from predtrace.frontends.spark.rewrite import PlanTree, inline_ctes, with_expressions
from predtrace.ir.determinism import unstable_steps
from predtrace.ir.expressions import Column
from predtrace.ir.operators import Operator, Source, SourceDescriptor

_MARK = "predtrace-reference-"


@dataclass(frozen=True)
class Captured:
    """A captured pipeline: its operators, and the live objects needed to run them."""

    dataframe: DataFrame
    written: Operator
    operators: Operator
    descriptors: dict[int, SourceDescriptor]
    output_columns: dict[int, Column]
    """The output columns of `written` by the expression ids under which the DataFrame knows them."""
    nodes: PlanNodes = field(repr=False)
    """The nodes of the plan that `operators` was read from, by the numbers in its operators."""
    leaves: dict[int, Any] = field(repr=False)
    functions: dict[str, Any] = field(repr=False)
    opaque_nodes: list[Any] = field(repr=False)

    @property
    def session(self) -> SparkSession:
        return self.dataframe.sparkSession

    def source_rows(self, reference: int) -> DataFrame:
        """The rows of a source, read as the pipeline reads them."""
        rows = dataframe_of(self.session, self.leaves[reference])
        if self.descriptors[reference].format == "jdbc":
            # A database compares by rules of its own, and refuses some types: nothing is asked of it but its rows.
            return rows.filter("spark_partition_id() >= 0")
        return rows

    def source_bytes(self, reference: int) -> int:
        """How large a source is, as Spark estimates it: for files it is their size."""
        statistics = self.leaves[reference].stats()
        return int(str(statistics.sizeInBytes()))


def capture_dataframe(dataframe: DataFrame) -> Captured:
    """Convert a classic DataFrame's analyzed plan."""
    if not hasattr(dataframe, "_jdf"):
        raise InputError(
            f"a {type(dataframe).__module__} {type(dataframe).__name__} cannot be captured",
            todo="pass a classic PySpark DataFrame (Spark Connect has no plan on this side)",
        )
    session = dataframe.sparkSession
    plan = inline_ctes(session, dataframe._jdf.queryExecution().analyzed())
    if dataframe.isStreaming:
        raise UnsupportedOperator("a streaming pipeline", todo="trace a batch read of the same data")
    tree = PlanTree.of(plan)
    marked = tree.rebuilt(_mark)
    written, descriptors, reading = _read_written(marked)
    operators, nodes = written.operator, PlanNodes(session, marked, reading.nodes)
    # A plan that Catalyst's rules cannot cope with stays as written: nothing is inferred from it, but it is tracked.
    with suppress(Py4JJavaError, PlanIntegrityError):
        # The rules look at the subqueries of one plan at a time: inner ones must be done before outer ones.
        decorrelation = Decorrelation()
        nested_first = tree.rebuilt(_mark, decorrelation.apply) if tree.nests_subqueries() else marked
        plan = decorrelation.apply(nested_first)
        if not plan.resolved():
            raise PlanIntegrityError("decorrelation left a join whose sides share a column")
        operators, numbered = _read_decorrelated(plan, decorrelation, descriptors, reading)
        had_in = marked.containsPattern(catalyst().holds_in) and not unstable_steps(operators)
        nodes = PlanNodes(session, plan, numbered, had_in)
    return Captured(
        dataframe=dataframe,
        written=written.operator,
        operators=operators,
        nodes=nodes,
        descriptors=descriptors,
        output_columns=written.columns(),
        leaves=tree.references(),
        functions=reading.functions,
        opaque_nodes=reading.opaque_nodes,
    )


def _mark(leaf: Any, index: int) -> Any:
    """The leaf with its reference number as the qualifier of its first column."""
    if leaf.output().isEmpty():
        raise UnsupportedOperator(f"a source without columns ({leaf.nodeName()})", todo="give it a column")
    first = leaf.output().head()
    qualifier = catalyst().sequence([f"{_MARK}{index}"])
    return with_expressions(leaf, [(first, first.withQualifier(qualifier))])


def _reference_of(node: PlanNode) -> int:
    qualifier = str(node.field("output")[0][0]["qualifier"]).strip("[]")
    if not qualifier.startswith(_MARK):
        raise PlanIntegrityError(
            f"the leaf {node.kind} lost its reference number", todo="report it with the query"
        )
    return int(qualifier.removeprefix(_MARK))


def _read_written(plan: Any) -> tuple[Converted, dict[int, SourceDescriptor], Reading]:
    descriptors: dict[int, SourceDescriptor] = {}
    names = SourceNames()

    def read_source(node: PlanNode, reading: Reading) -> Source:
        reference = _reference_of(node)
        if reference not in descriptors:
            descriptors[reference] = describe_source(node.handle(), reading.view, names)
        columns = tuple(reading.define_attribute(a) for a in node.field("output"))
        return Source(
            reference=reference, descriptor=descriptors[reference], columns=columns, origin=origin_of(node)
        )

    reading = Reading(read_plan, read_source)
    return read_plan(parse_plan(plan), reading), descriptors, reading


def _read_decorrelated(
    plan: Any, decorrelation: Decorrelation, descriptors: dict[int, SourceDescriptor], written: Reading
) -> tuple[Operator, list[NumberedNode]]:
    in_domain = False

    def read(node: PlanNode, reading: Reading, around: NodeScope | None = None) -> Converted:
        nonlocal in_domain
        outside, in_domain = in_domain, in_domain or decorrelation.is_domain(node)
        converted = read_plan(node, reading, around)
        in_domain = outside
        return converted

    def read_source(node: PlanNode, reading: Reading) -> Source:
        reference = _reference_of(node)
        columns = tuple(reading.define_attribute(a) for a in node.field("output"))
        number = None if in_domain else reference  # what lies below a domain is a copy: no reference
        return Source(
            reference=number, descriptor=descriptors[reference], columns=columns, origin=origin_of(node)
        )

    # A function has the same id in both graphs.
    not_in = decorrelation.not_in_columns
    reading = Reading(read, read_source, functions=written.functions, not_in_columns=not_in)
    operator = read(parse_plan(plan), reading).operator
    return subqueries_as_joins(operator), reading.nodes
