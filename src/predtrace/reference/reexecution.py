"""The re-execution check: does the user's own Spark plan make the row again from its claimed lineage alone?

The law: where no skip reason holds, running the analyzed plan with every reference of a source cut down to
the rows claimed for that reference brings the output row back. The check works on the Spark plan and shares
nothing with the operator model, so it also guards the front end. Passing it proves neither that a claim is
minimal nor that it is complete for a row that fewer rows can make as well.

A plan is always run. Skip reasons are read off the plan beforehand and only say what a row that did not come
back means: with a reason the check cannot tell, without one the claim is wrong.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, Row

from predtrace.errors import InvalidCondition, UnknownSource
from predtrace.frontends.spark.leaves import dataframe_of, empty_like, leaf_of_rows
from predtrace.frontends.spark.rewrite import PlanTree, inline_ctes
from predtrace.reference.skipping import skip_reasons_of

RELATIVE_TOLERANCE = 1e-9
ROWS_SHOWN = 5


class Outcome(Enum):
    """What re-running the plan on a claimed lineage showed."""

    REPRODUCED = "reproduced"
    NOT_REPRODUCED = "not reproduced"
    SKIPPED = "skipped"


@dataclass(frozen=True)
class Verdict:
    """The outcome for one row; `came_out` are the closest rows that came out instead, `error` what failed."""

    outcome: Outcome
    reasons: tuple[str, ...] = ()
    came_out: tuple[Row, ...] = ()
    error: str = ""

    @property
    def reproduced(self) -> bool:
        """Whether the row came out again."""
        return self.outcome is Outcome.REPRODUCED

    def __str__(self) -> str:
        if self.outcome is Outcome.SKIPPED:
            return f"skipped: {'; '.join(self.reasons)}"
        if self.outcome is Outcome.NOT_REPRODUCED:
            instead = self.error or ", ".join(map(str, self.came_out)) or "no row"
            return f"not reproduced; came out instead: {instead}"
        return str(self.outcome.value)


@dataclass
class Report:
    """Counts verdicts, so that a check that skips much cannot pass for one that checks much."""

    verdicts: list[Verdict] = field(default_factory=list)

    def add(self, verdict: Verdict) -> Verdict:
        """Count a verdict and hand it back."""
        self.verdicts.append(verdict)
        return verdict

    def count(self, outcome: Outcome) -> int:
        """How many rows had this outcome."""
        return sum(verdict.outcome is outcome for verdict in self.verdicts)

    @property
    def skipped_share(self) -> float:
        """Skipped rows over checked rows; 0 where nothing was checked."""
        return self.count(Outcome.SKIPPED) / len(self.verdicts) if self.verdicts else 0.0

    def summary(self) -> str:
        """One line with the counts and the skipped share, and one line for each skip reason.

        >>> print(Report([Verdict(Outcome.REPRODUCED), Verdict(Outcome.SKIPPED, ("a sample",))]).summary())
        2 rows: 1 reproduced, 0 not reproduced, 1 skipped (50.0 %)
          skipped 1 for: a sample
        """
        counts = ", ".join(f"{self.count(outcome)} {outcome.value}" for outcome in Outcome)
        lines = [f"{len(self.verdicts)} rows: {counts} ({100 * self.skipped_share:.1f} %)"]
        skipped = (verdict for verdict in self.verdicts if verdict.outcome is Outcome.SKIPPED)
        for reason, count in sorted(Counter(why for verdict in skipped for why in verdict.reasons).items()):
            lines.append(f"  skipped {count} for: {reason}")
        return "\n".join(lines)


class Reexecution:
    """The check for one DataFrame: the plan is walked once, then many rows can be checked."""

    def __init__(self, df: DataFrame) -> None:
        self.session = df.sparkSession
        self.columns = df.columns
        # Typed as Any: `_jdf` exists on classic DataFrames only.
        execution: Any = df._jdf.queryExecution()
        self.tree = PlanTree.of(inline_ctes(self.session, execution.analyzed()))
        self.references = self.tree.references()
        self.skip_reasons = skip_reasons_of(self.tree)

    def check(self, row: Row | Sequence[Any], claimed: Mapping[int, DataFrame]) -> Verdict:
        """Whether `row` comes out again; a reference without a claim has no rows."""
        if len(row) != len(self.columns):
            raise InvalidCondition(
                f"the row has {len(row)} values and the output {len(self.columns)} columns",
                todo=f"give a value for each of {', '.join(self.columns)}",
            )
        try:
            rows = self.output_of(claimed).collect()
        except PySparkException as error:
            return self._not_back((), str(error).strip().splitlines()[0])
        if any(same_value(row, candidate) for candidate in rows):
            return Verdict(Outcome.REPRODUCED)
        closest = sorted(rows, key=lambda candidate: -_equal_columns(row, candidate))[:ROWS_SHOWN]
        return self._not_back(tuple(closest), "")

    def output_of(self, claimed: Mapping[int, DataFrame]) -> DataFrame:
        """The user's plan over the claimed rows alone."""
        unknown = sorted(set(claimed) - set(self.references))
        if unknown:
            raise UnknownSource(
                f"rows are claimed for the references {unknown}",
                where="in the re-execution check",
                todo=f"the plan has the references {sorted(self.references)}",
            )

        def cut_down(leaf: Any, index: int) -> Any:
            return leaf_of_rows(leaf, claimed[index]) if index in claimed else empty_like(leaf)

        return dataframe_of(self.session, self.tree.rebuilt(cut_down))

    def _not_back(self, came_out: tuple[Row, ...], error: str) -> Verdict:
        if self.skip_reasons:
            return Verdict(Outcome.SKIPPED, tuple(self.skip_reasons), came_out, error)
        return Verdict(Outcome.NOT_REPRODUCED, (), came_out, error)


def reexecute(df: DataFrame, row: Row | Sequence[Any], claimed: Mapping[int, DataFrame]) -> Verdict:
    """Re-run `df` with each reference cut down to its claimed rows; for many rows use `Reexecution`."""
    return Reexecution(df).check(row, claimed)


def skip_reasons(df: DataFrame) -> list[str]:
    """Why even a right lineage need not bring a row of `df` back, from the plan alone; mostly empty."""
    return Reexecution(df).skip_reasons


def same_value(left: Any, right: Any) -> bool:
    """Equality of values as lineage needs it: NULL, NaN and the zeros equal themselves, nested values too.

    >>> same_value((None, float("nan"), 0.0), (None, float("nan"), -0.0)), same_value(1, True)
    (True, False)
    """
    if left is None or right is None:
        return left is right
    if isinstance(left, bool) or isinstance(right, bool):
        return isinstance(left, bool) and isinstance(right, bool) and left == right
    if isinstance(left, float) or isinstance(right, float):
        return _same_float(left, right)
    if isinstance(left, (tuple, list)) and isinstance(right, (tuple, list)):
        return len(left) == len(right) and all(map(same_value, left, right))
    if isinstance(left, dict) and isinstance(right, dict):
        return len(left) == len(right) and all(_has_entry(right, entry) for entry in left.items())
    return bool(left == right)


def _same_float(left: Any, right: Any) -> bool:
    if not isinstance(left, (int, float)) or not isinstance(right, (int, float)):
        return False
    if math.isnan(left) or math.isnan(right):
        return math.isnan(left) and math.isnan(right)
    # Spark adds in the order its partitions arrive, so sums differ in their last digits.
    return math.isclose(left, right, rel_tol=RELATIVE_TOLERANCE, abs_tol=0.0)


def _has_entry(mapping: dict[Any, Any], entry: tuple[Any, Any]) -> bool:
    key, value = entry
    if key in mapping:
        return same_value(value, mapping[key])
    return any(same_value(entry, other) for other in mapping.items())


def _equal_columns(row: Row | Sequence[Any], candidate: Row) -> int:
    return sum(map(same_value, row, candidate))
