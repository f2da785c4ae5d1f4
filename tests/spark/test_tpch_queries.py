"""Our texts of the TPC-H queries mean the same to two engines, so a slip in one of them shows."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path

import duckdb
import pytest
from pyspark.sql import SparkSession

from predtrace.cli import tpch as tpch_data

QUERIES = sorted((Path(__file__).parents[1] / "data" / "tpch").glob("q*.sql"))


def _plain(value: object) -> object:
    """Decimals as floats: DuckDB's averages of decimals are floats, Spark's are decimals."""
    return float(value) if isinstance(value, (Decimal, float)) else value


def test_there_are_22_queries() -> None:
    assert [path.stem for path in QUERIES] == [f"q{number:02d}" for number in range(1, 23)]


@pytest.mark.parametrize("path", QUERIES, ids=lambda path: path.stem)
def test_spark_and_duckdb_agree(tpch: SparkSession, tpch_folder: Path, path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    found = [[_plain(value) for value in row] for row in tpch.sql(text).collect()]
    with duckdb.connect() as connection:
        for table in tpch_data.TABLES:
            connection.read_parquet(str(tpch_folder / f"{table}.parquet")).create_view(table)
        expected = [[_plain(value) for value in row] for row in connection.execute(text).fetchall()]
    assert found, "a query without rows tests nothing"
    assert len(found) == len(expected)
    for found_row, expected_row in zip(found, expected, strict=True):
        for found_value, expected_value in zip(found_row, expected_row, strict=True):
            if isinstance(expected_value, float):
                # Spark rounds averages and quotients of decimals to six digits.
                assert found_value == pytest.approx(expected_value, rel=1e-5, abs=1e-6), found_row
            else:
                assert found_value == expected_value, found_row
