"""Spark for a command: the session that is there, or a local one; and a query's text as a DataFrame."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from predtrace.cli.data import DataTable, register, tables_in
from predtrace.cli.reporting import first_line, progress
from predtrace.cli.spark_errors import condition_of, spark_errors
from predtrace.errors import EnvironmentProblem, InputError
from predtrace.frontends.spark.quiet import quiet_spark

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


def session_with(data: Path | None) -> tuple[SparkSession, list[DataTable]]:
    """A session in which the tables of a folder are views; and the tables."""
    tables = tables_in(data) if data else []
    session = start_session()
    if tables:
        with progress("Reading what is in the data"):
            register(session, tables)
    return session, tables


def start_session() -> SparkSession:
    """The session of this process."""
    from predtrace.frontends.spark.session import local_session

    try:
        with progress("Starting Spark"):
            return local_session()
    except spark_errors() as problem:
        raise EnvironmentProblem(
            f"Spark does not start: {first_line(problem)}", todo="run `predtrace doctor` and do what it says"
        ) from None


def read_query(path: Path) -> str:
    """The SQL text of a file."""
    try:
        text = path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise InputError(f"{path} is no text in UTF-8", todo="give a file with one SQL query") from None
    if not text.strip():
        raise InputError(f"{path} is empty", todo="give a file with one SQL query")
    return text


def query_frame(session: SparkSession, path: Path, tables: list[DataTable]) -> DataFrame:
    """The DataFrame of a query. A statement that would change something is refused before Spark runs it."""
    text = read_query(path)
    try:
        with quiet_spark():
            # Asked first: spark.sql runs commands at once.
            if not _is_query(session, text):
                raise InputError(
                    "the statement is no query",
                    where=f"in {path}",
                    todo="give one SELECT (it may begin with WITH)",
                )
            return session.sql(text)
    except spark_errors() as problem:
        names = ", ".join(table.name for table in tables)
        if not condition_of(problem).startswith("TABLE_OR_VIEW_NOT_FOUND"):
            todo = "correct the query"
        else:
            todo = (
                f"the tables of --data are: {names}" if names else "give the folder of the tables with --data"
            )
        what = f"Spark does not accept the query: {first_line(problem)}"
        raise InputError(what, where=f"in {path}", todo=todo) from None


def _is_query(session: SparkSession, text: str) -> bool:
    jvm: Any = session._jvm
    package = "org.apache.spark.sql.catalyst.plans.logical."
    kinds = [jvm.java.lang.Class.forName(package + name) for name in ("Command", "ParsedStatement")]
    waiting = [session._jsparkSession.sessionState().sqlParser().parsePlan(text)]
    while waiting:
        node = waiting.pop()
        if any(kind.isInstance(node) for kind in kinds):
            return False
        children = node.children()
        waiting.extend(children.apply(i) for i in range(children.size()))
    return True
