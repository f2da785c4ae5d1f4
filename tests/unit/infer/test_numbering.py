"""Parameters without names: what is worked out for some holds for others."""

from __future__ import annotations

from tests.unit.ir.samples import call, column

from predtrace.infer.numbering import unnamed
from predtrace.ir.expressions import Expression
from predtrace.ir.predicates import Parameter
from predtrace.ir.types import INTEGER, STRING
from predtrace.operators.pushing import all_of, with_values

K, X = column(1, "k"), column(2, "x")


def compared(one: Parameter, other: Parameter) -> Expression:
    found = all_of([call("<=>", K, one), call("<", X, other)])
    assert found is not None
    return found


def test_predicates_that_differ_in_names_only_are_one() -> None:
    here = compared(Parameter("result_1.1", INTEGER), Parameter("result_1.2", INTEGER))
    there = compared(Parameter("result_2.7", INTEGER), Parameter("target.8", INTEGER))
    assert unnamed(here)[0] == unnamed(there)[0]


def test_one_parameter_twice_is_not_two() -> None:
    a, b = Parameter("target.1", INTEGER), Parameter("target.2", INTEGER)
    assert unnamed(compared(a, a))[0] != unnamed(compared(a, b))[0]


def test_a_name_with_two_types_is_two_parameters() -> None:
    a, b = Parameter("target.1", INTEGER), Parameter("target.1", STRING)
    (without,), known = unnamed(compared(a, b))
    assert len(known) == 2
    assert with_values(without, known) == compared(a, b)


def test_a_condition_has_the_numbers_of_the_predicate_and_more() -> None:
    a, b, flag = (Parameter(f"target.{name}", INTEGER) for name in ("1", "2", "flag"))
    predicate, condition = compared(a, b), all_of([call("isnotnull", flag), call("isnotnull", b)])
    without, known = unnamed(predicate, condition)
    assert [with_values(each, known) for each in without] == [predicate, condition]
    assert len(known) == 3
