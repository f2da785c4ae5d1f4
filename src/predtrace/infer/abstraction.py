"""Long conditions as functions nobody looks into: what a proof need not know, it need not read.

A predicate that came down a long pipeline is long, and most steps do not care what it says of columns they only
carry along or compute anew. So what it says of the same columns is put together as one unknown function of them (and
of the parameters it mentions), and the laws of an operator push that:

    F:  upper(trim(name)) <=> :name and length(trim(name)) > 3      is      f(name, :name)
    G:  below a projection that computes `name` from `first`        is      f(concat(first, ' '), :name)

Whatever is proved of F and G then holds for every f, so for the one that `spelled_out` puts in its place. What is
not proved so may yet hold by what the condition says: it is asked again as it is written. A condition that fixes a
column to a value stays as it is: laws read it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass

from predtrace.ir.expressions import Call, Column, Expression
from predtrace.ir.parts import columns_of, is_of_one_row, leaves_of, size_of, transform
from predtrace.ir.predicates import Parameter
from predtrace.ir.types import BOOLEAN
from predtrace.operators import Selection
from predtrace.operators.pushing import all_of, each_once, known_values, parts_of, substituted
from predtrace.symbolic.functions import BLIND, is_blind

_LONG = 24
"""As many nodes are soon read."""


Meanings = Mapping[str, tuple[tuple[Column, ...], Expression]]
"""By the name of an unknown function: the columns that it is a function of, and what it is."""


@dataclass(frozen=True)
class Abstract:
    """A predicate in which long conditions are unknown functions, and what these are."""

    selection: Selection
    meanings: Meanings

    def spelled_out(self, selection: Selection) -> Selection:
        """What was made of the predicate, with the conditions in the place of their functions."""
        return spelled_out(selection, self.meanings)


def spelled_out(selection: Selection, meanings: Meanings) -> Selection:
    """A predicate with the meanings of functions in their place."""
    if selection is None:
        return None

    def change(part: Expression) -> Expression:
        meaning = meanings.get(part.function) if isinstance(part, Call) else None
        if meaning is None:
            return part
        columns, condition = meaning
        # The parameters that follow the columns are as they were: laws replace columns only.
        return substituted(condition, {c.id: a for c, a in zip(columns, part.children(), strict=False)})

    return each_once(transform(selection, change))


def abstract(selection: Selection) -> Abstract | None:
    """A predicate without its long conditions; None if it has none."""
    about: dict[frozenset[Column], list[Expression]] = defaultdict(list)
    for part in parts_of(selection):
        if not known_values(part) and part.is_deterministic() and is_of_one_row(part):
            about[columns_of(part)].append(part)
    long = {
        columns: parts for columns, parts in about.items() if columns and sum(map(size_of, parts)) > _LONG
    }
    if not long:
        return None
    meanings: dict[str, tuple[tuple[Column, ...], Expression]] = {}
    said = {id(part) for parts in long.values() for part in parts}
    kept = [part for part in parts_of(selection) if id(part) not in said]
    for columns, parts in long.items():
        name = f"condition {len(meanings) + 1}"
        ordered = tuple(sorted(columns, key=lambda column: column.id))
        condition = all_of(parts)
        assert condition is not None
        meanings[name] = ordered, condition
        parameters = (leaf for leaf in leaves_of(condition) if isinstance(leaf, Parameter))
        arguments = (*ordered, *sorted(parameters, key=lambda parameter: parameter.name))
        options = (BLIND,) if is_blind(condition) else ()
        kept.append(Call(name, arguments, BOOLEAN, options=options))
    return Abstract(all_of(kept), meanings)
