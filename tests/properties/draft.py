"""What the parts of the generator share: the state of one drawing, columns, relations and table contents.

Everything is drawn through a `Draft`, so that Hypothesis can replay and shrink a pipeline as a whole. Options
are listed simplest first: shrinking goes to the front.
"""

from __future__ import annotations

import datetime
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, TypeVar

from hypothesis import strategies as st

T = TypeVar("T")
Draw = Callable[[st.SearchStrategy[Any]], Any]

TYPES = ("int", "string", "double", "decimal", "date", "boolean")
ORDERED_NUMBERS = ("int", "decimal")
"""Types whose sums are exact, so that later steps may decide by them."""

NAMES = {"int": "i", "string": "s", "double": "d", "decimal": "m", "date": "t", "boolean": "b"}
SPARK_TYPES = {"decimal": "decimal(6,2)"}

VALUES: dict[str, tuple[Any, ...]] = {
    "int": (None, 0, 1, 2, 3),
    "string": (None, "a", "b", "", "A"),
    "double": (None, 0.0, -0.0, 1.5, math.nan, math.inf),
    "decimal": (None, Decimal("0.00"), Decimal("1.50"), Decimal("-2.25")),
    "date": (None, datetime.date(2024, 1, 31), datetime.date(2024, 2, 29), datetime.date(1969, 12, 31)),
    "boolean": (None, False, True),
}
"""Small domains, NULL first: joins find partners, groups have several rows."""


def literal(value: Any, type_: str) -> str:
    """Spark SQL for a value of one of the generator's types."""
    if value is None:
        return f"CAST(NULL AS {SPARK_TYPES.get(type_, type_)})"
    match type_:
        case "string":
            return f"'{value}'"
        case "double" if not math.isfinite(value):
            return f"double('{'NaN' if math.isnan(value) else 'Infinity'}')"
        case "double":
            return f"{value}D"
        case "decimal":
            return f"{value}BD"
        case "date":
            return f"DATE'{value}'"
    return str(value).lower()


@dataclass(frozen=True)
class Table:
    """A source with its rows; `storage` is one Parquet file or a frame in memory."""

    name: str
    columns: tuple[tuple[str, str], ...]
    rows: tuple[tuple[Any, ...], ...]
    storage: str

    def __str__(self) -> str:
        columns = ", ".join(f"{name} {SPARK_TYPES.get(type_, type_)}" for name, type_ in self.columns)
        lines = "".join(f"\n    {row!r}," for row in self.rows)
        return f"{self.name}({columns}) in {self.storage}:{lines or ' no rows'}"


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
    """One pipeline being drawn."""

    draw: Draw
    tables: tuple[Table, ...]
    features: set[str] = field(default_factory=set)
    ctes: list[tuple[str, Relation]] = field(default_factory=list)
    names: int = 0
    subqueries_left: int = 2
    """Nested subqueries multiply the work; so many per pipeline are enough."""

    def choose(self, options: Sequence[T]) -> T:
        chosen: T = self.draw(st.sampled_from(options))
        return chosen

    def number(self, lowest: int, highest: int) -> int:
        return int(self.draw(st.integers(lowest, highest)))

    def chance(self, one_in: int = 2) -> bool:
        """True for one draw in so many; shrinks to False."""
        return self.number(1, one_in) == one_in

    def some(self, options: Sequence[T], least: int, most: int) -> list[T]:
        """Some different options, in any order."""
        most = min(most, len(options))
        picked: list[T] = []
        left = list(options)
        for _ in range(self.number(min(least, most), most)):
            picked.append(left.pop(self.number(0, len(left) - 1)))
        return picked

    def fresh(self, prefix: str) -> str:
        self.names += 1
        return f"{prefix}{self.names}"


@st.composite
def tables(draw: Draw) -> tuple[Table, ...]:
    """Two to four tiny tables; their column names overlap."""
    return tuple(_table(draw, number) for number in range(draw(st.integers(2, 4))))


def _table(draw: Draw, number: int) -> Table:
    types = ["int", *draw(st.lists(st.sampled_from(TYPES), min_size=1, max_size=3))]
    columns: list[tuple[str, str]] = []
    for type_ in types:
        same = sum(known == type_ for _, known in columns)
        columns.append((f"{NAMES[type_]}{same or ''}", type_))
    row = st.tuples(*(st.sampled_from(VALUES[type_]) for type_ in types))
    empty = draw(st.integers(1, 8)) == 8
    rows = draw(st.lists(row, min_size=2, max_size=6)) if not empty else []
    storage = draw(st.sampled_from(["memory", "parquet"]))
    return Table(f"t{number}", tuple(columns), tuple(rows), storage)
