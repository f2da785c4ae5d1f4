"""A small document of a benchmark run, made up."""

from __future__ import annotations

from benchmarks.records import (
    MEASURED,
    NOT_SUPPORTED,
    OVER_THE_LIMIT,
    VERSION,
    Document,
    PipelineRecord,
    QueryRecord,
    Saved,
    Timed,
)


def took(*milliseconds: float) -> Timed:
    return Timed(MEASURED, "", milliseconds)


def query(name: str, **steps: Timed) -> QueryRecord:
    return QueryRecord(
        query=name,
        target="k = 1",
        lineage_rows={"orders": 3, "lineitem": 4},
        saved={"run": Saved(1, 30, 4000), "run_not_deferred": Saved(1, 300, 90_000)},
        false_positives={"naive": 0.5, "iterative": 0.0},
        steps={"query": took(100, 200, 300), "run": took(110, 220, 330), **steps},
    )


def document(*queries: QueryRecord, scale_factor: float = 1.0) -> Document:
    pipeline = PipelineRecord(
        "jobs", "cleaning", 10, 4, "predicates", {"run": Saved(0, 0, 0)}, {"inference": took(7)}
    )
    machine = {"processor": "a <fast> one", "cores of Spark": "2"}
    return Document(VERSION, "2026-01-01", machine, scale_factor, 3, 60.0, queries, (pipeline,))


QUICK_AND_SLOW = document(
    query(
        "q01",
        inference=took(40, 50, 60),
        saved_duckdb=took(10, 10, 40),
        saved_spark=took(100, 100, 100),
        saved_not_deferred=took(50, 50, 50),
        unsaved=took(300, 400, 500),
        gprom=took(1000, 2000, 3000),
        trace=took(5, 5, 5),
        panda=Timed(NOT_SUPPORTED, "a subquery"),
    ),
    query(
        "q02",
        saved_duckdb=took(20, 20, 20),
        gprom=Timed(OVER_THE_LIMIT, "cut after 60 s"),
        trace=Timed(NOT_SUPPORTED, "a subquery"),
    ),
)
