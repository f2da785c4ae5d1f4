"""Traces through the public interface beside the tracker's answer, in plain Python values."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from random import Random

from pyspark.errors import AnalysisException, ParseException
from pyspark.sql import DataFrame, Row, SparkSession
from tests.properties.generate import GeneratedPipeline
from tests.spark.oracle import Key, Oracle, TrackedOutput, comparable
from tests.spark.predicates import lineages_by_another_run, lineages_by_predicates

from predtrace import Lineage, Pipeline
from predtrace.ir.determinism import unstable_steps

MOST_REFERENCES = 6
"""Pipelines that read their tables more often multiply the work, mostly by repeating themselves."""

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
        self.counts[f"by {lineage.method}"] += 1
        found, expected = _rows_of(lineage), self._expected(keys)
        if lineage.exact:
            assert found == expected, f"{keys} {_difference(found, expected)}"
        else:
            self.counts["not exact"] += 1
            missing = {number: rows - found[number] for number, rows in expected.items()}
            assert not any(missing.values()), f"{keys} misses rows: {missing}"
        return lineage

    def check_superset(self, pipeline: Pipeline, keys: Iterable[Key]) -> Lineage:
        """Trace some output rows without running anything: none of the lineage may be missed."""
        keys = list(keys)
        lineage = pipeline.trace([self.output[key] for key in keys], exact=False)
        found = _rows_of(lineage)
        missing = {number: rows - found[number] for number, rows in self._expected(keys).items()}
        assert not any(missing.values()), f"{keys} misses rows: {missing}"
        return lineage

    def check_rows_apart(self, pipeline: Pipeline, has_run: bool) -> None:
        """Every output row has its own lineage by the plan's predicates."""
        if has_run:
            found = lineages_by_predicates(self.oracle, pipeline.plan, self.output, pipeline.saved)
        else:
            found = lineages_by_another_run(self.oracle, pipeline, self.output)
        for key, lineage in found.items():
            expected = self.written.lineage[key]
            assert lineage == expected, f"{key}: found {lineage}, expected {expected}"

    def _expected(self, keys: list[Key]) -> LineageRows:
        expected: LineageRows = {}
        for number, rows in self._sources.items():
            addresses = set[int]().union(*(self.written.lineage[key].get(number, ()) for key in keys))
            expected[number] = Counter(rows[address] for address in addresses)
        return expected

    @cached_property
    def _sources(self) -> dict[int, dict[int, Key]]:
        """The rows of every reference by address."""
        book, names = self.oracle.tracker.addresses, self.oracle.captured.descriptors
        by_name: dict[str, dict[int, Key]] = {}
        for number, source in names.items():
            if source.name not in by_name:
                rows = book.rows(number).collect()
                by_name[source.name] = {row[-1]: comparable(tuple(row[:-1])) for row in rows}
        return {number: by_name[source.name] for number, source in names.items()}


def built(
    generated: GeneratedPipeline, spark: SparkSession, folder: Path, counts: Counter[str]
) -> Oracle | None:
    """The pipeline, unless Spark does not accept it or it reads its tables too often."""
    counts["drawn"] += 1
    try:
        oracle = Oracle(generated.build(spark, folder))
    except (AnalysisException, ParseException):
        counts["refused by Spark"] += 1
        return None
    if len(oracle.captured.descriptors) > MOST_REFERENCES:
        counts["too large"] += 1
        return None
    return oracle


def examine_traces(
    generated: GeneratedPipeline,
    random: Random,
    spark: SparkSession,
    folder: Path,
    counts: Counter[str],
    ways: Sequence[bool] = (False, True),
) -> None:
    """Traces of a generated pipeline, before or after `run()`, if Spark accepts it and it has rows.

    Every row apart, and some as a user asks for them. Runs are cut down as far as that is proved, though it does not
    pay with tables as small as these.
    """
    oracle = built(generated, spark, folder, counts)
    if oracle is None:
        return
    try:
        is_empty = oracle.frame.isEmpty()
    except (
        AnalysisException
    ):  # a Python UDF over both sides of an outer join is refused when the plan is optimised
        counts["refused by Spark"] += 1
        return
    if is_empty:
        counts["no rows"] += 1
        return
    judge = Judge(oracle, counts)
    counts["with rows"] += 1
    pipeline = Pipeline(oracle.captured)
    for has_run in ways:
        if has_run:
            judge.check_run(pipeline)
        plan = pipeline.plan
        if not plan.exact or (not has_run and unstable_steps(oracle.captured.operators)):
            counts["left to the tracker"] += 1
            continue
        keys = list(judge.output)
        # One row alone: a run for it is cut down the most.
        most = min(len(keys), 3) if has_run else 1
        lineage = judge.check_trace(pipeline, random.sample(keys, random.randint(1, most)))
        assert lineage.exact
        assert lineage.method == "predicates"
        counts["compared"] += 1
        judge.check_rows_apart(pipeline, has_run)


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
