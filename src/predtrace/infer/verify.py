"""Which of an operator's proposals hold: decided by proof, never by trust.

For each input the most selective lineage predicate that is proved sound is taken, and told whether it is exact
(`push_down`); and the most selective predicate for recomputing, with those of the other inputs in force (`cut_down`).
Anything but PROVED falls to the next proposal, in the end to the one that selects every row; before that, to what is
sound in the best proposal, conjunct by conjunct. (A function may tell -0.0 from 0.0, and rows that differ in this
alone are equal by definition: what it returns then tells too much, while the other columns may tell all.)
Long conditions are looked into only where a proof needs it (`abstraction`), and where rows stand alone no condition
is (`row_by_row`).

**Existence** is a premise, and it is conditional. A predicate comes with a condition on its parameters, `exists_if`:
where that holds for a target tuple, a row with the predicate is known to be there. None means always; NOTHING that
nothing is known. Below an outer join the condition is that the value of a column that is never NULL (a match flag)
is not NULL: a row was matched, or none was and nothing below is selected. In proofs the premise is
`a row with F exists, or exists_if does not hold`.

Exact implies sound: where the premise fails, there is no row with F, so nothing is in the lineage.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import compress, islice

from predtrace.infer.abstraction import abstract
from predtrace.infer.folding import matched
from predtrace.infer.models import OUTPUT, Model, Models
from predtrace.infer.row_by_row import pushed_row_by_row
from predtrace.infer.verification import Verification, or_none, tells_no_equal_rows_apart
from predtrace.ir.expressions import Call, ColumnId, Expression
from predtrace.ir.operators import Operator, Source
from predtrace.ir.parts import columns_of
from predtrace.ir.types import BOOLEAN
from predtrace.operators import Selection
from predtrace.operators.pushing import NOTHING, all_of, known_values, parts_of, with_values
from predtrace.symbolic.claims import Outcome, Verdict


@dataclass(frozen=True)
class PushedDown:
    """What is pushed to one input. A lineage of None selects every row."""

    lineage: Selection
    exact: Verdict | None
    """Whether `lineage` selects the lineage and nothing else; None where that cannot even be asked."""
    find_existence: Callable[[], Selection] = lambda: NOTHING

    @property
    def is_exact(self) -> bool:
        return self.exact is not None and self.exact.is_proved

    @cached_property
    def exists_if(self) -> Selection:
        """Under which condition on the parameters a row with `lineage` is known to be there: proved when asked."""
        return self.find_existence()

    def with_values(self, values: Mapping[str, Expression]) -> PushedDown:
        """The same of other parameters."""
        lineage = with_values(self.lineage, values)
        return replace(self, lineage=lineage, find_existence=lambda: with_values(self.exists_if, values))


def push_down(
    operator: Operator, selection: Selection, exists_if: Selection = None, models: Models | None = None
) -> tuple[PushedDown, ...]:
    """Push an output predicate F to the inputs of an operator, for lineage."""
    models = models or Models()
    model = models.of(operator)
    if model is None:
        return tuple(PushedDown(None, None) for _ in operator.inputs)
    alone = pushed_row_by_row(operator, selection, models)
    if alone is not None and tells_no_equal_rows_apart(alone):
        simpler = _undecided(alone) if isinstance(operator.inputs[0], Source) else alone
        # If a row with G is there, what reads only columns that G fixes is true for it, so for all that G selects.
        if simpler == alone or exists_if is None:
            return (PushedDown(simpler, Verdict(Outcome.PROVED), lambda: exists_if),)
    short = abstract(selection)
    if short is not None:
        found = _pushed_down(operator, model, short.selection, exists_if)
        if all(part.is_exact for part in found):

            def existence(at: int) -> Selection:
                known = found[at].exists_if
                lineage = short.spelled_out(found[at].lineage)
                return (
                    known
                    if known == exists_if
                    else _existing(operator, model, selection, exists_if, at, lineage)
                )

            return tuple(
                PushedDown(short.spelled_out(part.lineage), part.exact, partial(existence, at))
                for at, part in enumerate(found)
            )
    return _pushed_down(operator, model, selection, exists_if)


def _pushed_down(
    operator: Operator, model: Model, selection: Selection, exists_if: Selection
) -> tuple[PushedDown, ...]:
    proposals = [of_input.lineage for of_input in model.laws.candidates(operator, selection)]
    existence = [_existence(b, g[0], exists_if) for b, g in zip(operator.inputs, proposals, strict=True)]
    asked = [(at, lineage) for at, of_input in enumerate(proposals) for lineage in of_input]
    asked.extend((OUTPUT, condition) for of_input in existence for condition in of_input)
    verification = or_none(lambda: Verification(model, selection, asked))
    if verification is None:
        return tuple(PushedDown(None, None) for _ in operator.inputs)
    pushed = []
    for at, (below, of_input) in enumerate(zip(operator.inputs, proposals, strict=True)):
        pushing = partial(_pushed, at, exists_if, existence[at], isinstance(below, Source))
        by_parts = partial(_by_parts, model, selection, at, of_input[0], existence[at], pushing)
        whole = [partial(pushing, verification, lineage) for lineage in of_input if lineage is not None]
        attempts = (attempt() for attempt in (*whole, by_parts, partial(pushing, verification, None)))
        pushed.append(next((one for one in attempts if one is not None), PushedDown(None, None)))
    return tuple(pushed)


Pushing = Callable[["Verification", Selection], PushedDown | None]


def _pushed(
    at: int,
    exists_if: Selection,
    conditions: Iterable[Selection],
    is_last: bool,
    verification: Verification,
    lineage: Selection,
) -> PushedDown | None:
    """A lineage predicate for the input at a position, if it is sound."""
    exact = verification.exactness(at, lineage, exists_if)
    is_exact = exact is not None and exact.is_proved
    if not is_exact and not verification.is_sound(at, lineage):
        return None
    if is_exact and is_last:
        lineage = _simpler(verification, at, lineage, exists_if)
    return PushedDown(lineage, exact, partial(verification.existence, at, lineage, exists_if, conditions))


def _by_parts(
    model: Model,
    selection: Selection,
    at: int,
    lineage: Selection,
    conditions: Iterable[Selection],
    pushing: Pushing,
) -> PushedDown | None:
    """Those conjuncts of a lineage predicate that are sound each by itself: so are all of them together.

    The ones that match a column with the target's value count as one: rows stay narrow then, and proofs short.
    """
    plain = [part for part in parts_of(lineage) if matched(part) is not None]
    parts = (
        [all_of(plain), *(part for part in parts_of(lineage) if part not in plain)]
        if plain
        else parts_of(lineage)
    )
    if len(parts) < 2:
        return None
    asked = [*((at, part) for part in parts), *((OUTPUT, condition) for condition in conditions)]
    verification = or_none(lambda: Verification(model, selection, asked))
    if verification is None:
        return None
    sound = [part for part in parts if verification.is_sound(at, part)]
    kept = all_of(one for part in sound for one in parts_of(part))
    return pushing(verification, kept) if sound else None


def _simpler(verification: Verification, at: int, lineage: Selection, exists_if: Selection) -> Selection:
    """A lineage predicate without what the values it fixes decide, if it still is exact: it is quicker to run.

    Where a row of a join is traced by its values, say, that they meet the join's condition is no news. Only for what
    a source is asked: an operator further down may need to hear that a value is not NULL.
    """
    rest = _undecided(lineage)
    if rest == lineage:
        return lineage
    exact = verification.exactness(at, rest, exists_if)
    return rest if exact is not None and exact.is_proved else lineage


def _undecided(lineage: Selection) -> Selection:
    """A predicate without the conjuncts that only read columns it fixes to values."""
    fixing: dict[ColumnId, Expression] = {}
    for part in parts_of(lineage):
        for column in known_values(part):
            fixing.setdefault(column, part)
    stays = [
        part in fixing.values() or not {column.id for column in columns_of(part)} <= set(fixing)
        for part in parts_of(lineage)
    ]
    return lineage if all(stays) else all_of(compress(parts_of(lineage), stays))


def _existing(
    operator: Operator, model: Model, selection: Selection, exists_if: Selection, at: int, lineage: Selection
) -> Selection:
    """Under which condition a row is known to be there that a sound lineage predicate selects."""
    conditions = _existence(operator.inputs[at], lineage, exists_if)
    asked = [(at, lineage), *((OUTPUT, condition) for condition in conditions)]
    verification = or_none(lambda: Verification(model, selection, asked))
    return NOTHING if verification is None else verification.existence(at, lineage, exists_if, conditions)


def _existence(operator: Operator, lineage: Selection, exists_if: Selection) -> tuple[Selection, ...]:
    """Conditions under which a row with a lineage predicate may be known to be there, weakest first."""
    if exists_if == NOTHING:
        return ()
    never_null = {column.id for column in operator.output if not column.nullable}
    matched = (value for column, value in known_values(lineage).items() if column in never_null)
    flags = (Call("isnotnull", (value,), BOOLEAN, is_nullable=False) for value in islice(matched, 1))
    return tuple(dict.fromkeys((exists_if, all_of((*parts_of(exists_if), *flags)))))


def cut_down(operator: Operator, selection: Selection, models: Models | None = None) -> tuple[Selection, ...]:
    """Push an output predicate F to the inputs of an operator, for recomputing the rows it selects."""
    models = models or Models()
    model = models.of(operator)
    if model is None:
        return (None,) * len(operator.inputs)
    alone = pushed_row_by_row(operator, selection, models)
    if alone is not None:
        return (alone,)
    short = abstract(selection)
    if short is not None:
        best = _best_cut(*_proposed_cuts(operator, model, short.selection))
        if best is not None:
            return tuple(map(short.spelled_out, best))
    proposals, verification = _proposed_cuts(operator, model, selection)
    return _best_cut(proposals, verification) or _cut_one_by_one(proposals, verification)


Proposals = Sequence[tuple[Selection, ...]]


def _best_cut(proposals: Proposals, verification: Verification | None) -> tuple[Selection, ...] | None:
    """The most selective predicates for all inputs at once, if they are sound together."""
    best = tuple(of_input[0] for of_input in proposals)
    return best if verification is not None and verification.recomputes(best) else None


def _cut_one_by_one(proposals: Proposals, verification: Verification | None) -> tuple[Selection, ...]:
    kept: tuple[Selection, ...] = (None,) * len(proposals)
    if verification is None:
        return kept
    for at, of_input in enumerate(proposals):
        attempts = ((*kept[:at], r, *kept[at + 1 :]) for r in of_input)
        kept = next(filter(verification.recomputes, attempts), kept)
    return kept


def _proposed_cuts(
    operator: Operator, model: Model, selection: Selection
) -> tuple[Proposals, Verification | None]:
    proposals = [of_input.recompute for of_input in model.laws.candidates(operator, selection)]
    asked = [(at, r) for at, of_input in enumerate(proposals) for r in of_input]
    return proposals, or_none(lambda: Verification(model, selection, asked))
