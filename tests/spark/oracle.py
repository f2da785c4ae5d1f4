"""What the tests ask the reference tracker: every output row with its lineage, in plain Python values."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from predtrace.frontends.spark.capture import Captured, capture_dataframe
from predtrace.ir.operators import Operator
from predtrace.reference.addresses import ADDRESS
from predtrace.reference.frames import column_name, lineage_column
from predtrace.reference.tracker import Tracker

Key = tuple[Any, ...]


def comparable(value: Any) -> Any:
    """A value by which rows can be compared: hashable, NaN equal to NaN, floats up to summation order."""
    if isinstance(value, float):
        if math.isnan(value):
            return "NaN"
        return float(f"{value:.9e}") + 0.0
    if isinstance(value, (list, tuple)):
        return tuple(comparable(part) for part in value)
    if isinstance(value, dict):
        return frozenset((comparable(k), comparable(v)) for k, v in value.items())
    if isinstance(value, bytearray):
        return bytes(value)
    return value


@dataclass
class TrackedOutput:
    """The output rows of one plan: values, how often each occurs, and the addresses behind each."""

    rows: Counter[Key]
    lineage: dict[Key, dict[int, set[int]]]
    values: dict[Key, tuple[Any, ...]]


@dataclass
class Oracle:
    """A pipeline, run by Spark and by the reference tracker."""

    frame: DataFrame
    captured: Captured = field(init=False)
    tracker: Tracker = field(init=False)

    def __post_init__(self) -> None:
        self.captured = capture_dataframe(self.frame)
        self.tracker = Tracker(self.captured)

    def spark_rows(self) -> Counter[Key]:
        return Counter(comparable(tuple(row)) for row in self.frame.collect())

    def tracked(self, operator: Operator) -> TrackedOutput:
        result = self.tracker.track(operator)
        names = [column_name(column) for column in result.columns]
        cells = {number: column_name(lineage_column(number)) for number in result.references}
        output = TrackedOutput(Counter(), {}, {})
        for row in result.rows.collect():
            values = tuple(row[name] for name in names)
            key = comparable(values)
            output.rows[key] += 1
            output.values[key] = values
            found = output.lineage.setdefault(key, {number: set() for number in cells})
            for number, cell in cells.items():
                found[number].update(row[cell])
        return output

    def claimed(self, lineage: Mapping[int, set[int]]) -> dict[int, DataFrame]:
        """The lineage as source rows per reference, for the re-execution check."""
        return {
            number: self.tracker.addresses.rows(number)
            .filter(F.col(ADDRESS).isin(sorted(addresses)))
            .drop(ADDRESS)
            for number, addresses in lineage.items()
        }
