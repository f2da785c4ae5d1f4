"""Cuts that pass a needed result: a lookup says of a source's tuples what it says of the tuples that these tell."""

from __future__ import annotations

import pytest
from tests.unit.ir.samples import K, V, call, pairs

from predtrace.infer.selections import NeededResult
from predtrace.infer.side_cuts import _Search
from predtrace.ir.expressions import Expression
from predtrace.ir.predicates import Parameter


def value(name: str) -> Parameter:
    return Parameter(name, K.type)


TOLD: dict[str, dict[str, Expression]] = {"needed_1": {"beside_0": value("beside_0.k")}, "needed_2": {}}


@pytest.mark.parametrize(
    ("given", "source", "expected"),
    [
        ("needed_1", "beside_0", "beside_0.k"),
        ("needed_1", "beside_1", "needed_1.1"),
        ("needed_2", "beside_0", "needed_2.1"),
        ("target", "beside_0", "target.1"),
    ],
)
def test_tuples_are_told_by_what_tells_those_of_the_lookup(given: str, source: str, expected: str) -> None:
    search = _Search(())
    search._told = {name: {by: {K.id: e} for by, e in told.items()} for name, told in TOLD.items()}
    lookup = call("=", V, value(f"{given}.{K.id}"))
    need = NeededResult("needed_3", pairs(), lookup, given, "")
    assert search._in_other_words(need, source) == [call("=", V, value(expected))]
