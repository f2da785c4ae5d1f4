"""Algorithm 3 of the paper: a small superset of the lineage from predicates and semi joins on single sources.

Each source reference i starts with the rows S_i that plain push-down selects. Then a row of i stays only if, for
another reference j, some row of S_j can stand beside it in a derivation of the target: S_i becomes S_i semi joined
with S_j on a predicate p_ij over both. This goes on until no set shrinks. Inferred here, once per pipeline, are the
predicates p_ij. At each operator with several inputs:

    SemiJoin    o_orderkey = l_orderkey     (`sideways`: each relevant order has such a relevant line)
     ├─ orders  o_orderkey = :lineitem.l_orderkey         (`pushed_below`)
     └─ lineitem   its row determines l_orderkey here     (`upward`, from the source)

All three steps are proved, so no row of the lineage is ever lost: by induction, each relevant row at an operator has
in S_j a tuple with p_ij.

Two things go beyond that.

- **Exclusion.** No relevant row of an anti join's outer side has a match. Where the inner side is a source under
  filters alone, it is known in full, and matches are cut: an anti join between two sources.
- **Evaluation.** What an aggregate over a source returns, no row of it tells. A deterministic operator that computes
  such a column is evaluated where a condition on the column could not be pushed on, or where it is all that one side
  of a join does to a single source. Its rows are one more set: it narrows others and is narrowed by them, and its
  rows select those of its sources. A scalar subquery's value is the one-row case. `evaluate` says how many source
  references an evaluated operator may read: by default two, for a count over a join tells more than both of its
  sides; with 1 no join is run, with 0 nothing is evaluated.

A set holds tuples, of which equal ones are kept once. So predicates that tell equal values apart are left out.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import permutations

from predtrace.infer.algorithm_1 import infer
from predtrace.infer.cutting import cut_for
from predtrace.infer.keys import has_parameter
from predtrace.infer.models import Models
from predtrace.infer.push_up import apart, compares_only, premise, pushed_below, sideways, upward
from predtrace.infer.selections import EXACT, Cut, SourceSelection, Step, row_selection
from predtrace.infer.tuple_sets import Known, over_tuples, told_by_tuples, tuple_parameters
from predtrace.ir.determinism import differing_columns, unstable_steps
from predtrace.ir.expressions import Call, Column, ColumnId, Expression, Literal
from predtrace.ir.operators import Operator, Source, walk_everything, walk_operators
from predtrace.ir.parts import columns_of
from predtrace.ir.types import BOOLEAN, is_comparable
from predtrace.operators import Selection
from predtrace.operators.push_up import positions, source_below
from predtrace.operators.pushing import NOTHING, all_of, parts_of, substituted

_TRUE = Literal(True, BOOLEAN)


@dataclass(frozen=True)
class Narrowing:
    """A row stays only if the predicate holds for some tuple of the set `by`; or, `excluding`, for none."""

    by: str
    predicate: Expression
    excluding: bool = False


@dataclass(eq=False)
class TupleSet:
    """The rows of a source reference, or of an evaluated operator, that may be behind the target.

    `outside` are the rows of a source under filters, in nobody's lineage, that only exclude others. `why_not_exact`
    is empty where plain push-down selects the lineage alone, if all of the target is known: then there is nothing to
    narrow. `cut` says what must stay of the inputs to evaluate an operator.
    """

    name: str
    operator: Operator
    selection: Selection
    outside: bool = False
    why_not_exact: str = ""
    cut: Cut | None = None
    narrowings: list[Narrowing] = field(default_factory=list)


def refine(operator: Operator, evaluate: int = 2) -> tuple[TupleSet, ...]:
    """Infer the sets of a pipeline and how they narrow each other, from the sources up."""
    unstable = differing_columns(operator) | positions(operator)
    inferred = infer(operator, without=unstable, keep_nothing=True)
    search = _Search(inferred.sources, unstable, evaluate)
    search.visit(_placed(iter(inferred.steps)), beside=False)
    return tuple(search.sets)


@dataclass(frozen=True, eq=False)
class _Place:
    """An operator and the predicate that push-down brought there; whether it was pushed on exactly."""

    operator: Operator
    selection: Selection
    inputs: tuple[_Place, ...]
    exact: bool


def _placed(steps: Iterator[Step]) -> _Place:
    """The steps, which come depth first, as a tree."""
    step = next(steps)
    inputs = tuple(_placed(steps) for _ in step.operator.inputs)
    return _Place(step.operator, step.selection, inputs, all(v == EXACT for v in step.verdicts))


class _Search:
    def __init__(
        self, sources: Iterable[SourceSelection], unstable: frozenset[ColumnId], evaluate: int
    ) -> None:
        self.sets: list[TupleSet] = []
        self._exactness: dict[tuple[Column, ...], str] = {}
        for source in sources:
            # Copies with the same columns are exact if all of them are.
            known = self._exactness.get(source.columns, "")
            self._exactness[source.columns] = known or source.why_not_exact
        self._at: dict[_Place, TupleSet] = {}
        self._unstable, self._evaluate = unstable, evaluate
        self._models = Models()

    def visit(self, place: _Place, beside: bool) -> Known:
        """Find what an operator and all below it tell of each other. `beside`: whether a join is above."""
        operator, known = place.operator, premise(place.selection)
        if isinstance(operator, Source):
            return self._source(place, operator)
        several = len(place.inputs) > 1
        below = [self.visit(each, beside or several) for each in place.inputs]
        if place.selection == NOTHING:
            return {}
        for of, by in permutations(range(len(place.inputs)), 2):
            self._tie(place, of, by, below[by])
            self._exclude(place, of, by)
        found: Known = {}
        for at, sets in enumerate(below):
            shown = upward(operator, at, known, self._models) if sets else {}
            for name, over in sets.items():
                found[name] = over_tuples(shown, over)
        if self._is_asked_for(place, found, beside) and self._can_be_evaluated(operator, self._evaluate):
            self._evaluated(place, found)
        return found

    def _source(self, place: _Place, source: Source) -> Known:
        if source.reference is None:
            return {}
        own = self._new("source", place)
        own.why_not_exact = self._exactness[source.columns]
        if place.selection == NOTHING:
            return {}
        return {own.name: tuple_parameters(own.name, self._usable(source))}

    def _tie(self, place: _Place, of: int, by: int, sets: Known) -> None:
        """Narrow the sets below one input by those below another."""
        ties = sideways(place.operator, of, by, premise(place.selection), self._models) if sets else None
        for name, over in sets.items():
            parts = (told_by_tuples(part, over) for part in parts_of(ties))
            self._narrow(place.inputs[of], all_of(p for p in parts if p is not None), Narrowing(name, _TRUE))

    def _exclude(self, place: _Place, of: int, by: int) -> None:
        """Narrow the sets below one input by a source that they must not match."""
        found = source_below(place.inputs[by].operator)
        if place.inputs[by].selection != NOTHING or found is None or found[0].reference is None:
            return
        source, condition, columns = found
        matched = apart(place.operator, of, by, premise(place.selection), self._models)
        if matched is None:
            return
        name = f"outside_{len(self.sets)}"
        over = {c: substituted(e, tuple_parameters(name, source.columns)) for c, e in columns.items()}
        told = told_by_tuples(matched, over)
        if told is not None:
            before = len(self._narrowings())
            self._narrow(place.inputs[of], _never(told), Narrowing(name, _TRUE, excluding=True))
            if len(self._narrowings()) > before:
                self.sets.append(TupleSet(name, source, condition, outside=True))

    def _narrowings(self) -> list[Narrowing]:
        return [narrowing for each in self.sets for narrowing in each.narrowings]

    def _narrow(self, place: _Place, predicate: Selection, like: Narrowing) -> None:
        """Push a predicate over a set's tuples down to all sets."""
        predicate = all_of(part for part in parts_of(predicate) if has_parameter(part))
        if predicate is None or place.selection == NOTHING:
            return
        own = self._at.get(place)
        parts = [_excluded(part) if like.excluding else part for part in parts_of(predicate)]
        usable = [p for p in parts if p is not None and self._is_usable(p)] if own is not None else []
        if own is not None and own.name != like.by:
            for group in [[p] for p in usable] if like.excluding else [usable] if usable else []:
                own.narrowings.append(Narrowing(like.by, all_of(group) or _TRUE, like.excluding))
        if place.inputs:
            pushed = pushed_below(place.operator, predicate, self._models)
            for below, part in zip(place.inputs, pushed, strict=True):
                self._narrow(below, part, like)

    def _is_asked_for(self, place: _Place, found: Known, beside: bool) -> bool:
        """Whether it matters what an operator computes that no row below it tells."""
        told = {column for over in found.values() for column in over}
        untold = {column.id for column in self._usable(place.operator)} - told
        lost = not place.exact and any(
            column.id in untold for part in parts_of(place.selection) for column in columns_of(part)
        )
        return lost or (beside and bool(untold) and self._can_be_evaluated(place.operator, 1))

    def _can_be_evaluated(self, operator: Operator, most: int) -> bool:
        """Whether to run an operator again gives the same rows, and reads no more references than it may."""
        everything = list(walk_everything(operator))
        sources = [each.reference is not None for each in everything if isinstance(each, Source)]
        return (
            operator.plan_node is not None
            and len(everything) == len(list(walk_operators(operator)))
            and all(sources)
            and len(sources) <= most
            and all(isinstance(e, Source) or self._models.of(e) is not None for e in everything)
            and operator.evaluates_deterministically()
            and not operator.outer_columns()
            and not unstable_steps(operator, is_output=False)
        )

    def _evaluated(self, place: _Place, found: Known) -> None:
        own = self._new("evaluated", place)
        own.cut = cut_for(place.operator, own.selection, self._models)
        for name, over in found.items():
            parts = (
                Call("<=>", (column, over[column.id]), BOOLEAN, is_nullable=False)
                for column in self._usable(place.operator)
                if column.id in over
            )
            usable = all_of(part for part in parts if self._is_usable(part))
            if usable is not None:
                own.narrowings.append(Narrowing(name, usable))
        rows = row_selection(self._usable(place.operator), own.name)
        self._narrow(place, rows, Narrowing(own.name, _TRUE))
        found[own.name] = tuple_parameters(own.name, self._usable(place.operator))

    def _new(self, kind: str, place: _Place) -> TupleSet:
        stable = (
            part
            for part in parts_of(place.selection)
            if not any(column.id in self._unstable for column in columns_of(part))
        )
        own = TupleSet(f"{kind}_{len(self.sets)}", place.operator, all_of(stable))
        self.sets.append(own)
        self._at[place] = own
        return own

    def _usable(self, operator: Operator) -> tuple[Column, ...]:
        """The columns that have the same values in every run and can be compared."""
        return tuple(c for c in operator.output if c.id not in self._unstable and is_comparable(c.type))

    def _is_usable(self, part: Expression) -> bool:
        columns = columns_of(part)
        return all(is_comparable(c.type) and c.id not in self._unstable for c in columns) and compares_only(
            part
        )


def _never(condition: Expression) -> Expression:
    """That a condition is not true."""
    return Call("not", (Call("<=>", (condition, _TRUE), BOOLEAN, is_nullable=False),), BOOLEAN)


def _excluded(part: Expression) -> Expression | None:
    """The condition that a part says is not true."""
    match part:
        case Call(
            function="not", arguments=(Call(function="<=>", arguments=(condition, Literal(value=True))),)
        ):
            return condition
    return None
