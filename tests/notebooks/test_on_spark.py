"""The notebooks give on Spark what they give with plain pandas, and rows of their results are traced in every way.

A usual run looks at a few of them; `PREDTRACE_FULL=1` looks at all.
"""

from __future__ import annotations

import os
import shutil
import time
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession
from tests.notebooks.catalogue import NOTEBOOKS, Notebook
from tests.notebooks.long_notebook import RESULT, long_notebook
from tests.notebooks.running import FOLDER, run
from tests.pandas_on_spark.same import assert_same, settled
from tests.properties.traces import Judge
from tests.spark.oracle import Key, Oracle

from predtrace import Pipeline, capture
from predtrace.cli.programs import Ran, run_program
from predtrace.ir.determinism import unstable_steps
from predtrace.ir.operators import walk_operators
from predtrace.reference.reexecution import Outcome, Reexecution, same_value
from predtrace.reference.skipping import NUMBERING
from predtrace.symbolic import solver

FULL = bool(os.environ.get("PREDTRACE_FULL"))
LOOKED_AT = NOTEBOOKS if FULL else NOTEBOOKS[6::56]

pytestmark = pytest.mark.filterwarnings("ignore")
"""What pandas warns of is tested with plain pandas."""


@dataclass
class Examined:
    """A notebook that ran with both."""

    notebook: Notebook
    expected: Any
    """What plain pandas gives."""

    ran: Ran
    """What `predtrace run` would store."""

    @cached_property
    def judge(self) -> Judge:
        return Judge(Oracle(self.ran.frame.to_spark()))

    @cached_property
    def pipeline(self) -> Pipeline:
        """The result as it was captured; it never runs through us."""
        return Pipeline(self.judge.oracle.captured)

    def chosen(self) -> list[Key]:
        """The rows to trace: the first, the one in the middle and the last."""
        keys = list(self.judge.output)
        return [keys[place] for place in sorted({0, len(keys) // 2, len(keys) - 1})]


def ran_on_spark(path: Path, result: str) -> Ran:
    """What `predtrace run` does with a program, in the folder of the program."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PREDTRACE_CACHE", str(path.parent / "cache"))
        patch.chdir(path.parent)  # scripts read their data from where they are started
        return run_program(path, [], result, quiet=True, lets_write=True)


@pytest.fixture(scope="module", params=LOOKED_AT, ids=[Path(notebook.file).stem for notebook in LOOKED_AT])
def examined(
    spark: SparkSession, request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Examined:
    notebook, folder = request.param, tmp_path_factory.mktemp("notebook")
    expected = run(notebook.file, folder)[notebook.result]
    path = folder / Path(notebook.file).name
    shutil.copy(FOLDER / notebook.file, path)
    return Examined(notebook, expected, ran_on_spark(path, notebook.result))


def test_result_is_that_of_pandas(examined: Examined) -> None:
    expected, widened = examined.expected, examined.notebook.widened
    if widened:
        expected = expected.astype(dict.fromkeys(widened, "int64"))
    assert_same(settled(examined.ran.frame), expected, examined.notebook.ordered)


def test_what_is_saved_is_as_listed(examined: Examined) -> None:
    captured, plan = examined.pipeline.captured, examined.pipeline.plan
    assert bool(plan.results) == examined.notebook.saved, examined.pipeline.explain()
    assert bool(unstable_steps(captured.operators)) == examined.notebook.unstable, examined.pipeline.explain()
    assert plan.exact, examined.pipeline.explain()


def test_nothing_saved(examined: Examined) -> None:
    for key in examined.chosen():
        lineage = examined.judge.check_trace(examined.pipeline, [key])
        assert lineage.exact is not examined.notebook.unstable, lineage.why_not_exact


def test_saved(examined: Examined) -> None:
    judge = Judge(examined.judge.oracle)
    pipeline = Pipeline(judge.oracle.captured)
    judge.check_run(pipeline)
    for key in examined.chosen():
        lineage = judge.check_trace(pipeline, [key])
        assert lineage.exact


def test_superset(examined: Examined) -> None:
    """No row of the lineage is missed."""
    for key in examined.chosen():
        examined.judge.check_superset(examined.pipeline, [key])


def test_reexecution(examined: Examined) -> None:
    """The program's own steps make a row again from its lineage alone."""
    judge = examined.judge
    check = Reexecution(judge.oracle.frame)
    for key in examined.chosen():
        lineage = judge.oracle.claimed(judge.written.lineage[key])
        row = judge.written.values[key]
        verdict = check.check(row, lineage)
        assert verdict.outcome is not Outcome.NOT_REPRODUCED, str(verdict)
        if verdict.reasons == (NUMBERING,):  # then rows have other numbers, and are the same besides
            numbers = len(check.columns) - len(examined.ran.frame.columns)
            assert any(same_value(row[numbers:], other[numbers:]) for other in verdict.came_out), str(verdict)


def seconds_of_inference(frame: Any) -> float:
    """How long it takes to infer the lineage of a frame, once the prover is loaded: nothing is known from before."""
    pipeline = capture(frame)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(solver, "_MEMORY", solver.VerdictMemory())
        start = time.process_time()
        assert pipeline.plan
        return time.process_time() - start


def test_inference_ends_soon(examined: Examined) -> None:
    taken = min(seconds_of_inference(examined.ran.frame) for _ in range(2))
    most = 15.0 if examined.notebook.slow else 1.0
    assert taken < most, f"{taken:.2f} s"


@pytest.mark.skipif(not FULL, reason="takes minutes")
@pytest.mark.parametrize("statements", [170, 200])
def test_a_notebook_of_200_operators(spark: SparkSession, tmp_path: Path, statements: int) -> None:
    path = tmp_path / "long.py"
    path.write_text(long_notebook(statements))
    (tmp_path / "data").symlink_to(FOLDER / "data", target_is_directory=True)
    frame = ran_on_spark(path, RESULT).frame
    assert sum(1 for _ in walk_operators(capture(frame).captured.operators)) >= 200
    assert seconds_of_inference(frame) < 5.0
