"""The user's Python functions in predicates that DuckDB runs.

DuckDB does not call them. Before a predicate is asked, the functions in it are called once for each distinct input
among the rows that everything else in the predicate leaves, and what they return goes into a table; in the predicate,
a column of that table stands in the place of the call. Of functions that were read, what the predicate implies of
columns (`symbolic.python.implied`) leaves fewer rows to call them for. A call in the argument of another comes first.

    f(x) <=> target.v and y = 1        the values of x in rows with y = 1 are asked
    value <=> target.v and y = 1       over rows left join (x, value of f(x))

The law: a row without a value has NULL in its place, and is not selected for it, because it fails the conjuncts that
kept it from being asked, and these stay in the predicate.

Inputs are the same where Python cannot tell them apart: NULL is NULL, NaN is NaN, but -0.0 is not 0.0.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace

import duckdb
import pyarrow

from predtrace.engines.arrow_types import arrow_type
from predtrace.engines.duckdb_frames import DuckFrame, Nulls, answered, column_text, join, written
from predtrace.engines.duckdb_sql import NotInDuckDB, Values, new_name
from predtrace.engines.duckdb_sql.types import FLOATING, identifier, scalar_type
from predtrace.engines.python_functions import RowFunction
from predtrace.ir.expressions import Column, ColumnId, Expression, Literal, UserCall
from predtrace.ir.parts import transform, walk
from predtrace.ir.predicates import Parameter
from predtrace.ir.types import DataType
from predtrace.operators import Selection
from predtrace.operators.pushing import all_of, parts_of, with_values
from predtrace.symbolic.python import calls_what_is_known, implied

Functions = Callable[[UserCall], RowFunction]
"""Gives the function of a call; raises `NotInDuckDB` if it is not to be called here."""

_AT_ONCE = 10_000
"""How many inputs are Python objects at a time."""

_AS_CONSTANTS = {"boolean", "byte", "short", "integer", "long", "double", "string", "date"}


def no_functions(call: UserCall) -> RowFunction:
    raise NotInDuckDB(f"the function {call.name}, which is the user's own")


@dataclass(frozen=True)
class Asked:
    """Rows, a predicate without calls, and the relation it ranges over. `added` are columns that the rows had not."""

    rows: DuckFrame
    predicate: Selection
    relation: DuckFrame
    added: tuple[str, ...] = ()


@dataclass(frozen=True)
class _Table:
    """What is known of one function: its inputs and its values."""

    name: str
    inputs: tuple[str, ...]
    value: str


@dataclass
class FunctionValues:
    """What functions returned, for all predicates of one engine."""

    connection: duckdb.DuckDBPyConnection
    functions: Functions = no_functions
    _tables: dict[tuple[str, tuple[DataType, ...]], _Table] = field(default_factory=dict)

    def check(self, selection: Selection) -> None:
        """Raise `NotInDuckDB` unless a predicate can be asked with its functions called here."""

        def in_its_place(part: Expression) -> Expression:
            if not isinstance(part, UserCall):
                return part
            self._function(part).begin()
            for argument in part.arguments:
                written(argument)
            sides = {type(leaf) for leaf in _leaves(part)}
            if len(sides) > 1:
                raise _of_both_sides(part)
            return Parameter(new_name(), part.type) if sides == {Parameter} else _column(part)

        written(None if selection is None else transform(selection, in_its_place))

    def asked(self, rows: DuckFrame, predicate: Selection, relation: DuckFrame) -> Asked:
        """The same question without calls: all functions have been called."""
        parts = parts_of(predicate)
        if not any(any(_calls(part)) for part in parts):
            return Asked(rows, predicate, relation)
        parts += _told(parts, relation)
        added: tuple[str, ...] = ()
        while (call := next((call for part in parts for call in _calls(part)), None)) is not None:
            plain = all_of(part for part in parts if not any(_calls(part)))
            value: Column | Parameter
            if _is_of_relation(call, rows, relation):
                value = Parameter(new_name(), call.type)
                table = self._filled(call, relation, is_merged=True)
                extended = _with_value(relation, call, table, column_text(value))
                relation = replace(extended, nulls={**relation.nulls, column_text(value): Nulls.SOME})
            else:
                value = _column(call)
                table = self._filled(call, _among(rows, plain, relation), is_merged=bool(rows.nulls))
                rows = _with_value(rows, call, table, column_text(value))
                added = (*added, column_text(value))
            parts = [_replaced(part, call, value) for part in parts]
        return Asked(rows, all_of(parts), relation, added)

    def _function(self, call: UserCall) -> RowFunction:
        if not call.deterministic:
            raise NotInDuckDB(f"the function {call.name}, which is not deterministic")
        function = self.functions(call)
        function.check([argument.type for argument in call.arguments], call.type)
        return function

    def _filled(self, call: UserCall, rows: DuckFrame, is_merged: bool) -> _Table:
        """The table of a function, with its values for all inputs that it has in rows. Where rows that are equal were
        made one (`is_merged`), the sign of zero is lost."""
        if is_merged and any(leaf.type.name in FLOATING for leaf in _leaves(call)):
            raise NotInDuckDB(f"the function {call.name} of floats among values that were looked up")
        function = self._function(call)
        table = self._table(call)
        texts, values = _written_arguments(call)
        named = ", ".join(f"{text} AS {name}" for text, name in zip(texts, table.inputs, strict=True))
        signs = "".join(f", {_sign(name)}" for name in _floats(call, table))
        inputs, new = ", ".join(table.inputs), new_name()
        # Not a temporary table: it is read by a cursor, while values go into the table by the connection.
        answered(
            lambda: self.connection.execute(
                f"CREATE TABLE {new} AS SELECT {inputs} FROM (SELECT DISTINCT {inputs}{signs} FROM "
                f"(SELECT {named} FROM ({rows.sql}))) AS new ANTI JOIN {table.name} AS known "
                f"ON {_same(call, [f'new.{name}' for name in table.inputs], table, 'known')}",
                {**rows.values, **values},
            )
        )
        try:
            with self.connection.cursor() as cursor:
                for batch in answered(lambda: cursor.sql(f"FROM {new}").to_arrow_reader(_AT_ONCE)):
                    self._keep(table, batch, function, call.type)
        finally:
            self.connection.execute(f"DROP TABLE {new}")
        return table

    def _table(self, call: UserCall) -> _Table:
        types = tuple(argument.type for argument in call.arguments)
        key = call.function, types
        if key not in self._tables:
            table = _Table(new_name(), tuple(new_name() for _ in types), new_name())
            names = zip((*table.inputs, table.value), (*types, call.type), strict=True)
            columns = ", ".join(f"{name} {scalar_type(type_)}" for name, type_ in names)
            answered(lambda: self.connection.execute(f"CREATE TEMP TABLE {table.name} ({columns})"))
            self._tables[key] = table
        return self._tables[key]

    def _keep(
        self, table: _Table, inputs: pyarrow.RecordBatch, function: RowFunction, returns: DataType
    ) -> None:
        try:
            rows = list(zip(*(column.to_pylist() for column in inputs.columns), strict=True))
        except (ValueError, OverflowError):  # a date that Python has not
            raise NotInDuckDB(f"the function {function.name} of values that Python does not have") from None
        found = function.values(rows, returns)
        try:
            values = pyarrow.array(found, arrow_type(returns, "UTC"))
        except (pyarrow.ArrowException, ValueError, OverflowError, TypeError):
            raise NotInDuckDB(f"the function {function.name}, with a value that is no {returns}") from None
        name = new_name()
        self.connection.register(
            name, pyarrow.Table.from_arrays([*inputs.columns, values], [*table.inputs, table.value])
        )
        try:
            answered(lambda: self.connection.execute(f"INSERT INTO {table.name} FROM {name}"))
        finally:
            self.connection.unregister(name)


def _told(parts: Sequence[Expression], relation: DuckFrame) -> list[Expression]:
    """What calls of functions that were read imply of columns, as far as DuckDB can be asked it."""
    known = [part for part in parts if calls_what_is_known(part)]
    values = _constants(relation, known) if known else {}
    found = []
    for part in known:
        bound = with_values(part, values)
        told = None if bound is None else implied(bound)
        if told is None:
            continue
        try:
            written(told)
        except NotInDuckDB:
            continue
        found.append(told)
    return found


def _constants(relation: DuckFrame, parts: Sequence[Expression]) -> dict[str, Expression]:
    """The values of parameters, by name, if the relation has one tuple only."""
    wanted = {leaf.name: leaf for part in parts for leaf in _leaves(part) if isinstance(leaf, Parameter)}
    rows = relation.to_arrow(2)
    if rows.num_rows != 1:
        return {}
    columns = {identifier(name): rows.column(name) for name in rows.column_names}
    found: dict[str, Expression] = {}
    for leaf in wanted.values():
        if leaf.type.name in _AS_CONSTANTS and column_text(leaf) in columns:
            with suppress(ValueError, OverflowError):  # a date that Python has not
                found[leaf.name] = Literal(columns[column_text(leaf)][0].as_py(), leaf.type)
    return found


def _calls(expression: Expression) -> Iterator[UserCall]:
    """The calls whose arguments have no call in them."""
    for part in walk(expression):
        if isinstance(part, UserCall) and not any(any(_calls(argument)) for argument in part.arguments):
            yield part


def _leaves(expression: Expression) -> Iterator[Column | Parameter]:
    return (part for part in walk(expression) if isinstance(part, (Column, Parameter)))


def _is_of_relation(call: UserCall, rows: DuckFrame, relation: DuckFrame) -> bool:
    """Whether a call reads the tuples of the relation; the rows may be tuples too, of another relation."""
    sides = {
        isinstance(leaf, Parameter)
        and column_text(leaf) in relation.nulls
        and column_text(leaf) not in rows.nulls
        for leaf in _leaves(call)
    }
    if len(sides) > 1:
        raise _of_both_sides(call)
    return sides == {True}


def _of_both_sides(call: UserCall) -> NotInDuckDB:
    return NotInDuckDB(f"the function {call.name} of a row's values and of values to look up together")


def _column(call: UserCall) -> Column:
    return Column(ColumnId(f"value {new_name()}"), call.name, call.type)


def _replaced(expression: Expression, call: UserCall, value: Expression) -> Expression:
    # By their texts: the constants 0.0 and -0.0 are equal, and not the same input.
    text = repr(call)
    return transform(
        expression, lambda part: value if isinstance(part, UserCall) and repr(part) == text else part
    )


def _among(rows: DuckFrame, plain: Selection, relation: DuckFrame) -> DuckFrame:
    """The rows that conjuncts without calls leave."""
    text, more = join(plain, relation)
    return replace(
        rows,
        sql=f"SELECT * FROM ({rows.sql}) SEMI JOIN {text}",
        values={**rows.values, **relation.values, **more},
    )


def _with_value(rows: DuckFrame, call: UserCall, table: _Table, name: str) -> DuckFrame:
    """The rows with the value of a call; NULL where it was not asked."""
    texts, values = _written_arguments(call)
    found = (
        f"SELECT asked.*, known.{table.value} AS {name} FROM ({rows.sql}) AS asked "
        f"LEFT JOIN {table.name} AS known ON {_same(call, texts, table, 'known')}"
    )
    return replace(rows, sql=found, values={**rows.values, **values})


def _written_arguments(call: UserCall) -> tuple[list[str], Values]:
    texts, values = [], Values()
    for argument in call.arguments:
        text, more = written(argument)
        # Constants among them have the type that DuckDB gives them; the table has Spark's.
        texts.append(f"CAST({text} AS {scalar_type(argument.type)})")
        values |= more
    return texts, values


def _same(call: UserCall, texts: Sequence[str], table: _Table, alias: str) -> str:
    """Whether inputs are those of a row of the table."""
    tests = []
    for argument, text, name in zip(call.arguments, texts, table.inputs, strict=True):
        known = f"{alias}.{name}"
        tests.append(f"{text} IS NOT DISTINCT FROM {known}")
        if argument.type.name in FLOATING:
            tests.append(f"{_sign(text)} IS NOT DISTINCT FROM {_sign(known)}")
    return " AND ".join(tests)


def _sign(text: str) -> str:
    """What tells -0.0 from 0.0, which are equal otherwise. NaN has no sign that Python would show."""
    return f"({text} = 0 AND signbit({text}))"


def _floats(call: UserCall, table: _Table) -> list[str]:
    same = zip(call.arguments, table.inputs, strict=True)
    return [name for argument, name in same if argument.type.name in FLOATING]
