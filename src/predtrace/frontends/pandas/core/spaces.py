"""Rows that frames and series share, and values for each of them.

A `Space` is a Spark frame and columns worked out from it, row by row or by windows. Its rows never change: what has
other rows (a filter, a group, a join) is another space. Names of columns are unique in the whole process, so a name
says which column of which step it is, and frames joined to each other never clash.

A `Value` is an expression over the names of a space: one value for each row. Frames and series are values in a space
with labels, an index and an order; so `df["a"] + df["b"]` is an expression, not a join, and only what the result
needs gets into Spark's plan.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any

from pyspark.sql import Column
from pyspark.sql import DataFrame as Rows
from pyspark.sql import functions as F

from predtrace.frontends.pandas.core.dtypes import Dtype
from predtrace.frontends.pandas.core.steps import users_line
from predtrace.frontends.places import remember_place
from predtrace.frontends.spark.origins import mark

_numbers = itertools.count(1)


def fresh(label: object) -> str:
    """A name that no other column has, with the label in it for people to read."""
    words = re.sub(r"\W+", "_", str(label)).strip("_")[:40]
    name = f"{words or 'column'}_{next(_numbers)}"
    remember_place(name, users_line())
    return name


@dataclass(frozen=True)
class Key:
    """One of the columns that rows are in order by. Missing values come last, as in pandas.

    `is_place`: it numbers rows, and is missing in none.
    """

    name: str
    ascending: bool = True
    missing_last: bool = True
    is_place: bool = field(default=False, compare=False)

    def column(self, backwards: bool = False) -> Column:
        """For `orderBy`."""
        last = self.missing_last != backwards
        column = F.col(self.name)
        if self.ascending != backwards:
            return column.asc_nulls_last() if last else column.asc_nulls_first()
        return column.desc_nulls_last() if last else column.desc_nulls_first()


Order = tuple[Key, ...]
"""All keys together tell any two rows apart, as far as pandas defines their order."""


def where_rows_may_lack(order: Order) -> Order:
    """An order in which some rows have no place, as they are not of the table that it is from."""
    return tuple(replace(key, is_place=False) for key in order)


@dataclass(frozen=True)
class Made:
    """A column that is worked out from others of its space."""

    column: Column
    uses: frozenset[str]
    layer: int
    is_window: bool
    is_bound: bool
    line: str

    @property
    def is_tied(self) -> bool:
        """Whether this cannot be worked out for other rows than those it was made for."""
        return self.is_window or self.is_bound


class Space:
    """Rows, and what was worked out for each of them.

    `beside`: frames of one row and one column, which is joined to every row where it is asked for. (A subquery would
    not do in a function's arguments: Spark fails where rows are filtered by what the function returns.)

    `kept_of`: the space whose rows these are, or those that meet a condition, with more columns: a value of a row
    there is a value of the row here. `numbered`: the same rows with their numbers in an order, and the name of these.
    """

    def __init__(self, base: Rows, kept_of: tuple[Space, Value | None] | None = None) -> None:
        self.base = base
        self.made: dict[str, Made] = {}
        self.beside: dict[str, Rows] = {}
        self.kept_of = kept_of
        self.numbered: dict[Order, tuple[Space, str]] = {}
        self._named = frozenset(base.columns)
        mark(base, users_line())

    def has(self, name: str) -> bool:
        """Whether there is a column of this name."""
        return name in self._named or name in self.made or name in self.beside

    def value(self, name: str, dtype: Dtype) -> Value:
        """The value of a named column."""
        return Value(self, F.col(name), frozenset({name}), dtype, is_name=True)

    def value_beside(self, name: str, rows: Rows, dtype: Dtype) -> Value:
        """The value of a frame of one row and one column, beside every row."""
        if not self.has(name):
            self.beside[name] = rows.toDF(name)
        return self.value(name, dtype)

    def settled(self, value: Value, label: object) -> Value:
        """The same value under a name of its own, so that it is worked out once however often it is used."""
        if value.is_name:
            return value
        name = fresh(label)
        layer = 1 + max((self.made[used].layer for used in value.uses if used in self.made), default=0)
        made = Made(value.column, value.uses, layer, value.is_window, value.is_bound, users_line())
        self.made[name] = made
        return Value(self, F.col(name), frozenset({name}), value.dtype, is_name=True)

    def rows(self, names: Iterable[str]) -> Rows:
        """The rows with at least these columns: those of the base, and of the others only what is needed."""
        asked, needed = set(names), set[str]()
        left = [name for name in asked if name in self.made or name in self.beside]
        while left:
            name = left.pop()
            if name not in needed:
                needed.add(name)
                uses = self.made[name].uses if name in self.made else ()
                left += [used for used in uses if used in self.made or used in self.beside]
        found = self.base
        beside = [name for name in self.beside if name in needed]
        for name in beside:
            found = found.crossJoin(self.beside[name])
        layered = sorted(
            (self.made[name].layer, place, name) for place, name in enumerate(self.made) if name in needed
        )
        for _, together in itertools.groupby(layered, key=lambda one: one[0]):
            found = found.withColumns({name: self.made[name].column for _, _, name in together})
        return found.drop(*(name for name in beside if name not in asked))

    def kept(self, condition: Value, names: Iterable[str]) -> Space:
        """The rows for which a condition is true, with these columns and all of the base."""
        wanted = list(dict.fromkeys([*self.base.columns, *names]))
        if condition.is_tied:
            condition = self.settled(condition, "kept")
        rows = self.rows([*wanted, *condition.uses]).where(condition.column).select(*wanted)
        return Space(rows, kept_of=(self, condition))

    def adopted(self, value: Value) -> Value | None:
        """A value of the space whose rows were filtered to get these, as a value of this space; None if it is none.

        What is tied to its rows there is no value here, unless it was there when the rows were filtered.
        """
        if value.space is self:
            return value
        if self.kept_of is None:
            return None
        above = self.kept_of[0].adopted(value)
        if above is None or above.is_tied or not all(self._adopt(name) for name in above.uses):
            return None
        return replace(above, space=self)

    def is_all_of(self, other: Space) -> bool:
        """Whether these are all rows of the other space, with more columns."""
        if self is other:
            return True
        return self.kept_of is not None and self.kept_of[1] is None and self.kept_of[0].is_all_of(other)

    def _adopt(self, name: str) -> bool:
        if self.has(name):
            return True
        assert self.kept_of is not None
        above, condition = self.kept_of
        if name in above.beside:
            self.beside[name] = above.beside[name]
            return True
        made = above.made.get(name)
        if made is None or (made.is_tied and condition is not None):
            return False
        if not all(self._adopt(used) for used in made.uses):
            return False
        layer = 1 + max((self.made[used].layer for used in made.uses if used in self.made), default=0)
        self.made[name] = replace(made, layer=layer)
        return True


@dataclass(frozen=True, eq=False)
class Value:
    """A value for each row of a space.

    `is_window`: other windows and groups can use it only when it is settled. `is_bound`: it comes from a function of
    the user's, which is called for these rows alone: for others it might raise, or return something else the next
    time. `weight`: the size of the expression. `constant`: what it is in every row, if the program says so.
    `is_scalar`: it is the same in every row, because Spark works it out from many.
    """

    space: Space
    column: Column
    uses: frozenset[str]
    dtype: Dtype
    is_window: bool = False
    is_bound: bool = False
    is_name: bool = False
    weight: int = 1
    constant: Any = None
    is_scalar: bool = False

    def with_column(self, column: Column, dtype: Dtype, *others: Value) -> Value:
        """A value worked out from this one and others of the same space."""
        uses = self.uses.union(*(other.uses for other in others))
        is_window = self.is_window or any(other.is_window for other in others)
        is_bound = self.is_bound or any(other.is_bound for other in others)
        weight = 1 + self.weight + sum(other.weight for other in others)
        return Value(self.space, column, uses, dtype, is_window, is_bound, weight=weight)

    @property
    def is_tied(self) -> bool:
        """Whether this cannot be worked out for other rows than those of its space."""
        return self.is_window or self.is_bound

    def __eq__(self, other: object) -> bool:
        """Whether both are the same column. (Columns of Spark make expressions of `==`.)"""
        if not isinstance(other, Value) or not (self.is_name and other.is_name):
            return self is other
        return self.space is other.space and self.uses == other.uses

    def __hash__(self) -> int:
        return hash(self.uses)

    @property
    def name(self) -> str:
        """The name of a settled value."""
        assert self.is_name
        (name,) = self.uses
        return name
