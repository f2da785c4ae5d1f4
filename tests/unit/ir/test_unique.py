"""Which columns tell rows apart, operator by operator."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.unit.ir.samples import column, source

from predtrace.infer.models import Models
from predtrace.ir import operators as op
from predtrace.ir.expressions import AggregateCall, Call, Case, Cast, Column, Expression, Literal, SortKey
from predtrace.ir.operators.sources import UNIQUE
from predtrace.ir.types import BOOLEAN, DOUBLE, INTEGER, LONG, STRING, DataType
from predtrace.ir.unique import unique_keys
from predtrace.symbolic.claims import Claim, Outcome
from predtrace.symbolic.solver import prove
from predtrace.symbolic.terms import conjunction, negation


def numbered(first: int, reference: int) -> op.Source:
    """A source with a numbering column and another one."""
    row, value = replace(column(first, "row", LONG), is_nullable=False), column(first + 1, "value", DOUBLE)
    plain = source("t", row, value, reference=reference)
    return replace(plain, descriptor=replace(plain.descriptor, options=((UNIQUE, '["row"]'),)))


LEFT, RIGHT = numbered(1, 0), numbered(11, 1)
ROW, VALUE = LEFT.columns
OTHER, PRICE = RIGHT.columns
EQUAL = Call("=", (VALUE, PRICE), BOOLEAN)
BY_ROW = Call("=", (VALUE, OTHER), BOOLEAN)
NUMBER = column(30, "number", LONG)


def names(operator: op.Operator) -> list[set[str]]:
    known = {c.id: c.name for each in (LEFT, RIGHT) for c in each.columns} | {
        c.id: c.name for c in operator.output
    }
    return [{known[one] for one in key} for key in unique_keys(operator)]


def project(below: op.Operator, *columns: tuple[str, Expression]) -> op.Project:
    made = (op.Named(column(40 + i, name, e.type), e) for i, (name, e) in enumerate(columns))
    return op.Project(input=below, columns=tuple(made))


def test_rows_that_are_only_left_out_or_moved_stay_apart() -> None:
    kept = op.Limit(input=op.Sort(input=LEFT, keys=(SortKey(VALUE, True, True),)), count=3)
    present = Call("isnotnull", (VALUE,), BOOLEAN)
    assert names(op.Filter(input=kept, condition=present)) == [{"row"}]
    assert names(source("t", ROW, VALUE)) == []


def test_a_key_must_be_handed_on() -> None:
    assert names(project(LEFT, ("r", ROW), ("v", VALUE))) == [{"r"}]
    assert names(project(LEFT, ("v", VALUE))) == []
    assert names(project(LEFT, ("r", Call("+", (ROW, ROW), LONG)))) == []
    assert names(project(LEFT, ("r", ROW), ("s", ROW), ("v", VALUE))) == [{"r"}, {"s"}]
    assert names(project(LEFT, ("r", Cast(ROW, LONG)))) == [{"r"}]
    assert names(project(LEFT, ("r", Cast(ROW, INTEGER)))) == []
    assert names(project(LEFT, ("r", Cast(ROW, DOUBLE)))) == []


@pytest.mark.parametrize(
    ("values", "numbers", "kind", "expected"),
    [
        ("ab", {"a": 0, "b": 1}, STRING, [{"n", "row"}]),
        ("ab", {"a": 0, "b": 1, "c": 2}, STRING, [{"n", "row"}]),
        ("ab", {"a": 0, "b": 0}, STRING, []),
        ("abc", {"a": 0, "b": 1}, STRING, []),
        ("aa", {"a": 0}, STRING, []),
        ("aA", {"a": 0, "A": 1}, DataType("string collate UTF8_LCASE"), []),
    ],
)
def test_rows_of_columns_are_told_apart_by_a_number(
    values: str, numbers: dict[str, int], kind: DataType, expected: list[set[str]]
) -> None:
    text = column(60, "text", kind)
    rows = op.Expand(
        input=LEFT,
        columns=(replace(ROW, id=column(61, "row", LONG).id), text),
        projections=tuple((ROW, Literal(value, kind)) for value in values),
    )
    branches = (
        (Call("=", (text, Literal(value, kind)), BOOLEAN), Literal(number, INTEGER))
        for value, number in numbers.items()
    )
    number = Case(tuple(branches), None)
    found = names(
        project(
            op.Filter(input=rows, condition=Call("isnotnull", (text,), BOOLEAN)),
            ("row", rows.columns[0]),
            ("n", number),
        )
    )
    assert found == expected


@pytest.mark.parametrize(
    ("one_for", "handed_on", "expected"),
    [
        (op.OneFor.ROW, ((1, 0),), [{"b"}]),
        (op.OneFor.ROW, ((0, 1), (1, 0)), [{"b"}]),
        (op.OneFor.ROW, ((0, 1),), []),
        (op.OneFor.GROUP, ((0, 0),), [{"a"}]),
        (op.OneFor.GROUP, (), []),
        (op.OneFor.UNKNOWN, ((1, 0),), []),
    ],
)
def test_functions_over_groups(
    one_for: op.OneFor, handed_on: tuple[tuple[int, int], ...], expected: list[set[str]]
) -> None:
    mapped = op.GroupedMap(
        input=LEFT,
        keys=(VALUE,),
        arguments=(ROW, VALUE),
        function="f",
        function_name="f",
        columns=(column(50, "a", DOUBLE), column(51, "b", LONG)),
        one_for=one_for,
        handed_on=handed_on,
    )
    assert names(mapped) == expected


def test_keys_of_groups_and_numberings() -> None:
    total = op.Named(NUMBER, AggregateCall("sum", (VALUE,), DOUBLE))
    grouped = op.GroupBy(input=LEFT, keys=(op.Named(VALUE, VALUE),), aggregates=(total,))
    assert names(grouped) == [{"value"}]
    assert unique_keys(replace(grouped, keys=())) == (frozenset(),)
    plain = source("t", VALUE)
    numbers = (op.RowNumber(NUMBER, (), (SortKey(VALUE, True, True),), NUMBER),)
    assert names(op.RowNumbers(input=plain, numbers=numbers)) == [{"number"}]


@pytest.mark.parametrize(
    ("kind", "condition", "expected"),
    [
        (op.JoinKind.INNER, EQUAL, [{"row", "other"}]),
        (op.JoinKind.LEFT, EQUAL, [{"row", "other"}]),
        (op.JoinKind.FULL, EQUAL, [{"row", "other"}]),
        (op.JoinKind.CROSS, None, [{"row", "other"}]),
        (op.JoinKind.SEMI, EQUAL, [{"row"}]),
        (op.JoinKind.INNER, BY_ROW, [{"row"}]),
        (op.JoinKind.LEFT, BY_ROW, [{"row"}]),
        (op.JoinKind.RIGHT, BY_ROW, [{"row", "other"}]),
    ],
)
def test_joins(kind: op.JoinKind, condition: Expression | None, expected: list[set[str]]) -> None:
    other = replace(OTHER, name="other")
    right = replace(RIGHT, columns=(other, PRICE), descriptor=_named(RIGHT, "other"))
    joined = op.Join(left=LEFT, right=right, kind=kind, condition=condition)
    found = [{"row" if one == ROW.id else "other" for one in key} for key in unique_keys(joined)]
    assert found == expected


def _named(table: op.Source, name: str) -> op.SourceDescriptor:
    return replace(table.descriptor, options=((UNIQUE, f'["{name}"]'),))


def test_a_key_that_may_be_null_is_none_above_a_full_join() -> None:
    nullable = replace(OTHER, is_nullable=True)
    right = replace(RIGHT, columns=(nullable, PRICE))
    assert unique_keys(op.Join(left=LEFT, right=right, kind=op.JoinKind.FULL, condition=EQUAL)) == ()


def test_one_row_on_each_side_may_be_two_above_a_full_join() -> None:
    def only_row(table: op.Source, number: int) -> op.GroupBy:
        total = op.Named(column(number, "total", DOUBLE), AggregateCall("sum", (table.columns[1],), DOUBLE))
        return op.GroupBy(input=table, keys=(), aggregates=(total,))

    def joined(kind: op.JoinKind) -> op.Join:
        left, right = only_row(LEFT, 81), only_row(RIGHT, 82)
        equal = Call("=", (left.output[0], right.output[0]), BOOLEAN)
        return op.Join(left=left, right=right, kind=kind, condition=equal)

    assert unique_keys(joined(op.JoinKind.LEFT)) == (frozenset(),)
    assert unique_keys(joined(op.JoinKind.FULL)) == ()


def test_a_key_of_a_lateral_side_holds_for_one_left_row() -> None:
    """`LATERAL (SELECT sum(...))` has one row, for each left row."""
    total = op.Named(column(83, "total", DOUBLE), AggregateCall("sum", (PRICE,), DOUBLE))
    of_each = op.GroupBy(input=RIGHT, keys=(), aggregates=(total,))
    left = op.GroupBy(input=LEFT, keys=(op.Named(VALUE, VALUE),), aggregates=())
    equal = Call("=", (VALUE, total.column), BOOLEAN)
    joined = op.LateralJoin(left=left, right=of_each, kind=op.JoinKind.INNER, condition=equal)
    assert names(joined) == [{"value"}]
    model = Models().of(joined)
    assert model is not None
    one, other = model.inputs[1].rows
    assert prove(Claim(negation(conjunction(one.exists, other.exists)))).outcome is Outcome.REFUTED


def test_branches_are_told_apart_by_a_constant() -> None:
    def union(*marks: int) -> op.Union:
        columns: tuple[Column, ...] = (column(60, "part", INTEGER), column(61, "row", LONG))
        branches = tuple(
            op.Project(
                input=table,
                columns=(
                    op.Named(column(70 + 2 * i, "part", INTEGER), Literal(mark, INTEGER)),
                    op.Named(column(71 + 2 * i, "row", LONG), table.columns[0]),
                ),
            )
            for i, (table, mark) in enumerate(zip((LEFT, RIGHT), marks, strict=True))
        )
        return op.Union(branches=branches, columns=columns, keep_duplicates=True)

    assert names(union(0, 1)) == [{"part", "row"}]
    assert names(union(1, 1)) == []


def test_texts_that_a_collation_may_take_for_equal_tell_no_branches_apart() -> None:
    def union(type_: DataType) -> op.Union:
        columns = (column(60, "part", type_), column(61, "row", LONG))
        branches = tuple(project(t, ("part", Literal(m, type_)), ("row", t.columns[0])) for t, m in MARKED)
        return op.Union(branches=branches, columns=columns, keep_duplicates=True)

    assert names(union(STRING)) == [{"part", "row"}]
    assert names(union(replace(STRING, name="string collate UTF8_LCASE"))) == []


MARKED = ((LEFT, "a"), (RIGHT, "A"))
