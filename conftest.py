"""Fixtures for the tests and for the examples in docstrings (hence here, above both `tests` and `src`)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from predtrace.cli import tpch as tpch_data
from predtrace.frontends.spark.session import local_session

TPCH_QUERIES = Path(__file__).parent / "tests" / "data" / "tpch"


@pytest.fixture(scope="session")
def spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SparkSession]:
    """One real Spark for the whole test run; it leaves nothing behind in the working folder."""
    warehouse = tmp_path_factory.mktemp("warehouse")
    session = local_session(
        "predtrace-tests",
        cores=2,
        **{"spark.driver.memory": "4g", "spark.sql.warehouse.dir": warehouse.as_uri()},
    )
    yield session
    session.stop()


@pytest.fixture(scope="session")
def tpch_folder() -> Path:
    """Return the folder with TPC-H data at scale factor 0.01."""
    return tpch_data.generate(0.01)


@pytest.fixture
def tpch(spark: SparkSession, tpch_folder: Path) -> SparkSession:
    """Return the session with the eight TPC-H views, fresh for every test."""
    tpch_data.register(spark, tpch_folder)
    return spark


@pytest.fixture(autouse=True)
def _spark_in_docstring_examples(
    request: pytest.FixtureRequest, doctest_namespace: dict[str, object]
) -> None:
    """Give examples the name `spark`, starting Spark only for those that use it."""
    if isinstance(request.node, pytest.DoctestItem):
        examples = request.node.dtest.examples if request.node.dtest else []
        if any("spark" in example.source for example in examples):
            doctest_namespace["spark"] = request.getfixturevalue("spark")
