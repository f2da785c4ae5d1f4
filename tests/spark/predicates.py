"""The lineage of one output row by predicates alone, and by the tracker, in comparable form."""

from __future__ import annotations

from collections import Counter

from pyspark.sql import DataFrame
from tests.spark.oracle import Key, Oracle, TrackedOutput, comparable

from predtrace.engines.spark import SparkEngine
from predtrace.infer.selections import Inferred
from predtrace.ir.operators import Source, walk_operators
from predtrace.trace.evaluation import Evaluation


def evaluated(oracle: Oracle, inferred: Inferred, values: tuple[object, ...]) -> dict[int, Counter[Key]]:
    """The lineage rows of one output row in each reference, by predicates alone."""
    captured = oracle.captured

    def rows_of(source: Source) -> DataFrame:
        reference = source.reference
        if reference is None:  # a copy that decorrelation made reads what its original reads
            reference = next(n for n, d in captured.descriptors.items() if d == source.descriptor)
        return captured.source_rows(reference)

    target = captured.session.createDataFrame([values], oracle.frame.schema)
    evaluation = Evaluation(inferred, SparkEngine(captured.session, rows_of), captured.operators, target)
    return {
        source.reference: Counter(comparable(tuple(row)) for row in evaluation.lineage(source).collect())
        for source in walk_operators(captured.operators)
        if isinstance(source, Source) and source.reference is not None
    }


def tracked(oracle: Oracle, output: TrackedOutput, key: Key) -> dict[int, Counter[Key]]:
    claimed = oracle.claimed(output.lineage[key])
    return {n: Counter(comparable(tuple(row)) for row in frame.collect()) for n, frame in claimed.items()}
