"""The laws of push-down as claims about one symbolic run of an operator.

For an output predicate F and the input k:

- `lineage_sound`: `F(o) and r in lineage_k(o)  =>  G(r)`;
- `lineage_exact`: if the target exists, `G(r)  <=>  some output row o has F(o) and r in lineage_k(o)`;
- `recompute_sound`: `F(Op(R(T))) = F(Op(T))`, rows counted, with no premise.

They hold for all tables up to the size of the run's inputs. That size is the operator's to argue: a witness of
the target and an independent violator must fit, or a counterexample hides.

A predicate is true for a row or it is not: NULL is not. Input rows that are equal share their lineage
(`tables.merged_with_equals`). Equal output rows need no merging here, since F sees their values only.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from operator import itemgetter

from predtrace.ir.expressions import Column, Expression
from predtrace.ir.parts import columns_of, conjuncts, leaves_of
from predtrace.ir.predicates import Parameter
from predtrace.symbolic.claims import Claim, Note
from predtrace.symbolic.expressions import EMPTY_SCOPE, Scope, TupleSet, parameter_value
from predtrace.symbolic.tables import (
    RowEquality,
    SymbolicRow,
    SymbolicTable,
    filtered,
    merged_with_equals,
    same_bag,
    same_in_place,
    same_row,
)
from predtrace.symbolic.terms import (
    Term,
    conjunction,
    differences,
    disjunction,
    implication,
    negation,
    same,
)
from predtrace.symbolic.values import SymbolicValue, null_safe_equal

Operator = Callable[[tuple[SymbolicTable, ...]], SymbolicTable]
"""A symbolic run: input tables to the output table, with lineage."""


@dataclass(frozen=True, eq=False)
class Run:
    """An operator's inputs and the output it made of them."""

    inputs: tuple[SymbolicTable, ...]
    output: SymbolicTable


def target_exists(run: Run, selection: Expression | None, scope: Scope = EMPTY_SCOPE) -> Term:
    """The premise of exactness for one target tuple, whose values are the parameters of `selection`."""
    return disjunction(*run.output.selected(selection, scope))


def tuples_exist(output: SymbolicTable, columns: Sequence[Column], targets: TupleSet) -> Term:
    """The premise of exactness for a set of target tuples: each one is there, not just one of them."""
    parts = []
    for present, keys in targets.tuples:
        found = []
        for row in output.rows:
            values = (output.value(row, column) for column in columns)
            found.append(conjunction(row.exists, *map(null_safe_equal, values, keys)))
        parts.append(implication(present, disjunction(*found)))
    return conjunction(*parts)


def traced(
    run: Run,
    position: int,
    selection: Expression | None,
    scope: Scope = EMPTY_SCOPE,
    equal: RowEquality = same_row,
) -> tuple[Term, ...]:
    """For each row of an input: whether it is in the lineage of an output row that is selected."""
    table, selected = run.inputs[position], run.output.selected(selection, scope)
    chosen = list(zip(selected, (row.lineage[position] for row in run.output.rows), strict=True))
    direct = [
        disjunction(*(conjunction(condition, lineage[index]) for condition, lineage in chosen))
        for index in range(len(table.rows))
    ]
    return merged_with_equals(table, direct, _either_way(equal))


def _either_way(equal: RowEquality) -> RowEquality:
    """An equality that is the same term whichever row comes first: half as much to prove."""
    known: dict[frozenset[int], Term] = {}

    def compared(one: SymbolicRow, other: SymbolicRow) -> Term:
        pair = frozenset((id(one), id(other)))
        if pair not in known:
            known[pair] = equal(one, other)
        return known[pair]

    return compared


def lineage_sound(
    run: Run,
    position: int,
    selection: Expression | None,
    lineage: Expression | None,
    scope: Scope = EMPTY_SCOPE,
    equal: RowEquality = same_row,
) -> Claim:
    """No row of the lineage is missed by `lineage`, the predicate G for the input at `position`."""
    table = run.inputs[position]
    wanted, given = traced(run, position, selection, scope, equal), table.selected(lineage, scope)
    return Claim(
        conjunction(*map(implication, wanted, given)),
        tables=run.inputs,
        parameters=shown_parameters((selection, lineage), scope),
        notes=_missed(table, wanted, given),
    )


def lineage_exact(
    run: Run,
    position: int,
    selection: Expression | None,
    lineage: Expression | None,
    scope: Scope = EMPTY_SCOPE,
    premise: Term | None = None,
    equal: RowEquality = same_row,
) -> Claim:
    """G selects the lineage and nothing else.

    The premise is that the target exists. Pass TRUE where nothing is known (a union's branch, below the
    null-supplying side of an outer join), or `tuples_exist` for a set of targets.
    """
    table = run.inputs[position]
    wanted, given = traced(run, position, selection, scope, equal), table.selected(lineage, scope)
    premise = target_exists(run, selection, scope) if premise is None else premise
    return Claim(
        conjunction(*map(same, wanted, given)),
        premises=(premise,),
        tables=run.inputs,
        parameters=shown_parameters((selection, lineage), scope),
        notes=(*_missed(table, wanted, given), *_needless(table, wanted, given)),
    )


def recompute_sound(
    operator: Operator,
    inputs: tuple[SymbolicTable, ...],
    selection: Expression | None,
    recompute: Sequence[Expression | None],
    scope: Scope = EMPTY_SCOPE,
    in_place: bool = False,
) -> Claim:
    """The selected rows come out the same when each input is cut down by its predicate R.

    `in_place` asks for more (each row at the same place), which is cheaper to decide where it holds.
    """
    cut = tuple(filtered(table, r, scope) for table, r in zip(inputs, recompute, strict=True))
    whole, again = (filtered(operator(tables), selection, scope) for tables in (inputs, cut))
    return Claim(
        (same_in_place if in_place else same_bag)(whole, again),
        tables=inputs,
        parameters=shown_parameters((selection, *recompute), scope),
    )


def recompute_sound_by_parts(
    operator: Operator,
    inputs: tuple[SymbolicTable, ...],
    selection: Expression | None,
    recompute: Sequence[Expression | None],
    scope: Scope = EMPTY_SCOPE,
) -> Claim:
    """More than `recompute_sound`, and soon decided: the rows that might be selected are made of the same parts.

    A row might be selected if it meets what F says of values that no cutting down changes: a group's keys, columns
    that are carried along. What else it is made of (who belongs to its group) is the same then, and so is, without
    looking into it, whatever is computed of that: its other values, and what F says of these.
    """
    cut = tuple(filtered(table, r, scope) for table, r in zip(inputs, recompute, strict=True))
    whole, again = operator(inputs), operator(cut)
    pairs = list(zip(whole.rows, again.rows, strict=True))
    unchanged = {
        column.id
        for at, column in enumerate(whole.columns)
        if not any(_differences(one.values[at], other.values[at]) for one, other in pairs)
    }
    parts = [] if selection is None else conjuncts(selection)
    might_be = [part for part in parts if {column.id for column in columns_of(part)} <= unchanged]
    same_parts = []
    for one, other in pairs:
        says = conjunction(*(whole.holds(one, part, scope) for part in might_be))
        was, is_again = (conjunction(row.exists, says) for row in (one, other))
        same_parts.append(same(was, is_again))
        found = (each for pair in zip(one.values, other.values, strict=True) for each in _differences(*pair))
        same_parts.extend(implication(was, same(*pair)) for pair in found)
    return Claim(conjunction(*same_parts), tables=inputs)


def _differences(one: SymbolicValue, other: SymbolicValue) -> list[tuple[Term, Term]]:
    pairs = ((one.term, other.term), (one.null, other.null), (one.minus, other.minus))
    return [found for pair in pairs for found in differences(*pair)]


def implied(
    table: SymbolicTable, narrow: Expression | None, wide: Expression | None, scope: Scope = EMPTY_SCOPE
) -> Claim:
    """Every row that one predicate selects, the other selects too (G => R)."""
    return Claim(
        conjunction(*map(implication, table.selected(narrow, scope), table.selected(wide, scope))),
        tables=(table,),
        parameters=shown_parameters((narrow, wide), scope),
    )


def shown_parameters(
    predicates: Sequence[Expression | None], scope: Scope = EMPTY_SCOPE
) -> tuple[tuple[str, SymbolicValue], ...]:
    """The parameters of predicates, for a counterexample to show."""
    found: dict[str, SymbolicValue] = {}
    for predicate in predicates:
        for node in leaves_of(predicate) if predicate is not None else ():
            if isinstance(node, Parameter):
                found.setdefault(node.name, parameter_value(node, scope))
    return tuple(sorted(found.items(), key=itemgetter(0)))


def _missed(table: SymbolicTable, wanted: Sequence[Term], given: Sequence[Term]) -> tuple[Note, ...]:
    return tuple(
        Note(conjunction(w, negation(g)), table, at, "is in the lineage of a target row and is missed")
        for at, (w, g) in enumerate(zip(wanted, given, strict=True))
    )


def _needless(table: SymbolicTable, wanted: Sequence[Term], given: Sequence[Term]) -> tuple[Note, ...]:
    return tuple(
        Note(
            conjunction(g, negation(w)),
            table,
            at,
            "is selected although it is in the lineage of no target row",
        )
        for at, (w, g) in enumerate(zip(wanted, given, strict=True))
    )
