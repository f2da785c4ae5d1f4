"""Expressions of the model as symbolic values: one `match`.

Logic, comparisons, CASE and the like, conversions that lose nothing, and (`Scope.checked_arithmetic`) sums and
products of integers and decimals mean what they mean in Spark; a small Python function of the user's means what
`symbolic.python` found out. Every other deterministic function is uninterpreted. What is not deterministic, or needs
more than one row, is `NotExpressible`: it is never pushed.

Arithmetic is taken literally only where overflow fails the run (ANSI mode): then a run that gave a result had
none, and unbounded numbers tell the truth. Without ANSI mode integers wrap around, so `+`, `-` and `*` are
uninterpreted unless the caller says that the mode is known.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from predtrace.errors import PlanIntegrityError
from predtrace.ir import expressions as ir
from predtrace.ir.parts import size_of, walk
from predtrace.ir.predicates import InTuples, Parameter
from predtrace.ir.types import BOOLEAN, DataType, DecimalType
from predtrace.symbolic import functions
from predtrace.symbolic.functions import uninterpreted
from predtrace.symbolic.python import unfolded
from predtrace.symbolic.sorts import NOT_A_NUMBER, WHOLE_DIGITS, Family, family
from predtrace.symbolic.terms import (
    TRUE,
    Term,
    arithmetic,
    as_real,
    conjunction,
    disjunction,
    negation,
    real_value,
    same,
)
from predtrace.symbolic.values import (
    NotExpressible,
    SymbolicValue,
    boolean,
    case,
    choose,
    compared,
    contained,
    first_known,
    fresh_value,
    is_true,
    known_value,
    null_safe_equal,
    null_value,
    sql_and,
    sql_not,
    sql_or,
)

Values = Mapping[ir.ColumnId, SymbolicValue]


@dataclass(frozen=True, eq=False)
class TupleSet:
    """A set of key tuples of bounded size: each may be there or not."""

    tuples: tuple[tuple[Term, tuple[SymbolicValue, ...]], ...]


@dataclass(frozen=True, eq=False)
class Scope:
    """What an expression refers to besides the columns of its row.

    A parameter that is not listed is a free value named after it; a tuple set that is not listed is an unknown
    relation. `known` gives values for subqueries.
    """

    parameters: Mapping[str, SymbolicValue] = field(default_factory=dict)
    tuple_sets: Mapping[str, TupleSet] = field(default_factory=dict)
    outer: Values = field(default_factory=dict)
    known: Mapping[ir.Expression, SymbolicValue] = field(default_factory=dict)
    checked_arithmetic: bool = False


EMPTY_SCOPE = Scope()

_SMALL = 60
"""The size of a function's meaning that proofs still look into; beyond, they take long and gain little."""


def evaluate(expression: ir.Expression, columns: Values, scope: Scope = EMPTY_SCOPE) -> SymbolicValue:
    """The value of an expression for one row.

    >>> from predtrace.ir.types import INTEGER
    >>> one, null = ir.Literal(1, INTEGER), ir.Literal(None, INTEGER)
    >>> evaluate(ir.Call("=", (one, null), BOOLEAN), {}).null.value
    True
    """
    return Evaluation(columns, scope).of(expression)


def holds(condition: ir.Expression | None, columns: Values, scope: Scope = EMPTY_SCOPE) -> Term:
    """Whether a condition is true (not NULL) for a row; no condition is always true."""
    return Evaluation(columns, scope).holds(condition)


def parameter_value(parameter: Parameter, scope: Scope = EMPTY_SCOPE) -> SymbolicValue:
    found = scope.parameters.get(parameter.name)
    return fresh_value(f":{parameter.name}", parameter.type) if found is None else found


class Evaluation:
    """Expressions over one row, each part evaluated once however often it stands in them."""

    def __init__(self, columns: Values, scope: Scope = EMPTY_SCOPE) -> None:
        self.columns = columns
        self.scope = scope
        # By identity, with the part itself so that it lives as long: to compare long expressions takes long.
        self._known: dict[int, tuple[ir.Expression, SymbolicValue]] = {}

    def holds(self, condition: ir.Expression | None) -> Term:
        """Whether a condition is true (not NULL); no condition is always true."""
        if condition is None:
            return TRUE
        if isinstance(condition, ir.Call) and condition.function in {"and", "or"}:
            # An AND is true if both sides are; what it is when it is not true does not matter here.
            together = conjunction if condition.function == "and" else disjunction
            return together(*map(self.holds, condition.arguments))
        return is_true(self.of(condition))

    def of(self, expression: ir.Expression) -> SymbolicValue:
        known = self._known.get(id(expression))
        if known is None:
            known = self._known[id(expression)] = expression, self._evaluated(expression)
        return known[1]

    def _evaluated(self, expression: ir.Expression) -> SymbolicValue:
        match expression:
            case ir.Column():
                return _found(self.columns, expression)
            case ir.OuterColumn(column):
                if column.id not in self.scope.outer:
                    raise NotExpressible(f"the value of {column} of the row around")
                return self.scope.outer[column.id]
            case ir.Literal(value, data_type, text):
                return known_value(value, data_type, text)
            case Parameter():
                return parameter_value(expression, self.scope)
            case InTuples():
                return self._in_tuples(expression)
            case ir.Call():
                return self._call(expression)
            case ir.Cast():
                return self._cast(expression)
            case ir.Case(branches, default):
                ending = null_value(expression.type) if default is None else self.of(default)
                return case(tuple((self.of(when), self.of(then)) for when, then in branches), ending)
            case ir.UserCall():
                _require_determinism(expression)
                return self._user_call(expression)
            case ir.Subquery() if expression in self.scope.known:
                return self.scope.known[expression]
        raise NotExpressible(
            f"{type(expression).__name__} has no value for one row alone",
            todo="leave the predicate above the operator",
        )

    def all(self, expressions: tuple[ir.Expression, ...]) -> tuple[SymbolicValue, ...]:
        return tuple(self.of(expression) for expression in expressions)

    def _in_tuples(self, membership: InTuples) -> SymbolicValue:
        values = self.all(membership.columns)
        known = self.scope.tuple_sets.get(membership.set_name)
        if known is None:
            # Blind: -0.0 finds the key 0.0.
            return boolean(uninterpreted(f"in {membership.set_name}", values, BOOLEAN, blind=True).term)
        found = []
        for exists, keys in known.tuples:
            found.append(conjunction(exists, *map(null_safe_equal, values, keys)))
        return boolean(disjunction(*found))

    def _call(self, call: ir.Call) -> SymbolicValue:
        _require_determinism(call)
        if any(isinstance(argument, ir.Lambda) for argument in call.arguments):
            return self._with_lambda(call)
        arguments = self.all(call.arguments)
        meaning = _meaning(call, arguments, self.scope.checked_arithmetic)
        return _unknown_call(call, arguments) if meaning is None else meaning

    def _user_call(self, call: ir.UserCall) -> SymbolicValue:
        """What the user's function returns, where that is known and soon said; else a function nobody looks into.

        Whether it is looked into depends on the function alone, not on how its arguments are written: they are
        evaluated first. So a call is the same before and after a column is replaced by what computes it.
        """
        arguments = self.all(call.arguments)
        stand_ins = tuple(
            ir.Column(ir.ColumnId(f"argument {at}"), f"argument {at}", value.type)
            for at, value in enumerate(arguments)
        )
        body = unfolded(replace(call, arguments=stand_ins))
        if body is not None and size_of(body) <= _SMALL:
            values = {column.id: value for column, value in zip(stand_ins, arguments, strict=True)}
            try:
                return Evaluation(values, self.scope).of(body)
            except NotExpressible:
                pass
        return uninterpreted(f"user function {call.function}", arguments, call.type)

    def _with_lambda(self, call: ir.Call) -> SymbolicValue:
        """A higher-order function is a function of what stands in it and reads none of its lambdas' variables.

        Each such part counts by its value, however it is written.
        """
        parts: list[ir.Expression] = []

        def shape(node: ir.Expression) -> ir.Expression:
            if not any(isinstance(part, (ir.Lambda, ir.LambdaVariable)) for part in walk(node)):
                parts.append(node)
                return Parameter(f"{len(parts)}", node.type)
            if isinstance(node, (InTuples, ir.Subquery, ir.AggregateCall, ir.WindowCall)):
                raise NotExpressible(f"{type(node).__name__} stands in a lambda")
            _require_determinism(node)
            return node.rebuilt(tuple(map(shape, node.children())))

        return uninterpreted(repr(shape(call)), self.all(tuple(parts)), call.type)

    def _cast(self, cast: ir.Cast) -> SymbolicValue:
        child = self.of(cast.child)
        term = _kept_by_cast(child, cast.type)
        if term is not None:
            return SymbolicValue(cast.type, term, child.null, child.minus)
        if child.type.name == "void":
            return null_value(cast.type)
        never_fails = cast.type.name == "string"
        return uninterpreted(
            "try_cast" if cast.attempt else "cast",
            (child,),
            cast.type,
            null_if_any=True,
            null_only_if_any=never_fails,
            blind=family(cast.type) in {Family.WHOLE, Family.DECIMAL, Family.FLOATING},
        )


def _found(columns: Values, column: ir.Column) -> SymbolicValue:
    if column.id not in columns:
        raise PlanIntegrityError(f"a predicate reads {column}, which the row does not have")
    return columns[column.id]


def _require_determinism(expression: ir.Expression) -> None:
    if isinstance(expression, (ir.Call, ir.UserCall)) and not expression.deterministic:
        raise NotExpressible(
            f"{expression.function} may give another value when it is evaluated again",
            todo="leave the predicate above the operator",
        )


def _unknown_call(call: ir.Call, arguments: tuple[SymbolicValue, ...]) -> SymbolicValue:
    options = "".join(f" {name}={value}" for name, value in call.options)
    return uninterpreted(
        call.function + options,
        arguments,
        call.type,
        null_if_any=call.function in functions.NULL_IF_ANY_IS,
        # A flag set before columns were exchanged may be out of date; with no NULL among the arguments it is not.
        null_only_if_any=call.function in functions.NULL_ONLY_IF_ANY_IS or not call.is_nullable,
        blind=call.function in functions.BLIND_TO_SIGN_OF_ZERO or functions.BLIND in call.options,
    )


def _meaning(call: ir.Call, arguments: tuple[SymbolicValue, ...], checked: bool) -> SymbolicValue | None:
    """What a function that is known here returns."""
    match call.function, arguments:
        case "and", _:
            return sql_and(*arguments)
        case "or", _:
            return sql_or(*arguments)
        case "not", (value,):
            return sql_not(value)
        case ("=" | "<=>" | "<" | "<=" | ">" | ">=") as operator, (left, right):
            return compared(operator, left, right)
        case "equal_null", (left, right):
            return compared("<=>", left, right)
        case "isnull", (value,):
            return boolean(value.null)
        case "isnotnull", (value,):
            return boolean(negation(value.null))
        case "isnan", (value,) if family(value.type) is Family.FLOATING:
            return boolean(_is_nan(value))
        case "nanvl", (value, other) if family(value.type) is Family.FLOATING:
            return choose(_is_nan(value), other, value)
        case "in", (value, *choices) if choices:
            return contained(value, tuple(choices))
        case "between", (value, low, high):
            return sql_and(compared(">=", value, low), compared("<=", value, high))
        case "if", (condition, then, otherwise):
            return choose(is_true(condition), then, otherwise)
        case (("coalesce" | "nvl" | "ifnull"), (_, *_)):
            return first_known(*arguments)
        case "nvl2", (tested, then, otherwise):
            return choose(tested.null, otherwise, then)
        case "nullif", (value, other):
            return choose(is_true(compared("=", value, other)), null_value(value.type), value)
        case ("+" | "-" | "*") as operator, (left, right) if checked:
            return _arithmetic(operator, left, right, call.type)
        case "negative", (value,) if checked and family(value.type) in {Family.WHOLE, Family.DECIMAL}:
            return _arithmetic("-", known_value(0, value.type), value, call.type)
    return None


def _is_nan(value: SymbolicValue) -> Term:
    return conjunction(negation(value.null), same(value.term, real_value(NOT_A_NUMBER)))


def _arithmetic(
    operator: str, left: SymbolicValue, right: SymbolicValue, type_: DataType
) -> SymbolicValue | None:
    """Exact where the result cannot be rounded; too large a result would have failed the run."""
    whole = family(left.type) is family(right.type) is family(type_) is Family.WHOLE
    exact = isinstance(left.type, DecimalType) and isinstance(right.type, DecimalType)
    if exact and isinstance(type_, DecimalType):
        scales = left.type.scale, right.type.scale  # type: ignore[attr-defined]
        exact = type_.scale >= (sum(scales) if operator == "*" else max(scales))
    else:
        exact = False
    if not whole and not exact:
        return None
    return SymbolicValue(
        type_, arithmetic(operator, left.term, right.term), disjunction(left.null, right.null)
    )


def _kept_by_cast(value: SymbolicValue, target: DataType) -> Term | None:
    """The term of the converted value, if the conversion changes no value in any mode."""
    source = value.type
    if source == target and family(source) is not Family.OPAQUE:
        return value.term
    if isinstance(target, DecimalType):
        room = target.precision - target.scale
        if source.name in WHOLE_DIGITS and room >= WHOLE_DIGITS[source.name]:
            return as_real(value.term)
        if isinstance(source, DecimalType):
            kept = room >= source.precision - source.scale and target.scale >= source.scale
            return value.term if kept else None
    if source.name in WHOLE_DIGITS and target.name in WHOLE_DIGITS:
        return value.term if WHOLE_DIGITS[source.name] <= WHOLE_DIGITS[target.name] else None
    if target.name == "double" and source.name in {"byte", "short", "integer"}:
        return as_real(value.term)
    return value.term if (source.name, target.name) == ("float", "double") else None
