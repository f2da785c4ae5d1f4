"""The rows of any node of a captured plan: run again from sources that are cut down, or saved and continued from.

What runs is Spark's own plan, with nothing translated: nodes get other children, and a node that computes more than
it returns is made to return that too (a group's keys, which row of a window's order a row is, which side of an
outer join matched). Such hidden columns make the rows of a result traceable.

    rows(7, columns)         node 7 alone, with hidden columns
    continued({7: saved})    the whole plan, where the saved rows stand in the place of node 7
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from pyspark.sql import DataFrame, SparkSession

from predtrace.frontends.spark.catalyst import JavaExpression, JavaPlan, catalyst
from predtrace.frontends.spark.hidden import with_hidden
from predtrace.frontends.spark.leaves import Output, any_value, dataframe_of, with_output_of, with_schema_of
from predtrace.frontends.spark.plans.reader import NumberedNode
from predtrace.frontends.spark.rewrite import PlanTree
from predtrace.frontends.spark.semi_joins import as_filter, semi_joins
from predtrace.ir.expressions import Column, ColumnId
from predtrace.ir.spark_sql import column_name

_METRICS = "CollectMetrics"
Cut = Callable[[int, DataFrame], DataFrame]
"""From a node's number and its rows to the rows that stay."""


@dataclass(frozen=True)
class PlanNodes:
    """A plan and its numbered nodes. Columns are named by `column_name`."""

    session: SparkSession
    plan: JavaPlan
    nodes: Sequence[NumberedNode]
    had_in: bool = False
    """Whether semi joins were made from IN, of queries that give the same rows however often Spark runs them."""

    @cached_property
    def _root(self) -> PlanTree:
        return PlanTree.of(self.plan)

    @cached_property
    def _trees(self) -> dict[int, PlanTree]:
        # A node may occur twice in a plan as one object (a domain copies the outer query). Occurrences are numbered
        # in the order in which they are read, which is that of the tree.
        occurrences = catalyst().identity_map()
        numbers: list[list[int]] = []
        for number, numbered in enumerate(self.nodes):
            node = numbered.node.handle()
            known = occurrences.get(node)
            if known is None:
                occurrences.put(node, len(numbers))
                numbers.append([number])
            else:
                numbers[known].append(number)
        found: dict[int, PlanTree] = {}
        for tree in self._root.nodes():
            known = occurrences.get(tree.node)
            if known is not None and numbers[known]:
                found[numbers[known].pop(0)] = tree
        return found

    @cached_property
    def _outputs(self) -> dict[int, Output]:
        return {number: Output(tree.node) for number, tree in self._trees.items()}

    @cached_property
    def _numbers(self) -> dict[int, int]:
        return {id(tree): number for number, tree in self._trees.items()}

    @cached_property
    def _semi_joins(self) -> set[int]:
        return semi_joins(self._root) if self.had_in else set()

    def output(self, number: int) -> tuple[Column, ...]:
        """The columns that a node returns."""
        return self.nodes[number].output

    @cached_property
    def observes_rows(self) -> bool:
        """Whether the plan computes metrics of rows on the side (`DataFrame.observe`), from any columns."""
        return any(tree.node.nodeName() == _METRICS for tree in self._root.nodes())

    def estimated_rows(self, number: int) -> float | None:
        """The number of a node's rows as Spark estimates it from statistics, if it has any."""
        count = self.nodes[number].node.handle().stats().rowCount()
        return float(str(count.get())) if count.isDefined() else None

    def rows(
        self,
        number: int,
        columns: Sequence[Column],
        cut: Cut | None = None,
        where: Collection[int] = (),
        saved: Mapping[int, DataFrame] | None = None,
    ) -> DataFrame:
        """The given columns of a node's rows, computed with the nodes in `where` cut down.

        Nodes below whose rows are `saved` are not run again.
        """
        tree = self._trees[number]
        plan = tree.renewed(
            self._saved_instead(saved or {}, apart_from=tree), self._cutting(cut, where, tree)
        )
        plan, attributes = self._attributes(number, plan, columns)
        return self._named(plan, [(attributes[column.id], column) for column in columns])

    def continued(self, saved: Mapping[int, DataFrame], like: DataFrame) -> DataFrame:
        """The whole plan, going on from saved rows. They must have all columns of their node's output.

        Decorrelated, Spark may know better what can be NULL; the schema stays that of the user's frame.
        """
        plan = self._root.renewed(self._saved_instead(saved), lambda _, rebuilt: rebuilt)
        wanted = like._jdf.queryExecution().analyzed()
        if plan.schema().json() != wanted.schema().json():
            plan = with_schema_of(wanted, plan)
        return dataframe_of(self.session, plan)

    def _saved_instead(
        self, saved: Mapping[int, DataFrame], apart_from: PlanTree | None = None
    ) -> Callable[[PlanTree], JavaPlan | None]:
        def instead(tree: PlanTree) -> JavaPlan | None:
            number = self._numbers.get(id(tree))
            if number is None or number not in saved or tree is apart_from:
                return None
            return self._restored(number, saved[number])

        return instead

    def _cutting(
        self, cut: Cut | None, where: Collection[int], top: PlanTree
    ) -> Callable[[PlanTree, JavaPlan], JavaPlan]:
        def around(tree: PlanTree, plan: JavaPlan) -> JavaPlan:
            if cut is not None and tree.node.nodeName() == _METRICS:
                return plan.child()  # the user observes runs of their own, not what is run for a trace
            if cut is None:
                return as_filter(plan) if tree is not top and id(tree) in self._semi_joins else plan
            number = self._numbers.get(id(tree))
            if number is None or number not in where or tree is top:
                return plan
            output = zip(self._outputs[number].attributes, self.nodes[number].output, strict=True)
            return self._restored(number, cut(number, self._named(plan, list(output))))

        return around

    def _restored(self, number: int, rows: DataFrame) -> JavaPlan:
        """Rows named by us as the output of a node, under Spark's own expression ids.

        A column that was not saved is read by nothing above: any value will do for it. (But an output may repeat an
        expression id, and Spark then takes either column for the other.)
        """
        output = [(column_name(column), column) for column in self.nodes[number].output]
        wanted, given = self._outputs[number], rows.columns
        if given == [name for name, _ in output]:
            return with_output_of(wanted, rows._jdf.queryExecution().analyzed())
        saved = {at: name for at, (name, _) in zip(wanted.ids, output, strict=True) if name in given}
        columns = (
            f"{f'`{saved[at]}`' if at in saved else any_value(column.type.sql())} AS `{name}`"
            for at, (name, column) in zip(wanted.ids, output, strict=True)
        )
        return with_output_of(wanted, rows.selectExpr(*columns)._jdf.queryExecution().analyzed())

    def _attributes(
        self, number: int, plan: JavaPlan, columns: Sequence[Column]
    ) -> tuple[JavaPlan, dict[ColumnId, JavaExpression]]:
        """The plan with the hidden ones of the columns, and the attribute of each column."""
        numbered = self.nodes[number]
        visible = zip(numbered.output, self._outputs[number].attributes, strict=True)
        found = {column.id: attribute for column, attribute in visible}
        missing = [column for column in columns if column.id not in found]
        if missing:
            plan, hidden = with_hidden(plan, missing, numbered.hidden)
            found.update(hidden)
        return plan, found

    def _named(self, plan: JavaPlan, columns: list[tuple[JavaExpression, Column]]) -> DataFrame:
        spark = catalyst()
        nothing = spark.sequence([])
        aliases = [
            spark.alias(attribute, column_name(column), spark.new_id(), nothing, spark.none, nothing)
            for attribute, column in columns
        ]
        return dataframe_of(self.session, spark.project(spark.sequence(aliases), plan))
