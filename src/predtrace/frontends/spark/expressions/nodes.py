"""A Catalyst expression as a tree of JSON nodes, with the Java objects behind them within reach.

The JSON of an expression tells its shape; some things only the Java object knows: result types, the mode of
a cast, the escape character of LIKE. One call over py4j costs a tenth of a millisecond, so all objects of an
expression are fetched as one sequence, and all types as the schema of one struct made of that sequence.
Both list the nodes in the order of the JSON: a node before its children, children from left to right.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from functools import cached_property
from typing import Any

from py4j.protocol import Py4JError
from pyspark import SparkContext

from predtrace.errors import PlanIntegrityError
from predtrace.ir.types import DataType, field_from_json, from_json

Handle = Callable[[], Any]
"""Fetches the Java object, when it is needed."""

Json = dict[str, Any]


class Node:
    """One expression node: `kind` is the simple name of its class."""

    __slots__ = ("children", "fields", "kind", "position", "tree")

    def __init__(self, fields: Json, position: int, tree: Tree) -> None:
        self.fields = fields
        self.kind: str = fields["class"].rsplit(".", 1)[-1]
        self.position = position
        self.tree = tree
        self.children: list[Node] = []

    def java(self) -> Any:
        return self.tree.java(self.position)

    def type(self) -> DataType:
        return self.tree.type_of(self.position)[0]

    def nullable(self) -> bool:
        return self.tree.type_of(self.position)[1]

    def walk(self) -> Iterator[Node]:
        yield self
        for child in self.children:
            yield from child.walk()

    def arguments_besides_children(self) -> list[Node]:
        """The expressions that stand in fields: what the user wrote, where the children are a replacement."""
        found: list[Node] = []
        for name, value in self.fields.items():
            if not _holds_expressions(value):
                continue
            if isinstance(value[0], dict):
                found.append(Tree(value, self._field_handle(name)).root)
            else:
                for index, part in enumerate(value):
                    found.append(Tree(part, self._field_handle(name, index)).root)
        return found

    def _field_handle(self, name: str, index: int | None = None) -> Handle:
        def fetch() -> Any:
            value = getattr(self.java(), name)()
            if index is not None:
                return value.apply(index)
            is_option = value.getClass().getName() == "scala.Some"
            return value.get() if is_option else value

        return fetch

    def nested(self, name: str) -> Node:
        """The expression that stands in a field."""
        return Tree(self.fields[name], self._field_handle(name)).root


def _holds_expressions(value: Any) -> bool:
    if not isinstance(value, list) or not value:
        return False
    first = value[0][0] if isinstance(value[0], list) and value[0] else value[0]
    return isinstance(first, dict) and "class" in first and "num-children" in first


class Tree:
    """One expression from its root down."""

    def __init__(self, nodes: list[Json], handle: Handle) -> None:
        self._handle = handle
        self._objects: dict[int, Any] = {}
        self._types: dict[int, tuple[DataType, bool]] = {}
        self.size = len(nodes)
        self.root, end = self._build(nodes, 0)
        if end != len(nodes):
            raise PlanIntegrityError(f"{len(nodes) - end} nodes of {self.root.kind} belong to no parent")

    def _build(self, nodes: list[Json], position: int) -> tuple[Node, int]:
        node = Node(nodes[position], position, self)
        following = position + 1
        for _ in range(nodes[position]["num-children"]):
            child, following = self._build(nodes, following)
            node.children.append(child)
        return node, following

    @cached_property
    def _sequence(self) -> Any:
        root = self._handle()
        objects = root.map(_constants().identity)
        if objects.size() != self.size:
            raise PlanIntegrityError(f"Spark counts {objects.size()} nodes, its JSON {self.size}: {root}")
        return objects

    def java(self, position: int) -> Any:
        if position == 0:
            return self._root_object
        if position not in self._objects:
            self._objects[position] = self._sequence.apply(position)
        return self._objects[position]

    @cached_property
    def _root_object(self) -> Any:
        return self._handle()

    def type_of(self, position: int) -> tuple[DataType, bool]:
        if not self._types:
            self._types = self._all_types()
        if position not in self._types:
            found = self.java(position)
            self._types[position] = (from_json(json.loads(found.dataType().json())), found.nullable())
        return self._types[position]

    def _all_types(self) -> dict[int, tuple[DataType, bool]]:
        try:
            text = _constants().create_struct.apply(self._sequence).dataType().json()
        except Py4JError:  # a part without a type, such as a window frame, spoils the struct
            return {}
        fields = map(field_from_json, json.loads(text)["fields"])
        return {place: (field.type, field.nullable) for place, field in enumerate(fields)}

    @cached_property
    def text(self) -> str:
        """Spark's own rendering, which spells out what is attempted (`try_cast`)."""
        return str(self._root_object.toString())


class _Constants:
    """Scala objects that stay the same for the life of the JVM."""

    def __init__(self, jvm: Any) -> None:
        self.jvm = jvm
        self.identity = getattr(getattr(jvm, "scala.Predef$"), "MODULE$").__getattr__("$conforms")()
        struct = getattr(jvm, "org.apache.spark.sql.catalyst.expressions.CreateStruct$")
        self.create_struct = getattr(struct, "MODULE$")
        self.sql_conf = getattr(getattr(jvm, "org.apache.spark.sql.internal.SQLConf$"), "MODULE$")


_known: dict[int, _Constants] = {}


def _constants() -> _Constants:
    context = SparkContext._active_spark_context
    if context is None or context._jvm is None:
        raise PlanIntegrityError("an expression was read without a Spark session")
    if id(context._jvm) not in _known:
        _known.clear()
        _known[id(context._jvm)] = _Constants(context._jvm)
    return _known[id(context._jvm)]


def session_is_ansi() -> bool:
    return bool(_constants().sql_conf.get().ansiEnabled())


def session_time_zone() -> str:
    return str(_constants().sql_conf.get().sessionLocalTimeZone())
