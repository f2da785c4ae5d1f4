"""Python functions in a store: run for those who trust it, and for nobody else."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from tests.spark.stored_pipelines import sales

import predtrace
from predtrace import StoredRun, capture
from predtrace.errors import StoreProblem, UntrustedFunctions

FACTOR = 2.0


def expensive(spark: SparkSession, folder: Path) -> DataFrame:
    """A filter that only Python can work out."""
    doubled = F.udf(lambda n: n * FACTOR if n is not None else None, "double")
    return sales(spark, folder).filter(doubled("n") > 5).groupBy("shop").count()


def test_functions_are_loaded_by_those_who_trust_the_store(spark: SparkSession, tmp_path: Path) -> None:
    pipeline = capture(expensive(spark, tmp_path))
    pipeline.run(store=str(tmp_path / "store"))
    expected = sorted(pipeline.trace("shop = 'a'")["sales"].to_pandas()["id"])
    assert expected == [3, 9]
    stored = predtrace.open(str(tmp_path / "store"))
    with pytest.raises(UntrustedFunctions, match="runs whatever code"):
        stored.trace("shop = 'a'")
    program = f"""
import predtrace
stored = predtrace.open({str(tmp_path / "store")!r})
print(sorted(stored.trace("shop = 'a'", trust_udfs=True)["sales"].to_pandas()["id"]))
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.stdout.strip() == "[3, 9]", done.stderr


def test_other_code_and_other_pythons_are_refused(spark: SparkSession, tmp_path: Path) -> None:
    pipeline = capture(expensive(spark, tmp_path))
    pipeline.run(store=str(tmp_path / "store"))
    stored = pipeline.stored
    assert stored is not None
    (function,) = stored.manifest.functions
    older = replace(stored.manifest, functions=(replace(function, python="2.7"),))
    with pytest.raises(StoreProblem, match=r"saved by Python 2\.7"):
        StoredRun(stored._runs, older).trace("shop = 'a'", trust_udfs=True)
    file = tmp_path / "store" / stored.manifest.run / function.file
    file.write_bytes(b"cos\nsystem\n(S'touch hacked'\ntR.")
    with pytest.raises(StoreProblem, match="not what the run saved"):
        stored.trace("shop = 'a'", trust_udfs=True)
