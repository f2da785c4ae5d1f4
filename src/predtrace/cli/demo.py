"""The demo: one query, one output row, and the source rows behind it, with the time each step took."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from rich.console import Console, Group
from rich.rule import Rule
from rich.syntax import Syntax

import predtrace
from predtrace.api.tables import json_rows, rows_table, table
from predtrace.cli import tpch
from predtrace.cli.reporting import Report, show
from predtrace.frontends.spark.session import local_session

QUERY = Path(__file__).with_name("q04.sql")
TARGET = "o_orderpriority = '1-URGENT'"
SHOWN_ROWS = 5

T = TypeVar("T")


class Steps:
    """Runs the demo's steps one after the other, saying what each is and how long it took."""

    def __init__(self, console: Console) -> None:
        self.console = console
        self.timings: list[tuple[str, float]] = []

    def run(self, title: str, action: Callable[[], T]) -> T:
        """Do one step under a spinner and remember its time."""
        start = time.perf_counter()
        with self.console.status(f"{title} …"):
            result = action()
        seconds = time.perf_counter() - start
        self.timings.append((title, seconds))
        self.console.print(Rule(f"{title} [dim]({seconds:.1f} s)[/dim]", align="left"))
        return result


def run_demo(quiet: bool) -> Report:
    """Capture TPC-H query 4, show its operators and its output, and trace one output row.

    It is shown step by step as it happens, unless `quiet`; the report has the outcome for machines.
    """
    console = Console(quiet=quiet)
    steps = Steps(console)
    text = QUERY.read_text(encoding="utf-8")

    folder = steps.run("TPC-H data at scale factor 0.01", tpch.generate)
    console.print(f"eight tables in {folder}", highlight=False)

    spark = steps.run("Start Spark in this process", local_session)
    tpch.register(spark, folder)
    console.print(f"Spark {spark.version}", highlight=False)

    frame = spark.sql(text)
    pipeline = steps.run("Capture TPC-H query 4 (no Spark job)", lambda: predtrace.capture(frame))
    console.print(Syntax(text.strip(), "sql", background_color="default"))
    show(console, pipeline.explain())

    output = steps.run("Run it", frame.toArrow)
    console.print(rows_table("output", output, console.width))

    lineage = steps.run(f"Trace the row with {TARGET}", lambda: pipeline.trace(TARGET))
    counts = steps.run("Count its source rows", lineage.counts)
    verdict = "exact" if lineage.exact else "not exact: may hold more rows than needed"
    counted = [(source, f"{count:,}") for source, count in counts.items()]
    console.print(table(f"Lineage ({verdict})", ("source", "rows"), counted, numbers=("rows",)))
    for source in lineage.sources:
        # Only a few rows are shown, so only a few need to reach this process.
        rows = lineage[source].first(SHOWN_ROWS)
        console.print(
            rows_table(f"{source}: {rows.num_rows} of {counts[source]:,} rows", rows, console.width)
        )

    console.print(timings_table(steps.timings))
    show(
        console,
        "Next: try `predtrace.capture(df).trace(\"some_column = 'some value'\")` on a DataFrame of your own; "
        "the README has a whole example.",
    )
    return Report(
        {
            "query": text,
            "where": TARGET,
            "output": json_rows(output),
            "exact": lineage.exact,
            "counts": counts,
            "seconds": dict(steps.timings),
        }
    )


def timings_table(timings: list[tuple[str, float]]) -> Group:
    """Draw what each step took, and all of them together."""
    everything = ("all", sum(seconds for _, seconds in timings))
    rows = [(title, f"{seconds:.1f}") for title, seconds in [*timings, everything]]
    return table("Timings", ("step", "seconds"), rows, numbers=("seconds",))
