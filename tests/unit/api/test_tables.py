"""Rows as tables and as JSON."""

from __future__ import annotations

import json
from decimal import Decimal

import pyarrow as pa
from rich.console import Console

from predtrace.api.tables import json_rows, rows_table


def drawn(rows: pa.Table, width: int) -> str:
    console = Console(width=width)
    with console.capture() as captured:
        console.print(rows_table("title", rows, width))
    return captured.get()


def test_data_is_never_taken_for_markup() -> None:
    assert "[red]x[/red]" in drawn(pa.table({"[b]": ["[red]x[/red]"]}), 80)


def test_columns_that_do_not_fit_are_counted() -> None:
    rows = pa.table({name: ["0123456789"] for name in "abcdef"})
    text = drawn(rows, 40)
    assert "title, 3 more columns" in text
    assert "more columns" not in drawn(rows, 120)


def test_a_long_or_broken_value_stays_one_line() -> None:
    text = drawn(pa.table({"v": ["one\ntwo", "x" * 100, None]}), 80)
    assert "one⏎two" in text
    assert "x…" in text
    assert "NULL" in text


def test_json_rows_keep_every_column() -> None:
    rows = pa.Table.from_arrays([pa.array([1]), pa.array([Decimal("2.50")])], names=["v", "v"])
    assert json_rows(rows) == [{"v": 1, "v#2": "2.50"}]


def test_json_rows_are_json() -> None:
    rows = pa.table({"v": [float("nan"), float("inf"), 1.5], "s": [{"a": b"x"}, None, {"a": b""}]})
    text = json.dumps(json_rows(rows), allow_nan=False)
    assert json.loads(text)[0] == {"v": "nan", "s": {"a": "eA=="}}
