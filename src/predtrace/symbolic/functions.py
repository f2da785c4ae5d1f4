"""Functions nobody looks into: the same function of the same values gives the same value, and no more is known.

That is sound for every deterministic function: what holds whatever the function returns holds for what it does
return. The function's name, options and types are its identity.
"""

from __future__ import annotations

from predtrace.ir.expressions import Call, Case, Cast, Expression
from predtrace.ir.types import DataType
from predtrace.symbolic.sorts import Family, equality_is_identity, family, sort_of
from predtrace.symbolic.terms import (
    BOOL,
    FALSE,
    Term,
    apply,
    conjunction,
    disjunction,
    negation,
    real_value,
    same,
)
from predtrace.symbolic.values import SymbolicValue

NULL_IF_ANY_IS = frozenset(
    {"+", "-", "*", "/", "%", "div", "negative", "positive", "abs", "substring", "trim"}
) | {
    *("like", "ilike", "rlike", "upper", "lower", "length", "concat", "startswith", "endswith", "contains"),
    *("year", "month", "dayofmonth", "quarter", "datediff", "date_add", "date_sub", "add_months", "replace"),
    *("ceil", "floor", "sqrt", "round", "left", "right", "repeat", "reverse", "ltrim", "rtrim", "last_day"),
}
"""NULL whenever an argument is."""

NULL_ONLY_IF_ANY_IS = NULL_IF_ANY_IS - {
    "+",
    "-",
    "*",
    "/",
    "%",
    "div",
    "negative",
    "abs",
    "ceil",
    "floor",
    "round",
}
"""Not NULL otherwise, in either mode. Arithmetic is not among them: without ANSI mode it returns NULL on
overflow of decimals and on division by zero."""

BLIND_TO_SIGN_OF_ZERO = frozenset(
    {
        "+",
        "-",
        "*",
        "/",
        "%",
        "negative",
        "positive",
        "abs",
        "sqrt",
        "ceil",
        "floor",
        "rint",
        "round",
        "bround",
    }
) | {
    *("greatest", "least", "signum", "exp", "expm1", "ln", "log", "log2", "log10", "log1p", "cbrt", "hypot"),
    *("sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "radians", "degrees"),
    *("python +", "python -", "python *", "python /", "python //", "python %", "python **", "python neg"),
    *("python abs", "python round", "python int", "python float", "python math.floor", "python math.ceil"),
    *("python math.trunc", "python math.sqrt", "python math.exp", "python math.fabs"),
}
"""Functions whose results compare equal for arguments that compare equal: -0.0 and 0.0 may be exchanged."""

BLIND = ("sign of zero", "does not matter")
"""The option of a function that is none of Spark's but is as blind as those."""

_HANDED_ON = frozenset(
    {"=", "<=>", "equal_null", "<", "<=", ">", ">=", "in", "between", "and", "or", "not"}
) | {
    *("isnull", "isnotnull", "isnan", "nanvl", "coalesce", "nvl", "ifnull", "nvl2", "nullif", "if"),
}
"""What compares values, or chooses among them."""

_ZERO = real_value(0)


def is_blind(expression: Expression) -> bool:
    """Whether values that compare equal for a row give values that compare equal: no -0.0 is told from 0.0.

    So it is if each step is: of arguments that compare equal it makes values that do.

    >>> from predtrace.ir.expressions import Cast, Column, ColumnId, Literal
    >>> from predtrace.ir.types import BOOLEAN, DOUBLE, STRING
    >>> x = Column(ColumnId("1"), "x", DOUBLE)
    >>> is_blind(Call("<", (Call("abs", (x,), DOUBLE), x), BOOLEAN))
    True
    >>> is_blind(Cast(x, STRING))
    False
    """
    found = expression.findings
    if "blind" not in found:
        found["blind"] = _has_blind_steps(expression)
    return bool(found["blind"])


def _has_blind_steps(expression: Expression) -> bool:
    children = expression.children()
    return all(map(is_blind, children)) and (
        all(equality_is_identity(child.type) for child in children) or _is_blind_step(expression)
    )


def _is_blind_step(expression: Expression) -> bool:
    if isinstance(expression, Call):
        known = expression.function in BLIND_TO_SIGN_OF_ZERO or expression.function in _HANDED_ON
        return known or BLIND in expression.options
    if isinstance(expression, Cast):
        return family(expression.type) in {Family.WHOLE, Family.DECIMAL, Family.FLOATING}
    return isinstance(expression, Case)


def uninterpreted(
    identity: str,
    arguments: tuple[SymbolicValue, ...],
    type_: DataType,
    *,
    null_if_any: bool = False,
    null_only_if_any: bool = False,
    blind: bool = False,
) -> SymbolicValue:
    """An unknown function of the arguments, NULLs among them.

    `null_if_any`: NULL whenever an argument is. `null_only_if_any`: not NULL unless an argument is. `blind`:
    arguments that differ in the sign of zero alone give results that compare equal.
    """
    name = f"{identity}({', '.join(a.type.sql() for a in arguments)}) -> {type_.sql()}"
    terms, signs, nulls = [], [], []
    for argument in arguments:
        term, minus = argument.masked()
        terms.append(term)
        nulls.append(argument.null)
        if family(argument.type) is Family.FLOATING:
            signs.append(minus)
    everything = (*terms, *nulls, *signs)
    value = apply(name, (*terms, *nulls) if blind else everything, sort_of(type_))
    minus = FALSE
    if family(type_) is Family.FLOATING:
        minus = conjunction(apply(f"{name} is -0.0", everything, BOOL), same(value, _ZERO))
    null = _null(
        f"{name} is NULL", (*terms, *nulls) if blind else everything, nulls, null_if_any, null_only_if_any
    )
    return SymbolicValue(type_, value, null, minus)


def _null(name: str, arguments: tuple[Term, ...], nulls: list[Term], if_any: bool, only_if_any: bool) -> Term:
    any_null = disjunction(*nulls)
    if if_any and only_if_any:
        return any_null
    unknown = apply(name, arguments, BOOL)
    if if_any:
        return disjunction(any_null, conjunction(negation(any_null), unknown))
    return conjunction(any_null, unknown) if only_if_any else unknown
