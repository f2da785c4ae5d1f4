"""What the parts of the generator share: the state of one drawing, columns and relations.

Everything is drawn through a `Draft`, and a `Draft` draws through one Hypothesis random generator: so a pipeline
is replayed and shrunk as a whole, and each choice is drawn evenly (drawn one strategy at a time, Hypothesis would
copy parts of one pipeline into the next, and most would look alike). Options are listed simplest first:
shrinking goes to the front.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import TypeVar

from tests.properties.tables import Table

T = TypeVar("T")


@dataclass(frozen=True)
class Column:
    """A column that an expression may read: how it is spelled there, and its type."""

    text: str
    type: str


@dataclass(frozen=True)
class Relation:
    """Something to stand in FROM: SQL text and its columns, whose names all differ."""

    sql: str
    columns: tuple[Column, ...]

    def of(self, alias: str) -> tuple[Column, ...]:
        """The columns as they are spelled beside others."""
        return tuple(Column(f"{alias}.{column.text}", column.type) for column in self.columns)


@dataclass
class Draft:
    """One pipeline being drawn. `query` draws a query of at most so many blocks."""

    random: Random
    tables: tuple[Table, ...]
    query: Callable[[Draft, int], Relation]
    allowed: frozenset[str] | None = None
    """The features to draw from; None for all."""
    features: set[str] = field(default_factory=set)
    """What was drawn, such as `LEFT JOIN` or `aggregate`."""
    ctes: list[tuple[str, Relation]] = field(default_factory=list)
    names: int = 0
    subqueries_left: int = 2
    """Nested subqueries multiply the work; so many per pipeline are enough."""
    conditions_left: int = 1
    """Many conditions in a row let nothing through."""

    def choose(self, options: Sequence[T]) -> T:
        return options[self.number(0, len(options) - 1)]

    def number(self, lowest: int, highest: int) -> int:
        return self.random.randint(lowest, highest)

    def chance(self, one_in: int = 2) -> bool:
        """True for one draw in so many; shrinks to False."""
        return self.number(1, one_in) == one_in

    def weighted(self, weights: Mapping[T, int]) -> T:
        return self.choose([option for option, weight in weights.items() for _ in range(weight)])

    def may(self, feature: str) -> bool:
        return self.allowed is None or feature in self.allowed

    def feature(self, weights: Mapping[str, int]) -> str:
        """One of several features, by weight."""
        chosen = self.weighted({name: weight for name, weight in weights.items() if self.may(name)})
        self.features.add(chosen)
        return chosen

    def option(self, feature: str, one_in: int) -> bool:
        """Whether to use a feature: in one draw of so many."""
        if not self.may(feature) or not self.chance(one_in):
            return False
        self.features.add(feature)
        return True

    def some(self, options: Sequence[T], least: int, most: int) -> list[T]:
        """Some different options, in any order."""
        most = min(most, len(options))
        left = list(options)
        return [left.pop(self.number(0, len(left) - 1)) for _ in range(self.number(min(least, most), most))]

    def fresh(self, prefix: str) -> str:
        self.names += 1
        return f"{prefix}{self.names}"

    def item(self, budget: int) -> tuple[str, tuple[Column, ...]]:
        """A FROM item of at most so many blocks under an alias, and its columns."""
        relation, alias = self.query(self, budget), self.fresh("q")
        text = relation.sql if relation.sql.isidentifier() else f"({relation.sql})"
        return f"{text} AS {alias}", relation.of(alias)
