"""A store as the commands see it: its runs, which one is meant, what it was written to, and what is missing."""

from __future__ import annotations

import json
from typing import Any

from predtrace.errors import StoreProblem
from predtrace.store.files import Files, LocalFiles, is_local
from predtrace.store.manifest import Manifest
from predtrace.store.processes import this_process
from predtrace.store.runs import Runs

_TARGET = "target.json"


def runs_in(location: str) -> Runs:
    """The runs of a store that must be there."""
    files = _files(location)
    if not files.exists(""):
        raise StoreProblem(
            "there is no store", files.location(), "give the folder that `predtrace run --store` was given"
        )
    return Runs(files)


def chosen_run(runs: Runs, asked: str | None) -> str | None:
    """The run that is meant by a name or by what it was written to (the latest such); None: the latest of all."""
    if asked is None or asked in runs.complete():
        return asked
    written = [run for run in runs.complete() if target_of(runs, run) == asked]
    return written[-1] if written else asked


def target_of(runs: Runs, run: str) -> str:
    """What a script wrote the output of a run to; empty if it came from no script."""
    try:
        return str(json.loads(runs.files.read(f"{run}/{_TARGET}"))["target"])
    except (OSError, ValueError, KeyError, TypeError):
        return ""


def set_target(runs: Runs, run: str, target: str) -> None:
    """Remember what a script writes the output of a run to."""
    runs.files.write_whole(f"{run}/{_TARGET}", json.dumps({"target": target}).encode())


def made_here(location: str, before: set[str]) -> tuple[Runs, str]:
    """The run that this process has just made in a store; `before`: those it had before."""
    runs = runs_in(location)
    own = [run for run in runs.complete() if run not in before and _is_ours(runs, run)]
    return runs, own[-1]


def known_runs(location: str) -> set[str]:
    """The complete runs of a store, if it is there already."""
    return set(Runs(_files(location)).complete())


def missing_rows(runs: Runs, manifest: Manifest) -> list[str]:
    """The folders of saved rows that are gone, or do not hold what the run put there."""
    kept = [*(result.saved for result in manifest.results), *(s.saved for s in manifest.sources if s.saved)]
    missing: dict[str, None] = {}
    for saved in (manifest.output, *kept):
        try:
            runs.check_rows(manifest.run, saved)
        except StoreProblem:
            missing[saved.folder] = None
    return list(missing)


def _files(location: str) -> Files:
    if is_local(location):
        return LocalFiles(location)
    from predtrace.api.stored import files_at

    return files_at(location)


def _is_ours(runs: Runs, run: str) -> bool:
    started: dict[str, Any] = json.loads(runs.files.read(f"{run}/started.json"))
    return this_process().items() <= started.items()
