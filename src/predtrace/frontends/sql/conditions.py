"""The rows a user wants traced, as a condition over known output columns, read without Spark.

The forms and errors are those of the Spark front end's `targets`. What is read here means what it means in Spark:
either it is certain, or `AskSpark` is raised. Text is taken apart by a parser and rebuilt as expressions, so nothing
of it ever reaches an engine as SQL.
"""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from functools import reduce
from typing import Any

from predtrace.errors import InvalidCondition, UnknownColumn
from predtrace.frontends.sql.coercion import AskSpark, alike, python_value
from predtrace.frontends.sql.text import read_text
from predtrace.ir.expressions import Call, Column, Expression
from predtrace.ir.types import BOOLEAN, is_comparable

_FORMS = "give a SQL condition, a dict or Row of column values, or a list of these"


def target_condition(columns: Sequence[Column], rows: Any) -> Expression:
    """The condition over the output columns that selects the rows to trace.

    >>> from predtrace.ir.expressions import ColumnId
    >>> from predtrace.ir.printing import describe
    >>> from predtrace.ir.types import LONG, STRING
    >>> output = [Column(ColumnId("1"), "name", STRING), Column(ColumnId("2"), "total", LONG)]
    >>> describe(target_condition(output, "name = 'a' and total > 10"))
    "name = 'a' and total > 10"
    >>> describe(target_condition(output, {"total": None}))
    'total <=> null'
    """
    names = Names(columns)
    if isinstance(rows, str):
        return read_text(rows, names.in_text)
    if isinstance(rows, Mapping):
        return _of_values({names.position(name): value for name, value in rows.items()}, columns)
    if isinstance(rows, tuple) and hasattr(rows, "__fields__"):  # a Row: pyspark need not be there
        return _of_values(_by_position(rows, names), columns)
    if isinstance(rows, Sequence) and not isinstance(rows, bytes):
        if not rows:
            raise InvalidCondition("no row to trace was given", todo=_FORMS)
        return reduce(_either, (target_condition(columns, row) for row in rows))
    if type(rows).__name__ == "Column":
        raise AskSpark("a Column")
    raise InvalidCondition(f"rows to trace cannot be given as {type(rows).__name__}", todo=_FORMS)


class Names:
    """Finds output columns by name, as Spark does: whatever the case."""

    def __init__(self, columns: Sequence[Column]) -> None:
        self.columns = columns
        self.all = [column.name for column in columns]

    def position(self, name: Any) -> int:
        """Of a column that a dict or Row names; the case decides where it must."""
        if not isinstance(name, str):
            raise InvalidCondition(f"a column name is {name!r}", todo=_FORMS)
        exact = [at for at, known in enumerate(self.all) if known == name]
        return self._only(name, exact or self._like(name))

    def in_text(self, name: str) -> Column:
        """The column that a SQL condition names."""
        return self.columns[self._only(name, self._like(name))]

    def _like(self, name: str) -> list[int]:
        return [at for at, known in enumerate(self.all) if known.lower() == name.lower()]

    def _only(self, name: str, found: list[int]) -> int:
        if not found:
            close = difflib.get_close_matches(name, self.all, n=1, cutoff=0.5)
            hint = f"did you mean {close[0]}? " if close else ""
            raise UnknownColumn(
                f"the output has no column {name!r}", todo=f"{hint}the columns are: {', '.join(self.all)}"
            )
        if len(found) > 1:
            raise InvalidCondition(
                f"the output has {len(found)} columns named {name!r}", todo="pass a whole Row"
            )
        return found[0]


def _by_position(row: tuple[Any, ...], names: Names) -> dict[int, Any]:
    fields = list(getattr(row, "__fields__", ()))
    if fields != names.all:
        return {names.position(name): value for name, value in zip(fields, row, strict=True)}
    return dict(enumerate(row))


def _of_values(values: Mapping[int, Any], columns: Sequence[Column]) -> Expression:
    if not values:
        raise InvalidCondition("no column value was given", todo=_FORMS)
    parts = (_has(columns[at], value) for at, value in values.items())
    return reduce(lambda one, other: Call("and", (one, other), BOOLEAN, is_nullable=False), parts)


def _has(column: Column, value: Any) -> Expression:
    if not is_comparable(column.type):
        raise AskSpark(f"a value of {column.name}")
    if isinstance(value, Mapping):
        raise InvalidCondition("a dict is given for a column that is no map", todo="give a struct as a Row")
    return Call("<=>", alike([column, python_value(value)]), BOOLEAN, is_nullable=False)


def _either(one: Expression, other: Expression) -> Expression:
    return Call("or", (one, other), BOOLEAN)
