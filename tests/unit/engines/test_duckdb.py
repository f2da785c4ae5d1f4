"""Traces over Parquet files with no Spark in sight."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.parquet
import pytest

from predtrace.engines.duckdb import DuckEngine
from predtrace.engines.duckdb_frames import DuckFrame, Nulls
from predtrace.engines.duckdb_sql import NotInDuckDB
from predtrace.ir import expressions as ir
from predtrace.ir.operators import FileState, Fingerprint, SourceDescriptor
from predtrace.ir.predicates import Parameter
from predtrace.ir.types import BOOLEAN, DATE, DOUBLE, LONG, STRING, DataType, Field, StructType
from predtrace.operators import Selection
from predtrace.operators.pushing import NOTHING
from predtrace.plan.lineage_plan import LineagePlan, ResultPlan, SourcePlan
from predtrace.trace.evaluation import Evaluation

KEY = ir.Column(ir.ColumnId("1"), "key", LONG)
NAME = ir.Column(ir.ColumnId("2"), "name", STRING)
PRICE = ir.Column(ir.ColumnId("3"), "price", DOUBLE)
COLUMNS = (KEY, NAME, PRICE)
TOTAL = ir.Column(ir.ColumnId("9"), "total", DOUBLE)
ROWS = [
    (1, "a", 1.0),
    (2, None, float("nan")),
    (None, "a", None),
    (2, "b", -0.0),
    (2, "b", -0.0),
    (4, "c", 7.0),
]
NAN = float("nan")


def _call(function: str, *arguments: ir.Expression) -> ir.Call:
    return ir.Call(function, arguments, BOOLEAN)


def _value(column: ir.Column, relation: str = "target") -> Parameter:
    return Parameter(f"{relation}.{column.id}", column.type)


def _same(column: ir.Column, relation: str = "target") -> ir.Call:
    return _call("<=>", column, _value(column, relation))


def _both(one: ir.Expression, other: ir.Expression) -> ir.Call:
    return _call("and", one, other)


def _written(path: Path, names: Sequence[str], rows: Sequence[tuple[Any, ...]]) -> str:
    types = [pa.int64(), pa.string(), pa.float64()]
    columns = [pa.array([row[at] for row in rows], types[at]) for at in range(len(names))]
    pa.parquet.write_table(pa.table(columns, names=list(names)), path)
    return str(path)


def _described(*paths: str, **changes: Any) -> SourceDescriptor:
    fields = tuple(Field(column.name, column.type) for column in COLUMNS)
    files = tuple(FileState(f"file:{path}", 0, 0) for path in paths)
    schema = StructType("struct", fields)
    plain = SourceDescriptor("sales", "parquet", paths, (), schema, Fingerprint("files", files))
    return replace(plain, **changes)


def _source(predicate: Selection = None, given: str = "target", reference: int = 0) -> SourcePlan:
    return SourcePlan(reference, COLUMNS, predicate, given, "")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    _written(tmp_path / "sales.parquet", ["key", "name", "price"], ROWS)
    return tmp_path


@pytest.fixture
def engine(folder: Path) -> Iterator[DuckEngine]:
    made = DuckEngine({0: _described(str(folder / "sales.parquet"))})
    yield made
    made.close()


def _relation(
    engine: DuckEngine, folder: Path, rows: Sequence[tuple[Any, ...]], name: str = "target"
) -> DuckFrame:
    file = _written(folder / f"{name}.parquet", ["c1", "c2", "c3"], rows)
    return engine.relation(name, COLUMNS, engine.rows([file], COLUMNS))


def _plain(frame: DuckFrame) -> list[str]:
    """The rows as text, in which NaN equals NaN."""
    return sorted(repr(tuple(row.values())) for row in frame.to_arrow().to_pylist())


def _of(*numbers: int) -> list[str]:
    return sorted(repr(ROWS[number]) for number in numbers)


CASES: dict[str, tuple[Selection, list[tuple[Any, ...]], tuple[int, ...]]] = {
    "everything": (None, [(1, "a", 1.0)], (0, 1, 2, 3, 4, 5)),
    "nothing to look for": (None, [], ()),
    "a key": (_same(KEY), [(2, None, None)], (1, 3, 4)),
    "NULL equals NULL": (_both(_same(KEY), _same(NAME)), [(2, None, 0.0), (1, "a", 0.0)], (0, 1)),
    "nothing but NULL": (_same(NAME), [(1, None, 0.0)], (1,)),
    "NULL matches nothing under =": (_call("=", KEY, _value(KEY)), [(None, "a", 0.0), (4, "a", 0.0)], (5,)),
    "NaN equals NaN": (_same(PRICE), [(0, "", NAN)], (1,)),
    "zeros are equal": (_same(PRICE), [(0, "", 0.0)], (3, 4)),
    "some of several keys": (
        _both(_same(KEY), _same(NAME)),
        [(2, "b", 0.0), (1, "a", 0.0), (9, "z", 0.0)],
        (0, 3, 4),
    ),
    "several keys, none of them there": (_both(_same(KEY), _same(NAME)), [(8, "y", 0.0), (9, "z", 0.0)], ()),
    "NULL keys match nothing under =": (
        _both(_call("=", KEY, _value(KEY)), _call("=", _value(NAME), NAME)),
        [(2, None, 0.0), (None, "b", 0.0), (1, "a", 0.0)],
        (0,),
    ),
    "tuples, not columns": (_both(_same(KEY), _same(NAME)), [(1, "b", 0.0), (2, "a", 0.0)], ()),
    "NaN is larger than all": (_call(">", PRICE, ir.Literal(5.0, DOUBLE)), [(0, "", 0.0)], (1, 5)),
    "no equality": (_call("<", KEY, _value(KEY)), [(2, "", 0.0), (3, "", 0.0)], (0, 1, 3, 4)),
}


@pytest.mark.parametrize("case", CASES)
def test_where(engine: DuckEngine, folder: Path, case: str) -> None:
    predicate, tuples, expected = CASES[case]
    relation = _relation(engine, folder, tuples)
    found = engine.where(engine.source(_source()), [(predicate, relation)])
    assert _plain(found) == _of(*expected)
    assert found.count() == len(expected)


def test_a_row_that_several_predicates_select_comes_once(engine: DuckEngine, folder: Path) -> None:
    one = _relation(engine, folder, [(2, "b", 0.0)], "one")
    two = _relation(engine, folder, [(4, None, 0.0)], "two")
    selections = [
        (_same(KEY, "one"), one),
        (_same(NAME, "one"), one),
        (_same(NAME, "two"), two),
        (NOTHING, two),
    ]
    assert _plain(engine.where(engine.source(_source()), selections)) == _of(1, 3, 4)


def test_no_predicate_selects_nothing(engine: DuckEngine, folder: Path) -> None:
    relation = _relation(engine, folder, [(2, "b", 0.0)])
    assert _plain(engine.where(engine.source(_source()), [(NOTHING, relation)])) == []
    assert _plain(engine.where(engine.source(_source()), [])) == []


def test_a_relation_holds_each_tuple_once_and_knows_its_nulls(engine: DuckEngine, folder: Path) -> None:
    relation = _relation(engine, folder, [(1, None, NAN), (1, None, NAN), (2, None, None)])
    assert relation.count() == 2
    assert list(relation.nulls.values()) == [Nulls.NONE, Nulls.ALL, Nulls.SOME]
    assert engine.is_empty(_relation(engine, folder, [], "none"))


def test_rows_that_satisfy_a_condition(engine: DuckEngine, folder: Path) -> None:
    file = _written(folder / "output.parquet", ["c1", "c2", "c3"], ROWS)
    found = engine.rows([file], COLUMNS, _call("=", NAME, ir.Literal("it's", STRING)))
    assert found.count() == 0
    assert engine.rows([file], COLUMNS, _same(KEY).rebuilt((KEY, ir.Literal(4, LONG)))).count() == 1


def test_a_stored_trace(folder: Path) -> None:
    """Output rows of key and total; a saved result says which names belong to a key."""
    output = _written(folder / "output.parquet", ["c1"], [(1,), (2,)])
    saved = _written(folder / "saved.parquet", ["c1", "c2"], [(1, "a"), (2, "b"), (2, None)])
    result = ResultPlan("needed_1", 5, "Filter", (KEY, NAME), _same(KEY), "target", "because")
    source = _source(_both(_same(KEY, "needed_1"), _same(NAME, "needed_1")), "needed_1")
    plan = LineagePlan((KEY,), (result,), (source,))
    descriptors = {0: _described(str(folder / "sales.parquet"))}
    engine = DuckEngine(descriptors, {5: [saved]})
    engine.check(plan)
    targets = engine.rows([output], plan.target, _same(KEY).rebuilt((KEY, ir.Literal(2, LONG))))
    evaluation = Evaluation(plan, engine, targets)
    assert not evaluation.is_empty()
    assert _plain(evaluation.lineage([0])) == _of(1, 3, 4)
    with pytest.raises(NotInDuckDB, match="was not saved"):
        DuckEngine(descriptors).result(result)
    engine.close()


def test_null_safe_equality_is_hashed_and_skips_parts_of_the_file(tmp_path: Path) -> None:
    count = 50_000
    rows = [(at, f"name {at}", float(at)) for at in range(count)]
    pa.parquet.write_table(
        pa.table([pa.array(column) for column in zip(*rows, strict=True)], names=["key", "name", "price"]),
        tmp_path / "large.parquet",
        row_group_size=1000,
    )
    engine = DuckEngine({0: _described(str(tmp_path / "large.parquet"))})
    relation = _relation(engine, tmp_path, [(49_999, "name 49999", 0.0), (49_998, None, 0.0)])
    found = engine.where(engine.source(_source()), [(_both(_same(KEY), _same(NAME)), relation)])
    plan = str(found.connection.execute(f"EXPLAIN {found.sql}", found.values).fetchall()[0][1]).upper()
    assert "HASH" in plan
    assert "KEY >= 49998" in plan  # what the relation's keys allow, asked of the file's statistics
    assert _plain(found) == [repr(rows[49_999])]
    engine.close()


def _parts(folder: Path, rows: Sequence[tuple[int | None, str | None, float]]) -> list[str]:
    """The rows in two files of several row groups, one of them in a folder that looks like a partition."""
    files = [folder / "part-0.parquet", folder / "year=2024" / "part-1.parquet"]
    files[1].parent.mkdir()
    types = (pa.int64(), pa.string(), pa.float64())
    for file, part in zip(files, (rows[::2], rows[1::2]), strict=True):
        columns = [
            pa.array(column, type_) for column, type_ in zip(zip(*part, strict=True), types, strict=True)
        ]
        pa.parquet.write_table(pa.table(columns, names=["key", "name", "price"]), file, row_group_size=1000)
    return [str(file) for file in files]


@pytest.fixture
def large(tmp_path: Path) -> Iterator[tuple[DuckEngine, list[tuple[int | None, str | None, float]]]]:
    numbers = range(30_000)
    rows = [(at % 7000 if at % 11 else None, f"n{at % 13}" if at % 17 else None, float(at)) for at in numbers]
    engine = DuckEngine({0: _described(*_parts(tmp_path, rows))})
    yield engine, rows
    engine.close()


@pytest.mark.parametrize("wanted", [0, 2, 60, 20_000])
def test_a_join_on_several_columns_comes_after_one_on_each(
    large: tuple[DuckEngine, list[tuple[int | None, str | None, float]]], tmp_path: Path, wanted: int
) -> None:
    engine, rows = large
    tuples = [(at * 3 % 7000, f"n{at % 13}", 0.0) for at in range(wanted)]
    relation = _relation(engine, tmp_path, tuples)
    found = engine.where(engine.source(_source()), [(_both(_same(KEY), _same(NAME)), relation)])
    pairs = {(key, name) for key, name, _ in tuples}
    assert _plain(found) == sorted(repr(row) for row in rows if row[:2] in pairs)
    assert found.sql.count("SEMI JOIN") == (3 if len(pairs) > 1 else 1)


def test_rows_that_one_predicate_has_narrowed_are_whole_for_the_next(
    engine: DuckEngine, folder: Path
) -> None:
    one = _relation(engine, folder, [(1, "a", 0.0), (9, "z", 0.0)], "one")
    two = _relation(engine, folder, [(2, "b", 0.0), (1, "a", 0.0)], "two")
    selections = [
        (_both(_same(KEY, name), _same(NAME, name)), of) for name, of in (("one", one), ("two", two))
    ]
    assert _plain(engine.where(engine.source(_source()), selections)) == _of(0, 3, 4)


def test_a_file_that_goes_between_trace_and_read_is_a_refusal(tmp_path: Path) -> None:
    files = _parts(tmp_path, [(at, "a", 0.0) for at in range(10)])
    engine = DuckEngine({0: _described(*files)})
    relation = _relation(engine, tmp_path, [(1, "a", 0.0), (2, "a", 0.0)])
    found = engine.where(engine.source(_source()), [(_both(_same(KEY), _same(NAME)), relation)])
    assert found.count() == 2
    Path(files[1]).unlink()
    with pytest.raises(NotInDuckDB):
        found.to_arrow()
    engine.close()


def _reason(descriptor: SourceDescriptor, predicate: Selection = None) -> str:
    """Why a plan over one source cannot be run; empty if it can."""
    engine = DuckEngine({0: descriptor})
    try:
        engine.check(LineagePlan((KEY,), (), (_source(predicate),)))
    except NotInDuckDB as problem:
        return problem.reason
    finally:
        engine.close()
    return ""


def test_why_not(folder: Path) -> None:
    file = str(folder / "sales.parquet")
    described = _described(file)
    upper = _call("=", ir.Call("upper", (NAME,), STRING), NAME)
    fields = described.schema.fields
    other_type = StructType("struct", (Field("key", DataType("integer")), *fields[1:]))
    other_name = StructType("struct", (Field("KEY", LONG), *fields[1:]))
    too_few = StructType("struct", fields[:2])
    assert _reason(described) == ""
    assert "upper" in _reason(described, predicate=upper)
    assert "csv" in _reason(_described(file, format="csv"))
    assert "mergeSchema" in _reason(_described(file, options=(("mergeSchema", "true"),)))
    assert "not on this machine" in _reason(_described(file, fingerprint=_files("s3://bucket/sales.parquet")))
    assert "not there" in _reason(_described(str(folder / "gone.parquet")))
    assert "pattern" in _reason(_described(str(folder / "sales*.parquet")))
    assert "BIGINT in the files and int in Spark" in _reason(_described(file, schema=other_type))
    assert "the files do not have" in _reason(_described(file, schema=other_name))
    assert "not in its files" in _reason(_described(file, schema=too_few))


def _files(*paths: str) -> Fingerprint:
    return Fingerprint("files", tuple(FileState(path, 0, 0) for path in paths))


def test_partitions_and_differing_files_are_left_to_spark(folder: Path) -> None:
    part = folder / "key=1"
    part.mkdir()
    inside = _written(part / "part.parquet", ["name"], [(1,)])
    assert "partitions" in _reason(_described(inside))
    other = _written(folder / "other.parquet", ["name", "key", "price"], [])
    assert "different columns" in _reason(_described(str(folder / "sales.parquet"), other))


def test_a_source_without_files_has_no_rows() -> None:
    engine = DuckEngine({0: _described()})
    assert _plain(engine.source(_source())) == []
    engine.close()


def test_old_calendars_are_left_to_spark(tmp_path: Path) -> None:
    table = pa.table({"key": [1], "name": ["a"], "price": [1.0]})
    table = table.replace_schema_metadata({"org.apache.spark.legacyDateTime": ""})
    pa.parquet.write_table(table, tmp_path / "old.parquet")
    assert "calendar" in _reason(_described(str(tmp_path / "old.parquet")))


def test_what_fails_while_running_is_a_refusal(tmp_path: Path) -> None:
    path = tmp_path / "broken.parquet"
    path.write_bytes(b"PAR1 no Parquet PAR1")
    assert _reason(_described(str(path)))
    day = ir.Column(ir.ColumnId("4"), "day", DATE)
    far = ir.Call("add_months", (day, ir.Literal(2**31 - 1, DataType("integer"))), DATE)
    engine = DuckEngine({})
    pa.parquet.write_table(pa.table({"c4": pa.array([0], pa.date32())}), tmp_path / "days.parquet")
    late = engine.rows([str(tmp_path / "days.parquet")], [day], _call("=", far, far))
    with pytest.raises(NotInDuckDB) as refusal:
        late.to_arrow()
    assert isinstance(refusal.value.__cause__, duckdb.Error)
    engine.close()
