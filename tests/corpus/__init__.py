"""A corpus of small Spark pipelines with hand-written lineage, shared by all tests.

Usage: `register(spark, folder)` once per session, then run any of `PIPELINES`.
"""

from __future__ import annotations

from importlib import import_module

from .registry import PIPELINES, Expected, Lineage, Pipeline, Selector, same_value, selects
from .semantics_lines import SEMANTICS_LINES
from .table_rows import TABLES, Table
from .tables import key_of, register, rows_of

FAMILIES = (
    "joins",
    "outer_joins",
    "existence_subqueries",
    "scalar_subqueries",
    "aggregates",
    "distinct_and_empty",
    "sets",
    "ordering",
    "pivots",
    "reshaping",
    "windows",
    "window_fetching",
    "expressions",
    "names_and_views",
    "python_functions",
    "table_functions",
    "sources",
)
for family in FAMILIES:
    import_module(f"{__name__}.{family}")  # importing a family registers its pipelines

__all__ = [
    "FAMILIES",
    "PIPELINES",
    "SEMANTICS_LINES",
    "TABLES",
    "Expected",
    "Lineage",
    "Pipeline",
    "Selector",
    "Table",
    "key_of",
    "register",
    "rows_of",
    "same_value",
    "selects",
]
