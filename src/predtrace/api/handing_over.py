"""Rows handed over from Spark to DuckDB: in Parquet files that are there as long as it takes to read them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from pyspark.sql import SparkSession

from predtrace.api.duckdb_answers import parquet_files_in
from predtrace.api.keeping import InStore, folder_of
from predtrace.engines.duckdb_sql import NotInDuckDB
from predtrace.store.files import LocalFiles

_RUN = "run"


@dataclass(frozen=True)
class HandedOver:
    """Where rows of plan nodes go, and their files."""

    keeping: InStore
    folder: Path

    def files(self, plan_node: int) -> list[str]:
        return parquet_files_in(self.folder / folder_of(plan_node))


@contextmanager
def handing_over() -> Iterator[HandedOver]:
    """Files for a moment."""
    with TemporaryDirectory(prefix="predtrace-") as folder:
        yield HandedOver(InStore(LocalFiles(folder), _RUN, to_stay=False), Path(folder) / _RUN)


def check_same_machine(session: SparkSession) -> None:
    """Raise `NotInDuckDB` if Spark writes files on other machines than this process reads them."""
    if not str(session.sparkContext.master).startswith("local"):
        raise NotInDuckDB("what Spark computes on other machines")
