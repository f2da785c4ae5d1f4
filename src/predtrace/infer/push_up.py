"""Push-up: which of an operator's proposals about the rows behind its output hold, decided by proof.

A relevant row is one that a traced row was derived from, at whatever operator. Going up from a source row r that is
relevant, `upward` says what r tells of the relevant rows of the next operator; across the inputs of an operator,
`sideways` says which rows of the others must be there because r is, and `apart` which must not be there at all.

The premise of all three is what is known of every relevant output row whatever is traced: the conditions of the
pipeline that push-down brought there. Below `where x = y`, say, an outer join is an inner one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from predtrace.infer.keys import has_parameter
from predtrace.infer.models import Models
from predtrace.infer.verification import Verification
from predtrace.ir.expressions import ColumnId, Expression
from predtrace.ir.operators import Operator
from predtrace.ir.parts import columns_of, walk
from predtrace.ir.predicates import Parameter
from predtrace.operators import Selection
from predtrace.operators.push_up import between, meeting, shown_by
from predtrace.operators.pushing import all_of, parts_of
from predtrace.symbolic.claims import Claim
from predtrace.symbolic.expressions import Scope, holds
from predtrace.symbolic.laws import Run
from predtrace.symbolic.refinement_laws import accompanied, determined, dispensable, unmatched
from predtrace.symbolic.solver import prove
from predtrace.symbolic.sorts import equality_is_identity
from predtrace.symbolic.terms import same
from predtrace.symbolic.values import NotExpressible, fresh_value, null_safe_equal

T = TypeVar("T")


def premise(selection: Selection) -> Selection:
    """What a predicate says whatever is traced."""
    return all_of(part for part in parts_of(selection) if not has_parameter(part))


def upward(operator: Operator, at: int, known: Selection, models: Models) -> dict[ColumnId, Expression]:
    """The output columns that one row behind each relevant output row determines, and how."""
    run = _run(operator, models)
    if run is None:
        return {}
    proposed = shown_by(operator, at)

    def hold(columns: Sequence[ColumnId]) -> bool:
        return _is_proved(lambda: determined(run, at, known, {c: proposed[c] for c in columns}))

    return {column: proposed[column] for column in _most(list(proposed), hold)}


def sideways(operator: Operator, of: int, by: int, known: Selection, models: Models) -> Selection:
    """What ties each relevant row of one input to some relevant row of another; None if nothing does.

    Besides the operator's own condition, those from above may tie them: `where l.x < r.y` over a join.
    """
    run = _run(operator, models)
    if run is None:
        return None

    def hold(parts: Sequence[Expression]) -> bool:
        return _is_proved(lambda: accompanied(run, of, by, known, all_of(parts)))

    return all_of(_most(_ties(operator, of, by, known), hold))


def needed_beside(operator: Operator, of: int, by: int, selection: Selection, models: Models) -> Selection:
    """What ties each row of one input that matters for the selected output rows to some row of another.

    None if nothing does. To recompute these rows, the others of the input are not needed.
    """
    model = models.of(operator)
    if model is None:
        return None
    run = Run(model.inputs, model.output)

    def hold(parts: Sequence[Expression]) -> bool:
        tie = all_of(parts)
        return any(
            _is_proved(lambda: dispensable(model.run, run, of, by, selection, tie, in_place))  # noqa: B023
            for in_place in (True, False)
        )

    ties = _ties(operator, of, by, premise(selection))
    return all_of(_most(ties, hold)) if ties else None


def _ties(operator: Operator, of: int, by: int, known: Selection) -> list[Expression]:
    """The conditions between rows of two inputs: the operator's own, and those that are known from above."""
    own, others = operator.inputs[of].output, operator.inputs[by].output
    above = (between(part, own, others) for part in parts_of(known))
    proposed = [*parts_of(meeting(operator, of, by)), *(part for part in above if part is not None)]
    return [part for part in dict.fromkeys(proposed) if has_parameter(part) and columns_of(part)]


def apart(operator: Operator, of: int, by: int, known: Selection, models: Models) -> Selection:
    """What no relevant row of one input fulfils with any row of another; None if nothing is proved."""
    run, condition = _run(operator, models), meeting(operator, of, by)
    if run is None or condition is None:
        return None
    return condition if _is_proved(lambda: unmatched(run, of, by, known, condition)) else None


def pushed_below(operator: Operator, selection: Selection, models: Models) -> tuple[Selection, ...]:
    """What a predicate on relevant output rows says of the relevant rows of each input: sound, exact or not."""
    model = models.of(operator)
    nothing: tuple[Selection, ...] = (None,) * len(operator.inputs)
    if model is None or selection is None:
        return nothing
    proposals = [of_input.lineage for of_input in model.laws.candidates(operator, selection)]
    asked = [(at, lineage) for at, of_input in enumerate(proposals) for lineage in of_input]
    try:
        verification = Verification(model, selection, asked)
    except NotExpressible:
        return nothing
    return tuple(
        next((g for g in of_input if g is None or verification.is_sound(at, g)), None)
        for at, of_input in enumerate(proposals)
    )


def compares_only(part: Expression) -> bool:
    """Whether a predicate cannot tell values apart that are equal, such as -0.0 and 0.0.

    Sets of tuples hold only one of them.
    """
    parameters = {node.name: node.type for node in walk(part) if isinstance(node, Parameter)}
    columns = {column.id: column.type for column in columns_of(part)}
    if all(map(equality_is_identity, (*parameters.values(), *columns.values()))):
        return True
    of_rows = [{c: fresh_value(f"{c} {which}", t) for c, t in columns.items()} for which in (1, 2)]
    of_tuples = [{p: fresh_value(f":{p} {which}", t) for p, t in parameters.items()} for which in (1, 2)]
    equal = [null_safe_equal(of_rows[0][c], of_rows[1][c]) for c in columns]
    equal += [null_safe_equal(of_tuples[0][p], of_tuples[1][p]) for p in parameters]

    def claim() -> Claim:
        both = zip(of_rows, of_tuples, strict=True)
        results = (holds(part, row, Scope(parameters=values)) for row, values in both)
        return Claim(same(*results), tuple(equal))

    return _is_proved(claim)


def _most(items: list[T], hold: Callable[[Sequence[T]], bool]) -> list[T]:
    """As many of the items as hold together: all of them, else each that holds with those before it."""
    if hold(items):
        return items
    kept: list[T] = []
    if not items or not hold(kept):
        return kept
    for item in items:
        if hold([*kept, item]):
            kept.append(item)
    return kept


def _run(operator: Operator, models: Models) -> Run | None:
    model = models.of(operator)
    return None if model is None else Run(model.inputs, model.output)


def _is_proved(claim: Callable[[], Claim]) -> bool:
    try:
        return prove(claim()).is_proved
    except NotExpressible:
        return False
