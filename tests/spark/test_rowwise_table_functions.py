"""Table functions (UDTFs) that are declared to treat each row by itself, against plain Python over the same rows."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from pyspark.sql import SparkSession
from tests.spark.market import (
    EXPANDED,
    ORDERS,
    PRICES,
    Lineage,
    items,
    letters,
    of_orders,
    open_market,
    together,
    traced,
)
from tests.spark.oracle import Key, comparable

import predtrace
from predtrace.ir.operators import Generate, Join, LateralJoin, walk_operators


@pytest.fixture
def market(spark: SparkSession, tmp_path: Path) -> Iterator[SparkSession]:
    with open_market(spark, tmp_path) as session:
        yield session


OUTER: list[Key] = [
    *((number, item, place) for number, _, item, place in EXPANDED if place > 0),
    *((number, None, None) for number, _, text in ORDERS if len(items(text)) < 2),
]
"""Each order with each of its items but the first, or with none."""


def _busy_items() -> Lineage:
    kept = [(number, item) for number, customer, item, place in EXPANDED if customer == "bob" or place > 0]
    found: Lineage = {}
    for item in {item for _, item in kept}:
        members = [number for number, other in kept if other == item]
        if len(members) > 1:
            found[(item, len(members))] = {"orders": set(members)}
    return found


def _revenues() -> Lineage:
    found: Lineage = {}
    for customer in {"ann", "bob", "cat", None}:
        sold = [
            (number, name, price)
            for number, who, item, _ in EXPANDED
            for name, price in PRICES
            if who == customer and name == item
        ]
        if sold:
            total = sum(price for _, _, price in sold)
            found[(customer, total)] = {"orders": {n for n, _, _ in sold}, "prices": {n for _, n, _ in sold}}
    return found


CASES: dict[str, tuple[str, Lineage]] = {
    "lateral": (
        "SELECT id, item, place FROM orders, LATERAL items_of(items)",
        of_orders(*(((n, item, place), n) for n, _, item, place in EXPANDED)),
    ),
    "what it yields alone": (
        "SELECT item FROM orders, LATERAL items_of(text => items)",
        of_orders(*(((item,), n) for n, _, item, _ in EXPANDED)),
    ),
    "renamed and computed": (
        "SELECT upper(what) w, at + 1 a FROM orders, LATERAL items_of(lower(items)) AS i(what, at)",
        of_orders(*(((item.upper(), place + 1), n) for n, _, item, place in EXPANDED)),
    ),
    "filtered and grouped": (
        """SELECT item, count(*) n FROM orders, LATERAL items_of(items)
           WHERE customer = 'bob' OR place > 0 GROUP BY item HAVING count(*) > 1""",
        _busy_items(),
    ),
    "left, on true": (
        "SELECT id, item FROM orders LEFT JOIN LATERAL items_of(items) ON true",
        of_orders(
            *(((n, item), n) for n, _, item, _ in EXPANDED),
            *(((n, None), n) for n, _, text in ORDERS if not text),
        ),
    ),
    "left, on a condition": (
        "SELECT id, item, place FROM orders LEFT JOIN LATERAL items_of(items) ON place > 0",
        of_orders(*((row, row[0]) for row in OUTER)),
    ),
    "above a group": (
        """SELECT item, longest FROM (SELECT customer, max(items) longest FROM orders GROUP BY customer),
           LATERAL items_of(longest)""",
        together(
            ((item, text), {"orders": {n for n, who, t in ORDERS if (who, t) == (customer, text)}})
            for customer, text in [
                ("ann", "tea milk tea"),
                ("bob", "tea"),
                ("cat", ""),
                (None, ORDERS[-1][2]),
            ]
            for item, _ in items(text)
        ),
    ),
    "one of the other": (
        "SELECT i.item, l.letter FROM orders, LATERAL items_of(items) i, LATERAL letters_of(i.item, i.place + 1) l",
        of_orders(
            *(((item, letter), n) for n, _, item, place in EXPANDED for letter in letters(item, place + 1))
        ),
    ),
    "twice": (
        "SELECT a.item x, b.item y FROM orders, LATERAL items_of(items) a, LATERAL items_of(customer) b",
        of_orders(*(((item, who), n) for n, who, item, _ in EXPANDED if who is not None)),
    ),
    "constants": (
        "SELECT id, item FROM orders, items_of('x y') WHERE item = 'y' AND customer = 'ann'",
        of_orders(((1, "y"), 1), ((3, "y"), 3)),
    ),
    "joined and summed up": (
        """SELECT customer, sum(price) total FROM orders, LATERAL items_of(items) JOIN prices ON name = item
           GROUP BY customer""",
        _revenues(),
    ),
    "in EXISTS": (
        "SELECT id FROM orders WHERE EXISTS (SELECT 1 FROM letters_of(customer) WHERE letter = 'n')",
        of_orders(((1,), 1), ((3,), 3)),
    ),
    "in a scalar subquery": (
        "SELECT id, (SELECT max(letter) FROM letters_of(customer)) last FROM orders",
        of_orders(*(((n, max(letters(who), default=None)), n) for n, who, _ in ORDERS)),
    ),
    "of a table": (
        "SELECT label FROM labels_of(TABLE(orders))",
        of_orders(*(((f"{who} {len(items(text))}",), n) for n, who, text in ORDERS if who)),
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_every_row_comes_from_the_row_it_was_yielded_for(market: SparkSession, case: str) -> None:
    query, expected = CASES[case]
    pipeline, found = traced(market.sql(query))
    assert found == expected
    assert pipeline.plan.exact


def _ids(lineage: predtrace.Lineage) -> set[int]:
    return set(lineage["orders"].to_pandas()["id"])


@pytest.mark.parametrize("case", ["what it yields alone", "left, on true", "filtered and grouped"])
def test_in_every_way_to_trace(market: SparkSession, tmp_path: Path, case: str) -> None:
    query, expected = CASES[case]
    pipeline = predtrace.capture(market.sql(query))
    chosen = [
        dict(zip(market.sql(query).columns, key, strict=True)) for key in sorted(expected, key=repr)[:2]
    ]
    for row in chosen:
        lineage = pipeline.trace(row)
        assert (lineage.exact, lineage.method) == (True, "predicates")
        assert _ids(lineage) == expected[tuple(row.values())]["orders"], "not run"
        superset = pipeline.trace(row, exact=False)
        assert _ids(superset) >= expected[tuple(row.values())]["orders"]
    output = pipeline.run(store=str(tmp_path / "run"))
    assert {comparable(tuple(row)) for row in output.collect()} == expected.keys()
    for row in chosen:
        for lineage in (pipeline.trace(row), predtrace.open(str(tmp_path / "run")).trace(row)):
            assert lineage.exact
            assert _ids(lineage) == expected[tuple(row.values())]["orders"], "stored"


def test_a_function_is_no_join(market: SparkSession) -> None:
    """Spark calls it for each outer row, and so do traces: not once for rows whose arguments are equal."""
    captured = predtrace.capture(market.sql(CASES["lateral"][0])).captured
    for graph in (captured.written, captured.operators):
        operators = list(walk_operators(graph))
        assert any(isinstance(operator, Generate) for operator in operators)
        assert not any(isinstance(operator, LateralJoin | Join) for operator in operators)
