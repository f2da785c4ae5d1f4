"""The report: tables, bars, what is said where others are quicker, the page and the README."""

from __future__ import annotations

from pathlib import Path

import pytest
from benchmarks.bars import bars
from benchmarks.figures_of import added_ms, best, overhead, times_as_long
from benchmarks.reporting.losses import losses
from benchmarks.reporting.page import page
from benchmarks.reporting.readme import BEGIN, END, written_into
from benchmarks.summary import sheets
from tests.unit.benchmarks.documents import QUICK_AND_SLOW, document, query, took

FIRST, SECOND = QUICK_AND_SLOW.queries
TABLES = {sheet.title: sheet for sheet in sheets(QUICK_AND_SLOW)}


def test_figures_of_a_query() -> None:
    assert best(FIRST) == FIRST.steps["saved_duckdb"]
    assert added_ms(FIRST, "run") == 20
    assert overhead(FIRST, "run") == pytest.approx(0.1)
    assert added_ms(FIRST, "run_panda") is None


def test_a_query_that_was_cut_counts_with_the_limit() -> None:
    assert times_as_long(QUICK_AND_SLOW, "gprom") == pytest.approx((2000 + 60_000) / (10 + 20))
    assert times_as_long(QUICK_AND_SLOW, "trace") == pytest.approx(5 / 10)
    assert times_as_long(QUICK_AND_SLOW, "eager") is None


def test_bars_say_by_how_much_they_are_missed() -> None:
    found = {bar.what: bar for bar in bars(QUICK_AND_SLOW)}
    assert found["saved, best engine: times as quick as GProM"].cleared
    trace = found["saved, best engine: times as quick as Trace"]
    assert (trace.cleared, trace.found) == (False, "0.5, 20.0 times too few")
    added = found["added to the run, all queries on average"]
    assert (added.cleared, added.found) == (False, "10.0%, 2.0 points too many")


def test_rows_saved_are_compared_at_the_papers_scale_only() -> None:
    one = query("q03", saved_duckdb=took(1))
    assert "rows saved for q03" in {bar.what for bar in bars(document(one))}
    assert "rows saved for q03" not in {bar.what for bar in bars(document(one, scale_factor=0.1))}


def test_tables() -> None:
    assert ("GProM", "1 of 2", "2 (over the limit)") in TABLES["TPC-H queries answered"].rows
    assert ("Trace", "1 of 2", "2 (not supported: a subquery)") in TABLES["TPC-H queries answered"].rows
    assert TABLES["With and without Algorithm 2"].rows[0] == (
        *("q01", "300", "90,000", "50", "30", "4,000", "10"),
        "5.0",
    )
    assert TABLES["False positives with nothing saved"].rows[-1] == ("average", "50.0%", "0.0%")
    assert all(len(row) == len(sheet.header) for sheet in TABLES.values() for row in sheet.rows)


def test_losses_are_named() -> None:
    (loss,) = losses(QUICK_AND_SLOW)
    assert loss.startswith(
        "Q01: Trace is 2.0 times as quick. Ours (DuckDB) first looks up rows among 30 saved ones"
    )


def test_the_page_is_whole_and_safe() -> None:
    text = page([QUICK_AND_SLOW], QUICK_AND_SLOW, {}, "First.\n\n2 < 3")
    assert "a &lt;fast&gt; one" in text
    assert "<p>2 &lt; 3</p>" in text
    assert "http" not in text
    assert all(f"<h2>{title}</h2>" in text for title in TABLES)


def test_the_readme_gets_its_table_between_its_marks() -> None:
    text = written_into(f"before\n{BEGIN}\nold\n{END}\nafter", QUICK_AND_SLOW)
    assert "old" not in text
    assert text.startswith(f"before\n{BEGIN}\n| TPC-H at scale factor 1")
    assert text.endswith(f"{END}\nafter")
    assert "| predtrace, saved | 2 of 2 | 15 ms | 20 ms |" in text
    assert "A run takes 20 ms longer on average (10.0%); it saves 0.0 MB on average" in text
    assert written_into(text, QUICK_AND_SLOW) == text
    with pytest.raises(ValueError, match="no place for figures"):
        written_into("no marks", QUICK_AND_SLOW)


def test_the_readme_has_its_marks() -> None:
    readme = Path(__file__).parents[3] / "README.md"
    written_into(readme.read_text(encoding="utf-8"), QUICK_AND_SLOW)


def test_pictures(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    from benchmarks.reporting.pictures import pictures

    smaller = document(*QUICK_AND_SLOW.queries, scale_factor=0.1)
    drawn = pictures([smaller, QUICK_AND_SLOW], QUICK_AND_SLOW, tmp_path)
    assert {
        "lineage_query_time",
        "added_to_the_run",
        "saved_bytes",
        "saved_or_not",
        "pipelines",
        "growth",
    } == set(drawn)
    assert all(path.read_bytes().startswith(b"\x89PNG") for path in drawn.values())
