"""Runs that are cut down by semi joins with other sources: what is found, and that traces stay what they are."""

from __future__ import annotations

import pytest
from pyspark.sql import SparkSession
from tests.spark.oracle import Oracle
from tests.spark.predicates import assert_traced_exactly

from predtrace import Pipeline
from predtrace.api import beside
from predtrace.infer.side_cuts import side_cuts
from predtrace.ir.printing import describe

SALES = [(1, 10, 5.0), (2, 10, 7.0), (3, 20, 1.0), (4, 20, None), (5, 30, 9.0), (6, None, 2.0), (7, 40, 5.0)]
ITEMS = [(10, "red", 6.0), (20, "red", 1.0), (30, "blue", 9.0), (40, "red", None), (None, "red", 2.0)]
LARGE = "(select item, {} as a from sales group by item)"
RED = "select item, color, price from items where color = 'red'"

FOUND = {
    "an average by key": f"select i.item, a from ({RED}) i join {LARGE.format('avg(price)')} s on i.item = s.item",
    "a correlated average": (
        "select sum(s.price) as total from sales s, items i where s.item = i.item and i.color = 'red'"
        " and s.price <= (select 2 * avg(price) from sales t where t.item = i.item)"
    ),
    "a semi join": (
        f"select count(*) as n from ({RED}) i where i.item in (select item from sales group by item"
        " having sum(price) > 1)"
    ),
    "an anti join": (
        f"select count(*) as n from ({RED}) i where not exists (select 1 from"
        f" {LARGE.format('sum(price)')} s where s.item = i.item and a > 8)"
    ),
    "a condition above the join": (
        f"select i.price, count(*) as n from ({RED}) i left join {LARGE.format('max(price)')} s"
        " on i.item = s.item where a > 1 group by i.price"
    ),
    # Rows of these are kept and looked up when the run is over, by items.
    "a rank in each group": (
        f"select i.color, count(*) as n from ({RED}) i join (select id, item, row_number() over (partition by item"
        " order by id) as place from sales) s on i.item = s.item where place = 1 group by i.color"
    ),
    "groups of groups": (
        f"select i.color, sum(a) as n from ({RED}) i join (select item, max(a) as a from"
        " (select item, id % 2 as odd, count(*) as a from sales group by item, id % 2) group by item) s"
        " on i.item = s.item group by i.color"
    ),
    "a semi join with rows that are kept": (
        f"select i.color, i.price from ({RED}) i where i.item in (select s.item from sales s where s.price >"
        " (select 0.5 * avg(t.price) from sales t where t.item = s.item))"
    ),
}

NOT_FOUND = {
    "the join alone does it": "select i.color, s.id from items i join sales s on i.item = s.item and i.color = 'red'",
    "a full join": f"select i.item, a from ({RED}) i full join {LARGE.format('avg(price)')} s on i.item = s.item",
    "an outer join of all groups": (
        f"select s.item, a from {LARGE.format('avg(price)')} s left join ({RED}) i on i.item = s.item"
    ),
    "a key that is compared only": (
        f"select i.item, a from ({RED}) i join {LARGE.format('avg(price)')} s on i.item < s.item"
    ),
    # Joined with the distinct values of the outer query, which are no source of the user's.
    "values of the outer query": (
        "select item, (select count(*) from sales s where s.id > 1 and s.item < i.item) as n from items i"
        " where i.color = 'red'"
    ),
    "another key": f"select i.item, a from ({RED}) i join {LARGE.format('avg(price)')} s on i.price = s.a",
    "a limit": (
        f"select i.item, s.id from ({RED}) i join (select * from sales order by id limit 3) s on i.item = s.item"
    ),
    "groups of everything": (
        f"select i.item, a from ({RED}) i join (select count(*) as a, max(item) as item from sales) s"
        " on i.item = s.item"
    ),
    # Rows of these groups are looked up when the run is over, by values of the target.
    "a left join": f"select i.item, a from ({RED}) i left join {LARGE.format('count(*)')} s on i.item = s.item",
}


@pytest.fixture
def shop(spark: SparkSession, monkeypatch: pytest.MonkeyPatch) -> SparkSession:
    monkeypatch.setattr(beside, "MUCH_SMALLER", 0)
    spark.createDataFrame(SALES, "id int, item int, price double").createOrReplaceTempView("sales")
    spark.createDataFrame(ITEMS, "item int, color string, price double").createOrReplaceTempView("items")
    return spark


def cuts_of(pipeline: Pipeline) -> list[str]:
    return [
        f"{cut.source.descriptor.name} by {cut.by.descriptor.name}: {describe(cut.predicate)}"
        for cut in side_cuts(pipeline.decided.operators, pipeline.decided.inferred)
    ]


@pytest.mark.parametrize("name", FOUND)
def test_a_source_is_cut_by_what_the_other_side_asks_for(shop: SparkSession, name: str) -> None:
    oracle = Oracle(shop.sql(FOUND[name]))
    found = cuts_of(Pipeline(oracle.captured))
    assert any("sales by items: " in cut and "item" in cut for cut in found)
    expected = oracle.tracked(oracle.captured.written)
    assert assert_traced_exactly(oracle, expected.lineage).plan.exact


def test_every_source_below_a_kept_result_is_cut(shop: SparkSession) -> None:
    pipeline = Pipeline(Oracle(shop.sql(FOUND["a semi join with rows that are kept"])).captured)
    assert len([cut for cut in cuts_of(pipeline) if cut.startswith("sales by items: ")]) == 2


@pytest.mark.parametrize("name", NOT_FOUND)
def test_what_is_needed_is_not_cut(shop: SparkSession, name: str) -> None:
    oracle = Oracle(shop.sql(NOT_FOUND[name]))
    assert not [cut for cut in cuts_of(Pipeline(oracle.captured)) if cut.startswith("sales by")]
    expected = oracle.tracked(oracle.captured.written)
    assert_traced_exactly(oracle, expected.lineage)


def test_a_run_says_so_and_reads_less(shop: SparkSession) -> None:
    pipeline = Pipeline(Oracle(shop.sql(FOUND["an average by key"])).captured)
    rerun = pipeline.rerun("item > 0")
    cut = rerun._cut
    sales = next(n for n in cut.beside)
    rows = cut.below(sales, pipeline.captured.nodes.rows(sales, pipeline.captured.nodes.output(sales)))
    assert sorted(row[0] for row in rows.collect()) == [1, 2, 3, 4, 7]
    assert "sales cut down" in pipeline.trace("item = 10").explain()


def test_a_source_that_is_not_much_smaller_cuts_nothing(
    shop: SparkSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    pipeline = Pipeline(Oracle(shop.sql(FOUND["an average by key"])).captured)
    cuts = side_cuts(pipeline.decided.operators, pipeline.decided.inferred)
    sizes = {cut.source.reference: 1000 for cut in cuts}
    monkeypatch.setattr(beside, "MUCH_SMALLER", 4)
    for size, chosen in ((251, 0), (250, 1)):
        assert len(list(beside.worthwhile(cuts, lambda number: sizes.get(number, size)))) == chosen  # noqa: B023
