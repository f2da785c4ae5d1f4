"""Quotes: which sources are scanned, what is left of their files, and how that is said."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.unit.ir.samples import call, column, number, text
from tests.unit.store.samples import source_at

from predtrace.api.cost import Cost, SourceCost
from predtrace.api.quoting import cost_of
from predtrace.engines.footers import MOST_FOOTERS
from predtrace.errors import UnknownSource
from predtrace.ir.expressions import Cast, Expression, Literal
from predtrace.ir.operators import FileState, Fingerprint, SourceDescriptor
from predtrace.ir.predicates import Parameter
from predtrace.ir.types import BOOLEAN, INTEGER, LONG, STRING, VOID, Field, StructType
from predtrace.operators.pushing import all_of
from predtrace.plan.reads import SourceRead

ID, DAY, SHOP = column(1, "id"), column(2, "day"), column(3, "shop", STRING)
SCHEMA = StructType("struct", (Field("id", INTEGER), Field("day", INTEGER), Field("shop", STRING)))
KEY, NAME = column(11, "key"), column(12, "name", STRING)  # of the output
OF_KEY, OF_NAME = Parameter("target.11", INTEGER), Parameter("target.12", STRING)
ANY_ROW = Literal(True, BOOLEAN)


def described(folder: Path, **differences: Any) -> SourceDescriptor:
    return replace(source_at(str(folder)), **{"name": "sales", "schema": SCHEMA, **differences})


@pytest.fixture
def sales(tmp_path: Path) -> Path:
    """Days 1 to 3 as folders, of each two files with ids of their own; shop `a/b` on the last day."""
    for day in (1, 2, 3):
        for half in (0, 1):
            folder = tmp_path / f"day={day}" / ("shop=a%2Fb" if day == 3 else "shop=x")
            folder.mkdir(parents=True, exist_ok=True)
            first = day * 100 + half * 50
            rows = pa.table({"id": pa.array(range(first, first + 50), pa.int32())})
            pq.write_table(rows, folder / f"part {half}.parquet", row_group_size=10)
    return tmp_path


def quoted(descriptor: SourceDescriptor, condition: Expression, *parts: Expression) -> SourceCost:
    read = SourceRead("sales", (ID, DAY, SHOP), all_of(parts))
    return cost_of([read], condition, {0: descriptor})["sales"]


def test_values_that_the_condition_fixes_prune_files(sales: Path) -> None:
    own = call("<=>", ID, OF_KEY)
    found = quoted(described(sales), call("=", KEY, number(215)), own)
    assert (found.scanned, found.files, found.files_left, found.note) == (True, 6, 1, "")
    assert found.bytes is not None
    assert found.bytes_left is not None
    assert 0 < found.bytes_left < found.bytes / 6
    assert found.bytes == sum(file.stat().st_size for file in sales.rglob("*.parquet"))
    several = call("in", KEY, number(215), number(216), number(399))
    assert quoted(described(sales), several, own).files_left == 2


@pytest.mark.parametrize(
    ("condition", "parts", "files_left"),
    [
        (call(">", KEY, number(215)), [call("=", ID, OF_KEY)], 6),  # fixes no value
        (call("=", KEY, number(215)), [], 6),
        (call("=", KEY, number(215)), [call("=", ID, Parameter("needed_1.11", INTEGER))], 6),
        (call("=", KEY, number(2)), [call("=", DAY, OF_KEY)], 2),
        (call("=", KEY, number(2)), [call("=", OF_KEY, DAY)], 2),
        (call("=", KEY, number(1)), [call("<", OF_KEY, DAY)], 4),
        (call("=", KEY, number(2)), [call(">", DAY, OF_KEY), call("<", ID, number(320))], 1),
        (call("isnull", KEY), [call("<=>", DAY, OF_KEY)], 0),
        (call("=", NAME, text("a/b")), [call("<=>", SHOP, OF_NAME)], 2),
        (call("=", NAME, text("a%2Fb")), [call("<=>", SHOP, OF_NAME)], 0),
        (ANY_ROW, [call(">=", DAY, number(2))], 4),
        (ANY_ROW, [call(">=", number(1), DAY)], 2),
        (ANY_ROW, [call("in", DAY, number(1), number(7))], 2),
        (ANY_ROW, [call("in", DAY, number(1), KEY)], 6),  # what is not constant is not known
        (ANY_ROW, [call("or", call("=", DAY, number(1)), call("=", ID, number(1)))], 6),
        (ANY_ROW, [call("=", DAY, number(1, LONG))], 6),  # not of the column's type
        (ANY_ROW, [call("=", DAY, Literal(None, INTEGER, text="date_part(...)"))], 6),
        (ANY_ROW, [call("<=>", DAY, Literal(None, VOID))], 6),
        (call("=", KEY, Cast(number(1, LONG), INTEGER)), [call("=", DAY, OF_KEY)], 2),
        (call("=", KEY, Cast(text("1"), INTEGER)), [call("=", DAY, OF_KEY)], 6),  # Spark knows what that is
        (ANY_ROW, [call("=", DAY, Cast(number(2**40, LONG), INTEGER))], 6),  # an error, or another number
        (ANY_ROW, [call("in", DAY, Cast(number(1, LONG), INTEGER), number(3))], 4),
    ],
)
def test_what_prunes(
    sales: Path, condition: Expression, parts: Sequence[Expression], files_left: int
) -> None:
    assert quoted(described(sales), condition, *parts).files_left == files_left


def test_values_of_one_target_row_belong_together(sales: Path) -> None:
    def row(key: int, name: str) -> Expression:
        return call("and", call("=", KEY, number(key)), call("=", NAME, text(name)))

    both = [call("=", DAY, OF_KEY), call("=", SHOP, OF_NAME)]
    assert quoted(described(sales), call("or", row(1, "a/b"), row(3, "x")), *both).files_left == 0
    assert quoted(described(sales), call("or", row(1, "x"), row(3, "x")), *both).files_left == 2


def test_a_source_is_read_as_all_passes_over_it_need(sales: Path) -> None:
    columns = (ID, DAY, SHOP)
    first = SourceRead("sales", columns, call("=", DAY, number(1)))
    second = SourceRead("sales", columns, call("=", ID, number(200)))
    descriptors = {0: described(sales), 1: described(sales)}
    cost = cost_of([first, second], ANY_ROW, descriptors)
    assert [one.files_left for one in cost.sources] == [3]
    assert cost_of([first, SourceRead("sales", columns, None)], ANY_ROW, descriptors).files_left == 6


def test_a_source_that_no_pass_is_made_over_is_not_scanned(sales: Path) -> None:
    memory = described(sales, format="memory", fingerprint=Fingerprint("memory"))
    for descriptor in (described(sales), memory):
        found = cost_of([], ANY_ROW, {0: descriptor})["sales"]
        assert (found.scanned, found.files_left, found.bytes_left) == (False, 0, 0)
        assert "not scanned" in str(found)


@pytest.mark.parametrize(
    ("kind", "note"), [("memory", "in memory"), ("none", "nobody knows"), ("constant", "computed")]
)
def test_sources_without_files(sales: Path, kind: str, note: str) -> None:
    descriptor = described(sales, format="jdbc", locations=(), fingerprint=Fingerprint(kind))
    found = quoted(descriptor, ANY_ROW)
    assert (found.scanned, found.files, found.bytes, found.files_left, found.bytes_left) == (True,) + (
        None,
    ) * 4
    assert note in found.note
    assert str(found).startswith("sales: jdbc, ")


def test_other_formats_are_pruned_by_folders_only(sales: Path) -> None:
    csv = described(sales, format="csv")
    assert quoted(csv, ANY_ROW, call("=", DAY, number(1)), call("=", ID, number(7))).files_left == 2


def test_folders_of_files_that_are_found_anywhere_mean_nothing(sales: Path) -> None:
    anywhere = described(sales, options=(("recursiveFileLookup", "TRUE"),))
    assert quoted(anywhere, ANY_ROW, call("=", DAY, number(1))).files_left == 6


def test_folders_above_what_was_read_mean_nothing(sales: Path) -> None:
    only_one = described(sales / "day=1")
    assert quoted(only_one, ANY_ROW, call("=", DAY, number(2))).files_left == 2
    also_one = described(sales, locations=(str(sales), str(sales / "day=1")))
    assert quoted(also_one, ANY_ROW, call("=", DAY, number(2))).files_left == 4
    one_file = described(sales / "day=1" / "shop=x" / "part 0.parquet")
    assert quoted(one_file, ANY_ROW, call("=", DAY, number(2))).files_left == 1


def test_remote_files_are_not_opened() -> None:
    files = tuple(FileState(f"s3a://bucket/t/day={day}/part.parquet", 10, 0) for day in (1, 2))
    remote = SourceDescriptor(
        "sales", "parquet", ("s3a://bucket/t/",), (), SCHEMA, Fingerprint("files", files)
    )
    found = quoted(remote, ANY_ROW, call("=", DAY, number(1)), call("=", ID, number(-1)))
    assert (found.files_left, found.bytes_left) == (1, 10)
    assert "not on this machine" in found.note


def test_only_so_many_files_are_looked_into(tmp_path: Path) -> None:
    rows = pa.table({"id": pa.array([1], pa.int32())})
    pq.write_table(rows, tmp_path / "0.parquet")
    content = (tmp_path / "0.parquet").read_bytes()
    for number_ in range(1, MOST_FOOTERS + 10):
        (tmp_path / f"{number_}.parquet").write_bytes(content)
    found = quoted(described(tmp_path), ANY_ROW, call("=", ID, number(7)))
    assert found.files_left == 10
    assert "10 files were not looked into" in str(found)


def example(last: float | None = None) -> Cost:
    first = SourceCost("<b>[red]orders", "parquet", True, 12, 3_000_000, 1, 20_000, "2 files & more")
    return Cost((first, SourceCost("rates", "memory", True, None, None, None, None, "in memory")), last)


def test_in_words() -> None:
    assert str(example(2.5)).splitlines() == [
        "<b>[red]orders: parquet, 1 of 12 files, 20.0 kB of 3.0 MB, 2 files & more",
        "rates: memory, in memory",
        "in all: 1 of 12 files, 20.0 kB of 3.0 MB may hold the rows, and what is in rates",
        "the last similar trace took 2.50 s",
    ]
    assert "no similar trace" in str(example())


def test_names_are_never_taken_for_markup(capsys: pytest.CaptureFixture[str]) -> None:
    shown = example()._repr_html_()
    assert "&lt;b&gt;[red]orders" in shown
    assert "2 files &amp; more" in shown
    assert "<b>" not in shown
    example().show()
    printed = capsys.readouterr().out
    assert "<b>[red]orders" in printed
    assert "in all: 1 of 12 files" in printed


def test_a_source_that_there_is_not() -> None:
    with pytest.raises(UnknownSource, match="rates"):
        example()["nothing"]
