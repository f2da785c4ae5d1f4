"""The `predtrace` command."""

from __future__ import annotations

import sys

import typer
from rich.console import Console

from predtrace.errors import PredtraceError

app = typer.Typer(
    help="Which source rows made this output row of a Spark pipeline?",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)


@app.callback()
def commands() -> None:
    """Keep `demo` a command with a name, although it is the only one so far."""


@app.command()
def demo() -> None:
    """Trace one row of TPC-H query 4, on data generated here."""
    # Imported late: `predtrace --help` should not wait for Spark's Python modules.
    from predtrace.cli.demo import run_demo

    run_demo(Console())


def main() -> None:
    """Run the command line; what went wrong is one sentence on stderr, not a stack trace."""
    try:
        app()
    except PredtraceError as error:
        Console(stderr=True).print(f"[red]{type(error).__name__}[/red]: ", end="")
        Console(stderr=True, markup=False, highlight=False).print(str(error))
        sys.exit(1)
