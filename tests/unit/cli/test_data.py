"""What `--data` takes for a table."""

from __future__ import annotations

from pathlib import Path

import pytest

from predtrace.cli.data import tables_in
from predtrace.errors import InputError


def made(folder: Path, *files: str) -> Path:
    for name in files:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).touch()
    return folder


def found(folder: Path) -> dict[str, str]:
    return {table.name: table.format for table in tables_in(folder)}


def test_files_and_folders_are_tables_named_after_them(tmp_path: Path) -> None:
    made(tmp_path, "a.parquet", "b.csv.gz", "c.jsonl", "d.orc", "e/part-0.parquet", "f/year=1/x.json")
    made(tmp_path, "g.parquet/part-0.snappy.parquet", "g.parquet/_SUCCESS")
    assert found(tmp_path) == {
        "a": "parquet",
        "b": "csv",
        "c": "json",
        "d": "orc",
        "e": "parquet",
        "f": "json",
        "g": "parquet",
    }


def test_what_is_no_table_is_left_out(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    made(
        tmp_path, "a.csv", "README.md", ".hidden.csv", "_tmp.csv", "empty/.keep", "code/x.py", "deep/er/x.csv"
    )
    made(tmp_path, "mixed/x.csv", "mixed/x.json", "table/_delta_log/0.json", "table/x.parquet")
    assert found(tmp_path) == {"a": "csv"}
    said = capsys.readouterr().err.replace("\n", "")
    assert "mixed: it holds files of several kinds" in said
    assert "table: it looks like a table with a log of its own" in said


def test_two_tables_of_one_name_are_refused(tmp_path: Path) -> None:
    made(tmp_path, "a.csv", "A.parquet")
    with pytest.raises(InputError, match="would both be the table 'a'"):
        tables_in(tmp_path)


@pytest.mark.parametrize("folder", ["nowhere", "empty"])
def test_a_folder_without_data_is_refused(tmp_path: Path, folder: str) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputError):
        tables_in(tmp_path / folder)
