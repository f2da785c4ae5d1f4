"""A function that is declared to work row by row: a GroupedMap whose groups are the equal rows."""

from __future__ import annotations

from tests.unit.ir.samples import call, column, number
from tests.unit.operators import cases as c
from tests.unit.operators.proofs import is_exact, is_sound, kept, lineage, recomputes

from predtrace.ir.operators import GroupedMap, Operator, Project
from predtrace.ir.printing import explain
from predtrace.ir.serialise import from_json, to_json
from predtrace.operators.hidden import with_hidden_columns

OUT = (column(30, "a"), column(31, "b"))
MAP = GroupedMap(
    input=c.A,
    keys=(c.K, c.X),
    arguments=(c.K, c.X),
    function="f",
    function_name="f",
    columns=OUT,
    by_row=True,
)


def with_row(operator: Operator) -> Operator:
    found = with_hidden_columns(operator)
    assert isinstance(found, Project)
    return found.input


def test_the_row_itself_is_the_lineage() -> None:
    operator = with_row(MAP)
    selected = c.everything(operator)
    assert lineage(operator, selected) == [("k <=> :key.0.1 and x <=> :key.1.2", True)]
    assert kept(operator, selected) == ["k <=> :key.0.1 and x <=> :key.1.2"]
    # Nobody knows what the function returned: without its row an output row tells nothing.
    assert lineage(operator, c.fixed(*OUT)) == [("everything", False)]


def test_wrong_rules_are_refuted() -> None:
    operator = with_row(MAP)
    selected = c.everything(operator)
    own = call("=", c.K, c.fixed(operator.output[2]).children()[1])
    assert not is_sound(operator, selected, own), "a NULL equals itself here"
    assert not is_exact(operator, selected, None)
    assert not recomputes(operator, selected, call(">", c.X, number(0)))


def test_it_is_called_a_row_map() -> None:
    assert explain(with_row(MAP)).splitlines()[0] == "RowMap f of each (k, x) as key.0.1, key.1.2"
    assert from_json(to_json(MAP)) == MAP
