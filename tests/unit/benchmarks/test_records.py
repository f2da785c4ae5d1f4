"""What a benchmark run leaves behind: the form of its JSON, and the reports that are in the repository."""

from __future__ import annotations

import dataclasses
import json
import re
from pathlib import Path
from typing import Any

import pytest
from benchmarks.corpora import STEPS
from benchmarks.queries import EVERYTHING
from benchmarks.records import FAILED, MEASURED, Saved, Timed, ratio, read_document, read_record
from tests.unit.benchmarks.documents import QUICK_AND_SLOW, took

REPORTS = sorted((Path(__file__).parents[3] / "benchmarks" / "report").rglob("*-sf*.json"))


def test_written_and_read_back(tmp_path: Path) -> None:
    QUICK_AND_SLOW.write(tmp_path / "bench-sf1.json")
    assert read_document(tmp_path / "bench-sf1.json") == QUICK_AND_SLOW


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"version": 0}, "no document of version"),
        ({"turns": "3"}, "document.turns is no int"),
        ({"turns": True}, "document.turns is no int"),
        ({"more": 1}, "document has not the fields"),
        ({"queries": [{}]}, r"document.queries\[0\] has not the fields"),
        ({"machine": []}, "document.machine is no dict"),
    ],
    ids=str,
)
def test_what_is_no_document(tmp_path: Path, change: dict[str, Any], words: str) -> None:
    found = json.loads(json.dumps(dataclasses.asdict(QUICK_AND_SLOW))) | change
    path = tmp_path / "bench-sf1.json"
    path.write_text(json.dumps(found), encoding="utf-8")
    with pytest.raises(ValueError, match=words):
        read_document(path)


def test_a_time_belongs_to_what_was_measured() -> None:
    wrongs: list[dict[str, Any]] = [{"status": "soon"}, {"status": MEASURED}]
    for wrong in [*wrongs, {"status": FAILED, "times_ms": (1.0,)}]:
        with pytest.raises(ValueError, match=wrong["status"]):
            Timed(**wrong)
    assert read_record(Saved, {"results": 1, "rows": 2, "bytes": 3}) == Saved(1, 2, 3)


def test_ratios_are_of_the_same_turn() -> None:
    """One slow turn hits both: the ratio of medians would be 1.5."""
    assert ratio(took(10, 20, 90), took(10, 10, 90)) == 1
    assert ratio(took(10, 20, 90), took(10)) == 2
    assert ratio(None, took(1)) is None
    assert ratio(took(1), Timed(FAILED, "why")) is None


@pytest.mark.parametrize("path", REPORTS, ids=[path.name for path in REPORTS])
def test_reports_in_the_repository(path: Path) -> None:
    document = read_document(path)
    assert document.queries
    assert len({record.query for record in document.queries}) == len(document.queries)
    assert f"-sf{document.scale_factor:g}.json" in path.name
    for query in document.queries:
        assert query.steps.keys() <= set(EVERYTHING)
        assert query.steps["run"].status == MEASURED
        assert query.steps["saved_duckdb"].status == MEASURED, "every query is traced exactly"
        assert all(timed.times_ms or timed.why for timed in query.steps.values())
        assert all(0 <= share <= 1 for share in query.false_positives.values())
    for pipeline in document.pipelines:
        assert pipeline.steps.keys() <= set(STEPS)
    assert not re.search(r"/(home|tmp|root|work|usr|opt)/", path.read_text(encoding="utf-8")), (
        "a machine's path"
    )
