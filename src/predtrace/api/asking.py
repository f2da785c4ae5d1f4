"""What may be captured, what a trace may be asked for, and what is said where there is nothing to say.

Knows no engine."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, TypeAlias

from predtrace.errors import InputError, NoSuchRow, UnknownSource
from predtrace.ir.expressions import Expression
from predtrace.ir.operators import SourceDescriptor
from predtrace.ir.printing import describe
from predtrace.plan.lineage_plan import LineagePlan

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from predtrace.frontends.pandas.core.held import Held

AnyFrame: TypeAlias = "DataFrame | Held"
"""A DataFrame of PySpark, or a frame or series of `predtrace.pandas`."""
_ENGINES = ("auto", "spark", "duckdb")


def check_engine(engine: str) -> None:
    """Refuse an engine that there is not."""
    if engine not in _ENGINES:
        raise InputError(f"there is no engine {engine!r}", todo=f"use one of: {', '.join(_ENGINES)}")


def frame_to_capture(df: AnyFrame) -> DataFrame:
    """The Spark frame under a frame of `predtrace.pandas`; any other one as it is."""
    # Whoever has such a frame has loaded its module.
    held = sys.modules.get("predtrace.frontends.pandas.core.held")
    found: DataFrame = df.to_spark() if held is not None and isinstance(df, held.Held) else df  # type: ignore
    return found


def no_such_row(condition: Expression) -> NoSuchRow:
    return NoSuchRow(
        f"no output row satisfies: {describe(condition)}",
        todo="look at the output with df.show() and describe a row that is there",
    )


def steps_of(plan: LineagePlan, run_again: str = "") -> Iterator[str]:
    """What a trace by predicates runs; `run_again` says how the pipeline was, if it was."""
    if run_again:
        yield run_again
    for result in plan.results:
        yield f"{result.name}, {result.operator}: looked up {'there' if run_again else 'where it was saved'}"
    yield "the sources: selected by predicates"


def not_in_duckdb(reason: str) -> InputError:
    return InputError(f"DuckDB cannot answer this as Spark would: {reason}", todo='use engine="auto"')


def source_names(descriptors: Mapping[int, SourceDescriptor]) -> list[str]:
    """The names of the sources, in the order the pipeline reads them first."""
    return list(dict.fromkeys(descriptor.name for _, descriptor in sorted(descriptors.items())))


def source_named(name: str, descriptors: Mapping[int, SourceDescriptor]) -> SourceDescriptor:
    """What is known of a source; an error that names the others if there is none of this name."""
    for descriptor in descriptors.values():
        if descriptor.name == name:
            return descriptor
    raise UnknownSource(
        f"the pipeline has no source {name!r}", todo=f"use one of: {', '.join(source_names(descriptors))}"
    )
