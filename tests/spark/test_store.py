"""Runs kept in a store: traced from there they have the lineage that the tracker finds, in any process."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from tests.corpus import PIPELINES as CORPUS
from tests.corpus import register
from tests.properties.settings import configured
from tests.properties.traces import Judge
from tests.spark.oracle import Oracle, comparable
from tests.spark.stored_pipelines import EVENTS, PIPELINES, Build, sales
from tests.spark.test_reference_corpus import REFUSED

import predtrace
from predtrace import StoredRun, capture
from predtrace.errors import SourceProblem, StaleSource, StoreProblem
from predtrace.ir.operators import Fingerprint
from predtrace.store.files import HadoopFiles
from predtrace.store.fingerprints import changes
from predtrace.store.manifest import Manifest, SavedRows, SavedSource
from predtrace.store.runs import Runs
from predtrace.store.settings import settings_of


def run_and_open(frame: DataFrame, store: Path) -> StoredRun:
    """A run in a store, by one who knows only where the store is. The run has the rows of its DataFrame."""
    output = capture(frame).run(store=str(store))
    assert output.schema == frame.schema
    assert rows_of(output) == rows_of(frame)
    return predtrace.open(str(store))


def rows_of(frame: DataFrame) -> Counter[Any]:
    return Counter(comparable(tuple(row)) for row in frame.collect())


@pytest.mark.parametrize("build", PIPELINES.values(), ids=PIPELINES)
def test_lineage_is_that_of_the_tracker(spark: SparkSession, tmp_path: Path, build: Build) -> None:
    judge = Judge(Oracle(build(spark, tmp_path)))
    stored = run_and_open(judge.oracle.frame, tmp_path / "a store [1]" / "50%25 #?")
    assert stored.manifest.output.rows == sum(judge.written.rows.values())
    if not judge.output:
        with pytest.raises(predtrace.PredtraceError, match="no output row"):
            stored.trace("true")
        return
    tracing = cast(predtrace.Pipeline, stored)  # it traces alike
    assert judge.check_trace(tracing, list(judge.output)[-1:]).exact
    judge.check_trace(tracing, judge.output)


def test_another_process_in_another_time_zone(spark: SparkSession, tmp_path: Path) -> None:
    """Which day a moment belongs to depends on the session."""
    source = str(tmp_path / "events.csv")
    with configured(spark, {"spark.sql.session.timeZone": "America/New_York"}):
        spark.createDataFrame(EVENTS, "id int, at timestamp, k string").write.csv(source)
        read = spark.read.schema("id int, at timestamp, k string").csv(source)
        days = read.groupBy(F.to_date("at").alias("day")).agg(F.max("k").alias("k"))
        counts = days.groupBy("day").count()
        pipeline = capture(counts)
        pipeline.run(store=str(tmp_path / "store"))
        here = {str(row.day): pipeline.trace(row).counts() for row in counts.collect()}
    assert here == {"2026-02-28": {"events": 1}, "2026-03-01": {"events": 1}, "2026-03-02": {"events": 1}}
    code = (
        "import json, sys, predtrace\n"
        "run = predtrace.open(sys.argv[1])\n"
        "days = json.loads(sys.argv[2])\n"
        "print(json.dumps({day: run.trace(f\"day = '{day}'\").counts() for day in days}))"
    )
    arguments = [sys.executable, "-c", code, str(tmp_path / "store"), json.dumps(list(here))]
    environment = {**os.environ, "PYTHONPATH": str(Path(predtrace.__file__).parents[1])}
    there = subprocess.run(arguments, capture_output=True, text=True, env=environment, check=False)
    assert there.returncode == 0, there.stderr
    assert json.loads(there.stdout) == here


def test_an_unordered_limit_is_exact_after_a_run(spark: SparkSession, tmp_path: Path) -> None:
    pipeline = capture(sales(spark, tmp_path).filter("n > 1").limit(3))
    rows = pipeline.run(store=str(tmp_path / "store")).collect()
    stored = predtrace.open(str(tmp_path / "store"))
    for row in rows:
        lineage = stored.trace(row)
        assert lineage.exact
        assert [tuple(found) for found in lineage["sales"].to_spark().collect()] == [tuple(row)]


@pytest.mark.parametrize("limit", [0, 10])
def test_a_run_that_may_not_save_much(spark: SparkSession, tmp_path: Path, limit: int) -> None:
    """Without the needed result, the store has a superset, and says so; who has the pipeline recomputes it."""
    query = "select sum(id) as total from {sales} group by shop having count(*) > 1"
    pipeline = capture(spark.sql(query, sales=sales(spark, tmp_path)))
    said = pipeline.explain()
    assert "If nothing may be saved" in said
    assert "from the store: sales: may hold more rows" in said
    output = pipeline.run(store=str(tmp_path / "store"), max_saved_bytes=limit)
    (row, *_) = output.collect()
    found = pipeline.trace(row)
    assert (found.exact, found.counts()) == (True, {"sales": 4})
    stored = predtrace.open(str(tmp_path / "store"))
    assert [result.plan_node for result in stored.manifest.results] == [stored.manifest.operators.plan_node]
    folders = list((tmp_path / "store" / stored.manifest.run / "results").iterdir())
    assert [folder.name for folder in folders] == [str(stored.manifest.operators.plan_node)]
    superset = stored.trace(row)
    assert not superset.exact
    assert "GroupBy" in superset.why_not_exact
    assert superset.counts() == {"sales": 12}
    large = capture(spark.sql(query, sales=sales(spark, tmp_path)))
    large.run(store=str(tmp_path / "store"), max_saved_bytes=10**9)
    assert predtrace.open(str(tmp_path / "store")).trace(row).exact


def test_ordered_output_stays_ordered(spark: SparkSession, tmp_path: Path) -> None:
    frame = sales(spark, tmp_path).repartition(4).orderBy(F.desc("id"))
    rows = capture(frame).run(store=str(tmp_path / "store")).collect()
    assert [row.id for row in rows] == list(range(12, 0, -1))


def test_order_of_an_output_in_several_files(spark: SparkSession, tmp_path: Path) -> None:
    """Spark reads the largest file first, and the last ones of these are larger."""
    rows = spark.range(2000).selectExpr("id", "repeat(cast(id * id as string), int(id / 200)) as text")
    rows.write.parquet(str(tmp_path / "rows"))
    frame = spark.read.parquet(str(tmp_path / "rows")).orderBy("id")
    in_files = {"spark.sql.adaptive.enabled": "false", "spark.sql.shuffle.partitions": "5"}
    with configured(spark, in_files):
        pipeline = capture(frame)
        output = pipeline.run(store=str(tmp_path / "store"))
        assert pipeline.stored is not None
        folder = tmp_path / "store" / pipeline.stored.manifest.run / pipeline.stored.manifest.output.folder
        assert len(list(folder.glob("*.parquet"))) == 5
        assert [row.id for row in output.collect()] == list(range(2000))


def test_order_within_partitions_stays(spark: SparkSession, tmp_path: Path) -> None:
    frame = sales(spark, tmp_path).repartition(3, "shop").sortWithinPartitions("id")
    output = capture(frame).run(store=str(tmp_path / "store"))
    expected = [[row.id for row in part] for part in frame.rdd.glom().collect()]
    assert [[row.id for row in part] for part in output.rdd.glom().collect()] == expected


def test_an_ordered_output_in_which_rows_are_looked_up(spark: SparkSession, tmp_path: Path) -> None:
    """Its files are sorted for that, and the output still has its own order."""
    visits = spark.range(600).selectExpr("id", "id % 7 as page", "id % 31 as visitor")
    visits.write.parquet(str(tmp_path / "visits"))
    spark.read.parquet(str(tmp_path / "visits")).createOrReplaceTempView("visits")
    query = """select visitor, n from (select visitor, page, count(*) as n from visits group by visitor, page)
               order by n desc, visitor desc, page"""
    pipeline = capture(spark.sql(query))
    output = pipeline.run(store=str(tmp_path / "store"))
    assert output.collect() == spark.sql(query).collect()
    assert pipeline.trace({"visitor": 3, "n": 2}).exact


@pytest.mark.parametrize("ansi", ["true", "false"])
def test_settings_of_the_run_are_those_of_the_trace(spark: SparkSession, tmp_path: Path, ansi: str) -> None:
    """In ANSI mode a cast of a word to a number fails; else it is NULL."""
    with configured(spark, {"spark.sql.ansi.enabled": "false"}):
        frame = (
            sales(spark, tmp_path).selectExpr("cast(shop as int) as number", "id").filter("number is null")
        )
        capture(frame).run(store=str(tmp_path / "store"))
    with configured(spark, {"spark.sql.ansi.enabled": ansi}):
        assert predtrace.open(str(tmp_path / "store")).trace("id = 3 and number is null").counts() == {
            "sales": 1
        }
        assert spark.conf.get("spark.sql.ansi.enabled") == ansi


def test_dates_of_old_calendars_are_kept(spark: SparkSession, tmp_path: Path) -> None:
    old = (
        "date'0001-01-01' as day",
        "timestamp'1500-02-28 01:02:03.000004' as at",
        "date'1582-10-10' as gap",
    )
    frame = sales(spark, tmp_path).filter("id < 3").selectExpr("id", *old)
    stored = run_and_open(frame, tmp_path / "store")
    assert stored.trace("day = date'0001-01-01' and at < '1501-01-01' and id = 2").counts() == {"sales": 1}


def test_a_moved_store(spark: SparkSession, tmp_path: Path) -> None:
    run_and_open(sales(spark, tmp_path).groupBy("shop").count(), tmp_path / "store")
    (tmp_path / "store").rename(tmp_path / "moved")
    stored = predtrace.open(str(tmp_path / "moved"))
    assert stored.trace({"shop": "a"}).counts() == {"sales": 4}
    assert str(tmp_path / "store").encode() not in stored.manifest.to_bytes()


def test_nothing_is_computed_twice(spark: SparkSession, tmp_path: Path) -> None:
    calls = spark.sparkContext.accumulator(0)

    def count(value):  # type: ignore[no-untyped-def]
        calls.add(1)
        return value

    counted = F.udf(count, "int")
    shops = sales(spark, tmp_path).select("shop", counted("id").alias("id"))
    frame = shops.groupBy("shop").agg(F.sum("id").alias("ids")).filter("ids > 1").select("ids")
    pipeline = capture(frame)
    assert pipeline.plan.results, "or nothing is saved on the way"
    output = pipeline.run(store=str(tmp_path / "store"))
    assert calls.value == 12
    assert output.count() == 3
    assert calls.value == 12


def test_a_store_on_another_file_system(spark: SparkSession, tmp_path: Path) -> None:
    """A view of Hadoop on the local disk serves for any file system that is not the local one."""
    (tmp_path / "bucket").mkdir()
    mount = {"fs.viewfs.mounttable.test.link./bucket": (tmp_path / "bucket").as_uri()}
    with configured(spark, mount):
        root = "viewfs://test/bucket"
        frame = sales(spark, tmp_path).groupBy("shop").count()
        output = capture(frame).run(store=f"{root}/store")
        assert rows_of(output) == rows_of(frame)
        stored = predtrace.open(f"{root}/store")
        assert stored.trace({"shop": "a"}).counts() == {"sales": 4}
        runs = Runs(HadoopFiles(spark, f"{root}/store"))
        killed = runs.begin()
        assert [unfinished.run for unfinished in runs.unfinished()] == [killed]
        with pytest.raises(StoreProblem, match="there is no store"):
            predtrace.open(f"{root}/nowhere")


FORMATS = ("parquet", "csv", "json", "orc")


@pytest.mark.parametrize("format_", FORMATS)
def test_changed_files_are_noticed(spark: SparkSession, tmp_path: Path, format_: str) -> None:
    folder = sales(spark, tmp_path, format_)
    first, second = sorted(path for path in (tmp_path / f"sales.{format_}").glob("part-*"))
    alone = spark.read.format(format_).schema(folder.schema).load(str(first))
    of_folder, of_file = (
        capture(folder).source("sales"),
        next(iter(capture(alone).captured.descriptors.values())),
    )
    assert (changes(of_folder), changes(of_file)) == ([], [])
    added = first.with_name(f"part-9.{format_}")
    added.write_bytes(second.read_bytes())
    assert changes(of_folder) == [f"{added.name} of sales is added"]
    assert changes(of_file) == []
    first.write_bytes(first.read_bytes() + b" ")
    second.unlink()
    assert changes(of_folder) == [
        f"{second.name} of sales is gone",
        f"{first.name} of sales is replaced",
        f"{added.name} of sales is added",
    ]
    assert changes(of_file) == [f"{first.name} of {of_file.name} is replaced"]


def test_a_stale_source_is_an_error_unless_allowed(spark: SparkSession, tmp_path: Path) -> None:
    stored = run_and_open(sales(spark, tmp_path, "json").groupBy("shop").count(), tmp_path / "store")
    source = tmp_path / "sales.json"
    (source / "more.json").write_text('{"id": 99, "shop": "a", "other": 1}')
    with pytest.raises(StaleSource) as found:
        stored.trace({"shop": "a"})
    assert str(found.value) == (
        "the sources have changed since the run: more.json of sales is added. What to do: run the pipeline again, "
        "or pass allow_stale=True to trace in what is there now."
    )
    assert stored.trace({"shop": "a"}, allow_stale=True).counts() == {"sales": 5}
    source.rename(tmp_path / "gone")
    with pytest.raises(StaleSource, match="gone"):
        stored.trace({"shop": "a"})
    with pytest.raises(SourceProblem, match="Path does not exist"):
        stored.trace({"shop": "a"}, allow_stale=True).counts()


def test_damaged_stores_are_one_clear_error(spark: SparkSession, tmp_path: Path) -> None:
    stored = run_and_open(sales(spark, tmp_path).groupBy("shop").count(), tmp_path / "store")
    run = tmp_path / "store" / stored.manifest.run
    part, *_ = (run / stored.manifest.output.folder).glob("part-*")
    part.rename(tmp_path / "part")
    with pytest.raises(StoreProblem, match="rows that the run saved are incomplete or changed"):
        stored.trace({"shop": "a"})
    (run / stored.manifest.output.folder).rename(tmp_path / "folder")
    with pytest.raises(StoreProblem, match="rows that the run saved are missing"):
        stored.trace({"shop": "a"})
    (run / "manifest.json").write_bytes((run / "manifest.json").read_bytes()[:-1])
    with pytest.raises(StoreProblem, match="no JSON"):
        predtrace.open(str(tmp_path / "store"))


def test_a_run_that_fails_leaves_nothing(spark: SparkSession, tmp_path: Path) -> None:
    frame = sales(spark, tmp_path).selectExpr("id / (id - 3) as broken")
    with pytest.raises(SourceProblem, match="DIVIDE_BY_ZERO"):
        capture(frame).run(store=str(tmp_path / "store"))
    assert list((tmp_path / "store").iterdir()) == []
    (tmp_path / "file").write_text("x")
    with pytest.raises(StoreProblem, match="no run can be written"):
        capture(frame).run(store=str(tmp_path / "file"))


def test_tables_whose_changes_nobody_notices_are_named(spark: SparkSession, tmp_path: Path) -> None:
    stored = run_and_open(sales(spark, tmp_path).groupBy("shop").count(), tmp_path / "store")
    assert "Nobody notices" not in stored.explain()
    source, *_ = stored.manifest.sources
    table = replace(source.descriptor, format="jdbc", fingerprint=Fingerprint("none"))
    manifest = replace(stored.manifest, sources=(replace(source, descriptor=table),))
    said = StoredRun(stored._runs, manifest).explain()
    assert said.endswith("Nobody notices if these change after the run: sales (jdbc)")


def test_manifests_of_the_corpus_come_back(spark: SparkSession, tmp_path: Path) -> None:
    """Plans of every kind of operator, without running any."""
    register(spark, tmp_path / "corpus")
    chosen = [entry for entry in CORPUS if entry.name not in REFUSED][::7]
    for entry in chosen:
        pipeline = capture(entry.build(spark))
        descriptors = pipeline.captured.descriptors
        manifest = Manifest(
            run="run",
            name="",
            created="now",
            written_by="me",
            operators=pipeline.captured.operators,
            plan=pipeline.plan,
            output=SavedRows("results/1", pipeline.plan.target, 1, 1),
            output_schema=pipeline.captured.dataframe.schema.json(),
            results=(),
            counted=(),
            sources=tuple(SavedSource(number, descriptors[number], None) for number in descriptors),
            functions=(),
            settings=settings_of(spark),
        )
        content = manifest.to_bytes()
        found = Manifest.from_bytes(content, "here")
        assert found == manifest, entry.name
        assert found.to_bytes() == content, entry.name


def test_a_run_saves_where_earlier_ones_counted_fewer_rows(spark: SparkSession, tmp_path: Path) -> None:
    """A join on equal keys is taken to leave rows out. This one does not, which the first run finds out."""
    sold = spark.range(20).selectExpr("id", "id % 2 as k", "id * 3 % 7 as price")
    sold.write.parquet(str(tmp_path / "sold"))
    spark.range(40).selectExpr("id as tag", "id % 2 as t").write.parquet(str(tmp_path / "tags"))
    for name in ("sold", "tags"):
        spark.read.parquet(str(tmp_path / name)).createOrReplaceTempView(name)
    again = (
        "select k, price from sold where exists (select 1 from sold as other where other.price = sold.price)"
    )
    frame = spark.sql(f"select k, sum(tag) as s from ({again}) join tags on k = t group by k")
    judge, store = Judge(Oracle(frame)), tmp_path / "store"
    saved = [_rows_saved(run_and_open(frame, store)) for _ in range(3)]
    assert saved == [[400], [20], [20]]
    stored = cast(predtrace.Pipeline, predtrace.open(str(store)))
    assert judge.check_trace(stored, judge.output).exact
    other = frame.where("s > 1")  # another pipeline: nothing is known of it
    assert _rows_saved(run_and_open(other, store)) == [400]


def _rows_saved(stored: StoredRun) -> list[int]:
    nodes = {result.plan_node for result in stored.manifest.plan.results}
    return [result.saved.rows for result in stored.manifest.results if result.plan_node in nodes]
