"""From Catalyst expressions, as plan JSON holds them, to ours.

`expression_reader` holds the core, `row_expressions`, `aggregate_expressions` and `text_formats` the classes
with readers of their own, `functions` the tables of all others.
"""

from __future__ import annotations

from predtrace.frontends.spark import (  # noqa: F401  (they register their readers)
    aggregate_expressions,
    row_expressions,
    text_formats,
)
from predtrace.frontends.spark.expression_reader import Reader, Scope, place_of
from predtrace.frontends.spark.nodes import Handle, Json, Tree
from predtrace.ir.expressions import Expression, SortKey

__all__ = ["Handle", "Scope", "place_of", "read_expression", "read_sort_key"]


def read_expression(nodes: list[Json], scope: Scope, handle: Handle) -> Expression:
    """Convert one expression. `handle` fetches its Java object where JSON does not tell enough."""
    return Reader(scope).read(Tree(nodes, handle).root)


def read_sort_key(nodes: list[Json], scope: Scope, handle: Handle) -> SortKey:
    """Convert a SortOrder."""
    return Reader(scope).sort_key(Tree(nodes, handle).root)
