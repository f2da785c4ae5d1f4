"""Verdicts: right, within the budget, remembered by structure, the same every time."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.unit.symbolic.by_hand import call, column, is_target, number, run_filter
from tests.unit.symbolic.test_laws_by_hand import EVERYTHING, PRIORITY, orders_with_lines

from predtrace.ir.expressions import Cast
from predtrace.ir.types import DOUBLE, INTEGER, STRING
from predtrace.symbolic.claims import Claim, Outcome, contradicts
from predtrace.symbolic.laws import Run, lineage_exact, recompute_sound
from predtrace.symbolic.smtlib import to_smtlib
from predtrace.symbolic.solver import VerdictMemory, prove
from predtrace.symbolic.tables import (
    SymbolicRow,
    SymbolicTable,
    filtered,
    fresh_table,
    identical_row,
    known_table,
    merged_outputs,
    own_lineage,
    same_bag,
)
from predtrace.symbolic.terms import (
    BOOL,
    FALSE,
    INT,
    TRUE,
    apply,
    below,
    constant,
    disjunction,
    integer_value,
    known_term,
    negation,
    same,
    substituted,
)
from predtrace.symbolic.values import SymbolicValue, fresh_value, known_value

A, B = column("a"), column("b")
X, Y = (fresh_value(name, INTEGER, nullable=False) for name in "xy")


def ordered(*, either_way: bool) -> Claim:
    """Of two numbers one is smaller, or they are equal; without the second half that is wrong."""
    parts = [below(X.term, Y.term), same(X.term, Y.term), *([below(Y.term, X.term)] if either_way else [])]
    return Claim(disjunction(*parts), parameters=(("x", X), ("y", Y)))


def test_a_tautology_is_proved() -> None:
    verdict = prove(ordered(either_way=True))
    assert verdict.is_proved
    assert verdict.counterexample is None


def test_its_wrong_twin_is_refuted_by_values_that_really_violate_it() -> None:
    claim = ordered(either_way=False)
    verdict = prove(claim)
    assert verdict.counterexample is not None
    shown = verdict.counterexample.parameters
    values = {name: integer_value(value) for name, value in shown.items() if isinstance(value, int)}
    assert substituted(claim.conclusion, values) is FALSE


def test_the_rows_of_a_counterexample_violate_the_claim_when_run_again() -> None:
    """The rows it shows, as a table of known values: the operator computes, nothing is left to Z3."""
    condition, wrong, target = call(">", B, number(0)), call(">", B, number(1)), is_target(A)

    def claim(table: SymbolicTable) -> Claim:
        return recompute_sound(run_filter(condition), (table,), target, [wrong])

    verdict = prove(claim(fresh_table("t", (A, B), 2)))
    assert verdict.counterexample is not None
    rows = [[known_value(v, INTEGER) for v in row] for row in verdict.counterexample.tables[0].rows]
    shown = verdict.counterexample.parameters["a"]
    known = {":a": known_term(shown if isinstance(shown, int) else 0, "Int")}
    known[":a?"] = TRUE if shown is None else FALSE
    assert substituted(claim(known_table("t", (A, B), rows)).conclusion, known) is FALSE


def test_a_note_counts_the_rows_that_are_shown() -> None:
    claim = lineage_exact(orders_with_lines(1, 4), 1, is_target(PRIORITY), EVERYTHING)
    absent = tuple(negation(claim.tables[1].rows[place].exists) for place in (0, 2))
    verdict = prove(replace(claim, premises=(*claim.premises, *absent)))
    assert verdict.counterexample is not None
    orders, lines = verdict.counterexample.tables
    assert lines.positions == (1, 3)
    (note,) = verdict.counterexample.notes
    place = int(note.removeprefix("row ").split()[0]) - 1
    assert lines.rows[place][0] != orders.rows[0][0]


def hard() -> Claim:
    """Five pigeons in four holes."""
    holes = [fresh_value(f"pigeon {index}", INTEGER, nullable=False).term for index in range(5)]
    inside = tuple(
        part for hole in holes for part in (below(integer_value(0), hole), below(hole, integer_value(5)))
    )
    pairs = [same(one, other) for index, one in enumerate(holes) for other in holes[:index]]
    return Claim(disjunction(*pairs), inside)


def test_a_tiny_budget_ends_in_unknown_and_a_larger_one_in_a_proof() -> None:
    memory = VerdictMemory()
    verdict = prove(hard(), budget=50, memory=memory)
    assert verdict.outcome is Outcome.UNKNOWN
    assert "budget of 50" in verdict.reason
    assert not verdict.is_proved
    assert prove(hard(), memory=memory).is_proved, "an UNKNOWN is not remembered beyond its budget"


def test_a_verdict_is_no_truth_value() -> None:
    with pytest.raises(TypeError, match="is_proved"):
        bool(prove(ordered(either_way=True)))


def too_many_lines() -> Claim:
    return lineage_exact(orders_with_lines(2, 2), 1, is_target(PRIORITY), EVERYTHING)


class TestMemory:
    def test_the_same_claim_is_decided_once(self) -> None:
        memory = VerdictMemory()
        first, again = (prove(too_many_lines(), memory=memory) for _ in range(2))
        assert memory.hits == len(memory) == 1, "whether it holds"
        assert first.counterexample == again.counterexample is not None
        assert memory.hits == len(memory) == 2, "and in which example it does not"

    def test_operators_of_the_same_shape_share_a_verdict_but_not_their_names(self) -> None:
        memory = VerdictMemory()
        verdicts = []
        for names in ("ab", "cd"):
            key, value = (column(name) for name in names)
            table = fresh_table("t", (key, value), 2)
            run = Run((table,), run_filter(call(">", value, number(0)))((table,)))
            target = call("<=>", key, number(7))
            verdicts.append(prove(lineage_exact(run, 0, target, target), memory=memory))
        assert memory.hits == len(memory)
        shown = [v.counterexample.tables[0].columns for v in verdicts if v.counterexample is not None]
        assert shown == [("a", "b"), ("c", "d")]

    def test_another_claim_is_another_entry(self) -> None:
        memory = VerdictMemory()
        prove(ordered(either_way=True), memory=memory)
        prove(ordered(either_way=False), memory=memory)
        assert memory.hits == 0

    def test_the_oldest_is_forgotten(self) -> None:
        memory = VerdictMemory(size=1)
        for either_way in (True, False, True):
            prove(ordered(either_way=either_way), memory=memory)
        assert (len(memory), memory.hits) == (1, 0)


def test_verdicts_do_not_depend_on_what_was_decided_before() -> None:
    alone = str(prove(too_many_lines(), memory=VerdictMemory()))
    for budget in (50, 5_000):
        prove(hard(), budget=budget, memory=VerdictMemory())
    assert str(prove(too_many_lines(), memory=VerdictMemory())) == alone


def test_the_text_of_a_claim_does_not_depend_on_how_often_it_is_built() -> None:
    texts = {to_smtlib((too_many_lines().conclusion,)).text for _ in range(3)}
    assert len(texts) == 1


def test_claims_that_differ_in_names_only_share_a_verdict() -> None:
    """Each has a counterexample in its own words."""
    memory = VerdictMemory()
    for name, function in (("one", "f"), ("other", "g"), ("f", "one")):
        x = constant(name, INT)
        claim = Claim(
            same(apply(function, (x,), INT), integer_value(7)),
            premises=(same(x, integer_value(3)),),
            parameters=((name, SymbolicValue(INTEGER, x)),),
        )
        verdict = prove(claim, memory=memory)
        assert verdict.is_refuted
        assert verdict.counterexample is not None
        assert verdict.counterexample.parameters == {name: 3}
    assert len(memory) == 2, "the first try and the decision"
    assert memory.hits == 4

    x, y = constant("x", INT), constant("y", INT)
    assert prove(Claim(same(apply("f", (x,), INT), apply("f", (x,), INT))), memory=memory).is_proved
    assert not prove(Claim(same(apply("f", (x,), INT), apply("g", (x,), INT))), memory=memory).is_proved
    assert not prove(Claim(same(apply("f", (x,), INT), apply("f", (y,), INT))), memory=memory).is_proved


def test_contradicting_premises_are_found_out() -> None:
    nothing = Claim(FALSE, (below(X.term, Y.term), below(Y.term, X.term)))
    assert prove(nothing).is_proved
    assert prove(contradicts(nothing)).is_proved, "no example of the premises: the proof says nothing"
    assert prove(contradicts(hard())).is_refuted


@pytest.mark.parametrize("name", ["and", "a|b", "~d1", "x\\y", "Real", "é", "true"])
def test_any_name_will_do(name: str) -> None:
    unknown = constant(f"{name}.0", BOOL)
    assert prove(Claim(disjunction(unknown, negation(unknown)))).is_proved
    assert prove(Claim(unknown)).is_refuted


class TestRows:
    def test_a_bag_counts_its_rows(self) -> None:
        one = known_table("one", (A,), [[known_value(1, INTEGER)]])
        two = known_table("two", (A,), [[known_value(1, INTEGER)]] * 2)
        assert same_bag(one, one) is TRUE
        assert same_bag(one, two) is FALSE
        assert same_bag(two, one) is FALSE

    def test_a_bag_has_no_order(self) -> None:
        rows = [[known_value(1, INTEGER)], [known_value(None, INTEGER)]]
        assert same_bag(known_table("t", (A,), rows), known_table("t", (A,), rows[::-1])) is TRUE

    def test_equal_output_rows_share_their_lineage(self) -> None:
        rows = [[known_value(1, INTEGER)], [known_value(1, INTEGER)], [known_value(2, INTEGER)]]
        merged = merged_outputs(own_lineage(known_table("t", (A,), rows)))
        lineages = [[part is TRUE for part in row.lineage[0]] for row in merged.rows]
        assert lineages == [[True, True, False], [True, True, False], [False, False, True]]

    def test_equal_input_rows_share_their_lineage_unless_a_function_tells_them_apart(self) -> None:
        """A projection to text shows the sign of zero, by which the rows are not told apart."""
        x, text = column("x", DOUBLE), column("text", STRING)
        table = fresh_table("t", (x,), 2)
        rows = tuple(
            SymbolicRow(row.exists, (table.value(row, Cast(x, STRING)),), row.lineage)
            for row in own_lineage(table).rows
        )
        run = Run((table,), SymbolicTable("texts", (text,), rows))
        pushed = call("<=>", Cast(x, STRING), is_target(text).children()[1])
        assert prove(lineage_exact(run, 0, is_target(text), pushed)).is_refuted
        assert prove(lineage_exact(run, 0, is_target(text), pushed, equal=identical_row)).is_proved

    def test_a_filter_keeps_rows_in_place(self) -> None:
        table = filtered(fresh_table("t", (A,), 2), call(">", A, number(0)))
        assert [row.exists.operator for row in table.rows] == ["and", "and"]
