"""Frames of values that left Spark depend on the rows that left."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import predtrace
import predtrace.pandas as pd
from predtrace.frontends.pandas.core.watching import own_program

ORDERS = "id,who,price\n1,ann,10.5\n2,bob,\n3,ann,7\n4,cy,3\n5,,1\n"


@pytest.fixture
def orders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    monkeypatch.setenv("PREDTRACE_CACHE", str(tmp_path / "cache"))
    path = tmp_path / "orders.csv"
    path.write_text(ORDERS)
    with own_program():
        yield pd.read_csv(path)


def rows(lineage: Any) -> list[int]:
    return sorted(lineage["orders"].to_pandas()["row"])


def test_a_frame_of_rows_that_left_depends_on_all_of_them(spark: Any, orders: Any) -> None:
    made = [
        {"who": row["who"], "twice": 2 * row["price"]} for _, row in orders[orders["price"] > 2].iterrows()
    ]
    back = pd.DataFrame(made)
    assert back.to_pandas().to_dict("list") == {"who": ["ann", "ann", "cy"], "twice": [21.0, 14.0, 6.0]}
    lineage = predtrace.capture(back[back["twice"] < 10]).trace("who = 'cy'")
    assert not lineage.exact
    assert "made_outside_of_spark" in lineage.why_not_exact
    assert rows(lineage) == [0, 2, 3], "those that left, not those that were filtered out before"


def test_so_does_a_frame_of_groups_that_were_gone_through(spark: Any, orders: Any) -> None:
    back = pd.DataFrame([{"who": who, "orders": len(group)} for who, group in orders.groupby("who")])
    assert back["orders"].tolist() == [2, 1, 1]
    lineage = predtrace.capture(back).trace("who = 'bob'")
    assert (lineage.exact, rows(lineage)) == (False, [0, 1, 2, 3, 4])


@pytest.mark.parametrize("taken", [float, lambda mean: mean, lambda mean: round(mean, 2)])
def test_so_does_a_number_of_a_frame(spark: Any, orders: Any, taken: Any) -> None:
    back = pd.DataFrame({"mean": [taken(orders["price"].mean())]})
    lineage = predtrace.capture(back).trace("mean > 0")
    assert (lineage.exact, rows(lineage)) == (False, [0, 1, 2, 3, 4])


def test_so_does_a_column_of_values_that_left(spark: Any, orders: Any) -> None:
    orders["price"] = [price * 2 for price in orders["price"].tolist()]
    lineage = predtrace.capture(orders).trace("id = 4 and price = 6")
    assert (lineage.exact, rows(lineage)) == (False, [0, 1, 2, 3, 4])


def test_values_that_left_an_empty_frame(spark: Any, orders: Any) -> None:
    made = [{"rows": len(orders[orders["price"] > 100].to_pandas())}]
    assert pd.DataFrame(made).to_pandas().to_dict("list") == {"rows": [0]}


def test_a_frame_that_is_written_down_depends_on_nothing(spark: Any, orders: Any) -> None:
    orders.to_pandas()
    fees = pd.DataFrame({"who": ["ann", "bob"], "fee": [1.0, 0.5]})
    lineage = predtrace.capture(orders.merge(fees, on="who")).trace("id = 3")
    assert lineage.exact
    assert lineage.counts() == {"orders": 1, "local_1": 1}


def test_values_that_come_and_go(spark: Any, orders: Any) -> None:
    back = orders
    for _ in range(6):
        back = pd.DataFrame({"price": [price + 1 for price in back["price"].tolist()]})
    lineage = predtrace.capture(back).trace("price = 9")
    assert (lineage.exact, rows(lineage)) == (False, [0, 1, 2, 3, 4])


def test_values_that_left_from_many_frames(spark: Any, orders: Any) -> None:
    prices = [orders[orders["id"] == number]["price"].iloc[0].item() for number in [1, 3, 4, 5] * 8]
    more = [len(orders[orders["price"] > price / 10].to_pandas()) for price in range(30)]
    back = pd.DataFrame({"price": [prices[0] + more[0]]})
    lineage = predtrace.capture(back).trace("price = 14.5")
    assert (lineage.exact, rows(lineage)) == (False, [0, 1, 2, 3, 4])


def test_rows_that_come_back_below_others(spark: Any, orders: Any) -> None:
    back = pd.DataFrame([{"id": 10 * row["id"]} for _, row in orders.iterrows()])
    both = pd.concat([orders[["id"]], back, back], ignore_index=True)
    assert both["id"].tolist() == [1, 2, 3, 4, 5, *[10, 20, 30, 40, 50] * 2]


def test_a_row_of_sums_stays_on_spark(spark: Any, orders: Any) -> None:
    sums = orders.groupby("who")[["price", "id"]].sum()
    sums.loc["ALL"] = sums.sum()
    assert sums.to_pandas().to_dict("list") == {"price": [17.5, 0.0, 3.0, 20.5], "id": [4.0, 2.0, 4.0, 10.0]}
    lineage = predtrace.capture(sums).trace("who = 'ALL'")
    assert (lineage.exact, rows(lineage)) == (True, [0, 1, 2, 3])
