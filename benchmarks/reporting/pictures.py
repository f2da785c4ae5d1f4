"""The paper's figures as PNG: overhead, storage, lineage query time, saved or not, pipelines; and growth."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import matplotlib
from benchmarks.figures_of import added_ms, median, statistics_of
from benchmarks.records import OVER_THE_LIMIT, Document, PipelineRecord, QueryRecord
from benchmarks.summary import METHODS, RUNS

matplotlib.use("Agg")
from matplotlib import pyplot

COLOURS = ("#1b5e9e", "#d9822b", "#5a9e4b", "#a34a9c", "#8a8a8a", "#c23b3b", "#3fb0ac", "#6b5b95")
LEAST = 0.1
"""What is smaller, or negative on a noisy machine, is drawn as this: a logarithm has no place for it."""

Value = Callable[[QueryRecord], "float | None"]


def _bars(title: str, unit: str, document: Document, series: Mapping[str, Value], path: Path) -> None:
    figure, axes = pyplot.subplots(figsize=(13, 3.8), dpi=110)
    shown = {name: [value(record) for record in document.queries] for name, value in series.items()}
    shown = {name: values for name, values in shown.items() if any(value is not None for value in values)}
    width = 0.85 / max(1, len(shown))
    for at, (name, values) in enumerate(shown.items()):
        places = [number + (at - (len(shown) - 1) / 2) * width for number in range(len(values))]
        drawn = [0.0 if value is None else max(value, LEAST) for value in values]
        axes.bar(places, drawn, width, label=name, color=COLOURS[at % len(COLOURS)])
    heights = [value for values in shown.values() for value in values if value is not None]
    if heights:
        axes.set_yscale("log")
        axes.set_ylim(bottom=max(LEAST, min(heights) / 3))
    axes.set_xticks(range(len(document.queries)), [record.query.upper() for record in document.queries])
    axes.set_ylabel(unit)
    axes.set_title(f"{title} (TPC-H at scale factor {document.scale_factor:g}, log scale)")
    if shown:
        axes.legend(ncols=min(5, len(shown)), fontsize=8)
    _written(figure, path)


def _written(figure: Any, path: Path) -> None:
    figure.tight_layout()
    figure.savefig(path, metadata={"Software": None})
    pyplot.close(figure)


def _of_step(step: str, limit_seconds: float) -> Value:
    """The time of a step; one that was cut is as high as the limit."""

    def value(record: QueryRecord) -> float | None:
        cut = step in record.steps and record.steps[step].status == OVER_THE_LIMIT
        return 1000 * limit_seconds if cut else median(record, step)

    return value


def overhead_picture(document: Document, path: Path) -> None:
    series = {name: lambda r, s=step: added_ms(r, s) for step, name in RUNS.items()}
    _bars("Added to the run", "ms", document, series, path)


def storage_picture(document: Document, path: Path) -> None:
    def kilobytes(step: str) -> Value:
        return lambda record: record.saved[step].bytes / 1000 if step in record.saved else None

    _bars("Saved besides the output", "KB", document, {n: kilobytes(s) for s, n in RUNS.items()}, path)


def times_picture(document: Document, path: Path) -> None:
    steps = ("saved_duckdb", "saved_spark", "gprom", "panda", "trace", "eager")
    limit = document.limit_seconds
    title = f"Lineage query time, cut after {limit:g} s"
    _bars(title, "ms", document, {METHODS[step]: _of_step(step, limit) for step in steps}, path)


def saved_or_not_picture(document: Document, path: Path) -> None:
    steps = ("saved_duckdb", "unsaved", "superset_duckdb", "superset_spark")
    names = {"query": "the query itself", **{step: METHODS[step] for step in steps}}
    series = {name: _of_step(step, document.limit_seconds) for step, name in names.items()}
    _bars("Lineage query time, saved or not", "ms", document, series, path)


def pipelines_picture(document: Document, path: Path) -> None:
    """Three panels, pipelines sorted by input rows: added to the run, inference, lineage query."""
    records = sorted(document.pipelines, key=lambda record: record.input_rows)
    figure, panels = pyplot.subplots(1, 3, figsize=(15, 4), dpi=110)
    ours, eager = "predtrace", "eager tracking"
    _dots(panels[0], "(a) added to the run", records, {
        ours: lambda r: added_ms(r, "run"), eager: lambda r: added_ms(r, "run_eager")
    })  # fmt: skip
    _dots(panels[1], "(b) capture and inference", records, {ours: lambda r: median(r, "inference")})
    _dots(panels[2], "(c) lineage query", records, {
        ours: lambda r: median(r, "saved"), eager: lambda r: median(r, "eager")
    })  # fmt: skip
    _written(figure, path)


def _dots(
    axes: Any,
    title: str,
    records: Sequence[PipelineRecord],
    series: Mapping[str, Callable[[PipelineRecord], float | None]],
) -> None:
    for at, (name, value) in enumerate(series.items()):
        found = [(number, value(record)) for number, record in enumerate(records)]
        there = [(number, max(figure, LEAST)) for number, figure in found if figure is not None]
        if there:
            axes.scatter(*zip(*there, strict=True), s=14, label=name, color=COLOURS[at])
            axes.set_yscale("log")
            axes.legend(fontsize=8)
    axes.xaxis.get_major_locator().set_params(integer=True)
    axes.set_title(title)
    axes.set_xlabel("pipelines, by input rows")
    axes.set_ylabel("ms")


def growth_picture(documents: Sequence[Document], path: Path) -> None:
    """Averages over the queries that every run has, by scale factor."""
    common = set.intersection(*({record.query for record in each.queries} for each in documents))
    figure, axes = pyplot.subplots(figsize=(7, 4), dpi=110)
    steps = {"query": "the query itself", **METHODS}
    for at, (step, name) in enumerate(steps.items()):
        points = []
        for document in documents:
            records = [record for record in document.queries if record.query in common]
            found = statistics_of(median(record, step) for record in records)
            if found is not None and found.count == len(records):
                points.append((document.scale_factor, found.mean))
        if len(points) > 1:
            axes.plot(*zip(*points, strict=True), marker="o", label=name, color=COLOURS[at % len(COLOURS)])
    axes.set_xlabel("scale factor")
    axes.set_ylabel("average ms")
    axes.set_title("Growth, of methods that answer every query")
    if axes.lines:
        axes.set_xscale("log")
        axes.set_yscale("log")
        axes.legend(fontsize=8)
    _written(figure, path)


def pictures(documents: Sequence[Document], main: Document, folder: Path) -> dict[str, Path]:
    """Draw everything there are figures for; titles with the files."""
    drawn: dict[str, tuple[bool, Callable[[Path], None]]] = {
        "lineage_query_time": (True, lambda path: times_picture(main, path)),
        "added_to_the_run": (True, lambda path: overhead_picture(main, path)),
        "saved_bytes": (True, lambda path: storage_picture(main, path)),
        "saved_or_not": (True, lambda path: saved_or_not_picture(main, path)),
        "pipelines": (bool(main.pipelines), lambda path: pipelines_picture(main, path)),
        "growth": (len(documents) > 1, lambda path: growth_picture(documents, path)),
    }
    made = {}
    for name, (is_there, draw) in drawn.items():
        if is_there:
            made[name] = folder / f"{name}.png"
            draw(made[name])
    return made
