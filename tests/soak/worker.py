"""A process that runs a pipeline into a store again and again, until it is killed or has run it so often.

    python -m tests.soak.worker STORE SOURCE [TIMES]

It prints the name of each run once it is complete.
"""

from __future__ import annotations

import sys
from pathlib import Path

from pyspark.sql import DataFrame, SparkSession

import predtrace
from predtrace.frontends.spark.session import local_session
from predtrace.store.files import LocalFiles
from predtrace.store.runs import Runs

SETTINGS = {"spark.driver.memory": "1g", "spark.sql.shuffle.partitions": "2"}


def pipeline(spark: SparkSession, source: str) -> DataFrame:
    """Its traces need a saved result: the groups below the HAVING are not in the output."""
    spark.read.schema("k int, v int").json(source).createOrReplaceTempView("numbers")
    return spark.sql("select sum(v) as total, count(*) as n from numbers group by k having n > 1")


def write_source(path: Path) -> None:
    lines = (f'{{"k": {number % 7}, "v": {number}}}' for number in range(100))
    path.write_text("\n".join(lines))


def main(store: str, source: str, times: str = "1000000") -> None:
    spark = local_session("worker", cores=2, **SETTINGS)
    captured = predtrace.capture(pipeline(spark, source))
    runs = Runs(LocalFiles(store))
    for _ in range(int(times)):
        before = set(runs.complete())
        captured.run(store=store)
        print(*(set(runs.complete()) - before), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
