"""Supersets through the public interface: no lineage row is missed, and it is said what they are."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession
from tests.spark.stored_pipelines import sales
from tests.spark.test_duckdb_traces import plain

from predtrace import Lineage, capture
from predtrace.errors import InputError
from predtrace.trace.refining import Refinement

QUERIES = Path(__file__).parents[1] / "data" / "tpch"


def rows_of(lineage: Lineage) -> list[Any]:
    return [plain(rows.to_arrow()) for rows in lineage.references]


@pytest.mark.parametrize("query", ["q03", "q16", "q22"])
def test_no_row_is_missed_on_either_engine(tpch: SparkSession, query: str) -> None:
    pipeline = capture(tpch.sql((QUERIES / f"{query}.sql").read_text(encoding="utf-8")))
    target = pipeline.run().first()
    assert target is not None
    exact = pipeline.trace(target, engine="spark")
    superset = pipeline.trace(target, exact=False, engine="spark")
    assert not superset.exact
    assert "not checked" in superset.why_not_exact
    assert "round" in superset.explain()
    for found, expected in zip(rows_of(superset), rows_of(exact), strict=True):
        assert found >= expected
    automatic = pipeline.trace(target, exact=False)
    assert automatic.engine == "duckdb", "what is evaluated comes from Spark"
    assert rows_of(automatic) == rows_of(superset)


def test_what_is_known_of_the_target_is_used(spark: SparkSession, tmp_path: Path) -> None:
    query = "select shop, n, sum(id) as total from {sales} group by shop, n"
    pipeline = capture(spark.sql(query, sales=sales(spark, tmp_path)))
    counts = {
        "shop = 'a' and n = 3": 1,
        "shop = 'a'": 4,
        "shop = 'a' and total > 1000": 4,  # what is asked of a sum is not used: too many, never too few
        "shop = 'a' or shop = 'b'": 8,
        "shop in ('a', 'b')": 8,
        "n is null": 2,
        "total > 5": 12,
        "shop = 'nowhere'": 0,
    }
    found = {condition: pipeline.trace(condition, exact=False).counts()["sales"] for condition in counts}
    assert found == counts
    assert pipeline.trace({"shop": "a", "n": 3}, exact=False).engine == "duckdb"
    assert pipeline.trace("total > 5", exact=False).engine == "spark"
    with pytest.raises(InputError, match="without a known value"):
        pipeline.trace("total > 5", exact=False, engine="duckdb")
    assert "was not used" in pipeline.trace("shop = 'a' and total > 1000", exact=False).why_not_exact
    assert "was not used" not in pipeline.trace("shop = 'a'", exact=False).why_not_exact


def test_spark_narrows_once_for_all_references(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each reference that was asked for as a frame of Spark began anew: minutes, where many are read."""
    query = "select a.shop, a.n from {sales} a join {sales} b on a.id = b.id where b.n > 0"
    superset = capture(spark.sql(query, sales=sales(spark, tmp_path))).trace({"shop": "a"}, exact=False)
    assert superset.engine == "duckdb"
    began: list[object] = []
    begin = Refinement.__init__

    def counted(self: Any, *asked: Any) -> None:
        began.append(self)
        begin(self, *asked)

    monkeypatch.setattr(Refinement, "__init__", counted)
    for rows in superset.references:
        assert rows.to_spark().count() == rows.count()
    assert len(superset.references) == 2
    assert len(began) == 1
