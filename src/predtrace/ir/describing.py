"""Expressions as people write them: SQL-like, few parentheses, plain column names."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, datetime

from predtrace.ir import expressions as ir
from predtrace.ir.predicates import InTuples, Parameter
from predtrace.ir.types import DecimalType

ColumnText = Callable[[ir.Column], str]
SubqueryText = Callable[[ir.Subquery], str]

_BINDING = {"or": 1, "and": 2, "not": 3}
_BINDING.update(dict.fromkeys(("=", "<=>", "<", "<=", ">", ">=", "like", "ilike", "rlike"), 4))
_BINDING.update(dict.fromkeys(("isnull", "isnotnull", "in", "between"), 4))
_BINDING.update({"|": 5, "^": 5, "&": 5, "+": 6, "-": 6, "*": 7, "/": 7, "%": 7, "div": 7, "negative": 8})
_ATOM = 9
_ASSOCIATIVE = {"and", "or", "+", "*"}


def describe(expression: ir.Expression, column: ColumnText | None = None) -> str:
    """The human form of an expression; `column` says how a column is written.

    >>> from predtrace.ir.types import INTEGER, BOOLEAN
    >>> a = ir.Column(ir.ColumnId("1"), "a", INTEGER)
    >>> describe(ir.Call(">", (a, ir.Literal(3, INTEGER)), BOOLEAN))
    'a > 3'
    """
    return Describer(column or (lambda found: found.name)).text(expression)


def describe_sort_key(key: ir.SortKey, describer: Describer) -> str:
    """`price desc`; where NULLs go is said only if it is not the usual place."""
    text = describer.text(key.expression) + ("" if key.ascending else " desc")
    usual = key.nulls_first == key.ascending
    return text if usual else text + f" nulls {'first' if key.nulls_first else 'last'}"


class Describer:
    """Writes the expressions of one operator."""

    def __init__(self, column: ColumnText, subquery: SubqueryText | None = None) -> None:
        self.column = column
        self.subquery = subquery or (lambda query: "subquery")

    def text(self, expression: ir.Expression) -> str:
        return self._bound(expression)[0]

    def all(self, expressions: tuple[ir.Expression, ...]) -> str:
        return ", ".join(self.text(expression) for expression in expressions)

    def _bound(self, expression: ir.Expression) -> tuple[str, int]:
        """The text, and how strongly its outermost operator binds."""
        match expression:
            case ir.Column():
                return self.column(expression), _ATOM
            case ir.OuterColumn(column):
                return f"outer {self.column(column)}", _ATOM
            case ir.Literal():
                return literal_text(expression), _ATOM
            case ir.Call():
                return self._call(expression)
            case ir.Cast(child, data_type, attempt):
                if isinstance(child, ir.Literal) and child.value is not None:
                    return literal_text(child), _ATOM  # `1` says as much as `cast(1 as bigint)`
                return f"{'try_' if attempt else ''}cast({self.text(child)} as {data_type})", _ATOM
            case ir.Case(branches, default):
                whens = [f"when {self.text(when)} then {self.text(then)}" for when, then in branches]
                ending = [] if default is None else [f"else {self.text(default)}"]
                return f"case {' '.join([*whens, *ending])} end", _ATOM
            case ir.Lambda(parameters, body):
                names = ", ".join(parameter.name for parameter in parameters)
                return f"{names if len(parameters) == 1 else f'({names})'} -> {self.text(body)}", 0
            case ir.LambdaVariable():
                return expression.name, _ATOM
            case ir.UserCall(_, name, arguments):
                return f"{name}({self.all(arguments)})", _ATOM
            case ir.AggregateCall():
                return self._aggregate(expression), _ATOM
            case ir.WindowCall():
                return self._window(expression), _ATOM
            case ir.Subquery():
                return self._subquery(expression)
            case Parameter(name):
                return f":{name}", _ATOM
            case InTuples(columns, set_name):
                return f"({self.all(columns)}) in {set_name}", 4
        return f"<{type(expression).__name__}>", _ATOM

    def _inside(self, expression: ir.Expression, binding: int) -> str:
        text, own = self._bound(expression)
        return text if own >= binding else f"({text})"

    def _call(self, call: ir.Call) -> tuple[str, int]:
        name, arguments = call.function, call.arguments
        binding = _BINDING.get(name, _ATOM)
        if name in {"isnull", "isnotnull"}:
            return f"{self._inside(arguments[0], 5)} is {'not ' if name == 'isnotnull' else ''}null", binding
        if name == "not":
            return f"not {self._inside(arguments[0], 4)}", binding
        if name == "negative":
            return f"-{self._inside(arguments[0], _ATOM)}", binding
        if name == "in":
            return f"{self._inside(arguments[0], 5)} in ({self.all(arguments[1:])})", binding
        if name == "between":
            value, low, high = (self._inside(argument, 5) for argument in arguments)
            return f"{value} between {low} and {high}", binding
        if name == "getfield":
            return f"{self._inside(arguments[0], _ATOM)}.{call.option('field')}", _ATOM
        if name == "getitem":
            return f"{self._inside(arguments[0], _ATOM)}[{self.text(arguments[1])}]", _ATOM
        if binding < _ATOM and len(arguments) == 2:
            right = binding if name in _ASSOCIATIVE else binding + 1
            left = binding if name in _ASSOCIATIVE or binding > 4 else binding + 1
            return f"{self._inside(arguments[0], left)} {name} {self._inside(arguments[1], right)}", binding
        nulls = " ignore nulls" if call.option("ignore_nulls") else ""
        return f"{name}({self.all(arguments)}){nulls}", _ATOM

    def _aggregate(self, call: ir.AggregateCall) -> str:
        arguments = self.all(call.arguments)
        if call.function == "count" and call.arguments == (ir.Literal(1, call.arguments[0].type),):
            arguments = "*"
        text = f"{call.function}({'distinct ' if call.distinct else ''}{arguments})"
        if call.condition is not None:
            text += f" filter (where {self.text(call.condition)})"
        return text + (" ignore nulls" if call.option("ignore_nulls") else "")

    def _window(self, call: ir.WindowCall) -> str:
        parts = []
        if call.partition:
            parts.append(f"partition by {self.all(call.partition)}")
        if call.order:
            parts.append("order by " + ", ".join(describe_sort_key(key, self) for key in call.order))
        lower, upper = self._edge(call.frame.lower, "preceding"), self._edge(call.frame.upper, "following")
        if getattr(call.function, "function", "") not in _WITHOUT_FRAME:
            parts.append(f"{call.frame.kind.value} between {lower} and {upper}")
        return f"{self.text(call.function)} over ({' '.join(parts)})"

    def _edge(self, bound: ir.Expression | str, direction: str) -> str:
        if isinstance(bound, str):
            return "current row" if bound == "current" else f"unbounded {direction}"
        text = self.text(bound)
        return f"{text[1:]} preceding" if text.startswith("-") else f"{text} following"

    def _subquery(self, query: ir.Subquery) -> tuple[str, int]:
        text = self.subquery(query)
        if isinstance(query, ir.Exists):
            return f"exists ({text})", _ATOM
        if isinstance(query, ir.InSubquery):
            values = self.all(query.values)
            return f"{values if len(query.values) == 1 else f'({values})'} in ({text})", 4
        return f"({text})", _ATOM


_WITHOUT_FRAME = {"lag", "lead", "row_number", "rank", "dense_rank", "percent_rank", "cume_dist", "ntile"}


def literal_text(literal: ir.Literal) -> str:
    """A constant as people write it, without the marks that only fix its type."""
    value = literal.value
    if literal.text is not None:
        return literal.text
    if value is None:
        return "null"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return "'" + value.replace("'", "''") + "'"
    if isinstance(value, datetime):
        return f"timestamp '{value.isoformat(sep=' ')}'"
    if isinstance(value, date):
        return f"date '{value.isoformat()}'"
    if isinstance(value, (bytes, bytearray)):
        return f"X'{bytes(value).hex().upper()}'"
    return f"{value:f}" if isinstance(literal.data_type, DecimalType) else str(value)
