"""The runs in a store: each one a folder of its own, complete once its manifest is there.

    STORE/
      20261115-120301-5f3a/
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
import os
import secrets
import socket
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone

from predtrace.errors import StoreProblem
from predtrace.store.files import Files
from predtrace.store.manifest import Manifest

MANIFEST = "manifest.json"
_STARTED = "started.json"
_LONGEST_RUN = timedelta(days=7)


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
        run = f"{now:%Y%m%d-%H%M%S}-{secrets.token_hex(2)}"
        started = {"host": socket.gethostname(), "process": os.getpid(), "since": now.isoformat()}
        self.files.write_whole(f"{run}/{_STARTED}", json.dumps(started).encode())
        return run

    def commit(self, manifest: Manifest) -> None:
        """Make a run complete."""
        self.files.write_whole(f"{manifest.run}/{MANIFEST}", manifest.to_bytes())

    def complete(self) -> list[str]:
        """The complete runs, oldest first."""
        return [run for run in self.files.folders() if self.files.exists(f"{run}/{MANIFEST}")]

    def unfinished(self) -> list[Unfinished]:
        """The runs that are not complete."""
        return [
            Unfinished(run, self._is_running(run))
            for run in self.files.folders()
            if self.files.exists(f"{run}/{_STARTED}") and not self.files.exists(f"{run}/{MANIFEST}")
        ]

    def manifest(self, run: str | None = None) -> Manifest:
        """The manifest of a run, by default of the latest complete one."""
        where = self.files.location()
        complete = self.complete()
        if run is None and not complete:
            killed = self.unfinished()
            what = "holds only runs that were not finished" if killed else "holds no run"
            raise StoreProblem(f"the store {what}", where, "run the pipeline with run(store=...) first")
        chosen = run or complete[-1]
        if chosen not in complete:
            raise StoreProblem(f"there is no complete run {chosen!r}", where, f"choose one of: {complete}")
        return Manifest.from_bytes(self.files.read(f"{chosen}/{MANIFEST}"), f"{where}/{chosen}/{MANIFEST}")

    def clean(self) -> list[str]:
        """Remove the runs that were killed; those still going on stay. The names of the removed."""
        dead = [unfinished.run for unfinished in self.unfinished() if not unfinished.is_running]
        for run in dead:
            self.files.remove(run)
        return dead

    def _is_running(self, run: str) -> bool:
        try:
            started = json.loads(self.files.read(f"{run}/{_STARTED}"))
            since = datetime.fromisoformat(started["since"])
            if started["host"] != socket.gethostname():
                return datetime.now(timezone.utc) - since < _LONGEST_RUN
            return _is_alive(int(started["process"]))
        except (ValueError, KeyError, TypeError, OSError):
            return False


def _is_alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
