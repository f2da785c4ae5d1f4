"""Traces through the public interface beside the tracker's answer, in plain Python values."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property

from pyspark.sql import DataFrame, Row
from tests.spark.oracle import Key, Oracle, TrackedOutput, comparable

from predtrace import Lineage, Pipeline
from predtrace.api.answers import PredicateAnswer

LineageRows = dict[int, Counter[Key]]
"""The rows of each source reference, and how often each occurs."""


@dataclass
class Judge:
    """One pipeline: what the tracker says of its rows, and whether traces say the same.

    A trace that claims to be exact must give those very rows; one that does not must miss none.
    """

    oracle: Oracle
    counts: Counter[str] = field(default_factory=Counter)
    """How the traces were answered."""

    output: dict[Key, Row] = field(init=False)
    """The output rows that the user holds."""

    def __post_init__(self) -> None:
        self._hold(self.oracle.frame)

    def _hold(self, output: DataFrame) -> None:
        rows = output.collect()
        self.output = {comparable(tuple(row)): row for row in rows}
        assert Counter(comparable(tuple(row)) for row in rows) == self.written.rows, "the rows are others"

    @cached_property
    def written(self) -> TrackedOutput:
        return self.oracle.tracked(self.oracle.captured.written)

    def check_run(self, pipeline: Pipeline) -> None:
        """Run the pipeline: rows and schema are those of its DataFrame."""
        output = pipeline.run()
        expected = self.oracle.frame.schema
        assert output.schema == expected, f"run() has another schema: {output.schema}, not {expected}"
        self._hold(output)

    def check_trace(self, pipeline: Pipeline, keys: Iterable[Key]) -> Lineage:
        """Trace some output rows at once."""
        keys = list(keys)
        lineage = pipeline.trace([self.output[key] for key in keys])
        self.counts["by predicates" if _by_predicates(lineage) else "by tracking"] += 1
        found, expected = _rows_of(lineage), self._expected(keys)
        if lineage.exact:
            assert found == expected, f"{keys} {_difference(found, expected)}"
        else:
            self.counts["not exact"] += 1
            missing = {number: rows - found[number] for number, rows in expected.items()}
            assert not any(missing.values()), f"{keys} misses rows: {missing}"
        return lineage

    def _expected(self, keys: list[Key]) -> LineageRows:
        expected: LineageRows = {}
        for number, rows in self._sources.items():
            addresses = set[int]().union(*(self.written.lineage[key].get(number, ()) for key in keys))
            expected[number] = Counter(rows[address] for address in addresses)
        return expected

    @cached_property
    def _sources(self) -> dict[int, dict[int, Key]]:
        """The rows of every reference by address."""
        book = self.oracle.tracker.addresses
        return {
            number: {row[-1]: comparable(tuple(row[:-1])) for row in book.rows(number).collect()}
            for number in self.oracle.captured.descriptors
        }


def _by_predicates(lineage: Lineage) -> bool:
    return isinstance(lineage._answer, PredicateAnswer)


def _rows_of(lineage: Lineage) -> LineageRows:
    return {
        rows.reference_numbers[0]: Counter(comparable(tuple(row)) for row in rows.to_spark().collect())
        for rows in lineage.references
    }


def _difference(found: LineageRows, expected: LineageRows) -> str:
    lines = [
        f"reference {number}: missing {list((rows - found[number]).elements())}, "
        f"too many {list((found[number] - rows).elements())}"
        for number, rows in expected.items()
        if rows != found[number]
    ]
    return "\n".join(lines)
