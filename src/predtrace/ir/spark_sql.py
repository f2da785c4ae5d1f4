"""Expressions as Spark SQL text that Spark analyses back to the same expression.

Pure text: no Spark here. Every operand stands in parentheses, so precedence never matters, and literals carry
their type, so arithmetic keeps its result type. Subqueries and outer columns are replaced by the caller
before: an expression alone cannot name what they refer to.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from predtrace.errors import PlanIntegrityError
from predtrace.ir import expressions as ir
from predtrace.ir.literal_sql import literal_sql, string_sql
from predtrace.ir.predicates import InTuples, Parameter
from predtrace.ir.types import BOOLEAN, quoted

Name = Callable[[ir.Column], str]
"""How a column is written: `quoted(column.name)`, or under whatever unique name the caller gave it."""

INFIX = frozenset(
    {"=", "<=>", "<", "<=", ">", ">=", "and", "or", "+", "-", "*", "/", "%", "div", "&", "|", "^", "rlike"}
)
PREFIX = {"not": "NOT", "negative": "-", "positive": "+", "~": "~"}

_FIXED_FRAME = frozenset(
    {"lag", "lead", "row_number", "rank", "dense_rank", "percent_rank", "cume_dist", "ntile"}
)
_WITHIN_GROUP = {"percentile_cont", "percentile_disc"}
_SPELLED = {"max_by_k": "max_by", "min_by_k": "min_by"}
"""Aggregates that SQL writes like others."""


def column_name(column: ir.Column) -> str:
    """The name of a column where rows are named by us: ids are unique in a pipeline, names are not."""
    return f"c{column.id.replace('.', '_')}"


def user_function_name(function: str) -> str:
    """The name under which a user's function is registered in Spark."""
    return f"predtrace_{function}"


def to_sql(expression: ir.Expression, name: Name) -> str:
    """The SQL text of an expression, with columns written by `name`."""
    return _Writer(name).write(expression)


class _Writer:
    def __init__(self, name: Name) -> None:
        self.name = name

    def write(self, expression: ir.Expression) -> str:
        match expression:
            case ir.Column():
                return self.name(expression)
            case ir.Literal():
                return literal_sql(expression)
            case ir.Call():
                return self._call(expression)
            case ir.Cast(child, data_type, attempt):
                return f"{'TRY_CAST' if attempt else 'CAST'}({self.write(child)} AS {data_type.sql()})"
            case ir.Case(branches, default):
                parts = [f"WHEN {self.write(when)} THEN {self.write(then)}" for when, then in branches]
                ending = "" if default is None else f" ELSE {self.write(default)}"
                return f"(CASE {' '.join(parts)}{ending} END)"
            case ir.Lambda(parameters, body):
                names = ", ".join(_variable(parameter) for parameter in parameters)
                return f"{names if len(parameters) == 1 else f'({names})'} -> {self.write(body)}"
            case ir.LambdaVariable():
                return _variable(expression)
            case ir.UserCall(function, _, arguments):
                return f"{user_function_name(function)}({self.all(arguments)})"
            case ir.AggregateCall():
                return self._aggregate(expression)
            case ir.WindowCall():
                return self._window(expression)
            case Parameter(name) | InTuples(set_name=name):
                raise PlanIntegrityError(
                    f"{name} has no value yet, so it cannot be written as SQL",
                    todo="bind parameters and tuple sets before writing SQL",
                )
        raise PlanIntegrityError(
            f"{type(expression).__name__} cannot be written as SQL on its own",
            todo="replace subqueries and outer columns before writing SQL",
        )

    def all(self, expressions: tuple[ir.Expression, ...]) -> str:
        return ", ".join(self.write(expression) for expression in expressions)

    def _call(self, call: ir.Call) -> str:
        arguments = [self.write(argument) for argument in call.arguments]
        special = _SPECIAL.get(call.function)
        if special is not None:
            return special(call, arguments)
        if call.function in INFIX and len(arguments) == 2:
            return f"({arguments[0]} {call.function.upper()} {arguments[1]})"
        if call.function in PREFIX and len(arguments) == 1:
            return f"({PREFIX[call.function]} {arguments[0]})"
        return f"{call.function}({', '.join(arguments)}){_nulls(call.options)}"

    def _aggregate(self, call: ir.AggregateCall) -> str:
        arguments, within = self._ordering(call)
        function = _SPELLED.get(call.function, call.function)
        function = function if call.user_function is None else user_function_name(call.user_function)
        text = f"{function}({'DISTINCT ' if call.distinct else ''}{self.all(arguments)}){within}"
        return text + self._filter(call) + _nulls(call.options)

    def _ordering(self, call: ir.AggregateCall) -> tuple[tuple[ir.Expression, ...], str]:
        """The plain arguments of an aggregate, and the clause that orders its input."""
        options, arguments = dict(call.options), call.arguments
        if options.get("ties") == "lowest":
            return (*arguments, ir.Literal(True, BOOLEAN)), ""
        if "ties" in options:
            return (), f" WITHIN GROUP (ORDER BY {self.write(arguments[0])} DESC)"
        if call.function in _WITHIN_GROUP:
            direction = " DESC" if options.get("descending") else ""
            return arguments[1:], f" WITHIN GROUP (ORDER BY {self.write(arguments[0])}{direction})"
        if "order" not in options:
            return arguments, ""
        directions = options["order"].split(",")
        split = len(arguments) - len(directions)
        keys = zip(arguments[split:], directions, strict=True)
        ordered = ", ".join(f"{self.write(key)} {direction.upper()}" for key, direction in keys)
        return arguments[:split], f" WITHIN GROUP (ORDER BY {ordered})"

    def _filter(self, call: ir.AggregateCall) -> str:
        return "" if call.condition is None else f" FILTER (WHERE {self.write(call.condition)})"

    def _window(self, call: ir.WindowCall) -> str:
        parts = []
        if call.partition:
            parts.append(f"PARTITION BY {self.all(call.partition)}")
        if call.order:
            parts.append(f"ORDER BY {', '.join(self._sort_key(key) for key in call.order)}")
        if getattr(call.function, "function", "") not in _FIXED_FRAME:
            parts.append(self._frame(call.frame))
        return f"{self.write(call.function)} OVER ({' '.join(parts)})"

    def _sort_key(self, key: ir.SortKey) -> str:
        direction = "ASC" if key.ascending else "DESC"
        return f"{self.write(key.expression)} {direction} NULLS {'FIRST' if key.nulls_first else 'LAST'}"

    def _frame(self, frame: ir.Frame) -> str:
        lower, upper = self._bound(frame.lower, "PRECEDING"), self._bound(frame.upper, "FOLLOWING")
        return f"{frame.kind.value.upper()} BETWEEN {lower} AND {upper}"

    def _bound(self, bound: ir.Expression | str, direction: str) -> str:
        if bound == "unbounded":
            return f"UNBOUNDED {direction}"
        if bound == "current":
            return "CURRENT ROW"
        if isinstance(bound, ir.Call) and bound.function == "negative":
            return f"{self.write(bound.arguments[0])} PRECEDING"
        if isinstance(bound, ir.Expression):
            return f"{self.write(bound)} FOLLOWING"  # a negative number of rows following: preceding
        raise PlanIntegrityError(f"a window frame is bound by {bound!r}")


def _variable(variable: ir.LambdaVariable) -> str:
    """A name no other lambda parameter or column has."""
    return "lambda_" + re.sub(r"\W", "_", f"{variable.name}_{variable.id}", flags=re.ASCII)


def _nulls(options: ir.Options) -> str:
    return " IGNORE NULLS" if dict(options).get("ignore_nulls") == "true" else ""


def _like(call: ir.Call, arguments: list[str]) -> str:
    escape = call.option("escape")
    ending = "" if escape is None else f" ESCAPE {string_sql(escape)}"
    return f"({arguments[0]} {call.function.upper()} {arguments[1]}{ending})"


def _like_many(call: ir.Call, arguments: list[str]) -> str:
    return f"({arguments[0]} {call.function.upper().replace('_', ' ')} ({', '.join(arguments[1:])}))"


def _trim(call: ir.Call, arguments: list[str]) -> str:
    if len(arguments) == 1:
        return f"{call.function}({arguments[0]})"
    side = {"trim": "BOTH", "ltrim": "LEADING", "rtrim": "TRAILING"}[call.function]
    return f"TRIM({side} {arguments[1]} FROM {arguments[0]})"


def _with_unit(call: ir.Call, arguments: list[str]) -> str:
    return f"{call.function}({call.option('unit')}, {', '.join(arguments)})"


_SPECIAL: dict[str, Callable[[ir.Call, list[str]], str]] = {
    "isnull": lambda call, a: f"({a[0]} IS NULL)",
    "isnotnull": lambda call, a: f"({a[0]} IS NOT NULL)",
    "in": lambda call, a: f"({a[0]} IN ({', '.join(a[1:])}))",
    "between": lambda call, a: f"({a[0]} BETWEEN {a[1]} AND {a[2]})",
    "like": _like,
    "ilike": _like,
    "getfield": lambda call, a: f"({a[0]}).{quoted(call.option('field') or '')}",
    "getitem": lambda call, a: f"({a[0]})[{a[1]}]",
    "timestampadd": _with_unit,
    "timestampdiff": _with_unit,
    **dict.fromkeys(("trim", "ltrim", "rtrim"), _trim),
    **dict.fromkeys(("like_all", "like_any", "not_like_all", "not_like_any"), _like_many),
}
