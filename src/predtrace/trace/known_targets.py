"""What a condition on output rows says of their values, before anybody has looked at the output.

The rows to trace are known as far as the condition fixes their columns: `a = 1 and b = 'x'`, or a few such rows
joined by OR. What it says otherwise (`total > 10`) is not used: a superset may then be larger, never smaller, and a
run is cut down less.

A row equal to the condition's value need not have that very value: -0.0 equals 0.0, and under a collation `A` may
equal `a`. A function can tell them apart, so such a value is not taken for known.
"""

from __future__ import annotations

from dataclasses import dataclass

from predtrace.infer.selections import TARGET, values_by_lookup
from predtrace.ir.constants import constant
from predtrace.ir.expressions import Call, Cast, Column, Expression, Literal
from predtrace.ir.parts import columns_of, conjuncts
from predtrace.operators.pushing import parameters_of, with_values
from predtrace.plan.lineage_plan import LineagePlan
from predtrace.symbolic.sorts import equality_is_identity

_MOST_ROWS = 1000
"""More rows than that are not written out one by one: the condition then fixes nothing."""


@dataclass(frozen=True)
class KnownTargets:
    """The columns whose values are known, and these values row by row: constants."""

    columns: tuple[Column, ...]
    rows: tuple[tuple[Expression, ...], ...]
    is_all: bool
    """Whether the condition says nothing else."""

    def parameters(self, plan: LineagePlan | None = None) -> dict[str, Expression]:
        """The parameters that have one value in the whole trace: those of a single target row and, through the
        lookups of a plan, of the rows that are looked up by them."""
        if len(self.rows) != 1:
            return {}
        found = {f"{TARGET}.{c.id}": value for c, value in zip(self.columns, self.rows[0], strict=True)}
        lookups = ((result.name, result.lookup) for result in plan.results) if plan is not None else ()
        for name, value in values_by_lookup(lookups).items():
            known = with_values(value, found)
            if known is not None and not parameters_of(known) and _is_the_only_one(known):
                found[name] = known
        return found


def known_targets(condition: Expression) -> KnownTargets:
    """What a condition fixes.

    >>> from predtrace.ir.expressions import ColumnId
    >>> from predtrace.ir.types import BOOLEAN, INTEGER
    >>> a, b = (Column(ColumnId(name), name, INTEGER) for name in "ab")
    >>> larger = Call(">", (b, a), BOOLEAN)
    >>> rows = [Call("and", (Call("=", (a, Literal(n, INTEGER)), BOOLEAN), larger), BOOLEAN) for n in (1, 2)]
    >>> found = known_targets(Call("or", tuple(rows), BOOLEAN))
    >>> [str(column.name) for column in found.columns], [v.value for (v,) in found.rows], found.is_all
    (['a'], [1, 2], False)
    """
    rows = [_fixed(branch) for branch in _branches(condition)]
    if len(rows) > _MOST_ROWS:
        return KnownTargets((), ((),), is_all=False)
    shared = [column for column in rows[0].values if all(column in row.values for row in rows)]
    values = tuple(dict.fromkeys(tuple(row.values[column] for column in shared) for row in rows))
    is_all = all(row.is_all and len(row.values) == len(shared) for row in rows)
    return KnownTargets(tuple(shared), values, is_all)


@dataclass
class _Fixed:
    values: dict[Column, Expression]
    is_all: bool


def _branches(condition: Expression) -> list[Expression]:
    match condition:
        case Call(function="or", arguments=(one, other)):
            return [*_branches(one), *_branches(other)]
        case Call(function="in", arguments=(Column() as column, *values)):
            return [Call("=", (column, value), condition.type) for value in values]
    return [condition]


def _fixed(branch: Expression) -> _Fixed:
    found = _Fixed({}, is_all=True)
    for part in conjuncts(branch):
        match part:
            case Call(function="=" | "<=>", arguments=(Column() as column, value)) if _is_constant(value):
                pass
            case Call(function="=" | "<=>", arguments=(value, Column() as column)) if _is_constant(value):
                pass
            case Call(function="isnull", arguments=(Column() as column,)):
                value = Literal(None, column.type)
            case _:
                found.is_all = False
                continue
        value = constant(value) or value
        is_known = value.type == column.type and _is_the_only_one(value)
        if not is_known or column in found.values:
            found.is_all = False
        if is_known:
            found.values.setdefault(column, value)
    return found


def _is_the_only_one(value: Expression) -> bool:
    """Whether what equals a value is that value."""
    if isinstance(value, Literal) and value.value is None and value.text is None:
        return True
    is_number = isinstance(value, Literal) and isinstance(value.value, float) and value.value != 0
    return is_number or equality_is_identity(value.type)


def _is_constant(value: Expression) -> bool:
    return isinstance(value, (Literal, Cast)) and value.is_deterministic() and not columns_of(value)
