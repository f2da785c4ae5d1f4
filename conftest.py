"""Fixtures for the tests and for the examples in docstrings (hence here, above both `tests` and `src`)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from predtrace.cli import tpch as tpch_data
from predtrace.frontends.spark.session import local_session

QUICK_ON_TINY_TABLES = {
    # Compiling each small query takes longer than running it.
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    "spark.sql.adaptive.enabled": "false",
    "spark.sql.shuffle.partitions": "1",
    # Nobody looks at what ran before, and the plans of a thousand queries fill the memory.
    "spark.sql.ui.retainedExecutions": "1",
}


@pytest.fixture(scope="session")
def spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SparkSession]:
    """One real Spark for the whole test run; it leaves nothing behind in the working folder.

    It is set for tiny tables. Tests that start the program itself see Spark as users have it.
    """
    warehouse = tmp_path_factory.mktemp("warehouse")
    own = {"spark.driver.memory": "4g", "spark.sql.warehouse.dir": warehouse.as_uri()}
    session = local_session("predtrace-tests", cores=2, **own, **QUICK_ON_TINY_TABLES)
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
