"""From Catalyst expressions, as plan JSON holds them, to ours.

`reader` holds the core, `rows`, `aggregates` and `text_formats` the classes with readers of their own,
`functions` the tables of all others.
"""

from __future__ import annotations

from predtrace.frontends.spark.expressions import aggregates, rows, text_formats  # noqa: F401  (they register)
from predtrace.frontends.spark.expressions.nodes import Handle, Json, Tree
from predtrace.frontends.spark.expressions.reader import Reader, Scope
from predtrace.ir.expressions import Expression, SortKey

__all__ = ["Handle", "Scope", "read_expression", "read_sort_key"]


def read_expression(nodes: list[Json], scope: Scope, handle: Handle) -> Expression:
    """Convert one expression. `handle` fetches its Java object where JSON does not tell enough."""
    return Reader(scope).read(Tree(nodes, handle).root)


def read_sort_key(nodes: list[Json], scope: Scope, handle: Handle) -> SortKey:
    """Convert a SortOrder."""
    return Reader(scope).sort_key(Tree(nodes, handle).root)
