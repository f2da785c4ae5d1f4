"""Runs that are killed, and runs beside them: see `tests/soak` for many more."""

from __future__ import annotations

from pathlib import Path

from pyspark.sql import SparkSession
from tests.soak.killing import kill_again_and_again

import predtrace


def test_complete_runs_survive_kills(spark: SparkSession, tmp_path: Path) -> None:
    runs = kill_again_and_again(tmp_path, kills=2)
    complete = runs.complete()
    for run in (complete[0], complete[-1]):
        assert predtrace.open(runs.files.location(), run).trace("n = 15").counts() == {"numbers": 30}
