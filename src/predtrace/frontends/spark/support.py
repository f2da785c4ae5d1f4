"""What of Spark is supported, written from the tables that decide it: `docs/spark-support.md`.

Run as a module to write the page again: `python -m predtrace.frontends.spark.support > docs/spark-support.md`.
"""

from __future__ import annotations

from collections.abc import Iterable

from predtrace.frontends.spark.expressions import functions
from predtrace.frontends.spark.expressions.reader import special_kinds
from predtrace.frontends.spark.plans import READERS, TRANSPARENT
from predtrace.frontends.spark.plans.python import UNSOUND_AS_OPAQUE
from predtrace.frontends.spark.plans.sources import LEAVES

OPERATORS = {
    "AttachDistributedSequence": "RowNumbers: a position per row, as pandas' default index",
    "Aggregate": "GroupBy with all keys and aggregates, and a Project above it; Pivot where it is one",
    "Deduplicate": "Distinct, or DropDuplicates on a subset (not exact when recomputed)",
    "Distinct": "Distinct",
    "Except": "Except",
    "Expand": "Expand (ROLLUP, CUBE, GROUPING SETS), or Unpivot",
    "Filter": "Filter; with a row_number that decorrelation invented: Limit per group",
    "FlatMapCoGroupsInArrow": "CoGroupedMap",
    "FlatMapCoGroupsInPandas": "CoGroupedMap",
    "FlatMapGroupsInArrow": "GroupedMap",
    "FlatMapGroupsInPandas": "GroupedMap",
    "Generate": "Generate (explode, posexplode, inline, json_tuple...), Unpivot for `stack` of up to 40 rows; a"
    " Python table function (UDTF) must be declared `predtrace.rowwise`, or is refused",
    "GlobalLimit": "Limit; TopK above a Sort",
    "Intersect": "Intersect",
    "Join": "Join of its kind",
    "LateralJoin": "LateralJoin as written; a Join once decorrelated; none where the subquery reads no other rows",
    "MapInArrow": "RowMap where the function is declared `predtrace.rowwise`; else Opaque",
    "MapInPandas": "RowMap where the function is declared `predtrace.rowwise`; else Opaque",
    "Offset": "Limit with an offset",
    "OneRowRelation": "OneRow: the row that `SELECT 1` starts from, no source",
    "Project": "Project; nothing where it keeps all columns as they are",
    "Sample": "Sample (not exact when recomputed)",
    "Sort": "Sort",
    "Union": "Union",
    "Window": "Window; stacked ones are one operator",
}

SOURCES = {
    "DataSourceV2Relation": "table of a catalog; no fingerprint yet",
    "ExternalRDD": "in memory",
    "HiveTableRelation": "Hive table; no fingerprint yet",
    "LocalRelation": "in memory (VALUES, createDataFrame from pandas or Arrow)",
    "LogicalRDD": "in memory (createDataFrame from rows, checkpoints)",
    "LogicalRelation": "files of any format (fingerprint: path, size and time of each file), JDBC, tables",
    "LogicalRelationWithTable": "as LogicalRelation",
    "Range": "spark.range",
}

EXPRESSION_NOTES = """\
Expressions that are not below are refused with one error that names the class, its SQL text and, where Spark
tells, its place in the user's SQL or the DataFrame call. Expressions marked ° differ between runs; a step
that decides by them is named in `why_not_exact`."""


def page() -> str:
    """The whole page as Markdown."""
    parts = [
        "# What of Spark is supported, and how it is treated",
        "Written by `python -m predtrace.frontends.spark.support` from the tables that decide it; do not edit.",
        "## Logical plan nodes",
        _table("node", "becomes", [(kind, OPERATORS[kind]) for kind in sorted(READERS)]),
        f"Nodes that change no rows disappear: {_listed(TRANSPARENT)}. CTEs are inlined: each use is a reference.",
        "Any other node with inputs (typed Dataset operations...) is an"
        " **Opaque** operator: each output row may come from every input row, and the answer says that it is not"
        " exact. Some would not be sound that way and are refused:",
        _table("node", "what to do", sorted(UNSOUND_AS_OPAQUE.items())),
        "## Sources",
        _table("leaf", "is", [(kind, SOURCES[kind]) for kind in sorted(LEAVES)]),
        "Any other leaf, and every streaming one, is refused. `cache()` does not show in the plan: a cached frame is"
        " captured down to its sources; a checkpointed one is a source itself.",
        "## Expressions",
        EXPRESSION_NOTES,
        "Comparisons, logic, arithmetic: " + _functions({**functions.PREDICATES, **functions.INFIX}),
        "Functions: " + _functions(functions.FUNCTIONS),
        "Functions that Spark implements by others (kept as written): " + _functions(functions.REPLACED),
        "Aggregates: " + _functions(functions.AGGREGATES),
        "Window functions: " + _functions(functions.WINDOW_FUNCTIONS),
        f"Classes with a reader of their own: {_listed(special_kinds())}.",
        "Python functions (plain, Arrow and pandas UDFs, grouped aggregates) are called by name on the rows they are"
        " needed for. A Java or Scala function is captured, but the reference tracker refuses to run it.",
        "Python table functions (UDTFs) that are declared `predtrace.rowwise` may be called in any way that gives"
        " `eval` the values of one row: in lateral joins of every kind, in subqueries, with constants, with"
        " `TABLE(t)`. With PARTITION BY they are refused, and so are table functions over Arrow batches.",
    ]
    return "\n\n".join(parts) + "\n"


def _table(left: str, right: str, rows: Iterable[tuple[str, str]]) -> str:
    return "\n".join([f"| {left} | {right} |", "|---|---|", *(f"| {one} | {other} |" for one, other in rows)])


def _listed(names: Iterable[str]) -> str:
    return ", ".join(sorted(names))


def _functions(classes: dict[str, str]) -> str:
    def shown(kind: str, name: str) -> str:
        mark = "°" if kind in functions.NON_DETERMINISTIC else ""
        return f"`{name}`{mark} ({kind})"

    return (
        ", ".join(shown(kind, name) for kind, name in sorted(classes.items(), key=lambda c: (c[1], c[0])))
        + "."
    )


if __name__ == "__main__":
    print(page(), end="")
