"""The pipelines of a query or a script, for the commands that run and explain them."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from predtrace.cli.imports import uses_pandas
from predtrace.cli.sessions import query_frame, session_with, start_session
from predtrace.errors import InputError

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from pyspark.sql import DataFrame

    from predtrace.cli.programs import Ran


@dataclass(frozen=True)
class Job:
    """What the user gave: a query or a script, where its tables are, and which of its DataFrames is meant."""

    path: Path
    data: Path | None
    result: str | None
    arguments: Sequence[str]
    quiet: bool
    """Keep stdout free of what the script prints."""
    asks_pandas: bool = False
    """Run the script's pandas on Spark, whatever else it imports."""

    @property
    def is_script(self) -> bool:
        return self.path.suffix in (".py", ".ipynb")

    @property
    def is_pandas(self) -> bool:
        """Whether the frames of the script are those of pandas."""
        return self.is_script and (self.asks_pandas or uses_pandas(self.path))

    def check(self) -> None:
        """Refuse what cannot be right, before anything is started."""
        if not self.path.is_file():
            raise InputError(f"there is no file {self.path}", todo="give a .sql, .py or .ipynb file")
        if self.path.suffix not in (".sql", ".py", ".ipynb"):
            raise InputError(
                f"{self.path.name} is neither a query nor a script nor a notebook",
                todo="give a file that ends in .sql, .py or .ipynb",
            )
        if not self.is_script and (self.result or self.arguments or self.asks_pandas):
            what = "--pandas is" if self.asks_pandas else "--result and arguments are"
            raise InputError(f"{what} for scripts", todo="leave them out for a query")
        if self.path.suffix == ".ipynb" and not self.is_pandas:
            raise InputError(
                f"{self.path.name} does not use pandas alone",
                todo="export a notebook that uses PySpark as a script and run that, or give --pandas",
            )
        if self.data is not None and self.is_pandas:
            raise InputError(
                "--data is for queries and PySpark", todo="leave it out: pandas reads its files itself"
            )


class Taker(Protocol):
    """Takes the DataFrames of a job, one after the other."""

    def take(self, target: str, frame: DataFrame) -> None:
        """A query, or the DataFrame in the variable that was asked for."""

    def writing(self, target: str, frame: DataFrame) -> AbstractContextManager[DataFrame | None]:
        """A DataFrame that the script writes: see `writes.Watcher`."""

    @property
    def lets_write(self) -> bool:
        """Whether writes are done that the taker does not care about."""


def give(job: Job, taker: Taker) -> Ran | None:
    """Give every pipeline of a job to somebody; what is to be said of a program that uses pandas."""
    job.check()
    if job.is_pandas:
        return _give_frame(job, taker)
    if not job.is_script:
        session, tables = session_with(job.data)
        taker.take("", query_frame(session, job.path, tables))
        return None
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
    return None


def _give_frame(job: Job, taker: Taker) -> Ran:
    from predtrace.cli.programs import run_program

    start_session()
    ran = run_program(job.path, job.arguments, job.result, job.quiet, taker.lets_write)
    taker.take(ran.name, ran.frame.to_spark())
    return ran
