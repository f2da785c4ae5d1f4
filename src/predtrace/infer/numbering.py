"""What parameters and needed results are called: `needed_1` and so on, from the output down.

While solutions are searched, a result goes by a name of its own, the same in every attempt: what is pushed down from
it is worked out once. When the best solution is found, its results are numbered in the order of their lookups.

What an operator makes of a predicate does not depend on what its parameters are called: `unnamed` numbers them, so
that it is worked out once for rows that are looked up here and for those that are looked up there.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import replace

from predtrace.infer.selections import NeededResult, SourceSelection, Step
from predtrace.ir.expressions import Expression
from predtrace.ir.operators import Operator, walk_operators
from predtrace.ir.parts import transform
from predtrace.ir.predicates import Parameter
from predtrace.operators import Selection


class Names:
    """A name for the rows of each operator; where one stands in several places, for each way to look them up."""

    def __init__(self, output: Operator) -> None:
        self._repeated = _in_several_places(output)
        self._known: dict[tuple[int, Selection, str], str] = {}

    def of(self, operator: Operator, lookup: Selection, given: str) -> str:
        is_one = id(operator) not in self._repeated
        key = (id(operator), None, "") if is_one else (id(operator), lookup, given)
        return self._known.setdefault(key, f"result_{len(self._known) + 1}")


def _in_several_places(output: Operator) -> set[int]:
    """The operators that more than one path leads to."""
    operators = list(walk_operators(output))
    parents = Counter(
        id(below) for one in {id(one): one for one in operators}.values() for below in one.inputs
    )
    shared = (one for one in operators if parents[id(one)] > 1)
    return {id(each) for one in shared for each in walk_operators(one)}


def unnamed(*selections: Selection) -> tuple[tuple[Selection, ...], dict[str, Expression]]:
    """Predicates with their parameters numbered as they occur, and what each number stands for.

    >>> from predtrace.ir.types import INTEGER
    >>> (without,), known = unnamed(Parameter("target.12", INTEGER))
    >>> without.name, known["1"].name
    ('1', 'target.12')
    """
    numbers: dict[Parameter, Parameter] = {}

    def change(part: Expression) -> Expression:
        if not isinstance(part, Parameter):
            return part
        return numbers.setdefault(part, replace(part, name=str(len(numbers) + 1)))

    without = tuple(None if selection is None else transform(selection, change) for selection in selections)
    return without, {number.name: parameter for parameter, number in numbers.items()}


class Numbers:
    """The names that the results of a solution have in the end; one that is needed twice has one of them."""

    def __init__(self, needed: Iterable[NeededResult]) -> None:
        self._results = {need.name: need for need in needed}
        self._names: Mapping[str, str] = {n: f"needed_{at}" for at, n in enumerate(self._results, start=1)}

    def needed(self) -> tuple[NeededResult, ...]:
        return tuple(
            replace(n, name=self._name(n.name), lookup=self._in(n.lookup), given=self._name(n.given))
            for n in self._results.values()
        )

    def source(self, source: SourceSelection) -> SourceSelection:
        return replace(source, predicate=self._in(source.predicate), given=self._name(source.given))

    def step(self, step: Step) -> Step:
        return replace(
            step,
            selection=self._in(step.selection),
            given=self._name(step.given),
            needed=self._name(step.needed),
        )

    def _name(self, name: str) -> str:
        return self._names.get(name, name)

    def _in(self, selection: Selection) -> Selection:
        return None if selection is None else transform(selection, self._renamed)

    def _renamed(self, part: Expression) -> Expression:
        if not isinstance(part, Parameter):
            return part
        relation, column = part.name.split(".", 1)
        return replace(part, name=f"{self._name(relation)}.{column}")
