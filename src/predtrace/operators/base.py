"""What an operator must say of itself so that predicates can be pushed through it.

For a predicate F over its output, an operator proposes for each input two kinds of predicates, from most to
least selective; None selects every row and stands last where nothing else is sure:

- **lineage** (G): selects the lineage of the output rows with F, and hopefully nothing else;
- **recompute** (R): what must stay of the input so that the output rows with F come out the same.

It does not say that its proposals are right. It says what it *does*, as a symbolic run with lineage straight from
the definition, and how many rows per input show every mistake (`bound`: a witness of the target and an
independent violator). Whether a proposal is right is decided from that (`infer.verify`).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Generic, TypeVar

from predtrace.ir.expressions import Expression
from predtrace.ir.operators import Operator
from predtrace.symbolic.tables import SymbolicTable

Selection = Expression | None
"""A predicate over rows; None selects every row."""

Node = TypeVar("Node", bound=Operator)


@dataclass(frozen=True)
class Candidates:
    """What may be pushed to one input."""

    lineage: tuple[Selection, ...]
    recompute: tuple[Selection, ...]


class OperatorLaws(ABC, Generic[Node]):
    """The laws of one kind of operator."""

    rows_stand_alone: bool = False
    """Whether the output for a table is that of each of its rows, all together."""

    @abstractmethod
    def bound(self, operator: Node) -> tuple[int, ...]:
        """How many rows of each input show every mistake."""

    @abstractmethod
    def run(self, operator: Node, inputs: tuple[SymbolicTable, ...]) -> SymbolicTable:
        """The output for symbolic inputs, each row with its lineage."""

    @abstractmethod
    def candidates(self, operator: Node, selection: Selection) -> tuple[Candidates, ...]:
        """For each input, what to push down for an output predicate."""
