"""No file and no row group is left out that has a selected row; what certainly has none is left out."""

from __future__ import annotations

import math
from datetime import date, datetime, timezone
from decimal import Decimal
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from predtrace.engines.extents import Comparison, Extent, comparison
from predtrace.engines.footers import Footers
from predtrace.engines.pruning import DataFile, Left, left_of
from predtrace.ir.types import BOOLEAN, DATE, DOUBLE, INTEGER, STRING, DataType, DecimalType

FLOAT, TIMESTAMP = DataType("float"), DataType("timestamp")
MONEY = DecimalType("decimal", 5, 2)
UTC = timezone.utc

# Few values, so that they meet; the odd ones of each type among them.
KINDS: dict[str, tuple[DataType, pa.DataType, list[Any]]] = {
    "integer": (INTEGER, pa.int32(), [-(2**31), -1, 0, 1, 7, 2**31 - 1]),
    "double": (DOUBLE, pa.float64(), [-math.inf, -1.5, -0.0, 0.0, 0.1, 2.0, math.inf, math.nan]),
    "float": (FLOAT, pa.float32(), [-1.5, -0.0, 0.0, 0.1, 0.2, 3.0, math.nan]),
    "string": (STRING, pa.string(), ["", "a", "ab", "abc", "é", "\uffff", "𝄞", "a/b=c %25", "\x00"]),
    "date": (DATE, pa.date32(), [date(1, 1, 1), date(1582, 10, 4), date(1970, 1, 1), date(2024, 2, 29)]),
    "boolean": (BOOLEAN, pa.bool_(), [False, True]),
    "decimal": (MONEY, pa.decimal128(5, 2), [Decimal("-1.50"), Decimal("0.00"), Decimal("9.99")]),
    "timestamp": (
        TIMESTAMP,
        pa.timestamp("us", tz="UTC"),
        [datetime(1899, 1, 1, tzinfo=UTC), datetime(2024, 1, 1, tzinfo=UTC), datetime(2024, 1, 1, 0, 0, 0, 1, UTC)],
    ),
}  # fmt: skip


def compared(column: str, type_: DataType, operator: str, *values: Any) -> Comparison:
    found = comparison(column, type_, operator, values)
    assert found is not None
    return found


def order(value: Any) -> tuple[Any, ...]:
    """By which Spark compares: NaN equals itself and is the greatest."""
    if isinstance(value, float):
        return (1, 0.0) if math.isnan(value) else (0, value)
    return (value.encode(),) if isinstance(value, str) else (value,)


def holds(cell: Any, operator: str, values: tuple[Any, ...]) -> bool:
    """Spark's comparison, written down once more."""
    if operator == "<=>" and None in (cell, values[0]):
        return cell is values[0]
    if cell is None:
        return False
    own, others = order(cell), [order(value) for value in values if value is not None]
    tests = {
        "<": lambda other: own < other,
        "<=": lambda other: own <= other,
        ">": lambda other: own > other,
        ">=": lambda other: own >= other,
    }
    return any(map(tests.get(operator, lambda other: own == other), others))


@st.composite
def files_and_comparisons(
    draw: st.DrawFn,
) -> tuple[list[pa.Table], list[tuple[Comparison, tuple[Any, ...]]], bool]:
    kinds = [draw(st.sampled_from(sorted(KINDS))) for _ in "ab"]
    cells = [st.none() | st.sampled_from(KINDS[kind][2]) for kind in kinds]
    tables = []
    for rows in draw(st.lists(st.lists(st.tuples(*cells), max_size=6), min_size=1, max_size=3)):
        columns = [pa.array([row[at] for row in rows], KINDS[kind][1]) for at, kind in enumerate(kinds)]
        tables.append(pa.table(columns, names=["a", "b"]))
    tests = []
    for at in draw(st.sets(st.sampled_from([0, 1]), min_size=1)):
        operator = draw(st.sampled_from(["=", "<=>", "<", "<=", ">", ">=", "in"]))
        most = 3 if operator == "in" else 1
        values = tuple(draw(st.lists(cells[at], min_size=1, max_size=most)))
        tests.append((compared("ab"[at], KINDS[kinds[at]][0], operator, *values), values))
    return tables, tests, draw(st.booleans())


@settings(deadline=None, max_examples=150)
@given(files_and_comparisons())
def test_what_has_a_selected_row_is_never_left_out(
    drawn: tuple[list[pa.Table], list[tuple[Comparison, tuple[Any, ...]]], bool],
) -> None:
    tables, tests, with_statistics = drawn
    way = tuple(test for test, _ in tests)
    with TemporaryDirectory() as folder:
        for number, rows in enumerate(tables):
            path = Path(folder, f"{number}.parquet")
            pq.write_table(rows, path, row_group_size=2, write_statistics=with_statistics)
            size = path.stat().st_size
            left = left_of([DataFile(size, (), path)], [way], Footers())
            needed = 0
            read = pq.ParquetFile(path)  # as it is in the file: 0.1 as a float is another number
            for group in range(read.num_row_groups):
                found = read.read_row_group(group).to_pylist()
                if any(all(_selected(row, *test) for test in tests) for row in found):
                    metadata = read.metadata.row_group(group)
                    needed += sum(metadata.column(at).total_compressed_size for at in (0, 1))
            assert left.bytes >= needed
            assert left.files or not needed
            assert left.bytes <= size


def _selected(row: dict[str, Any], test: Comparison, values: tuple[Any, ...]) -> bool:
    if test.type == FLOAT:
        values = tuple(pa.array(values, pa.float32()).to_pylist())
    return holds(row[test.column], test.operator, values)


def written(path: Path, rows: dict[str, Any], **options: Any) -> DataFile:
    pq.write_table(pa.table(rows), path, **options)
    return DataFile(path.stat().st_size, (), path)


def left(file: DataFile, *way: Comparison) -> Left:
    return left_of([file], [way], Footers())


def test_row_groups_without_a_selected_row_are_left_out(tmp_path: Path) -> None:
    file = written(tmp_path / "f", {"n": pa.array(range(1000), pa.int32())}, row_group_size=100)
    found = left(file, compared("n", INTEGER, "=", 250))
    assert found.files == 1
    assert found.bytes < file.size / 2
    assert left(file, compared("n", INTEGER, ">=", 900)).bytes < file.size / 2
    assert left(file, compared("n", INTEGER, "in", 3, 4000)).bytes < file.size / 2
    assert left(file, compared("n", INTEGER, "<", 0)) == Left()
    assert left(file, compared("n", INTEGER, "=", None)) == Left()
    assert left(file) == Left(1, file.size)


def test_conditions_hold_together_and_ways_add_up(tmp_path: Path) -> None:
    file = written(tmp_path / "f", {"n": pa.array([1, 2], pa.int32()), "s": ["a", "b"]}, row_group_size=1)
    one_and_a, one_and_b = (
        (compared("n", INTEGER, "=", 1), compared("s", STRING, "=", text)) for text in "ab"
    )
    assert left_of([file], [one_and_b], Footers()) == Left()
    half = left_of([file], [one_and_a, one_and_b], Footers())
    two = (compared("n", INTEGER, "=", 2),)
    assert 0 < half.bytes < file.size == left_of([file], [one_and_a, two], Footers()).bytes


def test_nulls(tmp_path: Path) -> None:
    some, none, only = (
        written(tmp_path / name, {"n": pa.array(values, pa.int32())})
        for name, values in {"some": [1, None], "none": [1, 2], "only": [None, None]}.items()
    )
    is_null = compared("n", INTEGER, "<=>", None)
    assert [left(file, is_null).files for file in (some, none, only)] == [1, 0, 1]
    assert [left(file, compared("n", INTEGER, ">", 0)).files for file in (some, none, only)] == [1, 1, 0]


def test_nan_is_not_in_the_statistics_and_is_found(tmp_path: Path) -> None:
    file = written(tmp_path / "f", {"x": [1.0, math.nan]})
    assert pq.read_metadata(tmp_path / "f").row_group(0).column(0).statistics.max == 1.0
    for operator, value in (("=", math.nan), (">", 5.0), (">=", 5.0), ("<=", math.nan)):
        assert left(file, compared("x", DOUBLE, operator, value)).files == 1
    assert left(file, compared("x", DOUBLE, "=", 5.0)) == Left()


NEW_YEAR = datetime(2024, 1, 1, tzinfo=UTC)
EARLIER = [datetime(2020, 1, 1)]


@pytest.mark.parametrize(
    ("values", "options", "type_", "constant"),
    [
        (pa.array(EARLIER, pa.timestamp("us")), {"use_deprecated_int96_timestamps": True}, TIMESTAMP, NEW_YEAR),
        (pa.array(EARLIER, pa.timestamp("ms", "UTC")), {}, TIMESTAMP, NEW_YEAR),
        (pa.array(EARLIER, pa.timestamp("us")), {}, TIMESTAMP, NEW_YEAR),
        (pa.array([10**7], pa.int32()).cast(pa.date32()), {}, DATE, date(2024, 1, 1)),
        (pa.array([date(1500, 1, 1)]), {}, DATE, date(2024, 1, 1)),
        (pa.array([1], pa.int64()), {}, INTEGER, 5),
        (pa.array([1], pa.uint32()), {}, INTEGER, 5),
        (pa.array([Decimal("1.0")], pa.decimal128(5, 1)), {}, MONEY, Decimal("5.00")),
        (pa.array([1], pa.int32()), {"write_statistics": False}, INTEGER, 5),
    ],
)  # fmt: skip
def test_what_is_stored_in_another_way_is_kept(
    tmp_path: Path, values: pa.Array, options: dict[str, Any], type_: DataType, constant: Any
) -> None:
    file = written(tmp_path / "f", {"v": values}, **options)
    assert left(file, compared("v", type_, "=", constant)).files == 1


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_stored_as_spark_stores_it_is_looked_at(tmp_path: Path, kind: str) -> None:
    type_, stored, values = KINDS[kind]
    plain = [value for value in values if not isinstance(value, date) or value.year > 1900]
    one, other = (plain[4], plain[5]) if len(plain) > 4 else (plain[0], plain[1])
    file = written(tmp_path / "f", {"v": pa.array([one], stored)})
    assert left(file, compared("v", type_, "=", one)).files == 1
    assert left(file, compared("v", type_, "=", other)) == Left()


def test_a_part_of_a_column_is_not_the_column(tmp_path: Path) -> None:
    inner = pa.array([{"n": 1}], pa.struct({"n": pa.int32()}))
    file = written(tmp_path / "f", {"n": pa.array([5], pa.int32()), "a": inner})
    assert left(file, compared("n", INTEGER, "=", 5)).files == 1
    assert left(file, compared("a.n", INTEGER, "=", 5)).files == 1


def test_strings_of_other_writers(tmp_path: Path) -> None:
    large = written(tmp_path / "large", {"s": pa.array(["a"], pa.large_string())})
    coded = written(tmp_path / "coded", {"s": pa.array(["a"]).dictionary_encode()})
    for file in (large, coded):
        assert left(file, compared("s", STRING, "=", "b")) == Left()
        assert left(file, compared("s", STRING, "=", "a")).files == 1


def test_a_shortened_greatest_string_is_no_limit(tmp_path: Path) -> None:
    file = written(tmp_path / "f", {"s": ["abc", "abd"]})  # as if the end of abdx had been left out
    for operator in ("=", ">", ">=", "in", "<=>"):
        assert left(file, compared("s", STRING, operator, "abdx")).files == 1
        assert left(file, compared("s", STRING, operator, "abe")) == Left()
    assert left(file, compared("s", STRING, "<", "abc")) == Left()


@pytest.mark.parametrize(
    ("low", "high"), [(5, 1), (math.nan, 1.0), (1.0, math.nan), (None, 3), (b"x", b"y"), (True, "x")]
)
def test_limits_that_make_no_sense_are_none(low: Any, high: Any) -> None:
    assert Extent.between(low, high, INTEGER) == Extent()
    assert Extent.between(low, high, DOUBLE) == Extent()


def test_files_that_cannot_be_looked_into_are_kept_and_counted(tmp_path: Path) -> None:
    none = compared("n", INTEGER, "=", 9)
    whole = written(tmp_path / "whole", {"n": pa.array([1], pa.int32())})
    (tmp_path / "broken").write_bytes(b"PAR1 or not")
    broken = DataFile(11, (), tmp_path / "broken")
    gone = DataFile(7, (), tmp_path / "gone")
    replaced = DataFile(whole.size + 1, (), tmp_path / "whole")
    assert left_of([broken, gone, replaced], [(none,)], Footers()) == Left(3, 19 + whole.size, unopened=3)
    assert left_of([whole], [(none,), ()], Footers(most=0)) == Left(1, whole.size)  # nothing to look for
    assert left_of([whole] * 5, [(none,)], Footers(most=3)) == Left(2, 2 * whole.size, unopened=2)


def test_folders() -> None:
    def files(type_: DataType, operator: str, value: Any) -> list[str]:
        names = [
            "p=1",
            "p=01",
            "p=-3",
            "p=a%3Db%2F%25",
            "p=2024-01-02",
            "p=__HIVE_DEFAULT_PARTITION__",
            "p=",
            "q=1",
        ]
        way = (compared("p", type_, operator, value),)
        return [name for name in names if left_of([DataFile(1, (name,))], [way], Footers()).files]

    odd = ["p=a%3Db%2F%25", "p=2024-01-02", "p=", "q=1"]  # no whole numbers, so nothing is certain
    assert files(INTEGER, "=", 1) == ["p=1", "p=01", *odd]
    assert files(INTEGER, "<", 0) == ["p=-3", *odd]
    assert files(INTEGER, "<=>", None) == [*odd[:2], "p=__HIVE_DEFAULT_PARTITION__", *odd[2:]]
    assert files(STRING, "=", "a=b/%") == ["p=a%3Db%2F%25", "q=1"]
    assert files(STRING, "=", "1") == ["p=1", "q=1"]
    assert files(STRING, "=", "") == ["p=", "q=1"]
    assert files(DATE, ">=", date(2024, 1, 2)) == ["p=1", "p=01", "p=-3", odd[0], "p=2024-01-02", "p=", "q=1"]
    assert files(DATE, ">", date(2024, 1, 2)) == ["p=1", "p=01", "p=-3", odd[0], "p=", "q=1"]
    assert len(files(DOUBLE, "=", 99.0)) == 7


def test_a_folder_counts_more_than_the_column_of_its_name(tmp_path: Path) -> None:
    written(tmp_path / "f", {"p": pa.array([1], pa.int32()), "n": pa.array([1], pa.int32())})
    size = (tmp_path / "f").stat().st_size
    file = DataFile(size, ("p=5",), tmp_path / "f")
    assert left(file, compared("p", INTEGER, "=", 5)) == Left(1, size)
    assert left(file, compared("p", INTEGER, "=", 5), compared("n", INTEGER, "=", 2)) == Left()


def test_constants_that_cannot_be_compared() -> None:
    assert comparison("x", FLOAT, "=", (1e300,)) is None
    assert comparison("s", STRING, "=", ("\ud800",)) is None
    assert comparison("n", INTEGER, "=", ("1",)) is None
    assert comparison("n", DataType("interval"), "=", (1,)) is None
    assert comparison("n", INTEGER, "<>", (1,)) is None
