"""`make kill`: processes killed at random moments while they run into a store, for as long as you like.

No test of a usual run (hence the name); `tests/spark/test_store_kills.py` kills a few.
"""

from __future__ import annotations

import os
import time
from pathlib import Path

from pyspark.sql import SparkSession
from tests.soak.killing import kill_again_and_again

import predtrace

KILLS = int(os.environ.get("PREDTRACE_KILLS", "50"))


def test_complete_runs_survive_kills(spark: SparkSession, tmp_path: Path) -> None:
    seed = time.time_ns()
    print(f"{KILLS} kills, seed {seed}")
    runs = kill_again_and_again(tmp_path, KILLS, seed)
    complete = runs.complete()
    print(f"{len(complete)} runs were complete")
    for run in {complete[0], complete[len(complete) // 2], complete[-1]}:
        lineage = predtrace.open(runs.files.location(), run).trace("n = 15")
        assert lineage.counts() == {"numbers": 30}
