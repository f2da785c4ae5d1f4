"""The command line on a real Spark: explain, run, trace and show, for queries and for unmodified scripts."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import textwrap
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import Result
from pyspark.sql import SparkSession
from pyspark.sql.readwriter import DataFrameWriter, DataFrameWriterV2
from typer.testing import CliRunner

from predtrace.cli.app import app
from predtrace.cli.reporting import ExitCode

RUNNER = CliRunner(env={"COLUMNS": "200"})
QUERY = """
select o.who, sum(i.price) as total
from orders o join items i on o.id = i.id
group by o.who;
"""


def invoke(*arguments: object) -> Result:
    answer: Any = RUNNER.invoke(app, [str(argument) for argument in arguments])
    assert answer.exit_code != ExitCode.BUG, answer.output
    return answer  # type: ignore[no-any-return]


def document(answer: Result) -> Any:
    return json.loads(answer.stdout)


def said(answer: Result) -> str:
    """What an error says: one sentence, however the terminal wraps it, and nothing of how it came about."""
    assert "Traceback" not in answer.output, answer.output
    return " ".join(answer.stderr.split())


@dataclass(frozen=True)
class Place:
    """A folder with data, a query, and a store with one run of it."""

    root: Path

    @property
    def data(self) -> Path:
        return self.root / "data"

    @property
    def query(self) -> Path:
        return self.root / "query.sql"

    @property
    def store(self) -> Path:
        return self.root / "store"

    @property
    def run(self) -> Path:
        (run,) = self.store.iterdir()
        return run

    def script(self, text: str, name: str = "job.py") -> Path:
        path = self.root / name
        path.write_text(textwrap.dedent(text))
        return path


def files_below(folder: Path) -> dict[str, int]:
    return {str(path): path.stat().st_mtime_ns for path in folder.rglob("*") if path.is_file()}


@pytest.fixture(scope="module")
def prepared(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Place:
    place = Place(tmp_path_factory.mktemp("cli"))
    (place.data / "items").mkdir(parents=True)
    orders = pa.table({"id": [1, 2, 3, 4], "who": ["ann", "bob", "ann", "it's"]})
    pq.write_table(orders, place.data / "orders.parquet")
    (place.data / "items" / "part-0.csv").write_text("id,price\n1,10\n1,5\n2,7\n3,1\n4,9\n")
    (place.data / "README.md").write_text("no table")
    place.query.write_text(QUERY)
    answer = invoke("run", place.query, "--data", place.data, "--store", place.store)
    assert answer.exit_code == 0, answer.output
    assert place.run.name in answer.stdout
    return place


@pytest.fixture
def place(prepared: Place, tmp_path: Path) -> Place:
    """A copy to do things to. Its run still reads the first data, which stays as it is."""
    root = tmp_path / "copy"
    shutil.copytree(prepared.root, root)
    return Place(root)


# explain


def test_explain_a_query(prepared: Place) -> None:
    before = files_below(prepared.root)
    answer = invoke("explain", prepared.query, "--data", prepared.data)
    assert answer.exit_code == 0
    for part in ("GroupBy", "Source orders", "Saved or recomputed", "items: exact"):
        assert part in answer.stdout
    assert files_below(prepared.root) == before


def test_explain_as_json(prepared: Place) -> None:
    answer = invoke("explain", prepared.query, "--data", prepared.data, "--json")
    (pipeline,) = document(answer)["pipelines"]
    assert pipeline["exact"] is True
    assert {source["name"] for source in pipeline["sources"]} == {"orders", "items"}
    assert pipeline["plan"]["lineage_plan"] == 2


def test_explain_a_script_writes_nothing(prepared: Place, tmp_path: Path) -> None:
    script = Place(tmp_path).script(f"""
        from pyspark.sql import SparkSession
        spark = SparkSession.builder.getOrCreate()
        print("hello")
        spark.table("orders").filter("id > 1").write.parquet({str(tmp_path / "out")!r})
    """)
    answer = invoke("explain", script, "--data", prepared.data, "--json")
    (pipeline,) = document(answer)["pipelines"]
    assert pipeline["target"] == str(tmp_path / "out")
    assert "hello" in answer.stderr
    assert not (tmp_path / "out").exists()


# wrong queries


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("selec 1", "Spark does not accept the query"),
        ("select nothing from orders", "Spark does not accept the query"),
        ("select * from nowhere", "the tables of --data are: items, orders"),
        ("select 1; select 2", "Spark does not accept the query"),
        ("drop view orders", "the statement is no query"),
        ("create table made as select 1", "the statement is no query"),
        ("from orders insert into made select * insert into made select *", "the statement is no query"),
        ("with o as (select 1) insert into made select * from o", "the statement is no query"),
    ],
)
def test_a_wrong_query_is_one_sentence_and_changes_nothing(
    prepared: Place, tmp_path: Path, spark: SparkSession, text: str, words: str
) -> None:
    query = tmp_path / "wrong.sql"
    query.write_text(text)
    answer = invoke("run", query, "--data", prepared.data, "--store", tmp_path / "new")
    assert answer.exit_code == 2
    assert words in said(answer)
    assert not (tmp_path / "new").exists()
    assert spark.catalog.tableExists("orders")
    assert not spark.catalog.tableExists("made")


def test_a_damaged_data_file_is_named(prepared: Place, tmp_path: Path) -> None:
    (tmp_path / "broken.parquet").write_text("no parquet")
    answer = invoke("explain", prepared.query, "--data", tmp_path)
    assert answer.exit_code == 2
    assert "broken.parquet cannot be read as parquet" in said(answer)


# trace


def test_trace_shows_the_rows_of_each_source(prepared: Place) -> None:
    answer = invoke("trace", prepared.store, "--where", "who = 'ann'", "--json")
    found = document(answer)
    assert found["exact"] is True
    rows = {source["name"]: source["rows"] for source in found["sources"]}
    assert sorted(row["id"] for row in rows["orders"]) == [1, 3]
    assert sorted((row["id"], row["price"]) for row in rows["items"]) == [(1, 5), (1, 10), (3, 1)]


def test_a_limit_is_never_silent(prepared: Place) -> None:
    arguments = ("trace", prepared.store, "--where", "who = 'ann'", "--source", "items", "--limit")
    assert "items: 2 of 3 rows" in invoke(*arguments, 2).stdout
    assert "items: 0 of 3 rows" in invoke(*arguments, 0).stdout
    assert "items: 3 of 3 rows" in invoke(*arguments, 3).stdout
    (source,) = document(invoke(*arguments, 1, "--json"))["sources"]
    assert (source["count"], source["shown"], len(source["rows"])) == (3, 1, 1)


def test_out_has_all_rows(prepared: Place, tmp_path: Path) -> None:
    arguments = ("trace", prepared.store, "--where", "who = 'ann'", "--limit", 1, "--out", tmp_path / "rows")
    answer = invoke(*arguments)
    assert answer.exit_code == 0
    assert f"all 3 rows are in {tmp_path / 'rows' / 'items.parquet'}" in answer.stdout
    assert sorted(pq.read_table(tmp_path / "rows" / "orders.parquet")["id"].to_pylist()) == [1, 3]
    again = invoke(*arguments)
    assert again.exit_code == 2
    assert "already, in --out" in said(again)


def test_a_quote_in_a_value(prepared: Place) -> None:
    answer = invoke("trace", prepared.store, "--where", 'who = "it\'s"', "--json")
    assert [source["count"] for source in document(answer)["sources"]] == [1, 1]


@pytest.mark.parametrize(
    ("options", "code", "words"),
    [
        (["--where", "who = 'nobody'"], 1, "no output row satisfies"),
        (["--where", "1=1; drop table x"], 2, "the condition is 2 statements"),
        (["--where", "who = 'it's'"], 2, "the condition is no valid SQL"),
        (["--where", "whom = 'ann'"], 2, "did you mean who?"),
        (["--where", "price = 1"], 2, "the output has no column 'price'"),
        (["--where", "1=1", "--source", "nowhere"], 2, "no source 'nowhere'"),
        (["--where", "1=1", "--run", "nowhere"], 2, "there is no complete run 'nowhere'"),
        (["--where", "1=1", "--limit", "-1"], 2, "--limit"),
        (["--where", "1=1", "--engine", "abacus"], 2, "abacus"),
        ([], 2, "--where"),
    ],
)
def test_a_wrong_trace_is_one_sentence(prepared: Place, options: list[str], code: int, words: str) -> None:
    before = files_below(prepared.root)
    answer = invoke("trace", prepared.store, *options)
    assert answer.exit_code == code
    assert words in said(answer)
    assert answer.stdout == ""
    assert files_below(prepared.root) == before


def test_a_missing_result_file_is_never_read_as_no_rows(place: Place) -> None:
    saved = document(invoke("show", place.store, "--json"))["runs"][0]["saved"]
    next((place.run / saved[0]["folder"]).glob("*.parquet")).unlink()
    answer = invoke("trace", place.store, "--where", "who = 'ann'")
    assert answer.exit_code == 2
    assert "rows that the run saved are incomplete or changed" in said(answer)


def test_a_changed_source(place: Place) -> None:
    fresh = place.root / "fresh"
    assert invoke("run", place.query, "--data", place.data, "--store", fresh).exit_code == 0
    assert document(invoke("show", fresh, "--json"))["runs"][0]["sources"][0]["state"] == "unchanged"
    (place.data / "items" / "part-1.csv").write_text("id,price\n1,100\n")
    answer = invoke("trace", fresh, "--where", "who = 'ann'")
    assert answer.exit_code == 3
    assert "--allow-stale" in said(answer)
    states = {s["name"]: s["state"] for s in document(invoke("show", fresh, "--json"))["runs"][0]["sources"]}
    assert states == {"orders": "unchanged", "items": "changed"}
    stale = invoke("trace", fresh, "--where", "who = 'ann'", "--allow-stale", "--json")
    assert {s["name"]: s["count"] for s in document(stale)["sources"]} == {"orders": 2, "items": 4}


# show


def test_show_says_what_a_store_holds(prepared: Place) -> None:
    (run,) = document(invoke("show", prepared.store, "--json"))["runs"]
    assert [column["name"] for column in run["output"]["columns"]] == ["who", "total"]
    assert {s["name"]: (s["format"], s["state"]) for s in run["sources"]} == {
        "orders": ("parquet", "unchanged"),
        "items": ("csv", "unchanged"),
    }
    assert sum(saved["rows"] for saved in run["saved"]) >= run["output"]["rows"] == 3
    assert all(saved["bytes"] > 0 for saved in run["saved"])
    answer = invoke("show", prepared.store)
    assert answer.exit_code == 0
    assert run["run"] in answer.stdout


# scripts


def test_a_script_behaves_as_always_and_can_be_traced(prepared: Place, tmp_path: Path) -> None:
    script = Place(tmp_path).script(f"""
        import sys
        from pyspark.sql import SparkSession, functions as F

        spark = SparkSession.builder.getOrCreate()
        orders = spark.read.parquet({str(prepared.data / "orders.parquet")!r})
        counts = orders.groupBy("who").agg(F.count("*").alias("n"))

        def annotated(number: int) -> None:
            assert annotated.__annotations__["number"] is int  # no __future__ of ours

        annotated(1)
        if __name__ == "__main__":
            writer = counts.write.mode("overwrite").option("header", True)
            writer.partitionBy("n").csv(sys.argv[1] + "/counts")
            orders.filter("id > 2").write.format("json").save(path=sys.argv[1] + "/late")
            print("rows:", spark.read.json(sys.argv[1] + "/late").count())
            sys.exit(0)
    """)
    store = tmp_path / "store"
    answer = invoke("run", script, "--store", store, "--", tmp_path)
    assert answer.exit_code == 0, answer.output
    assert "rows: 2" in answer.stdout
    written = (tmp_path / "counts" / "n=2").glob("*.csv")
    assert [file.read_text() for file in written] == ["who\nann\n"]
    listed = document(invoke("show", store, "--json"))["runs"]
    assert {run["target"] for run in listed} == {f"{tmp_path}/counts", f"{tmp_path}/late"}
    traced = invoke("trace", store, "--run", tmp_path / "counts", "--where", "n = 2", "--json")
    (source,) = document(traced)["sources"]
    assert (source["name"], sorted(row["id"] for row in source["rows"])) == ("orders", [1, 3])


def test_tables_written_by_a_script(prepared: Place, tmp_path: Path, spark: SparkSession) -> None:
    script = Place(tmp_path).script("""
        from pyspark.sql import SparkSession
        spark = SparkSession.builder.getOrCreate()
        some = spark.table("orders").filter("id > 2")
        some.write.saveAsTable("cli_some")
        some.write.insertInto("cli_some")
        some.writeTo("cli_other").using("parquet").create()
    """)
    try:
        answer = invoke("run", script, "--data", prepared.data, "--store", tmp_path / "store", "--json")
        assert [run["target"] for run in document(answer)["runs"]] == ["cli_some", "cli_some", "cli_other"]
        assert (spark.table("cli_some").count(), spark.table("cli_other").count()) == (4, 2)
    finally:
        spark.sql("drop table if exists cli_some")
        spark.sql("drop table if exists cli_other")


def test_the_result_of_a_script(prepared: Place, tmp_path: Path) -> None:
    script = Place(tmp_path).script("""
        from pyspark.sql import SparkSession
        spark = SparkSession.builder.getOrCreate()
        first = spark.table("orders")
        second = first.filter("id > 2")
        number = 1
    """)
    store = tmp_path / "store"
    run = ("run", script, "--data", prepared.data, "--store", store)
    assert "the script writes no DataFrame" in said(invoke(*run))
    assert "give one of: first, second" in said(invoke(*run, "--result", "third"))
    assert "'number' is no DataFrame" in said(invoke(*run, "--result", "number"))
    assert not store.exists()
    assert document(invoke(*run, "--result", "second", "--json"))["runs"][0]["rows"] == 2


def test_a_script_that_raises_shows_its_own_traceback(prepared: Place, tmp_path: Path) -> None:
    methods = {kind: dict(vars(kind)) for kind in (DataFrameWriter, DataFrameWriterV2)}
    script = Place(tmp_path).script(f"""
        from pyspark.sql import SparkSession
        spark = SparkSession.builder.getOrCreate()
        spark.range(3).write.parquet({str(tmp_path / "out")!r})
        raise ValueError("mine")
    """)
    answer = invoke("run", script, "--store", tmp_path / "store")
    assert answer.exit_code == 2
    assert "ValueError: mine" in answer.stderr
    assert "predtrace/cli" not in answer.stderr  # nothing of ours in the traceback
    assert f"{tmp_path / 'out'} was written before, as run" in " ".join(answer.stderr.split())
    assert (tmp_path / "out").exists()
    assert {kind: dict(vars(kind)) for kind in (DataFrameWriter, DataFrameWriterV2)} == methods
    assert sys.modules["__main__"].__dict__.get("__file__") != str(script)


def test_a_write_that_fails_leaves_no_run(prepared: Place, tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    script = Place(tmp_path).script(f"""
        from pyspark.sql import SparkSession
        SparkSession.builder.getOrCreate().range(3).write.parquet({str(tmp_path / "out")!r})
        raise ValueError("not reached")
    """)
    answer = invoke("run", script, "--store", tmp_path / "store")
    assert answer.exit_code == 2
    assert "PATH_ALREADY_EXISTS" in answer.stderr
    assert "predtrace/cli" not in answer.stderr
    assert list((tmp_path / "store").iterdir()) == []


def test_a_script_cannot_overwrite_its_own_source(tmp_path: Path, spark: SparkSession) -> None:
    """Spark refuses it; written from the rows of a run, it would pass."""
    script = Place(tmp_path).script("""
        from pyspark.sql import SparkSession
        itself = SparkSession.builder.getOrCreate().table("cli_itself")
        itself.filter("id > 2").write.insertInto("cli_itself", overwrite=True)
    """)
    spark.range(4).write.saveAsTable("cli_itself")
    try:
        answer = invoke("run", script, "--store", tmp_path / "store")
        assert answer.exit_code == 2
        assert "UNSUPPORTED_OVERWRITE" in answer.stderr
        assert spark.table("cli_itself").count() == 4
    finally:
        spark.sql("drop table if exists cli_itself")
    assert not (tmp_path / "store").exists()


# the real thing


def test_the_program_itself_prints_rows(prepared: Place) -> None:
    program = Path(sys.executable).with_name("predtrace")
    command: list[str | Path] = [
        program,
        "trace",
        prepared.store,
        "--where",
        "who = 'bob'",
        "--source",
        "items",
    ]
    answer = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)
    assert answer.returncode == 0, answer.stderr
    assert "items: 1 of 1 rows" in answer.stdout
    assert "│ 2  │ 7     │" in answer.stdout
