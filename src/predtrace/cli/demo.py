"""The demo: one query, one output row, and the source rows behind it, with the time each step took."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import pandas as pd
from rich.console import Console
from rich.rule import Rule
from rich.syntax import Syntax
from rich.table import Table

import predtrace
from predtrace.cli import tpch
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


def run_demo(console: Console) -> None:
    """Capture TPC-H query 4, show its operators and its output, and trace one output row."""
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
    console.print(pipeline.explain(), markup=False, highlight=False, soft_wrap=True)

    output = steps.run("Run it", frame.toPandas)
    console.print(rows_table("output", output, len(output), console.width))

    lineage = steps.run(f"Trace the row with {TARGET}", lambda: pipeline.trace(TARGET))
    counts = steps.run("Count its source rows", lineage.counts)
    console.print(counts_table(counts, lineage.exact))
    for source in lineage.sources:
        # Only a few rows are shown, so only a few need to reach this process.
        rows = lineage[source].to_spark().limit(SHOWN_ROWS).toPandas()
        console.print(
            rows_table(f"{source}: the first of {counts[source]:,} rows", rows, SHOWN_ROWS, console.width)
        )

    console.print(timings_table(steps.timings))
    console.print(
        "Next: try `predtrace.capture(df).trace(\"some_column = 'some value'\")` on a DataFrame of your own; "
        "the README has a whole example.",
        highlight=False,
    )


def rows_table(title: str, rows: pd.DataFrame, limit: int, width: int) -> Table:
    """Draw the first rows of a data frame, and as many of its columns as fit in the width."""
    cells = {str(name): [_cell(value) for value in rows[name].head(limit)] for name in rows.columns}
    shown: list[str] = []
    taken = 1
    for name, values in cells.items():
        taken += 3 + max(map(len, [name, *values]))
        if shown and taken > width:
            break
        shown.append(name)
    hidden = len(cells) - len(shown)
    table = Table(title=f"{title}, {hidden} more columns" if hidden else title, title_justify="left")
    for name in shown:
        table.add_column(name, no_wrap=True)
    for row in zip(*(cells[name] for name in shown), strict=True):
        table.add_row(*row)
    return table


def counts_table(counts: dict[str, int], exact: bool) -> Table:
    """Draw how many rows of each source are in the lineage."""
    verdict = "exact" if exact else "not exact: may hold more rows than needed"
    table = Table(title=f"Lineage ({verdict})", title_justify="left")
    table.add_column("source")
    table.add_column("rows", justify="right")
    for source, count in counts.items():
        table.add_row(source, f"{count:,}")
    return table


def timings_table(timings: list[tuple[str, float]]) -> Table:
    """Draw what each step took, and all of them together."""
    table = Table(title="Timings", title_justify="left", show_footer=True)
    table.add_column("step", footer="all")
    table.add_column("seconds", justify="right", footer=f"{sum(seconds for _, seconds in timings):.1f}")
    for title, seconds in timings:
        table.add_row(title, f"{seconds:.1f}")
    return table


def _cell(value: Any) -> str:
    text = str(value)
    return text if len(text) <= 28 else text[:27] + "…"
