"""What baselines have in common: how they are asked, and what they answer."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import count
from typing import Protocol

from pyspark.sql import DataFrame, Row

from predtrace.errors import InputError
from predtrace.frontends.spark.capture import Captured
from predtrace.ir.expressions import Call, Column, Expression, Literal
from predtrace.ir.operators import GroupBy, SourceDescriptor
from predtrace.ir.types import BOOLEAN


class NotSupported(InputError):
    """The method's paper has nothing for this."""


@dataclass(frozen=True)
class Answer:
    """The lineage of one row. `read` are the frames that the method's user would read; `rows` has, for each reference
    to a source, its lineage with the source's columns (a reference that is missing has none)."""

    read: tuple[DataFrame, ...]
    rows: Mapping[int, DataFrame]


class Baseline(Protocol):
    """A method, prepared for one pipeline."""

    def trace(self, row: Row) -> Answer:
        """The lineage of an output row."""


class RunningBaseline(Baseline, Protocol):
    """A method that has to be there when the pipeline runs."""

    def run(self, folder: str) -> None:
        """Run the pipeline, its output and whatever traces need written below a folder."""


_NUMBERS = count()


@dataclass
class Views:
    """The sources of a pipeline as views of Spark, columns named by position: `s0`, `s1` ...

    `prefix` begins the names of these views, and of no others."""

    captured: Captured
    known: set[int] = field(default_factory=set)
    prefix: str = field(default_factory=lambda: f"baseline_{next(_NUMBERS)}")

    def name(self, reference: int) -> str:
        name = f"{self.prefix}_source_{reference}"
        if reference not in self.known:
            rows = self.captured.source_rows(reference)
            rows.toDF(*(f"s{at}" for at in range(len(rows.columns)))).createOrReplaceTempView(name)
            self.known.add(reference)
        return name

    def named_like(self, descriptor: SourceDescriptor) -> str:
        """The view of a source that only a rewriting reads once more."""
        descriptors = self.captured.descriptors
        return self.name(next(number for number, known in descriptors.items() if known == descriptor))

    def source_names(self, reference: int) -> list[str]:
        return [part.name for part in self.captured.descriptors[reference].schema.fields]


def known_values(columns: tuple[Column, ...], row: Row) -> dict[Column, Literal]:
    """The values of an output row, as constants of their columns' types."""
    return {column: Literal(value, column.type) for column, value in zip(columns, tuple(row), strict=True)}


def same(one: Expression, other: Expression) -> Expression:
    """Equality of a value with itself: NULL equals NULL, NaN equals NaN.

    (Spark skips parts of Parquet files by their smallest and largest value, which leave NaN out.)"""
    if isinstance(other, Literal) and isinstance(other.value, float) and math.isnan(other.value):
        return Call("isnan", (one,), BOOLEAN)
    return Call("<=>", (one, other), BOOLEAN)


def returns_extremes(group: GroupBy) -> bool:
    """Whether the lineage of a group are the rows that attain a value, not all of them."""
    return bool(group.aggregates) and all(call.returns_one_row() for call in group.calls())
