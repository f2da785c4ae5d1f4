"""Runs in a store: what is complete, what was killed, what is still going on."""

from __future__ import annotations

import json
import os
import random
import re
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest
from tests.unit.store.samples import manifest

from predtrace.errors import StoreProblem
from predtrace.store.files import LocalFiles
from predtrace.store.manifest import SavedRows
from predtrace.store.processes import is_alive, is_here, this_process
from predtrace.store.runs import Runs, Unfinished


@pytest.fixture
def runs(tmp_path: Path) -> Runs:
    return Runs(LocalFiles(str(tmp_path / "store")))


def complete_run(runs: Runs) -> str:
    run = runs.begin()
    runs.commit(manifest(run))
    return run


def test_the_latest_is_the_one_begun_last(runs: Runs) -> None:
    begun = [complete_run(runs) for _ in range(20)]
    assert runs.complete() == begun
    assert runs.manifest().run == begun[-1]
    assert runs.manifest(begun[3]).run == begun[3]


def test_a_run_is_complete_with_its_manifest(runs: Runs) -> None:
    run = runs.begin()
    assert runs.complete() == []
    assert runs.unfinished() == [Unfinished(run, is_running=True)]
    with pytest.raises(StoreProblem, match="only runs that were not finished"):
        runs.manifest()
    runs.commit(manifest(run))
    assert (runs.complete(), runs.unfinished()) == ([run], [])


def test_a_moved_store_and_a_renamed_run(runs: Runs, tmp_path: Path) -> None:
    run = complete_run(runs)
    (tmp_path / "store" / run).rename(tmp_path / "store" / "baseline")
    (tmp_path / "store").rename(tmp_path / "elsewhere")
    assert Runs(LocalFiles(str(tmp_path / "elsewhere"))).manifest() == manifest("baseline")


def started(runs: Runs, **values: object) -> str:
    """A run that says other things of its process."""
    run = runs.begin()
    path = Path(runs.files.location(f"{run}/started.json"))
    path.write_text(json.dumps({**json.loads(path.read_text()), **values}))
    return run


def killed_process() -> dict[str, object]:
    """What a process says of itself that was killed and that nobody has asked for yet."""
    code = "from predtrace.store.processes import *; import json; print(json.dumps(this_process()), flush=True); "
    process = subprocess.Popen([sys.executable, "-c", code + "input()"], stdout=-1, stdin=-1, text=True)
    with process:
        assert process.stdout is not None
        said: dict[str, object] = json.loads(process.stdout.readline())
        assert is_here(said)
        assert is_alive(said)
        process.kill()
        while is_alive(said):
            time.sleep(0.01)
    return said


def test_clean_removes_the_killed_and_leaves_the_living(runs: Runs) -> None:
    done, living = complete_run(runs), runs.begin()
    other_host = started(runs, host="elsewhere", process=2**22 + 1)
    other_container = started(runs, space="pid:[1]", process=2**22 + 1)
    dead = started(runs, **killed_process())
    number_used_again = started(runs, born="1")
    long_dead = started(runs, host="elsewhere", since="2020-01-01T00:00:00+00:00")
    no_json = runs.begin()
    Path(runs.files.location(f"{no_json}/started.json")).write_text("{")
    assert sorted(runs.clean()) == sorted([dead, number_used_again, long_dead])
    left = {done, living, other_host, other_container, no_json}
    assert set(runs.files.folders()) == left


@pytest.mark.parametrize("inside", ["", ".started.json.1", "results/1/_temporary/0/part-0.parquet"])
def test_a_run_killed_while_it_began_or_was_removed(runs: Runs, inside: str) -> None:
    old = Path(runs.files.location("20200101-000000-000000-5f3a"))
    (old / inside).parent.mkdir(parents=True, exist_ok=True)
    (old / inside).touch() if inside else old.mkdir(exist_ok=True)
    beginning = re.sub("[0-9a-f]{4}$", "ffff", runs.begin())
    Path(runs.files.location(beginning)).mkdir()
    Path(runs.files.location("my notes")).mkdir()
    assert runs.clean() == [old.name]
    assert beginning in runs.files.folders()
    assert "my notes" in runs.files.folders()


def test_killed_at_any_moment(runs: Runs, tmp_path: Path) -> None:
    """A process begins and completes runs as fast as it can; the big manifest makes half a file likely."""
    code = (
        "import sys; from dataclasses import replace; from tests.unit.store.test_runs import *\n"
        "runs = Runs(LocalFiles(sys.argv[1]))\n"
        "big = replace(manifest(), name='f' * 9_000_000)\n"
        "print(flush=True)\n"
        "while True: runs.commit(replace(big, run=runs.begin()))"
    )
    chance = random.Random(0)
    root = Path(__file__).parents[3]
    environment = {**os.environ, "PYTHONPATH": f"{root}{os.pathsep}{root / 'src'}"}
    for _ in range(5):
        arguments = [sys.executable, "-c", code, runs.files.location()]
        with subprocess.Popen(arguments, stdout=-1, env=environment) as process:
            assert process.stdout is not None
            assert process.stdout.readline()
            time.sleep(0.05 + 0.3 * chance.random())
            seen = runs.unfinished()
            process.send_signal(signal.SIGKILL)  # before anything can fail: it would fill the disk
        assert len(seen) <= 1
        for run in runs.complete():
            assert runs.manifest(run).run == run
            runs.files.remove(run)
        runs.clean()
        for beginning in runs.unfinished():  # killed before it said who it is: not dead for another minute
            assert beginning.is_running
            runs.files.remove(beginning.run)


@pytest.mark.parametrize(
    ("prepare", "said"),
    [
        (lambda place: None, "there is no store"),
        (lambda place: place.mkdir(), "the store holds no run"),
        (lambda place: place.write_text("x"), "a store is a folder, and this is a file"),
    ],
)
def test_what_is_no_store(tmp_path: Path, prepare: object, said: str) -> None:
    assert callable(prepare)
    prepare(tmp_path / "store")
    before = sorted(tmp_path.rglob("*"))
    with pytest.raises(StoreProblem, match=said):
        Runs(LocalFiles(str(tmp_path / "store"))).manifest()
    assert sorted(tmp_path.rglob("*")) == before


def test_an_unknown_run(runs: Runs) -> None:
    run = complete_run(runs)
    for wrong in ("yesterday", "../store", run + "/"):
        with pytest.raises(StoreProblem, match=f"no complete run.*choose one of: {run}"):
            runs.manifest(wrong)


def test_a_manifest_that_cannot_be_read(runs: Runs) -> None:
    Path(runs.files.location(f"{runs.begin()}/manifest.json")).mkdir()
    with pytest.raises(StoreProblem, match="the manifest cannot be read: Is a directory"):
        runs.manifest()


def test_a_place_that_cannot_be_written_to(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    for place in (tmp_path / "file", tmp_path / "file" / "store", Path("/proc/store")):
        with pytest.raises(StoreProblem, match=r"no run can be written: .*What to do: give a folder"):
            Runs(LocalFiles(str(place))).begin()
    assert [path.name for path in tmp_path.rglob("*")] == ["file"]


def test_rows_that_are_missing(runs: Runs) -> None:
    run = complete_run(runs)
    saved = SavedRows("output", (), 1, 8)
    with pytest.raises(StoreProblem, match="rows that the run saved are missing: output"):
        runs.check_rows(run, saved)
    folder = Path(runs.files.location(f"{run}/output"))
    folder.mkdir()
    for part in ("1", "2"):
        (folder / f"part-{part}").write_text("data")
        (folder / f".part-{part}.crc").write_text("a checksum, which a copy need not have")
    runs.check_rows(run, saved)
    (folder / "part-2").unlink()
    with pytest.raises(StoreProblem, match="incomplete or changed: output"):
        runs.check_rows(run, saved)


def test_this_process_lives() -> None:
    here = this_process()
    assert is_here(here)
    assert is_alive(here)
    assert not is_alive({**here, "process": 2**22 + 1})
    assert not is_alive({**here, "process": 2**80})


def test_a_process_that_says_little_is_compared_by_what_it_says() -> None:
    here = this_process()
    little = {"host": here["host"], "process": here["process"]}
    assert is_here(little)
    assert is_alive(little)


def test_the_run_is_the_folder_it_lies_in(runs: Runs) -> None:
    """A manifest that names another place is not followed there."""
    run = runs.begin()
    foreign = replace(manifest(run), run="../../elsewhere")
    runs.files.write_whole(f"{run}/manifest.json", foreign.to_bytes())
    assert runs.manifest().run == run
