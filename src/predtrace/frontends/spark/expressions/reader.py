"""The core of reading Catalyst expressions: what every expression class has in common.

Nothing is guessed: a class is either in the tables of `functions`, or has a reader of its own
(`special_reader`), or is an error that names it. Where Spark replaced a function by its implementation (`nvl`
by `coalesce`), the function the user wrote is kept, unless later rewriting has reached the replacement only.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Protocol

from predtrace.errors import PlanIntegrityError, UnsupportedExpression
from predtrace.frontends.spark.expressions import functions
from predtrace.frontends.spark.expressions.modes import attempted_name, check_mode
from predtrace.frontends.spark.expressions.nodes import Handle, Json, Node
from predtrace.frontends.spark.origins import place_of
from predtrace.ir import expressions as ir
from predtrace.ir.expressions import Expression
from predtrace.ir.operators import Operator
from predtrace.ir.types import BOOLEAN, DataType


class Scope(Protocol):
    """What an expression may refer to."""

    def column(self, expr_id: int, name: str) -> ir.Column:
        """The attribute of the current input; raises PlanIntegrityError if there is none."""

    def outer_column(self, expr_id: int, name: str) -> ir.Column:
        """The attribute of an enclosing query."""

    def subquery_plan(self, plan_json: list[Json], handle: Handle) -> Operator:
        """The operators of a subquery's plan."""

    def saw_aggregate(self, call: ir.AggregateCall, handle: Handle) -> None:
        """Notes where the expression of an aggregate is to be found."""

    def user_function(self, node: Json, handle: Handle) -> str:
        """Registers the function of a PythonUDF, PythonUDAF or ScalaUDF and returns its id."""

    def understood(self, call: ir.UserCall) -> ir.UserCall:
        """The call with what is known of its function, which was registered."""


def unsupported(node: Node, why: str = "") -> UnsupportedExpression:
    """The error for an expression outside the model, with the place where the user wrote it."""
    java = node.java()
    what = f"the expression {java.sql()} (Spark's {node.kind}) is not supported"
    return UnsupportedExpression(
        what + (f": {why}" if why else ""),
        where=place_of(java),
        todo="write it with functions listed in docs/spark-support.md, or put it into a Python UDF",
    )


SpecialReader = Callable[["Reader", Node], Expression]

_SPECIAL: dict[str, SpecialReader] = {}


def special_reader(*kinds: str) -> Callable[[SpecialReader], SpecialReader]:
    """Register a reader for classes that need one of their own."""

    def register(reader: SpecialReader) -> SpecialReader:
        _SPECIAL.update(dict.fromkeys(kinds, reader))
        return reader

    return register


def special_kinds() -> list[str]:
    """The expression classes with a reader of their own."""
    return sorted(_SPECIAL)


class Reader:
    """Reads the expressions of one operator."""

    def __init__(self, scope: Scope) -> None:
        self.scope = scope
        self.common: dict[int, Expression] = {}

    def read(self, node: Node) -> Expression:
        special = _SPECIAL.get(node.kind)
        if special is not None:
            return special(self, node)
        if "replacement" in node.fields and isinstance(node.fields["replacement"], int):
            return self._replaced(node)
        if node.kind in functions.PREDICATES:
            return self._predicate(node)
        if node.kind in functions.INFIX or node.kind in functions.FUNCTIONS:
            return self.call(node, functions.name_of(node.kind), self.all(node.children))
        raise unsupported(node)

    def all(self, nodes: list[Node]) -> tuple[Expression, ...]:
        return tuple(self.read(node) for node in nodes)

    def call(
        self, node: Node, name: str, arguments: tuple[Expression, ...], options: ir.Options = ()
    ) -> ir.Call:
        check_mode(node)
        name = attempted_name(node, name)
        type_, nullable = _type_by_rule(name, arguments) or (node.type(), node.nullable())
        deterministic = node.kind not in functions.NON_DETERMINISTIC
        return ir.Call(name, arguments, type_, nullable, deterministic, options)

    def sort_key(self, node: Node) -> ir.SortKey:
        if node.kind != "SortOrder":
            raise PlanIntegrityError(f"{node.kind} stands where a sort order belongs")
        ascending = object_name(node, "direction") == "Ascending"
        return ir.SortKey(
            self.read(node.children[0]), ascending, object_name(node, "nullOrdering") == "NullsFirst"
        )

    def _predicate(self, node: Node) -> Expression:
        """Comparisons and logic are most of what plans hold, and need no question to Spark."""
        arguments = self.all(node.children)
        never_null = node.kind in {"IsNull", "IsNotNull", "EqualNullSafe"}
        nullable = not never_null and any(argument.nullable for argument in arguments)
        return ir.Call(functions.PREDICATES[node.kind], arguments, BOOLEAN, nullable)

    def _replaced(self, node: Node) -> Expression:
        """A function that Spark implements by other expressions: those are its child."""
        written = node.arguments_besides_children()
        name = functions.REPLACED.get(node.kind)
        replacement = node.children[0]
        if name is None or not _still_valid(written, replacement):
            if name is not None and replacement.kind == "TryEval":
                # `try_f(x)` is implemented as an attempt of `f(x)`, which has the up-to-date arguments.
                written = replacement.children[0].children
            else:
                return self.read(replacement)
        arguments = self.all(written)
        deterministic = node.kind not in functions.NON_DETERMINISTIC
        return ir.Call(name, arguments, node.type(), node.nullable(), deterministic)


def _still_valid(written: list[Node], replacement: Node) -> bool:
    """Whether the arguments as written are still those of the plan.

    Spark rewrites children only: renumbered columns (a self join), aggregates that became columns, lateral
    aliases and rewritten subqueries appear in the replacement and leave the arguments behind.
    """
    inside = {_identity(n) for n in replacement.walk() if n.kind in _IDENTIFIED}
    for argument in written:
        for node in argument.walk():
            if node.kind.startswith("Unresolved") or node.kind in _OUT_OF_PLACE:
                return False
            if node.kind in _IDENTIFIED and _identity(node) not in inside:
                return False
    return True


_SUBQUERIES = {"ScalarSubquery", "Exists", "ListQuery"}
_IDENTIFIED = {
    "AttributeReference",
    "NamedLambdaVariable",
    "OuterReference",
    "AggregateExpression",
    *_SUBQUERIES,
}
_OUT_OF_PLACE = {"WindowExpression", "LateralColumnAliasReference", "TempResolvedColumn", "UnresolvedAlias"}


def _identity(node: Node) -> tuple[str, int] | tuple[str, int, str]:
    if node.kind == "OuterReference":
        return ("outer", expr_id(node.nested("e")))
    if node.kind == "AggregateExpression":
        return ("aggregate", node.fields["resultId"]["id"])
    if node.kind in _SUBQUERIES:
        return (node.kind, expr_id(node), json.dumps(node.fields["plan"]))
    return (node.kind, expr_id(node))


def expr_id(node: Node) -> int:
    return int(node.fields["exprId"]["id"])


def object_name(node: Node, field: str) -> str:
    """The name of the Scala object in a field: `Ascending`."""
    return str(node.fields[field]["object"]).rsplit(".", 1)[-1].removesuffix("$")


def _type_by_rule(name: str, arguments: tuple[Expression, ...]) -> tuple[DataType, bool] | None:
    """The type of plain arithmetic, which is what its operands have (decimals have rules of their own)."""
    if name in {"+", "-", "*"} and len(arguments) == 2:
        left, right = (argument.type for argument in arguments)
        if left == right and left.name in functions.PLAIN_NUMBERS:
            return left, any(argument.nullable for argument in arguments)
    return None
