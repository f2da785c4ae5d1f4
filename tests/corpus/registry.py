"""The list of corpus pipelines and the two ways to add one.

A pipeline is a function from a Spark session to a DataFrame. Its `expected` lineage is written by hand
from the definition of lineage, never copied from a tracker's answer.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

# Picks output rows: column name (or position, where names repeat) to value; exactly one row value fits.
Selector = Mapping["str | int", Any]
# Source name to unique keys; for a source without a key, to whole rows as tuples. Absent means empty lineage.
Lineage = Mapping[str, "set[Any]"]
Expected = Sequence["tuple[Selector, Lineage]"]


@dataclass(frozen=True)
class Pipeline:
    """One corpus pipeline.

    `deterministic` is False where two runs may differ (unordered limit, ties, sample, rand).
    `opaque` is True where an operator has no rule, so that its whole input is the (not exact) answer.
    `reexecutable` is False where running it on a row's lineage alone need not give the row: by definition
    (OFFSET skips rows that are no lineage) or because the plan was made from the data (pivot without values).
    `expected_rows`, if given, is the number of output rows; it pins empty results, which `expected` cannot.
    """

    name: str
    build: Callable[[SparkSession], DataFrame]
    covers: tuple[str, ...]
    expected: tuple[tuple[Selector, Lineage], ...] = ()
    deterministic: bool = True
    opaque: bool = False
    expected_rows: int | None = None
    reexecutable: bool = True
    sql: str | None = None


PIPELINES: list[Pipeline] = []


def _add(entry: Pipeline) -> None:
    if any(known.name == entry.name for known in PIPELINES):
        raise ValueError(f"two corpus pipelines are named {entry.name!r}; rename one")
    PIPELINES.append(entry)


def pipeline(
    name: str,
    covers: Iterable[str],
    expected: Expected = (),
    *,
    deterministic: bool = True,
    opaque: bool = False,
    expected_rows: int | None = None,
    reexecutable: bool = True,
) -> Callable[[Callable[[SparkSession], DataFrame]], Callable[[SparkSession], DataFrame]]:
    """Register the decorated function as a pipeline."""

    def register(build: Callable[[SparkSession], DataFrame]) -> Callable[[SparkSession], DataFrame]:
        _add(
            Pipeline(
                name,
                build,
                tuple(covers),
                tuple(expected),
                deterministic=deterministic,
                opaque=opaque,
                expected_rows=expected_rows,
                reexecutable=reexecutable,
            )
        )
        return build

    return register


def sql_pipeline(
    name: str,
    text: str,
    covers: Iterable[str],
    expected: Expected = (),
    *,
    deterministic: bool = True,
    opaque: bool = False,
    expected_rows: int | None = None,
    reexecutable: bool = True,
) -> None:
    """Register a pipeline that is one SQL statement over the corpus views."""

    def build(spark: SparkSession) -> DataFrame:
        return spark.sql(text)

    _add(
        Pipeline(
            name,
            build,
            tuple(covers),
            tuple(expected),
            deterministic=deterministic,
            opaque=opaque,
            expected_rows=expected_rows,
            reexecutable=reexecutable,
            sql=text,
        )
    )


def same_value(left: Any, right: Any) -> bool:
    """Equality of a value with itself: NULL equals NULL, NaN equals NaN, -0.0 equals 0.0."""
    if left is None or right is None:
        return left is right
    if isinstance(left, float) and isinstance(right, float) and math.isnan(left):
        return math.isnan(right)
    if isinstance(left, bool) != isinstance(right, bool):
        return False
    numbers = (int, float, Decimal)
    if isinstance(left, numbers) != isinstance(right, numbers):
        return False
    if isinstance(left, (list, tuple)) and isinstance(right, (list, tuple)):
        return len(left) == len(right) and all(map(same_value, left, right))
    if isinstance(left, dict) and isinstance(right, dict):
        return left.keys() == right.keys() and all(same_value(left[key], right[key]) for key in left)
    return bool(left == right)


def selects(selector: Selector, columns: Sequence[str], row: Sequence[Any]) -> bool:
    """Whether the selector picks this output row (a tuple in the order of `columns`)."""
    for column, value in selector.items():
        if isinstance(column, int):
            position = column
        else:
            if columns.count(column) != 1:
                raise KeyError(f"selector column {column!r} is not exactly one of {list(columns)}")
            position = columns.index(column)
        if not same_value(row[position], value):
            return False
    return True
