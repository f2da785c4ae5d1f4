"""Expressions: known functions as plain Python has them, unknown ones as functions and no more."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from tests.unit.symbolic.by_hand import call, column, number
from tests.unit.symbolic.ground_expressions import COLUMNS, ROWS, Generator, ground, plain

from predtrace.errors import PlanIntegrityError
from predtrace.ir import expressions as ir
from predtrace.ir.predicates import InTuples, Parameter
from predtrace.ir.types import BOOLEAN, DOUBLE, INTEGER, LONG, STRING, ArrayType, DataType, DecimalType
from predtrace.symbolic.claims import Claim, Outcome
from predtrace.symbolic.expressions import EMPTY_SCOPE, Scope, TupleSet, evaluate, holds
from predtrace.symbolic.solver import prove
from predtrace.symbolic.terms import TRUE, implication, negation
from predtrace.symbolic.values import (
    NotExpressible,
    equal,
    fresh_value,
    identical,
    known_value,
    less,
    null_safe_equal,
    null_value,
)

CHECKED = Scope(checked_arithmetic=True)


@pytest.mark.parametrize("seed", range(400))
def test_known_values_fold_to_what_plain_python_says(seed: int) -> None:
    expression = Generator(seed).any(3)
    for row in ROWS:
        values = {ir.ColumnId(name): known_value(row[name], type_) for name, type_ in COLUMNS.items()}
        assert ground(evaluate(expression, values, CHECKED)) == plain(expression, row)


@pytest.mark.parametrize("seed", range(40))
def test_z3_agrees_with_what_folds_here(seed: int) -> None:
    """The same expression over unknowns that a premise fixes: what is folded here is computed there."""
    expression = Generator(seed).any(3)
    unknown = {ir.ColumnId(name): fresh_value(name, type_) for name, type_ in COLUMNS.items()}
    for row in ROWS[:3]:
        known = {ir.ColumnId(name): known_value(row[name], type_) for name, type_ in COLUMNS.items()}
        fixed = tuple(null_safe_equal(unknown[name], known[name]) for name in unknown)
        wanted = evaluate(expression, known, CHECKED)
        claim = null_safe_equal(evaluate(expression, unknown, CHECKED), wanted)
        assert prove(Claim(claim, fixed)).is_proved
        if not wanted.null.value:
            assert prove(Claim(negation(claim), fixed)).is_refuted


A, B = column("a"), column("b")
X, Y = column("x", DOUBLE), column("y", DOUBLE)
VALUES = {c.id: fresh_value(c.name, c.type) for c in (A, B, X, Y)}


def outcome(premise: ir.Expression, conclusion: ir.Expression, scope: Scope = EMPTY_SCOPE) -> Outcome:
    claim = implication(holds(premise, VALUES, scope), holds(conclusion, VALUES, scope))
    return prove(Claim(claim)).outcome


def shout(argument: ir.Expression, **options: str) -> ir.Call:
    return ir.Call("shout", (argument,), STRING, options=tuple(options.items()))


class TestUnknownFunctions:
    def test_equal_arguments_give_equal_values_and_nothing_else_is_known(self) -> None:
        same = call("<=>", shout(A), shout(B))
        assert outcome(call("<=>", A, B), same) is Outcome.PROVED
        assert outcome(same, call("<=>", A, B)) is Outcome.REFUTED
        assert outcome(call("isnull", A), call("isnull", shout(A))) is Outcome.REFUTED

    def test_options_and_types_tell_functions_apart(self) -> None:
        assert outcome(call("<=>", A, B), call("<=>", shout(A), shout(B, loud="yes"))) is Outcome.REFUTED
        user = [ir.UserCall(name, "f", (A,), STRING) for name in ("f0", "f1", "f0")]
        assert outcome(call("<=>", A, A), call("<=>", user[0], user[2])) is Outcome.PROVED
        assert outcome(call("<=>", A, A), call("<=>", user[0], user[1])) is Outcome.REFUTED

    def test_null_is_one_argument_whatever_it_holds(self) -> None:
        nulls = call("and", call("isnull", A), call("isnull", B))
        assert outcome(nulls, call("<=>", shout(A), shout(B))) is Outcome.PROVED

    def test_like_is_null_when_an_argument_is_and_only_then(self) -> None:
        pattern = ir.Literal("%a%", STRING)
        name = column("n", STRING)
        value = {name.id: fresh_value("n", STRING)}
        like = evaluate(ir.Call("like", (name, pattern), BOOLEAN), value)
        assert like.null is value[name.id].null

    def test_never_null_is_trusted_only_while_no_argument_is_null(self) -> None:
        never = ir.Call("f", (A,), INTEGER, is_nullable=False)
        assert outcome(call("isnotnull", A), call("isnotnull", never)) is Outcome.PROVED
        assert outcome(call("isnull", A), call("isnotnull", never)) is Outcome.REFUTED

    def test_the_sign_of_zero_may_matter(self) -> None:
        text = [ir.Cast(c, STRING) for c in (X, Y)]
        assert outcome(call("=", X, Y), call("=", *text)) is Outcome.REFUTED
        sums = [call("+", c, ir.Literal(1.0, DOUBLE), type_=DOUBLE) for c in (X, Y)]
        assert outcome(call("=", X, Y), call("<=>", *sums)) is Outcome.PROVED

    def test_sums_of_doubles_are_not_associative(self) -> None:
        one, two = (ir.Literal(value, DOUBLE) for value in (1.0, 2.0))
        left = call("+", call("+", X, one, type_=DOUBLE), two, type_=DOUBLE)
        right = call("+", X, call("+", one, two, type_=DOUBLE), type_=DOUBLE)
        exists = call("and", call("isnotnull", left), call("isnotnull", right))
        assert outcome(exists, call("=", left, right), CHECKED) is Outcome.REFUTED

    def test_a_lambda_is_a_function_of_what_it_reads(self) -> None:
        numbers = ArrayType("array", INTEGER)
        element = ir.LambdaVariable(ir.ColumnId("9"), "e", INTEGER)
        array = column("array", numbers)
        values = {**VALUES, array.id: fresh_value("array", numbers)}

        def adding(other: ir.Expression) -> ir.Expression:
            body = ir.Lambda((element,), call("+", element, other, type_=INTEGER))
            return ir.Call("transform", (array, body), numbers)

        same = null_safe_equal(*(evaluate(adding(c), values) for c in (A, B)))
        assert prove(Claim(implication(null_safe_equal(values[A.id], values[B.id]), same))).is_proved
        assert prove(Claim(same)).is_refuted

    @pytest.mark.parametrize("branches", [1, 8, 19, 40])
    def test_a_call_is_the_same_over_a_column_and_over_what_computes_it(self, branches: int) -> None:
        """Whether a function is looked into must not depend on how long its argument is."""
        p = ir.LambdaVariable(ir.ColumnId("p0"), "p0", INTEGER)
        pairs = tuple((call("=", p, number(n)), number(-n)) for n in range(branches))
        meaning = ir.Lambda((p,), ir.Case(pairs, ir.UserCall("f", "f", (p,), INTEGER)))
        long = call("+", ir.Case(((call(">", A, B), A),), B), number(1), type_=INTEGER)
        self._is_the_same_over(
            long, lambda argument: ir.UserCall("f", "f", (argument,), INTEGER, meaning=meaning)
        )

    def test_a_higher_order_function_is_the_same_over_a_column_and_over_what_computes_it(self) -> None:
        numbers = ArrayType("array", INTEGER)
        element = ir.LambdaVariable(ir.ColumnId("9"), "e", INTEGER)
        body = ir.Lambda((element,), call("+", element, B, type_=INTEGER))
        self._is_the_same_over(
            ir.Call("array", (A, B), numbers),
            lambda argument: ir.Call("transform", (argument, body), numbers),
        )

    @staticmethod
    def _is_the_same_over(long: ir.Expression, using: Callable[[ir.Expression], ir.Expression]) -> None:
        short = column("short", long.type)
        values = {**VALUES, short.id: evaluate(long, VALUES)}
        same = null_safe_equal(evaluate(using(short), values), evaluate(using(long), values))
        assert prove(Claim(same)).is_proved
        other = {**values, short.id: fresh_value("other", long.type)}
        assert prove(
            Claim(null_safe_equal(evaluate(using(short), other), evaluate(using(long), other)))
        ).is_refuted


class TestArithmetic:
    LARGER = call(">", call("+", A, number(1), type_=INTEGER), A)

    def test_it_is_taken_literally_only_where_overflow_fails(self) -> None:
        assert outcome(call("isnotnull", A), self.LARGER, CHECKED) is Outcome.PROVED
        assert outcome(call("isnotnull", A), self.LARGER) is Outcome.REFUTED, "integers may wrap around"

    def test_a_decimal_that_may_be_rounded_is_not_computed(self) -> None:
        wide = DecimalType("decimal", 38, 6)
        number_, rounded = column("n", wide), DecimalType("decimal", 38, 6)
        value = {number_.id: fresh_value("n", wide, nullable=False)}
        square = evaluate(call("*", number_, number_, type_=rounded), value, CHECKED)
        assert square.term.operator == "apply"

    @pytest.mark.parametrize("function", ["/", "%", "div"])
    def test_division_is_not_computed(self, function: str) -> None:
        value = evaluate(call(function, number(6), number(3), type_=LONG), {}, CHECKED)
        assert value.term.operator == "apply"


KEPT = [
    (INTEGER, LONG),
    (LONG, DecimalType("decimal", 20, 0)),
    (DecimalType("decimal", 5, 2), DecimalType("decimal", 7, 3)),
    (DataType("float"), DOUBLE),
]
NOT_KEPT = [
    (LONG, INTEGER),
    (LONG, DecimalType("decimal", 10, 0)),
    (LONG, DOUBLE),
    (DecimalType("decimal", 7, 3), DecimalType("decimal", 7, 2)),
    (DecimalType("decimal", 5, 2), DecimalType("decimal", 5, 3)),
    (DOUBLE, DataType("float")),
    (STRING, INTEGER),
    (DataType("date"), DataType("timestamp")),
]


@pytest.mark.parametrize(("source", "target"), [*KEPT, *NOT_KEPT], ids=str)
def test_a_cast_that_loses_nothing_keeps_order_and_others_are_unknown(
    source: DataType, target: DataType
) -> None:
    c, d = column("c", source), column("d", source)
    values = {x.id: fresh_value(x.name, source, nullable=False) for x in (c, d)}
    casts = [evaluate(ir.Cast(x, target), values) for x in (c, d)]
    claim = implication(less(values[c.id], values[d.id]), less(*casts))
    assert prove(Claim(claim)).is_proved is ((source, target) in KEPT)


class TestParametersAndTuples:
    def test_a_parameter_is_the_same_wherever_it_stands(self) -> None:
        parameter = Parameter("v", INTEGER)
        found = call("and", call("<=>", A, parameter), call("<=>", B, parameter))
        assert outcome(found, call("<=>", A, B)) is Outcome.PROVED
        other = call("and", call("<=>", A, parameter), call("<=>", B, Parameter("w", INTEGER)))
        assert outcome(other, call("<=>", A, B)) is Outcome.REFUTED

    def test_an_unknown_set_knows_which_values_belong_together(self) -> None:
        pair, swapped = InTuples((A, B), "keys"), InTuples((B, A), "keys")
        assert outcome(pair, pair) is Outcome.PROVED
        assert outcome(pair, swapped) is Outcome.REFUTED
        assert outcome(call("and", call("<=>", A, B), pair), swapped) is Outcome.PROVED
        assert outcome(pair, InTuples((A, B), "others")) is Outcome.REFUTED

    @pytest.mark.parametrize(("key", "wanted"), [((1, None), True), ((1, 2), False), ((None, None), False)])
    def test_a_bounded_set_finds_its_tuples_nulls_included(
        self, key: tuple[int | None, ...], wanted: bool
    ) -> None:
        held = TupleSet(((TRUE, (known_value(1, INTEGER), null_value(INTEGER))),))
        values = {c.id: known_value(v, INTEGER) for c, v in zip((A, B), key, strict=True)}
        found = evaluate(InTuples((A, B), "keys"), values, Scope(tuple_sets={"keys": held}))
        assert (found.null.value, found.term.value) == (False, wanted)

    def test_minus_zero_finds_the_key_zero(self) -> None:
        assert (
            outcome(call("and", call("=", X, Y), InTuples((X,), "keys")), InTuples((Y,), "keys"))
            is Outcome.PROVED
        )


NEVER = [
    ir.Call("rand", (), DOUBLE, deterministic=False),
    ir.UserCall("f0", "f", (A,), STRING, deterministic=False),
    ir.AggregateCall("sum", (A,), LONG),
    ir.Case(((ir.Call("isnull", (ir.Call("rand", (), DOUBLE, deterministic=False),), BOOLEAN), A),), None),
]


@pytest.mark.parametrize("expression", NEVER, ids=lambda e: type(e).__name__)
def test_what_one_row_does_not_decide_is_not_expressible(expression: ir.Expression) -> None:
    with pytest.raises(NotExpressible):
        evaluate(expression, VALUES)


def test_a_column_the_row_does_not_have_is_our_bug() -> None:
    with pytest.raises(PlanIntegrityError, match="missing"):
        evaluate(column("missing"), VALUES)


def test_identical_values_give_identical_results() -> None:
    left, right = (evaluate(ir.Cast(c, STRING), VALUES) for c in (X, Y))
    assert prove(
        Claim(implication(identical(VALUES[X.id], VALUES[Y.id]), null_safe_equal(left, right)))
    ).is_proved
    assert prove(
        Claim(implication(equal(VALUES[X.id], VALUES[Y.id]), null_safe_equal(left, right)))
    ).is_refuted
