"""A store as the commands see it: its runs, which one is meant, and what is missing."""

from __future__ import annotations

from predtrace.errors import StoreProblem
from predtrace.store.files import Files, LocalFiles, is_local
from predtrace.store.manifest import Manifest
from predtrace.store.runs import Runs


def runs_in(location: str) -> Runs:
    """The runs of a store that must be there."""
    files = _files(location)
    if not files.exists(""):
        raise StoreProblem(
            "there is no store", files.location(), "give the folder that `predtrace run --store` was given"
        )
    return Runs(files)


def chosen_run(runs: Runs, asked: str | None) -> str | None:
    """The run that is meant by its folder or its name (the latest such); None: the latest of all."""
    complete = runs.complete()
    if asked is None or asked in complete:
        return asked
    return next((run for run in reversed(complete) if _name(runs, run) == asked), asked)


def _name(runs: Runs, run: str) -> str | None:
    try:
        return runs.manifest(run).name
    except StoreProblem:
        return None  # it is damaged, and somebody else says so


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
