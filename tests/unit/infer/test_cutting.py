"""How far a run is cut down: never below what is looked up."""

from __future__ import annotations

from dataclasses import replace

from tests.unit.ir.samples import ORDER_KEY, PRIORITY, call, orders
from tests.unit.plan import samples
from tests.unit.plan.samples import group, orders_per_priority, semi_join

from predtrace.infer.cutting import cut_for, cut_of_run
from predtrace.infer.models import Models
from predtrace.infer.selections import Cut, NeededResult
from predtrace.ir.expressions import Call, Column
from predtrace.ir.operators import Operator
from predtrace.operators import Selection


def equal(own: Column, relation: str, value: Column | None = None) -> Call:
    """The column has the value of the relation's column, as inference writes it."""
    return replace(samples.equal(own, relation, value), is_nullable=False)


def need(
    operator: Operator, lookup: Selection, name: str = "needed_1", given: str = "target"
) -> NeededResult:
    return NeededResult(name, operator, lookup, given, "because")


def at_orders(cut: Cut) -> Selection:
    """What must stay of the orders that a group of the semi join is made of."""
    return cut.inputs[0].inputs[0].selection


def test_a_run_is_cut_down_to_the_target() -> None:
    assert at_orders(cut_of_run(group(), (), Models())) == equal(PRIORITY, "target")


def test_a_result_that_is_looked_up_by_the_same_value_may_be_cut() -> None:
    operator = group()
    lookup = call("and", equal(PRIORITY, "target"), call("=", ORDER_KEY, ORDER_KEY))
    assert at_orders(cut_of_run(operator, [need(operator.input, lookup)], Models())) == equal(
        PRIORITY, "target"
    )


def test_a_result_that_is_looked_up_otherwise_is_not_cut() -> None:
    operator = group()
    for lookup in (None, equal(ORDER_KEY, "target", PRIORITY)):
        assert at_orders(cut_of_run(operator, [need(operator.input, lookup)], Models())) is None


def test_a_value_of_a_looked_up_row_may_be_one_of_the_target() -> None:
    operator = group()
    join = operator.input
    source = join.inputs[0]
    first = need(join, equal(PRIORITY, "target"))
    known, unknown = equal(PRIORITY, "needed_1"), equal(PRIORITY, "needed_1", ORDER_KEY)
    for lookup, kept in ((known, equal(PRIORITY, "target")), (unknown, None)):
        second = need(source, lookup, "needed_2", "needed_1")
        assert at_orders(cut_of_run(operator, [first, second], Models())) == kept


def test_without_lookups_all_of_the_selection_counts() -> None:
    by_both = call("and", equal(ORDER_KEY, "target"), equal(PRIORITY, "target"))
    assert cut_for(orders(), by_both, Models()) == Cut(by_both, ())
    assert cut_for(semi_join(), by_both, Models()).inputs[0].selection == by_both


def test_what_is_kept_of_a_plan_node_counts_for_all_its_operators() -> None:
    """The lookup of the GroupBy does not ask for the count: so the Project, whose rows are kept, may not either."""
    project = orders_per_priority()
    cut = cut_of_run(project, [need(project.input, equal(PRIORITY, "target"))], Models())
    assert cut.selection == equal(PRIORITY, "target")
    assert cut_of_run(project, (), Models()).selection != cut.selection
