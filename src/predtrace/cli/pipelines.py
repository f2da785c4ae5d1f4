"""The pipelines of a query or a script, for the commands that run and explain them."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from predtrace.cli.sessions import query_frame, session_with
from predtrace.errors import InputError

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from pyspark.sql import DataFrame


@dataclass(frozen=True)
class Job:
    """What the user gave: a query or a script, where its tables are, and which of its DataFrames is meant."""

    path: Path
    data: Path | None
    result: str | None
    arguments: Sequence[str]
    quiet: bool
    """Keep stdout free of what the script prints."""

    @property
    def is_script(self) -> bool:
        return self.path.suffix == ".py"

    def check(self) -> None:
        """Refuse what cannot be right, before anything is started."""
        if not self.path.is_file():
            raise InputError(f"there is no file {self.path}", todo="give a .sql or .py file")
        if self.path.suffix not in (".sql", ".py"):
            raise InputError(
                f"{self.path.name} is neither a query nor a script",
                todo="give a file that ends in .sql or .py",
            )
        if not self.is_script and (self.result or self.arguments):
            raise InputError("--result and arguments are for scripts", todo="leave them out for a query")


class Taker(Protocol):
    """Takes the DataFrames of a job, one after the other."""

    def take(self, target: str, frame: DataFrame) -> None:
        """A query, or the DataFrame in the variable that was asked for."""

    def writing(self, target: str, frame: DataFrame) -> AbstractContextManager[DataFrame | None]:
        """A DataFrame that the script writes: see `writes.Watcher`."""

    @property
    def lets_write(self) -> bool:
        """Whether writes are done that the taker does not care about."""


def give(job: Job, taker: Taker) -> None:
    """Give every pipeline of a job to somebody."""
    job.check()
    if not job.is_script:
        session, tables = session_with(job.data)
        taker.take("", query_frame(session, job.path, tables))
        return
    from predtrace.cli.scripts import result_of, run_script, session_kept
    from predtrace.cli.writes import watched_writes

    if job.data is not None:
        session_with(job.data)
    with ExitStack() as around:
        if job.result is not None:
            around.enter_context(session_kept())
        if job.result is None or not taker.lets_write:
            around.enter_context(watched_writes(taker.writing))
        variables = run_script(job.path, job.arguments, job.quiet)
        if job.result is not None:
            taker.take(job.result, result_of(variables, job.result, job.path))
