"""A condition in SQL, taken apart by sqlglot and rebuilt as an expression, node by node.

Spark's grammar and sqlglot's are not the same everywhere. Where they could differ (backslashes in strings, `!`), for
every kind of node that is not in the table here, and for every attribute of a node that its reader does not know,
Spark is asked: nothing that the text says is ever left out.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from predtrace.errors import InvalidCondition
from predtrace.frontends.sql.coercion import AskSpark, alike, negated, number
from predtrace.ir.expressions import Call, Column, Expression, Literal, Options
from predtrace.ir.types import BOOLEAN, DATE, STRING, VOID

Lookup = Callable[[str], Column]
Node = Any
"""A node of sqlglot's tree, whose base class has had several names."""

_FORMS = "compare output columns with values, as in: total > 10 and name = 'a'"


def read_text(text: str, lookup: Lookup) -> Expression:
    """The expression of a SQL condition; `lookup` finds the column of a name."""
    tree = _parsed(text)
    if isinstance(tree, exp.Null):
        raise InvalidCondition("the condition is NULL", todo=_FORMS)
    return _Reader(lookup).truth(tree)


def _parsed(text: str) -> Node:
    if "\\" in text:
        raise AskSpark("a condition with a backslash")
    try:
        tokens = sqlglot.tokenize(text, read="spark")
        statements = [statement for statement in sqlglot.parse(text, read="spark") if statement is not None]
    except SqlglotError:
        raise InvalidCondition(f"the condition is no valid SQL: {text}", todo=_FORMS) from None
    if any(token.text == "!" and token.token_type.name != "STRING" for token in tokens):
        raise AskSpark("a condition with !")
    if len(statements) != 1:
        what = f"{len(statements)} statements" if statements else "empty"
        raise InvalidCondition(f"the condition is {what}", todo=_FORMS)
    _refuse_what_is_no_condition(statements[0])
    return statements[0]


def _refuse_what_is_no_condition(tree: Node) -> None:
    if tree.find(exp.Query, exp.Exists):
        raise InvalidCondition("the condition contains a subquery", todo="compare output columns with values")
    if not isinstance(tree, exp.Condition):
        raise InvalidCondition("this is a statement, not a condition", todo=_FORMS)
    for function in tree.find_all(exp.Anonymous, exp.AggFunc):
        raise InvalidCondition(f"the condition calls {function.sql('spark')}", todo=_FORMS)


class _Reader:
    """Reads one condition."""

    def __init__(self, lookup: Lookup) -> None:
        self.lookup = lookup

    def read(self, node: Node) -> Expression:
        attributes, reader = _READERS.get(type(node), ("", None))
        given = {name for name, value in node.args.items() if value not in (None, False, [])}
        if reader is None or not given <= set(attributes.split()):
            raise AskSpark(node.sql("spark"))
        return reader(self, node)

    def truth(self, node: Node) -> Expression:
        """A part that must be true or false."""
        found = self.read(node)
        if found.type == VOID:
            return Literal(None, BOOLEAN)
        if found.type != BOOLEAN:
            raise InvalidCondition(f"{node.sql('spark')} is a {found.type}, not true or false", todo=_FORMS)
        return found

    def alike(self, *nodes: Node) -> tuple[Expression, ...]:
        """Parts that are compared with one another."""
        return alike([self.read(node) for node in nodes])


def _comparison(function: str, is_negated: bool = False) -> Callable[[_Reader, Node], Expression]:
    def read(reader: _Reader, node: Node) -> Expression:
        sides = reader.alike(node.this, node.expression)
        found = Call(function, sides, BOOLEAN, is_nullable=function != "<=>")
        return _not(found) if is_negated else found

    return read


def _connected(function: str) -> Callable[[_Reader, Node], Expression]:
    def read(reader: _Reader, node: Node) -> Expression:
        return Call(function, (reader.truth(node.this), reader.truth(node.expression)), BOOLEAN)

    return read


def _not(condition: Expression) -> Expression:
    return Call("not", (condition,), BOOLEAN, condition.nullable)


def _is(reader: _Reader, node: Node) -> Expression:
    if not isinstance(node.expression, exp.Null):
        raise AskSpark(node.sql("spark"))
    return Call("isnull", (reader.read(node.this),), BOOLEAN, is_nullable=False)


def _in(reader: _Reader, node: Node) -> Expression:
    if not node.expressions:
        raise InvalidCondition("IN without values", todo=_FORMS)
    return Call("in", reader.alike(node.this, *node.expressions), BOOLEAN)


def _between(reader: _Reader, node: Node) -> Expression:
    above = Call(">=", reader.alike(node.this, node.args["low"]), BOOLEAN)
    below = Call("<=", reader.alike(node.this, node.args["high"]), BOOLEAN)
    return Call("and", (above, below), BOOLEAN)


def _like(reader: _Reader, node: Node, options: Options = ()) -> Expression:
    value, pattern = reader.read(node.this), reader.read(node.expression)
    if value.type != STRING or pattern.type != STRING or not isinstance(pattern, Literal):
        raise AskSpark(node.sql("spark"))
    found = Call("like", (value, pattern), BOOLEAN, options=options)
    return _not(found) if node.args.get("negate") else found


def _like_with_escape(reader: _Reader, node: Node) -> Expression:
    like, escape = node.this, reader.read(node.expression)
    known = {"this", "expression", "negate"}
    if type(like) is not exp.Like or not set(like.args) <= known or not isinstance(escape, Literal):
        raise AskSpark(node.sql("spark"))
    return _like(reader, like, (("escape", str(escape.value)),))


def _column(reader: _Reader, node: Node) -> Expression:
    if not isinstance(node.this, exp.Identifier):
        raise AskSpark(node.sql("spark"))
    return reader.lookup(node.name)


def _minus(reader: _Reader, node: Node) -> Expression:
    if not isinstance(node.this, exp.Literal) or node.this.is_string:
        raise AskSpark(node.sql("spark"))
    return negated(number(node.this.name))


def _date(reader: _Reader, node: Node) -> Expression:
    """DATE '2020-01-01', and the cast that means the same."""
    if not isinstance(node.this, exp.Literal) or not node.this.is_string or not node.is_type("date"):
        raise AskSpark(node.sql("spark"))
    return alike([Literal(node.this.name, STRING), Literal(None, DATE)])[0]


_TWO = "this expression"
_READERS: dict[type, tuple[str, Callable[[_Reader, Node], Expression]]] = {
    exp.EQ: (_TWO, _comparison("=")),
    exp.NEQ: (_TWO, _comparison("=", is_negated=True)),
    exp.NullSafeEQ: (_TWO, _comparison("<=>")),
    exp.NullSafeNEQ: (_TWO, _comparison("<=>", is_negated=True)),
    exp.LT: (_TWO, _comparison("<")),
    exp.LTE: (_TWO, _comparison("<=")),
    exp.GT: (_TWO, _comparison(">")),
    exp.GTE: (_TWO, _comparison(">=")),
    exp.And: (_TWO, _connected("and")),
    exp.Or: (_TWO, _connected("or")),
    exp.Not: ("this", lambda reader, node: _not(reader.truth(node.this))),
    exp.Paren: ("this", lambda reader, node: reader.read(node.this)),
    exp.Is: (_TWO, _is),
    exp.In: ("this expressions", _in),
    exp.Between: ("this low high", _between),
    exp.Like: (f"{_TWO} negate", _like),
    exp.Escape: (_TWO, _like_with_escape),
    exp.Column: ("this", _column),
    exp.Literal: (
        "this is_string",
        lambda reader, node: Literal(node.name, STRING) if node.is_string else number(node.name),
    ),
    exp.Neg: ("this", _minus),
    exp.Boolean: ("this", lambda reader, node: Literal(bool(node.this), BOOLEAN)),
    exp.Null: ("", lambda reader, node: Literal(None, VOID)),
    exp.Cast: ("this to _type", _date),
}
"""The kinds of nodes that are read, with the attributes that their readers know."""
