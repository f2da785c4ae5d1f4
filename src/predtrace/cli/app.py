"""The `predtrace` command: its options and their help. Each command's work is in a module of its own.

Those modules are imported when a command needs them: `predtrace --help` must not wait for Spark's Python modules,
and a trace that needs no Spark must not load them.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from predtrace.cli.reporting import report
from predtrace.cli.trace import Engine, TraceRequest, trace_store

app = typer.Typer(
    help="Which source rows made this output row of a Spark pipeline?",
    epilog="Exit codes: 0 all is well; 1 no output row is as described; 2 wrong usage or input; "
    "3 a source has changed since the run; 4 the environment (Java, packages); 5 a bug in predtrace.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)

Json = Annotated[bool, typer.Option("--json", help="Print one JSON document, and nothing else, on stdout.")]
JobFile = Annotated[
    Path,
    typer.Argument(
        metavar="QUERY.sql|JOB.py|NOTEBOOK.ipynb",
        help="A SQL query, a PySpark script, or a script or notebook that uses pandas.",
    ),
]
ScriptArguments = Annotated[
    list[str] | None,
    typer.Argument(metavar="[ARGUMENTS]...", help="What the script is given; begin with --."),
]
Data = Annotated[
    Path | None,
    typer.Option(
        help="A folder: every Parquet, CSV, JSON or ORC file or folder in it is a view named after it."
    ),
]
Result = Annotated[
    str | None,
    typer.Option(metavar="NAME", help="The script's DataFrame variable to take, instead of what it writes."),
]
Pandas = Annotated[
    bool,
    typer.Option(
        "--pandas",
        help="Run the script's pandas on Spark. Default: if it imports pandas, and PySpark nowhere.",
    ),
]
StoreFolder = Annotated[
    str, typer.Argument(metavar="STORE", help="The folder that `predtrace run` was given.")
]
RunName = Annotated[
    str | None,
    typer.Option(
        "--run", metavar="RUN", help="A run's name, or what a script wrote it to. Default: the latest."
    ),
]


def _version(asked: bool) -> None:
    if asked:
        from predtrace import __version__

        print(__version__)
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Which source rows made this output row of a Spark pipeline?"""


@app.command()
def demo(as_json: Json = False) -> None:
    """Trace one row of TPC-H query 4, on data generated here."""
    from predtrace.cli.demo import run_demo

    report(as_json, lambda: run_demo(quiet=as_json))


@app.command()
def explain(
    job: JobFile,
    arguments: ScriptArguments = None,
    data: Data = None,
    result: Result = None,
    pandas: Pandas = False,
    as_json: Json = False,
) -> None:
    """Show the operators, the predicate at each and what was proved of it, what is saved and why.

    A script is run to see what it would write; nothing is written.
    """
    from predtrace.cli.explain import explain_job
    from predtrace.cli.pipelines import Job

    report(as_json, lambda: explain_job(Job(job, data, result, arguments or [], as_json, pandas)))


@app.command()
def run(
    job: JobFile,
    store: Annotated[str, typer.Option(help="The folder to keep the run in; it may hold other runs.")],
    arguments: ScriptArguments = None,
    data: Data = None,
    result: Result = None,
    pandas: Pandas = False,
    as_json: Json = False,
) -> None:
    """Run a query or a script so that rows of its output can be traced later.

    A script behaves as always; each of its writes becomes a run, named by what it is written to. Of a script or
    notebook that uses pandas, the run is the last frame that it shows or writes.
    """
    from predtrace.cli.pipelines import Job
    from predtrace.cli.run import run_job

    report(as_json, lambda: run_job(Job(job, data, result, arguments or [], as_json, pandas), store))


@app.command()
def trace(
    store: StoreFolder,
    where: Annotated[str, typer.Option(help="A SQL condition over the output columns: which rows to trace.")],
    source: Annotated[list[str] | None, typer.Option(help="Only this source; may be given again.")] = None,
    limit: Annotated[int, typer.Option(min=0, help="How many rows of each source to show.")] = 20,
    out: Annotated[Path | None, typer.Option(help="Write all rows here too, SOURCE.parquet each.")] = None,
    run: RunName = None,
    engine: Annotated[Engine, typer.Option(help="Who selects the rows.")] = Engine.auto,
    allow_stale: Annotated[
        bool, typer.Option("--allow-stale", help="Trace even if a source has changed since the run.")
    ] = False,
    trust_udfs: Annotated[
        bool,
        typer.Option("--trust-udfs", help="Load the run's Python functions: runs code kept in the store."),
    ] = False,
    as_json: Json = False,
) -> None:
    """Show the source rows that output rows of a run were derived from."""
    request = TraceRequest(store, where, source or [], limit, out, run, engine, allow_stale, trust_udfs)
    report(as_json, lambda: trace_store(request))


@app.command()
def show(store: StoreFolder, run: RunName = None, as_json: Json = False) -> None:
    """List the runs of a store, and say what one of them read and saved."""
    from predtrace.cli.show import show_store

    report(as_json, lambda: show_store(store, run))


@app.command()
def clean(
    store: StoreFolder,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say what would be removed.")] = False,
    as_json: Json = False,
) -> None:
    """Remove what killed runs left in a store."""
    from predtrace.cli.clean import clean_store

    report(as_json, lambda: clean_store(store, dry_run))


@app.command()
def doctor(as_json: Json = False) -> None:
    """Check Java, Spark, Python and the packages; say which command fixes what is missing."""
    from predtrace.cli.doctor import examine

    report(as_json, examine)


def main() -> None:
    """Run the command line."""
    app()
