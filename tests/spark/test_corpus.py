"""The corpus is sound as test data: tables hold their rows, expectations are about rows that exist."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from tests.corpus import PIPELINES, SEMANTICS_LINES, TABLES, Pipeline, register, same_value, selects

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@pytest.fixture(scope="module")
def corpus(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> SparkSession:
    """The session with all corpus tables registered."""
    folder: Path = tmp_path_factory.mktemp("corpus")
    register(spark, folder)
    return spark


def _each(pipelines: list[Pipeline]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("entry", pipelines, ids=[entry.name for entry in pipelines])


@_each([entry for entry in PIPELINES if not entry.deterministic or entry.opaque])
def test_special_pipelines_say_what_is_special(entry: Pipeline) -> None:
    if entry.opaque:
        assert {"opaque", "python_udtf"} & set(entry.covers)
    else:
        assert "note_determinism" in entry.covers


@_each([entry for entry in PIPELINES if entry.expected])
def test_expected_rows_exist_in_their_tables(entry: Pipeline) -> None:
    for _, lineage in entry.expected:
        for name, members in lineage.items():
            table = TABLES[name]
            assert members, f"leave {name} out instead of giving an empty set"
            if table.key is None:
                assert members <= set(table.rows)
            else:
                position = [part.strip().split(" ")[0] for part in table.schema.split(",")].index(table.key)
                assert members <= {row[position] for row in table.rows}


@pytest.mark.parametrize(
    "table", [table for table in TABLES.values() if table.key], ids=lambda table: table.name
)
def test_keys_are_unique(table: Any) -> None:
    position = [part.strip().split(" ")[0] for part in table.schema.split(",")].index(table.key)
    keys = [row[position] for row in table.rows]
    assert len(set(keys)) == len(keys)
    assert None not in keys


REGISTERED_TABLES = [table for table in TABLES.values() if table.format != "memory"]


@pytest.mark.parametrize("table", REGISTERED_TABLES, ids=lambda table: table.name)
def test_registered_tables_hold_their_rows(corpus: SparkSession, table: Any) -> None:
    found = sorted((tuple(row) for row in corpus.table(table.name).collect()), key=repr)
    wanted = corpus.createDataFrame(list(table.rows), table.schema).collect()
    assert same_value(found, sorted((tuple(row) for row in wanted), key=repr))


@pytest.mark.parametrize("line", sorted(SEMANTICS_LINES))
def test_every_line_of_the_definition_has_hand_written_lineage(line: str) -> None:
    covering = [entry.name for entry in PIPELINES if line in entry.covers and entry.expected]
    assert covering, f"no pipeline with expected lineage covers: {SEMANTICS_LINES[line]}"


def test_a_wrong_selector_is_noticed() -> None:
    """The matching itself can fail: NULL, NaN and signed zero are compared as row values, nothing else is."""
    assert selects({"a": None}, ["a"], (None,))
    assert not selects({"a": None}, ["a"], (0,))
    assert selects({"a": float("nan")}, ["a"], (float("nan"),))
    assert selects({"a": 0.0}, ["a"], (-0.0,))
    assert not selects({"a": 1}, ["a"], (True,))
    assert not selects({"a": "1"}, ["a"], (1,))
    with pytest.raises(KeyError):
        selects({"a": 1}, ["a", "a"], (1, 1))
