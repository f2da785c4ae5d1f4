"""Traces of stored runs on DuckDB give the rows that they give on Spark: the same values, types and names."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pyarrow
import pyarrow.parquet
import pytest
from pyspark.sql import DataFrame, Row, SparkSession
from tests.spark.oracle import comparable
from tests.spark.stored_pipelines import PIPELINES, over_sales

import predtrace
from predtrace import Lineage, StoredRun, capture
from predtrace.errors import InputError, NoSuchRow

TPCH = sorted((Path(__file__).parents[1] / "data" / "tpch").glob("q*.sql"))
TPCH = TPCH if os.environ.get("PREDTRACE_FULL") else TPCH[1::3]
"""A third of the queries, unless all are asked for (`make soak` does)."""

LEFT_TO_SPARK = {
    "a pivot": "the function getitem",
    "void columns": "nothing but NULLs",
    "only void": "nothing but NULLs",
    "sources of every format": "not Parquet",
    "a partitioned folder": "the option __globpaths__",
    "odd names": "not Parquet",
    "every type": "a comparison of timestamp_ntz with timestamp",
    "rows in memory": "a comparison of timestamp_ntz with timestamp",
}
"""The stored pipelines that DuckDB must not answer, and why."""


def stored(frame: DataFrame, folder: Path) -> tuple[StoredRun, list[Row]]:
    rows = capture(frame).run(store=str(folder)).collect()
    return predtrace.open(str(folder)), rows


def plain(rows: pyarrow.Table) -> Counter[Any]:
    return Counter(comparable(tuple(row)) for row in zip(*(c.to_pylist() for c in rows.columns), strict=True))


def assert_same(found: Lineage, expected: Lineage) -> None:
    assert (found.engine, expected.engine) == ("duckdb", "spark")
    assert found.exact == expected.exact
    for one, other in zip(found.references, expected.references, strict=True):
        rows, expected_rows = one.to_arrow(), other.to_arrow()
        assert rows.schema == expected_rows.schema
        assert plain(rows) == plain(expected_rows)
        assert one.count() == rows.num_rows
        assert one.first(1).num_rows == min(1, rows.num_rows)


@pytest.mark.parametrize("query", TPCH, ids=[path.stem for path in TPCH])
def test_tpch(tpch: SparkSession, tmp_path: Path, query: Path) -> None:
    run, rows = stored(tpch.sql(query.read_text(encoding="utf-8")), tmp_path)
    targets = rows[:5]
    assert_same(run.trace(targets, engine="duckdb"), run.trace(targets, engine="spark"))


@pytest.mark.parametrize("name", PIPELINES)
def test_types_and_plans_of_every_kind(spark: SparkSession, tmp_path: Path, name: str) -> None:
    """When no engine is asked for, DuckDB answers where it can, and only there."""
    run, rows = stored(PIPELINES[name](spark, tmp_path), tmp_path / "store")
    targets = rows[:3] if rows else "1 = 1"
    try:
        found = run.trace(targets)
    except NoSuchRow:
        assert not rows
        return
    assert found.engine == ("spark" if name in LEFT_TO_SPARK else "duckdb")
    if name not in LEFT_TO_SPARK:
        assert_same(found, run.trace(targets, engine="spark"))
        return
    with pytest.raises(InputError, match=re.escape(LEFT_TO_SPARK[name])):
        run.trace(targets, engine="duckdb")


def test_without_spark(spark: SparkSession, tmp_path: Path) -> None:
    """A stored run is opened, shown and traced by a process that never loads PySpark."""
    query = over_sales("select shop, max(price) as top from {sales} group by shop")
    run, _ = stored(query(spark, tmp_path), tmp_path / "store")
    program = f"""
import predtrace, sys
from predtrace.cli.app import app
lineage = predtrace.open({str(tmp_path / "store")!r}).trace("shop = 'a'")
lineage["sales"].show()
lineage["sales"].write_parquet({str(tmp_path / "rows")!r})
print(lineage.counts(), lineage.engine)
app(["trace", {str(tmp_path / "store")!r}, "--where", "shop = 'a'"], standalone_mode=False)
print(sorted(name for name in sys.modules if name.split(".")[0] in ("pyspark", "py4j", "z3")))
"""
    environment = {"PATH": "", "JAVA_HOME": "/there/is/no/java"}
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    said = done.stdout.strip().splitlines()
    assert said[-1] == "[]"
    assert "{'sales': 1} duckdb" in said
    written = pyarrow.parquet.read_table(tmp_path / "rows")
    expected = run.trace("shop = 'a'", engine="spark")["sales"].to_arrow()
    assert (plain(written), written.schema) == (plain(expected), expected.schema)
