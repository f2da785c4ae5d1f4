"""Which changes of a source's files are noticed."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.unit.store.samples import SCHEMA, source_at

from predtrace.errors import StaleSource
from predtrace.ir.operators import FileState, Fingerprint, SourceDescriptor
from predtrace.store.fingerprints import changes, check_unchanged, unnoticed

NAMES = ("a.parquet", "b.parquet", "k=1/c.parquet", "k=a%2Fb #?/d e.parquet")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder whose names mean something to those who take locations for URLs."""
    root = tmp_path / "50%25 of [it] #1?"
    for name in NAMES:
        put(root / name)
    return root


def put(path: Path, content: str = "data") -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content)


def touch(path: Path) -> None:
    os.utime(path, (1, 1))


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda root: None, []),
        (lambda root: touch(root / "a.parquet"), ["a.parquet of t is replaced"]),
        (lambda root: put(root / "a.parquet", "more data"), ["a.parquet of t is replaced"]),
        (lambda root: put(root / "a.parquet", ""), ["a.parquet of t is replaced"]),
        (lambda root: (root / "k=1/c.parquet").unlink(), ["c.parquet of t is gone"]),
        (lambda root: put(root / "e.parquet"), ["e.parquet of t is added"]),
        (lambda root: put(root / "k=2/e.parquet"), ["e.parquet of t is added"]),
        (lambda root: put(root / "_k=2/e.parquet"), ["e.parquet of t is added"]),
        # What Spark does not read either:
        (lambda root: put(root / "_SUCCESS"), []),
        (lambda root: put(root / ".a.parquet.crc"), []),
        (lambda root: put(root / "f.parquet._COPYING_"), []),
        (lambda root: put(root / "_temporary/0/f.parquet"), []),
        (lambda root: put(root / "archive/f.parquet"), []),
        (lambda root: put(root / "f.parquet", ""), []),
    ],
)
def test_what_is_noticed(folder: Path, change: Callable[[Path], None], said: list[str]) -> None:
    descriptor = source_at(str(folder))
    assert len(descriptor.fingerprint.files) == len(NAMES)
    change(folder)
    assert changes(descriptor) == said


def test_all_that_changed_is_said_once(folder: Path) -> None:
    descriptor = source_at(str(folder))
    for name in NAMES:
        (folder / name).unlink()
    put(folder / "z.parquet")
    with pytest.raises(StaleSource) as found:
        check_unchanged([descriptor, descriptor])
    assert found.value.what == (
        "the sources have changed since the run: a.parquet, b.parquet, c.parquet and 1 more of t are gone; "
        "z.parquet of t is added"
    )


def test_a_single_file(tmp_path: Path) -> None:
    put(tmp_path / "a.parquet")
    descriptor = source_at(str(tmp_path / "a.parquet"))
    put(tmp_path / "b.parquet")
    assert changes(descriptor) == []
    touch(tmp_path / "a.parquet")
    assert changes(descriptor) == ["a.parquet of t is replaced"]
    (tmp_path / "a.parquet").unlink()
    assert changes(descriptor) == ["a.parquet of t is gone"]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ((("recursiveFileLookup", "true"),), ["new.csv of t is added"]),
        ((("recursivefilelookup", "true"), ("pathGlobFilter", "*.parquet")), []),
        ((("recursiveFileLookup", "true"), ("pathglobfilter", "*.{csv,txt}")), ["new.csv of t is added"]),
    ],
)
def test_options_say_what_is_read(
    folder: Path, options: tuple[tuple[str, str], ...], said: list[str]
) -> None:
    descriptor = source_at(str(folder), options=options)
    put(folder / "archive" / "new.csv")
    assert changes(descriptor) == said


def test_a_folder_behind_a_link(tmp_path: Path, folder: Path) -> None:
    (tmp_path / "links").mkdir()
    (tmp_path / "links" / "k=1").symlink_to(folder / "k=1", target_is_directory=True)
    descriptor = source_at(str(tmp_path / "links"))
    assert len(descriptor.fingerprint.files) == 1
    assert changes(descriptor) == []
    touch(folder / "k=1/c.parquet")
    assert changes(descriptor) == ["c.parquet of t is replaced"]


def test_files_elsewhere_are_looked_at_by_whoever_can() -> None:
    there = FileState("s3a://bucket/t/a.parquet", 4, 1)
    descriptor = SourceDescriptor(
        "t", "parquet", ("s3a://bucket/t",), (), SCHEMA, Fingerprint("files", (there,))
    )
    assert changes(descriptor, lambda location: [there]) == []
    assert changes(descriptor, lambda location: []) == ["a.parquet of t is gone"]
    added = FileState("s3a://bucket/t/k=1/b.parquet", 4, 1)
    assert changes(descriptor, lambda location: [there, added]) == ["b.parquet of t is added"]


def test_sources_without_files_are_named() -> None:
    table = SourceDescriptor("accounts", "jdbc", (), (), SCHEMA, Fingerprint("none"))
    rows = SourceDescriptor("local_1", "memory", (), (), SCHEMA, Fingerprint("memory", token="x"))
    assert unnoticed([table, rows, table]) == ["accounts (jdbc)"]
    assert changes(table) == []
