"""Runs the pipeline's own plan, and keeps on the way what traces need.

A run may be cut down for some target rows (`CutDown`): then its rows are right as far as these rows and the lookups
of the lineage plan need them, and no further (`infer.cutting`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from pyspark.sql import DataFrame

from predtrace.api.keeping import Keeping, RowsToKeep, folder_of
from predtrace.api.spark_answers import running
from predtrace.frontends.spark.capture import Captured
from predtrace.ir.expressions import Column, ColumnId
from predtrace.ir.operators import Operator, walk_operators
from predtrace.ir.ordering import carries_order, is_ordered_throughout
from predtrace.ir.parts import columns_of
from predtrace.operators import Selection
from predtrace.operators.pushing import all_of, parts_of
from predtrace.plan.columns import columns_read_above
from predtrace.plan.lineage_plan import LineagePlan, ResultPlan


@dataclass(frozen=True)
class CutDown:
    """What must stay of plan nodes, and who selects it; `beside` are semi joins with other sources."""

    selections: Mapping[int, Selection]
    where: Callable[[DataFrame, Selection], DataFrame]
    beside: Mapping[int, Callable[[DataFrame], DataFrame]] = field(default_factory=dict)

    @property
    def nodes(self) -> set[int]:
        """The nodes that are cut down."""
        return {*self.selections, *self.beside}

    def below(self, number: int, rows: DataFrame) -> DataFrame:
        """The rows of a node that stay."""
        if number in self.selections:
            rows = self.where(rows, self.selections[number])
        return self.beside[number](rows) if number in self.beside else rows

    def kept(self, number: int, rows: DataFrame, columns: Sequence[Column]) -> DataFrame:
        """The rows of a node that are worth keeping, as far as its kept columns tell."""
        parts = parts_of(self.selections.get(number))
        told = all_of(part for part in parts if columns_of(part) <= set(columns))
        return rows if told is None else self.where(rows, told)


@dataclass(frozen=True)
class Execution:
    """Runs of one pipeline."""

    captured: Captured

    def kept(
        self, plan: LineagePlan, keeping: Keeping, output: int | None = None, cut: CutDown | None = None
    ) -> dict[int, DataFrame]:
        """Run what must be kept for a plan, from the sources up, and the node `output`; what was kept, by node."""
        wanted: dict[int, list[ResultPlan]] = {} if output is None else {output: []}
        for result in plan.results:
            wanted.setdefault(result.plan_node, []).append(result)
        read_above = self._read_above(plan)
        saved: dict[int, DataFrame] = {}

        def run() -> None:
            try:
                for number in sorted(wanted):  # a node has a higher number than those below it
                    results, read = wanted[number], read_above[number]
                    saved[number] = keeping.keep(
                        self._rows_to_keep(number, results, read, cut, saved, output)
                    )
            finally:
                keeping.finish()

        running(run)
        return saved

    def _rows_to_keep(
        self,
        number: int,
        results: list[ResultPlan],
        read: set[ColumnId],
        cut: CutDown | None,
        saved: Mapping[int, DataFrame],
        output: int | None,
    ) -> RowsToKeep:
        nodes = self.captured.nodes
        going_on = [column for column in nodes.output(number) if nodes.observes_rows or column.id in read]
        looked_up = (column for result in results for column in result.columns)
        columns = list({column.id: column for column in (*going_on, *looked_up)}.values())
        rows = self.rows(number, columns, saved, cut)
        lookups = tuple(result.lookup for result in results)
        node = self._nodes[number]
        in_files = number == output and is_ordered_throughout(node)
        return RowsToKeep(
            folder_of(number), rows, tuple(columns), lookups, carries_order(node), in_files, number != output
        )

    def rows(
        self, number: int, columns: Sequence[Column], saved: Mapping[int, DataFrame], cut: CutDown | None
    ) -> DataFrame:
        """Columns of a node's rows, computed from what was saved below it."""
        nodes = self.captured.nodes
        if cut is None:
            return nodes.rows(number, columns, saved=saved)
        return cut.kept(number, nodes.rows(number, columns, cut.below, cut.nodes, saved), columns)

    def _read_above(self, plan: LineagePlan) -> dict[int, set[ColumnId]]:
        kept: dict[int, list[Column]] = {}
        for result in plan.results:
            kept.setdefault(result.plan_node, []).extend(result.columns)
        return columns_read_above(self.captured.operators, kept)

    @cached_property
    def _nodes(self) -> dict[int, Operator]:
        return {o.plan_node: o for o in walk_operators(self.captured.operators) if o.plan_node is not None}
