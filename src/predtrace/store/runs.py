"""The runs in a store: each one a folder of its own, complete once its manifest is there.

    STORE/
      20261115-120301-271828-5f3a/
        started.json      who runs it, since when
        output/           the rows of the run, as Parquet
        results/7/        the rows of plan node 7
        sources/0/        the rows of a source that nobody else keeps
        manifest.json     written last, whole or not at all: only now is it a run

So a run killed at any moment leaves a folder without a manifest, which nobody reads and `clean` removes; and two
runs into one store never touch each other's files.
"""

from __future__ import annotations

import json
import re
import secrets
from dataclasses import dataclass, replace
from datetime import datetime, timedelta, timezone

from predtrace.errors import StoreProblem
from predtrace.store.files import Files
from predtrace.store.manifest import Manifest, SavedRows
from predtrace.store.processes import is_alive, is_here, this_process

MANIFEST = "manifest.json"
_STARTED = "started.json"
_NAME = re.compile(r"\d{8}-\d{6}-\d{6}-[0-9a-f]{4}")
_TIME = "%Y%m%d-%H%M%S-%f"
_LONGEST_RUN = timedelta(days=7)
_LONGEST_START = timedelta(minutes=1)


@dataclass(frozen=True)
class Unfinished:
    """A folder without a manifest: a run that was killed, or one that is still going on."""

    run: str
    is_running: bool


class Runs:
    """The runs of one store."""

    def __init__(self, files: Files) -> None:
        self.files = files

    def begin(self) -> str:
        """A folder for a new run; its name."""
        now = datetime.now(timezone.utc)
        run = f"{now:{_TIME}}-{secrets.token_hex(2)}"
        started = {**this_process(), "since": now.isoformat()}
        try:
            self.files.write_whole(f"{run}/{_STARTED}", json.dumps(started).encode())
        except OSError as problem:
            raise StoreProblem(
                f"no run can be written: {_reason(problem)}",
                self.files.location(),
                "give a folder, new or with other runs, that can be written to",
            ) from None
        return run

    def commit(self, manifest: Manifest) -> None:
        """Make a run complete."""
        self.files.write_whole(f"{manifest.run}/{MANIFEST}", manifest.to_bytes())

    def complete(self) -> list[str]:
        """The complete runs, in the order they were begun."""
        return [run for run in self.files.folders() if self.files.exists(f"{run}/{MANIFEST}")]

    def unfinished(self) -> list[Unfinished]:
        """The runs that are not complete."""
        return [
            Unfinished(run, self._is_running(run))
            for run in self.files.folders()
            if (_NAME.fullmatch(run) or self.files.exists(f"{run}/{_STARTED}"))
            and not self.files.exists(f"{run}/{MANIFEST}")
        ]

    def manifest(self, run: str | None = None) -> Manifest:
        """The manifest of a run, by default of the complete one that was begun last."""
        where = self.files.location()
        complete = self.complete()
        if not complete:
            raise StoreProblem(self._why_no_run(), where, "run the pipeline with run(store=...) first")
        chosen = run or complete[-1]
        if chosen not in complete:
            choice = ", ".join(complete)
            raise StoreProblem(f"there is no complete run {chosen!r}", where, f"choose one of: {choice}")
        path = f"{chosen}/{MANIFEST}"
        try:
            content = self.files.read(path)
        except OSError as problem:
            raise StoreProblem(
                f"the manifest cannot be read: {_reason(problem)}", self.files.location(path)
            ) from None
        found = Manifest.from_bytes(content, self.files.location(path))
        return replace(found, run=chosen)  # the folder may have got another name

    def check_rows(self, run: str, saved: SavedRows) -> None:
        """Raise an error unless saved rows are all there."""
        folder = f"{run}/{saved.folder}"
        if self.files.size(folder) != saved.bytes:
            gone = not self.files.exists(folder)
            raise StoreProblem(
                f"rows that the run saved are {'missing' if gone else 'incomplete or changed'}: {saved.folder}",
                self.files.location(folder),
                "run the pipeline again",
            )

    def clean(self) -> list[str]:
        """Remove the runs that were killed; those still going on stay. The names of the removed."""
        dead = [unfinished.run for unfinished in self.unfinished() if not unfinished.is_running]
        for run in dead:
            self.files.remove(run)
        return dead

    def _why_no_run(self) -> str:
        if not self.files.exists(""):
            return "there is no store"
        if not self.files.is_folder():
            return "a store is a folder, and this is a file"
        return f"the store holds {'only runs that were not finished' if self.unfinished() else 'no run'}"

    def _is_running(self, run: str) -> bool:
        now = datetime.now(timezone.utc)
        try:
            started = json.loads(self.files.read(f"{run}/{_STARTED}"))
            if is_here(started):
                return is_alive(started)
            return now - datetime.fromisoformat(started["since"]) < _LONGEST_RUN
        except (ValueError, KeyError, TypeError, OSError):
            # Killed while it began, unless it is beginning just now.
            begun = datetime.strptime(run.rpartition("-")[0], _TIME) if _NAME.fullmatch(run) else None
            return begun is not None and now - begun.replace(tzinfo=timezone.utc) < _LONGEST_START


def _reason(problem: OSError) -> str:
    return problem.strerror or str(problem)
