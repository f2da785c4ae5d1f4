"""Kill processes that run into a store, at random moments, while another one runs into the same store in peace."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path

import pyarrow.parquet
from tests.soak.worker import write_source

from predtrace.store.files import LocalFiles
from predtrace.store.manifest import Manifest, SavedRows
from predtrace.store.runs import Runs, Unfinished

_PATIENCE = 300
_ROOT = Path(__file__).parents[2]


def kill_again_and_again(folder: Path, kills: int, seed: int = 0) -> Runs:
    """What is left of it: a store in which every complete run is whole and nothing else is left."""
    chance = random.Random(seed)
    source = folder / "numbers.json"
    write_source(source)
    runs = Runs(LocalFiles(str(folder / "store")))
    with started(runs, source, times="3") as peaceful:
        for number in range(kills):
            with started(runs, source) as victim:
                wait_for_a_run_of(runs, victim)
                time.sleep(chance.expovariate(1))
                if number % 2:
                    os.killpg(victim.pid, signal.SIGKILL)  # its Java process with it
                else:
                    victim.kill()
            runs.clean()
            for run in runs.complete():
                assert_whole(runs, runs.manifest(run))
        said, _ = peaceful.communicate(timeout=_PATIENCE)
    assert peaceful.returncode == 0
    own = {name for line in said.splitlines() for name in line.split()}
    assert len(own) >= 3
    assert own <= set(runs.complete())
    wait_until_clean(runs)
    return runs


@contextmanager
def started(runs: Runs, source: Path, times: str = "1000000") -> Iterator[subprocess.Popen[str]]:
    """A worker; nothing of it is left afterwards."""
    arguments = [sys.executable, "-m", "tests.soak.worker", runs.files.location(), str(source), times]
    environment = {**os.environ, "PYTHONPATH": f"{_ROOT}{os.pathsep}{_ROOT / 'src'}"}
    with subprocess.Popen(
        arguments, stdout=subprocess.PIPE, text=True, env=environment, start_new_session=True
    ) as process:
        try:
            yield process
        finally:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)


def wait_for_a_run_of(runs: Runs, process: subprocess.Popen[str]) -> None:
    """Until the process has begun one."""
    deadline = time.monotonic() + _PATIENCE
    while process.pid not in map(partial(process_of, runs), runs.unfinished()):
        assert process.poll() is None, "the worker ended by itself"
        assert time.monotonic() < deadline, "the worker began no run"
        time.sleep(0.02)


def process_of(runs: Runs, unfinished: Unfinished) -> int | None:
    with suppress(FileNotFoundError):  # it begins just now
        return int(json.loads(runs.files.read(f"{unfinished.run}/started.json"))["process"])
    return None


def wait_until_clean(runs: Runs) -> None:
    """A Java process may outlive its Python for a moment and write on; then nothing is left that is no run."""
    deadline = time.monotonic() + 90
    while set(runs.files.folders()) != set(runs.complete()):
        assert time.monotonic() < deadline, f"not cleaned: {runs.unfinished()}"
        runs.clean()
        time.sleep(1)


def assert_whole(runs: Runs, manifest: Manifest) -> None:
    """Every row that the run says it saved is there."""
    for saved in (manifest.output, *(result.saved for result in manifest.results)):
        runs.check_rows(manifest.run, saved)
        assert rows_in(runs, manifest.run, saved) == saved.rows == 7


def rows_in(runs: Runs, run: str, saved: SavedRows) -> int:
    files = Path(runs.files.location(f"{run}/{saved.folder}")).glob("*.parquet")
    return sum(int(pyarrow.parquet.read_table(file).num_rows) for file in files)
