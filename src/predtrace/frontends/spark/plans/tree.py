"""Catalyst's plan JSON as a tree, with a way back to the live object behind each node.

One `toJSON` call is far cheaper than walking the plan over py4j, but JSON drops some fields. So every node
carries a handle that fetches its JVM object only when somebody asks.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from predtrace.errors import PlanIntegrityError
from predtrace.frontends.spark.catalyst import items

Handle = Callable[[], Any]
JsonNodes = list[dict[str, Any]]


@dataclass(frozen=True)
class PlanNode:
    """One logical plan node: its JSON fields, its children, and its JVM object on request."""

    fields: dict[str, Any]
    children: tuple[PlanNode, ...]
    handle: Handle

    @property
    def kind(self) -> str:
        """The simple class name, such as `Filter`."""
        return short_name(self.fields["class"])

    def field(self, name: str) -> Any:
        return self.fields.get(name)

    def sequence(self, name: str) -> list[Any]:
        """A field that holds a sequence of expressions; JSON leaves some sequences out."""
        found = self.fields.get(name)
        return _sequence_json(getattr(self.handle(), name)()) if found is None else list(found)

    def expression_handle(self, getter: str, *path: int) -> Handle:
        """The JVM object of an expression field: the field's getter, then positions in sequences."""

        def fetch() -> Any:
            found = getattr(self.handle(), getter)()
            for index in path:
                found = found.apply(index)
            return found

        return fetch


def _sequence_json(sequence: Any) -> list[Any]:
    parts = items(sequence)
    return [json.loads(p.toJSON()) if _is_tree(p) else _sequence_json(p) for p in parts]


def _is_tree(live: Any) -> bool:
    return "catalyst" in str(live.getClass().getName())


def short_name(class_name: str) -> str:
    """The last part of a JVM class name.

    >>> short_name("org.apache.spark.sql.catalyst.plans.Inner$")
    'Inner'
    """
    return class_name.rstrip("$").rsplit(".", 1)[-1].rsplit("$", 1)[-1]


def parse_plan(plan: Any) -> PlanNode:
    """The tree of a live Catalyst plan."""
    return plan_from_nodes(json.loads(plan.toJSON()), lambda: plan)


def plan_from_nodes(nodes: JsonNodes, handle: Handle) -> PlanNode:
    """The tree of a plan given as the pre-order list that Catalyst writes."""
    remaining = iter(nodes)
    tree = _take(remaining, handle)
    if next(remaining, None) is not None:
        raise PlanIntegrityError("plan JSON has nodes left over", todo="report it with the query")
    return tree


def _take(nodes: Iterator[dict[str, Any]], handle: Handle) -> PlanNode:
    fields = next(nodes)
    children = tuple(_take(nodes, _child_handle(handle, i)) for i in range(fields["num-children"]))
    return PlanNode(fields, children, handle)


def _child_handle(parent: Handle, index: int) -> Handle:
    # Each level fetches its parent again; remembering the object keeps a walk linear.
    found: list[Any] = []

    def fetch() -> Any:
        if not found:
            found.append(parent().children().apply(index))
        return found[0]

    return fetch
