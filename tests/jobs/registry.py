"""The list of jobs, and the small Parquet tables they read.

A job is a pipeline as people write them: several steps, dirty data, functions of their own. Like a corpus pipeline
it comes with the lineage of at least one output row, written by hand from the definition of lineage.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from pyspark.sql import DataFrame, SparkSession
from tests.corpus.registry import Expected, Pipeline

FOLDER_SETTING = "predtrace.jobs.folder"

JOBS: list[Pipeline] = []


@dataclass(frozen=True)
class JobTable:
    """A source of jobs: schema as Spark DDL, key column (None for a bag), rows as tuples."""

    name: str
    schema: str
    key: str | None
    rows: tuple[tuple[Any, ...], ...]

    def read(self, spark: SparkSession) -> DataFrame:
        """The table as a job reads it, written first if this session has not done so."""
        path = Path(spark.conf.get(FOLDER_SETTING) or "") / f"{self.name}.parquet"
        if not path.exists():
            self._write(path)
        return spark.read.schema(self.schema).parquet(str(path))

    def view(self, spark: SparkSession) -> None:
        """Make it known to SQL under its name."""
        self.read(spark).createOrReplaceTempView(self.name)

    def _write(self, path: Path) -> None:
        import pyarrow
        import pyarrow.parquet
        from pyspark.sql.pandas.types import to_arrow_schema
        from pyspark.sql.types import StructType

        # Through Arrow: a Spark job for each table would take longer than most jobs.
        spark_schema = StructType.fromDDL(self.schema)
        assert isinstance(spark_schema, StructType)
        schema = to_arrow_schema(spark_schema, timezone="UTC")
        rows = [dict(zip(schema.names, row, strict=True)) for row in self.rows]
        pyarrow.parquet.write_table(pyarrow.Table.from_pylist(rows, schema=schema), path)


TABLES: dict[str, JobTable] = {}


def table(name: str, schema: str, rows: Iterable[tuple[Any, ...]], key: str | None = None) -> JobTable:
    """A table; its first column is its key, unless another is given."""
    if name in TABLES:
        raise ValueError(f"two tables of jobs are named {name!r}; rename one")
    TABLES[name] = JobTable(name, schema, key or schema.split(" ", 1)[0], tuple(rows))
    return TABLES[name]


def bag(name: str, schema: str, rows: Iterable[tuple[Any, ...]]) -> JobTable:
    """A table without a key: rows may be repeated."""
    made = table(name, schema, rows)
    TABLES[name] = JobTable(name, schema, None, made.rows)
    return TABLES[name]


def at(text: str) -> datetime:
    """A moment in UTC."""
    return datetime.fromisoformat(text).replace(tzinfo=timezone.utc)


Build = Callable[[SparkSession], DataFrame]


def job(
    covers: Iterable[str],
    expected: Expected,
    *,
    deterministic: bool = True,
    opaque: bool = False,
    reexecutable: bool = True,
) -> Callable[[Build], Build]:
    """Register the decorated function as a job of its name."""
    if not expected:
        raise ValueError("a job needs the lineage of at least one row, written by hand")

    def register(build: Build) -> Build:
        name = build.__name__
        if any(known.name == name for known in JOBS):
            raise ValueError(f"two jobs are named {name!r}; rename one")
        JOBS.append(
            Pipeline(
                name,
                build,
                tuple(covers),
                tuple(expected),
                deterministic=deterministic,
                opaque=opaque,
                reexecutable=reexecutable,
            )
        )
        return build

    return register
