"""The laws tell right push-downs from wrong ones, at the bound that is needed and not below it.

Each wrong rule here is one that a weaker law or a smaller bound lets pass.
"""

from __future__ import annotations

import pytest
from tests.unit.symbolic.by_hand import (
    both,
    call,
    column,
    is_target,
    number,
    run_filter,
    run_group_by,
    run_left_join,
    run_semi_join,
)

from predtrace.ir import expressions as ir
from predtrace.ir.predicates import InTuples, Parameter
from predtrace.ir.types import BOOLEAN, LONG, STRING
from predtrace.symbolic.claims import Claim, contradicts
from predtrace.symbolic.expressions import Scope, TupleSet
from predtrace.symbolic.laws import (
    Operator,
    Run,
    implied,
    lineage_exact,
    lineage_sound,
    recompute_sound,
    tuples_exist,
)
from predtrace.symbolic.solver import prove
from predtrace.symbolic.tables import SymbolicTable, filtered, fresh_table, includes, tuple_set
from predtrace.symbolic.terms import FALSE, TRUE
from predtrace.symbolic.values import known_value

EVERYTHING = ir.Literal(True, BOOLEAN)
K, X = column("k"), column("x")
COUNT, MAXIMUM = column("c", LONG), column("m")


def table(rows: int) -> SymbolicTable:
    return fresh_table("t", (K, X), rows)


def one_input(operator: Operator, rows: int) -> Run:
    return Run((table(rows),), operator((table(rows),)))


def output_is_included(
    operator: Operator, inputs: tuple[SymbolicTable, ...], selection: ir.Expression, pushed: ir.Expression
) -> Claim:
    """`Op(G(T))` includes `F(Op(T))`: the law that is not enough."""
    again = operator((filtered(inputs[0], pushed), *inputs[1:]))
    return Claim(includes(again, filtered(operator(inputs), selection)), tables=inputs)


class TestFilter:
    CONDITION = call(">", X, number(0))
    TARGET = is_target(K, X)

    @pytest.mark.parametrize("rows", [1, 2, 3])
    def test_the_target_and_the_condition_are_exact_and_enough_to_recompute(self, rows: int) -> None:
        run, pushed = one_input(run_filter(self.CONDITION), rows), both(self.TARGET, self.CONDITION)
        assert prove(lineage_sound(run, 0, self.TARGET, pushed)).is_proved
        assert prove(lineage_exact(run, 0, self.TARGET, pushed)).is_proved
        for recompute in (pushed, self.TARGET, self.CONDITION, EVERYTHING):
            claim = recompute_sound(run_filter(self.CONDITION), run.inputs, self.TARGET, [recompute])
            assert prove(claim).is_proved
            assert prove(implied(run.inputs[0], pushed, recompute)).is_proved

    def test_all_the_target_s_values_imply_the_condition_once_it_exists(self) -> None:
        run = one_input(run_filter(self.CONDITION), 2)
        assert prove(lineage_exact(run, 0, self.TARGET, self.TARGET)).is_proved
        assert prove(lineage_exact(run, 0, self.TARGET, self.TARGET, premise=TRUE)).is_refuted

    def test_some_of_the_target_s_values_do_not(self) -> None:
        run = one_input(run_filter(self.CONDITION), 2)
        verdict = prove(lineage_exact(run, 0, is_target(K), is_target(K)))
        assert verdict.counterexample is not None
        (shown,) = verdict.counterexample.tables
        assert {x > 0 if isinstance(x, int) else None for _, x in shown.rows} - {True}

    def test_a_condition_that_is_not_the_filter_s_is_no_recompute_predicate(self) -> None:
        wrong = call(">", X, number(1))
        operator = run_filter(self.CONDITION)
        assert prove(recompute_sound(operator, (table(1),), self.TARGET, [wrong])).is_refuted
        assert prove(lineage_sound(one_input(operator, 1), 0, self.TARGET, wrong)).is_refuted

    def test_a_null_condition_keeps_no_row(self) -> None:
        """`not (x > 0)` is not the complement of `x > 0`: rows with a NULL are in neither."""
        run = one_input(run_filter(call("not", self.CONDITION)), 1)
        no_null = call("isnotnull", X)
        assert prove(lineage_sound(run, 0, is_target(K), no_null)).is_proved


class TestCountLosesNullRows:
    OPERATOR = staticmethod(run_group_by(K, X, COUNT, "count"))
    TARGET = is_target(K, COUNT)
    LOSSY = both(is_target(K), call("isnotnull", X))

    def test_the_weak_law_lets_it_pass(self) -> None:
        positive = both(self.TARGET, call(">", COUNT, number(0, LONG)))
        assert prove(output_is_included(self.OPERATOR, (table(2),), positive, self.LOSSY)).is_proved

    def test_the_law_of_lineage_does_not(self) -> None:
        run = one_input(self.OPERATOR, 1)
        assert prove(lineage_sound(run, 0, self.TARGET, self.LOSSY)).is_refuted

    @pytest.mark.parametrize("rows", [1, 2, 3])
    def test_the_group_key_is_exact(self, rows: int) -> None:
        run = one_input(self.OPERATOR, rows)
        assert prove(lineage_exact(run, 0, self.TARGET, is_target(K))).is_proved
        assert prove(recompute_sound(self.OPERATOR, run.inputs, self.TARGET, [is_target(K)])).is_proved


class TestMaximum:
    OPERATOR = staticmethod(run_group_by(K, X, MAXIMUM, "max"))
    IS_FIVE = call("=", MAXIMUM, number(5))
    FIVES = call("=", X, number(5))

    def test_recomputing_from_the_fives_finds_groups_whose_maximum_is_another(self) -> None:
        assert prove(recompute_sound(self.OPERATOR, (table(1),), self.IS_FIVE, [self.FIVES])).is_proved
        verdict = prove(recompute_sound(self.OPERATOR, (table(2),), self.IS_FIVE, [self.FIVES]))
        assert verdict.counterexample is not None
        (shown,) = verdict.counterexample.tables
        (first, five), (second, other) = sorted(shown.rows, key=lambda row: row[1] != 5)
        assert first == second
        assert five == 5
        assert isinstance(other, int)
        assert other > 5

    def test_the_weak_law_lets_it_pass(self) -> None:
        assert prove(output_is_included(self.OPERATOR, (table(2),), self.IS_FIVE, self.FIVES)).is_proved

    def test_the_fives_do_hold_the_lineage(self) -> None:
        assert prove(lineage_sound(one_input(self.OPERATOR, 3), 0, self.IS_FIVE, self.FIVES)).is_proved

    @pytest.mark.parametrize("rows", [1, 2, 3])
    def test_key_and_value_are_exact_while_the_value_is_known(self, rows: int) -> None:
        run, found = one_input(self.OPERATOR, rows), call("isnotnull", MAXIMUM)
        target = both(is_target(K, MAXIMUM), found)
        value = call("<=>", X, Parameter("m", X.type))
        assert prove(lineage_exact(run, 0, target, both(is_target(K), value))).is_proved

    @pytest.mark.parametrize(("rows", "hidden"), [(1, True), (2, True), (3, False)])
    def test_without_the_key_it_takes_three_rows_to_see_the_error(self, rows: int, hidden: bool) -> None:
        """A witness group whose maximum is v, and a row with v in a group with a larger one."""
        run = one_input(run_group_by(K, X, MAXIMUM, "max", keep_key=False), rows)
        target = call("=", MAXIMUM, Parameter("v", X.type))
        verdict = prove(lineage_exact(run, 0, target, call("=", X, Parameter("v", X.type))))
        assert verdict.is_proved is hidden
        assert verdict.is_refuted is not hidden


ORDER_KEY, PRIORITY, LINE_KEY = (
    column("o_orderkey", LONG),
    column("o_orderpriority", STRING),
    column("l_key", LONG),
)
SAME_ORDER = call("=", LINE_KEY, ORDER_KEY)


def orders_with_lines(orders: int, lines: int) -> Run:
    inputs = (
        fresh_table("orders", (ORDER_KEY, PRIORITY), orders),
        fresh_table("lineitem", (LINE_KEY, column("l_quantity", LONG)), lines),
    )
    return Run(inputs, run_semi_join(SAME_ORDER)(inputs))


class TestSemiJoinOfQueryFour:
    TARGET = is_target(PRIORITY)

    def test_all_lineitems_are_too_many_and_it_takes_two_to_see_it(self) -> None:
        assert prove(lineage_sound(orders_with_lines(2, 2), 1, self.TARGET, EVERYTHING)).is_proved
        assert prove(lineage_exact(orders_with_lines(1, 1), 1, self.TARGET, EVERYTHING)).is_proved
        verdict = prove(lineage_exact(orders_with_lines(1, 2), 1, self.TARGET, EVERYTHING))
        assert verdict.counterexample is not None
        assert "is selected although it is in the lineage of no target row" in str(verdict.counterexample)
        orders, lines = verdict.counterexample.tables
        assert {line[0] for line in lines.rows} - {order[0] for order in orders.rows}

    def test_orders_of_the_priority_without_a_line_are_too_many(self) -> None:
        assert prove(lineage_exact(orders_with_lines(2, 2), 0, self.TARGET, self.TARGET)).is_refuted

    @pytest.mark.parametrize(("orders", "lines"), [(1, 2), (2, 2), (3, 3)])
    def test_the_order_s_key_is_exact(self, orders: int, lines: int) -> None:
        target, run = is_target(ORDER_KEY, PRIORITY), orders_with_lines(orders, lines)
        partner = call("=", LINE_KEY, Parameter(ORDER_KEY.name, LONG))
        assert prove(lineage_exact(run, 1, target, partner)).is_proved
        assert prove(lineage_exact(run, 0, target, target)).is_proved
        operator = run_semi_join(SAME_ORDER)
        assert prove(recompute_sound(operator, run.inputs, target, [target, partner])).is_proved

    def test_a_set_of_keys_is_exact_when_each_of_them_exists(self) -> None:
        run, keys = orders_with_lines(3, 3), fresh_table("keys", (ORDER_KEY,), 2)
        scope = Scope(tuple_sets={"keys": tuple_set(keys)})
        target, partners = InTuples((ORDER_KEY,), "keys"), InTuples((LINE_KEY,), "keys")
        each = tuples_exist(run.output, (ORDER_KEY,), scope.tuple_sets["keys"])
        assert prove(lineage_exact(run, 1, target, partners, scope, each)).is_proved
        one = lineage_exact(run, 1, target, partners, scope)
        assert prove(one).is_refuted, "one of the keys may have lines and no order"

    def test_a_key_that_is_not_in_the_set_need_not_exist(self) -> None:
        run = orders_with_lines(1, 1)
        absent = TupleSet(((FALSE, (known_value(7, LONG),)),))
        present = TupleSet(((TRUE, (known_value(7, LONG),)),))
        assert tuples_exist(run.output, (ORDER_KEY,), absent) is TRUE
        assert tuples_exist(run.output, (ORDER_KEY,), present) is not TRUE

    def test_the_premises_can_be_met(self) -> None:
        claim = lineage_exact(orders_with_lines(1, 1), 1, self.TARGET, EVERYTHING)
        assert prove(contradicts(claim)).is_refuted


LEFT_KEY, RIGHT_KEY, Y = column("a"), column("b"), column("y")


def left_join(condition: ir.Expression, left: int, right: int) -> tuple[Operator, Run]:
    inputs = fresh_table("l", (LEFT_KEY,), left), fresh_table("r", (RIGHT_KEY, Y), right)
    operator = run_left_join(condition)
    return operator, Run(inputs, operator(inputs))


class TestLeftJoin:
    BY_KEY = call("=", LEFT_KEY, RIGHT_KEY)
    TARGET = is_target(LEFT_KEY, RIGHT_KEY, Y)

    @pytest.mark.parametrize("size", [(1, 1), (1, 2), (2, 2)])
    def test_the_right_values_are_exact_where_the_key_shows_a_match(self, size: tuple[int, int]) -> None:
        _, run = left_join(self.BY_KEY, *size)
        right = both(is_target(RIGHT_KEY, Y), call("isnotnull", RIGHT_KEY))
        assert prove(lineage_exact(run, 0, self.TARGET, is_target(LEFT_KEY))).is_proved
        assert prove(lineage_exact(run, 1, self.TARGET, right)).is_proved
        assert prove(lineage_exact(run, 1, self.TARGET, is_target(RIGHT_KEY, Y))).is_refuted

    def test_nothing_when_all_values_are_null_loses_a_matched_row_of_nulls(self) -> None:
        _, run = left_join(call("<=>", LEFT_KEY, RIGHT_KEY), 1, 1)
        some = call("or", *(call("isnotnull", Parameter(c.name, c.type)) for c in (RIGHT_KEY, Y)))
        careless = both(is_target(RIGHT_KEY, Y), some)
        verdict = prove(lineage_sound(run, 1, self.TARGET, careless))
        assert verdict.counterexample is not None
        assert verdict.counterexample.tables[1].rows == ((None, None),)

    def test_cutting_the_null_supplying_side_by_its_values_invents_null_rows(self) -> None:
        operator, run = left_join(self.BY_KEY, 1, 1)
        by_value, by_key = is_target(Y), call("=", RIGHT_KEY, Parameter("a", LEFT_KEY.type))
        assert prove(recompute_sound(operator, run.inputs, is_target(Y), [EVERYTHING, by_value])).is_refuted
        target = is_target(LEFT_KEY, Y)
        for size in ((1, 1), (2, 2)):
            operator, run = left_join(self.BY_KEY, *size)
            assert prove(recompute_sound(operator, run.inputs, target, [EVERYTHING, by_key])).is_proved
