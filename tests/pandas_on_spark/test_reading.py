"""Files are read as pandas reads them: values, dtypes, labels, index and order."""

from __future__ import annotations

import gzip
import os
from collections.abc import Callable
from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np
import pandas
import pyarrow.parquet as pq
import pytest
from tests.pandas_on_spark.same import assert_same, same

import predtrace
import predtrace.pandas as ours
from predtrace.errors import EnvironmentProblem
from predtrace.frontends.pandas.core.steps import Unfaithful
from predtrace.frontends.pandas.files import reading
from predtrace.frontends.pandas.files.layouts import Layout
from predtrace.frontends.pandas.files.parts import Undecided, write_parts, write_whole

PEOPLE = """name,age,height,member,born
ann,31,1.5,True,2001-02-03
bob,,,False,1999-12-31
"cy, jr.",-4,2e3,True,
,7,-0.5,,2020-02-29
"""
GERMAN = "a;b;c\n1.000,5;x;1\n-2,25;'y;z';2\n;;3\n"


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PREDTRACE_CACHE", str(tmp_path / "cache"))


@pytest.fixture
def put(tmp_path: Path) -> Callable[..., str]:
    def put(content: str | bytes, name: str = "people.csv") -> str:
        path = tmp_path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return str(path)

    return put


CSV: list[tuple[str, dict[str, Any]]] = [
    (PEOPLE, {}),
    (PEOPLE, {"header": None}),
    (PEOPLE, {"header": None, "names": list("vwxyz"), "skiprows": 1}),
    (PEOPLE, {"header": 0, "names": ["n", "a", "h", "m", "b"]}),
    (PEOPLE, {"index_col": 0}),
    (PEOPLE, {"index_col": "age"}),
    (PEOPLE, {"index_col": ["name", "age"]}),
    (PEOPLE, {"usecols": ["height", "name"]}),
    (PEOPLE, {"usecols": [0, 2], "index_col": 0}),
    (PEOPLE, {"usecols": lambda label: "e" in label}),
    (PEOPLE, {"dtype": str}),
    (PEOPLE, {"dtype": {"age": "float32", "name": "category"}}),
    (PEOPLE, {"parse_dates": ["born"]}),
    (PEOPLE, {"parse_dates": True, "index_col": "born"}),
    (PEOPLE, {"na_values": ["ann"], "keep_default_na": False}),
    (PEOPLE, {"na_values": {"age": [31], "name": "bob"}}),
    (PEOPLE, {"na_filter": False}),
    (PEOPLE, {"nrows": 2}),
    (PEOPLE, {"nrows": 0}),
    (PEOPLE, {"skiprows": [2]}),
    (PEOPLE, {"skiprows": lambda row: row == 1}),
    (PEOPLE, {"skipfooter": 1, "engine": "python"}),
    (PEOPLE, {"converters": {"name": lambda text: text.upper(), "age": lambda text: len(text)}}),
    (PEOPLE, {"encoding": "latin-1"}),
    (GERMAN, {"sep": ";", "decimal": ",", "thousands": ".", "quotechar": "'"}),
    ("a b   c\n1 2   3\n4 5 6\n", {"sep": r"\s+"}),
    ("a | b|c\n1|  2 |x\n", {"sep": r"\s*\|\s*", "engine": "python"}),
    ("# said\na,b\n1,2 # more\n3,4\n", {"comment": "#"}),
    ("d\n01/02/2020\n13/02/2020\n", {"parse_dates": ["d"], "dayfirst": True}),
    ("d\n2020-13-01\n2020-01-02\n", {"parse_dates": ["d"], "date_format": "%Y-%d-%m"}),
    ("y,n\nyes,no\nno,yes\n", {"true_values": ["yes"], "false_values": ["no"]}),
    ("a,b\n", {}),
    ("a,a,A,,row,x.y,`q`,b c\n1,2,3,4,5,6,7,8\n", {}),
    ("a,b,1,2\nx,y,z,w\n1,2,3,4\n5,6,7,8\n", {"header": [0, 1]}),
    ("1,a\n2,b\n", {"header": None, "index_col": 0}),
    ("a,b,c\n1,2\n3,4,5\n", {}),
    ("a,b\n1,2,3\n4,5,6\n", {}),
    ("a\n9007199254740993\n-9007199254740993\n", {}),
    ("a\n9007199254740993\n\n", {"skip_blank_lines": False}),
    ("a\ninf\n-0.0\n1e400\n0.1\n", {}),
    ('t\n"line\nbreak"\n"a ""quoted"" word"\nNone\nn/a\nnull\n" NaN "\nö€😀\n', {}),
    ("a,b\nTrue,\nFalse,\n", {}),
    ("", {}),
]


@pytest.mark.parametrize(("content", "options"), CSV)
def test_csv(spark: Any, put: Callable[..., str], content: str, options: dict[str, Any]) -> None:
    path = put(content)
    same(lambda pd: pd.read_csv(path, **options))


def test_other_formats(spark: Any, put: Callable[..., str], tmp_path: Path) -> None:
    plain = pandas.read_csv(StringIO(PEOPLE), parse_dates=["born"])
    plain["age"] = plain["age"].fillna(0).astype("int32")
    table, zipped = put("a\tb\n1\tx\n", "t.tsv"), put(gzip.compress(b"a,b\n1,2\n"), "z.csv.gz")
    same(lambda pd: [pd.read_table(table), pd.read_csv(zipped)])
    widths = put("ab  12\ncd 345\n", "w.txt")
    same(lambda pd: pd.read_fwf(widths, header=None))
    plain.to_json(tmp_path / "r.json", orient="records", lines=True)
    same(lambda pd: pd.read_json(tmp_path / "r.json", lines=True))
    plain.to_json(tmp_path / "c.json")
    same(lambda pd: pd.read_json(str(tmp_path / "c.json"), convert_dates=["born"]))
    same(lambda pd: pd.read_json(StringIO('[{"a": 1}, {"a": null}]')))
    plain.to_pickle(tmp_path / "p.pickle")
    plain.set_index("age").to_feather(tmp_path / "f.feather")
    same(lambda pd: [pd.read_pickle(tmp_path / "p.pickle"), pd.read_feather(tmp_path / "f.feather")])
    same(lambda pd: pd.read_csv(StringIO(PEOPLE)))
    with open(table) as opened:
        assert_same(ours.read_table(opened).to_pandas(), pandas.read_table(table))


def test_parquet(spark: Any, tmp_path: Path) -> None:
    plain = pandas.read_csv(StringIO(PEOPLE), parse_dates=["born"])
    plain["kind"] = pandas.Categorical(["x", "y", "x", None], ["y", "x", "z"])
    plain["day"] = plain["born"].dt.date.where(plain["born"].notna(), None)
    plain["wait"] = plain["born"] - plain["born"].min()
    file = tmp_path / "a.parquet"
    for frame in (
        plain,
        plain.set_index("age"),
        plain.fillna({"name": "?", "kind": "z"}).set_index(["name", "kind"]),
        plain[plain["age"] > 0],
        plain.rename_axis("no"),
        plain.head(0),
        plain.tail(2),
    ):
        frame.to_parquet(file)
        same(lambda pd: pd.read_parquet(file))
    plain.to_parquet(file)
    same(lambda pd: pd.read_parquet(file, columns=["age", "kind"]))
    plain.to_parquet(tmp_path / "folder", partition_cols=["member"])
    same(lambda pd: pd.read_parquet(tmp_path / "folder"))


def test_a_file_read_is_a_frame(spark: Any, put: Callable[..., str]) -> None:
    path = put(PEOPLE)

    def program(pd: Any) -> Any:
        df = pd.read_csv(path)
        df["old"] = df["age"] > 7
        df["more"] = df["age"] + df["height"]
        df["n"] = [4, 3, 2, 1]
        whole = df[["name", "age", "more", "n"]]
        return [whole[df["old"]], whole[df["n"] < 4], df["member"], len(df), df.shape]

    same(program)


def test_a_file_is_converted_once(spark: Any, put: Callable[..., str], tmp_path: Path) -> None:
    path = put(PEOPLE)
    copies = tmp_path / "cache" / "pandas"

    def files() -> dict[Path, int]:
        return {file: file.stat().st_ino for file in copies.rglob("*.parquet")}

    first = ours.read_csv(path).to_pandas()
    made = files()
    assert [file.name for file in made] == ["people.parquet"]
    assert_same(ours.read_csv(path).to_pandas(), first)
    assert files() == made
    ours.read_csv(path, usecols=["age"])
    ours.read_csv(path, usecols=lambda label: label == "age")
    ours.read_csv(path, usecols=lambda label: label == "age")
    assert len(files()) == 3
    put(PEOPLE + "dan,1,1,True,\n")
    assert len(ours.read_csv(path)) == 5
    assert not list(copies.glob(".draft*"))


CHUNKED = "k,n,x,t\na,1,1.5,\nb,2,,\na,3,2,u\nc,,-0.5,v\nb,5,7,\n"


@pytest.mark.parametrize("size", [1, 2, 3, 100])
def test_chunks(spark: Any, put: Callable[..., str], size: int) -> None:
    path = put(CHUNKED, "chunked.csv")

    def filtered(pd: Any) -> Any:
        return pd.concat([chunk[chunk["x"] > 0] for chunk in pd.read_csv(path, chunksize=size)])

    def counted(pd: Any) -> Any:
        total = pd.DataFrame()
        with pd.read_csv(path, chunksize=size, usecols=["k", "n"]) as reader:
            for chunk in reader:
                total = pd.concat([total, chunk.groupby("k", as_index=False)["n"].sum()])
        return total.groupby("k")["n"].sum()

    def alone(pd: Any) -> Any:
        return list(pd.read_csv(path, chunksize=size, index_col="k"))

    for program in (filtered, counted, alone):
        same(program)


def test_chunks_of_a_size_that_is_asked_for(spark: Any, put: Callable[..., str]) -> None:
    path = put(CHUNKED.replace(",", "\t"), "chunked.tsv")

    def read(pd: Any) -> Any:
        with pd.read_table(path, iterator=True) as reader:
            return [reader.get_chunk(1), reader.get_chunk(2), reader.read(1), reader.read()]

    same(read)


@pytest.mark.parametrize(
    ("content", "options"),
    [
        ("a,b\nTrue,1\n,2\nx,3\ny,4\n", {}),
        ("a,b\n1,1\n2,2\nx,3\n007,4\n", {"index_col": "a"}),
        ("a,b\n1,1\n2,2\n,3\n4,4\n", {"index_col": "a"}),
        ("a,b\n9007199254740993,1\n3,2\n,3\n4,\n", {}),
        ("a,b\nx,1\ny,2\nx,3\n", {"dtype": {"a": "category"}}),
    ],
)
def test_chunks_that_would_have_other_values(
    spark: Any, put: Callable[..., str], content: str, options: dict[str, Any]
) -> None:
    with ours.read_csv(put(content, "other.csv"), chunksize=2, **options) as chunks:
        assert chunks.chunksize == 2
        with pytest.raises(
            Unfaithful, match=r"read_csv\(chunksize=...\) is not supported: .* in a chunk, but"
        ):
            list(chunks)


def test_chunks_with_categories_that_are_those_of_the_file(spark: Any, put: Callable[..., str]) -> None:
    path = put("a,b\nx,1\ny,2\ny,3\nx,4\n", "categories.csv")
    same(lambda pd: list(pd.read_csv(path, chunksize=2, dtype={"a": "category"})))


def test_chunks_are_of_one_source(spark: Any, put: Callable[..., str]) -> None:
    chunks = ours.read_csv(put(CHUNKED, "chunked.csv"), chunksize=2)
    lineage = predtrace.capture(ours.concat(list(chunks))).trace({"k": "b", "n": 5.0})
    assert lineage.sources == ["chunked"]
    assert lineage["chunked"].to_pandas()["row"].tolist() == [4]


def test_a_label_that_is_no_json(spark: Any, tmp_path: Path) -> None:
    moment = pandas.Timestamp("2020-01-01")
    pandas.DataFrame({moment: [1, 2], "b": [3, 4]}).to_pickle(tmp_path / "m.pickle")
    for _ in range(2):
        same(lambda pd: pd.read_pickle(tmp_path / "m.pickle"))


def test_what_is_refused(spark: Any, put: Callable[..., str]) -> None:
    path = put("a\n1\nx\n")
    with pytest.raises(Unfaithful, match=r"pandas.read_csv\(\) of a URL .* in line \d+ of test_reading.py"):
        ours.read_csv("https://example.org/a.csv")
    refusal = r"read_csv\(chunksize=...\).* 'a' has int64 in a chunk, but object"
    with ours.read_csv(path, chunksize=1) as chunks, pytest.raises(Unfaithful, match=refusal):
        next(chunks)
    with pytest.raises(Unfaithful, match=r"read_csv\(chunksize=...\)"):
        ours.read_csv(StringIO("a\n1\n"), chunksize=1)
    with pytest.raises(Unfaithful, match=r"column 'a' has values .* cannot hold \(dict\)"):
        ours.read_json(put('{"a": [{"b": 1}, {"b": 2}]}', "l.json"))
    with pytest.raises(Unfaithful, match=r"column 'a' has values .*bool.*str.*dtype={...: str}"):
        ours.read_csv(path, converters={"a": lambda text: True if text == "1" else text})
    with pytest.raises(Unfaithful, match="finer than Spark's microseconds"):
        ours.read_csv(put("a\n2020-01-01 00:00:00.000000001\n"), parse_dates=["a"])
    with pytest.raises(Unfaithful, match="gives a Series"):
        ours.read_json(put('{"a": 1}', "s.json"), typ="series")
    with pytest.raises(Unfaithful, match=r"pandas.read_sql .* line \d+ of test_reading.py"):
        ours.read_sql  # noqa: B018
    for wrong in (lambda pd: pd.read_csv("nowhere.csv"), lambda pd: pd.read_csv(path, nonsense=1)):
        same(wrong)


def test_a_package_that_is_missing(
    spark: Any, put: Callable[..., str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def missing(*_: Any, **__: Any) -> Any:
        raise ImportError("Missing optional dependency 'openpyxl'.  Use pip or conda to install openpyxl.")

    monkeypatch.setattr(pandas, "read_excel", missing)
    monkeypatch.setattr(pandas, "ExcelFile", missing)
    for read in (ours.read_excel, ours.ExcelFile):
        with pytest.raises(EnvironmentProblem, match=r"line \d+ of test_reading.py.*`pip install openpyxl`"):
            read(put("", "b.xlsx"))


def test_sheets(spark: Any, tmp_path: Path) -> None:
    path = str(tmp_path / "book.xlsx")
    days = pandas.to_datetime(["2024-01-31", None, "2024-03-01"])
    one = pandas.DataFrame(
        {"a": [1, 2, 3], "day": days, "x": [0.5, np.nan, 2.0], "sure": [True, False, True]}
    )
    with pandas.ExcelWriter(path) as book:
        one.to_excel(book, sheet_name="one", index=False)
        pandas.DataFrame({"b": ["x", None]}).to_excel(book, sheet_name="two", startrow=2)

    def all_of(pd: Any) -> list[Any]:
        with pd.ExcelFile(path) as opened:
            sheets = [
                opened.parse("one", dtype={"a": float}),
                pd.read_excel(opened, "two"),
                opened.sheet_names,
            ]
        return [
            pd.read_excel(path),
            pd.read_excel(path, index_col="a", usecols=["a", "day"], skiprows=[1]),
            pd.read_excel(path, "two", header=2, index_col=0),
            pd.read_excel(path, sheet_name=1, header=None, skiprows=3),
            *pd.read_excel(path, sheet_name=None).values(),
            pd.read_excel(path, sheet_name=[0])[0],
            *sheets,
        ]

    same(all_of)
    assert list(ours.read_excel(path, sheet_name=None)) == ["one", "two"]
    assert list(ours.read_excel(path, sheet_name=[1])) == [1]
    second = ours.read_excel(path)
    lineage = predtrace.capture(second[second["x"] > 1]).trace("a = 3")
    assert lineage["book"].to_pandas()["row"].tolist() == [2]


PARTS = [
    "a,b\n1,x\n2,y\n3,z\n",
    "a,b\n1,\n,x\n3,\n",
    "a,b\n1,1\n2.5,\n3,3\n",
    "a,b\nTrue,1\n,2\nFalse,3\n",
    "a,b\n,\n,\n,\n",
    "a,b\n1,x\n2,3\n4,5\n",
    "a,b\n9007199254740993,x\n2.5,3\n4,5\n",
    "a,b\nTrue,1\n7,2\nFalse,3\n",
]


@pytest.mark.parametrize("content", PARTS)
@pytest.mark.parametrize("options", [{}, {"dtype": str}, {"index_col": 0}, {"header": None}])
@pytest.mark.parametrize("size", [1, 2, 5])
def test_parts_make_the_whole(content: str, options: dict[str, Any], size: int, tmp_path: Path) -> None:
    whole = write_whole(pandas.read_csv(StringIO(content), **options), tmp_path / "whole.parquet", "read")
    parts = pandas.read_csv(StringIO(content), chunksize=size, **options)
    try:
        found = write_parts(parts, tmp_path / "parts.parquet", tmp_path, "read")
    except Undecided:
        assert size < 3
        return
    assert (found.columns, found.index, found.row) == (whole.columns, whole.index, whole.row)
    one, other = (pq.read_table(tmp_path / f"{name}.parquet") for name in ("parts", "whole"))
    assert one.equals(other)
    assert Layout.from_metadata(one.schema.metadata) == found
    assert {file.name for file in tmp_path.iterdir()} == {"parts.parquet", "whole.parquet"}


def test_large_files(
    spark: Any, put: Callable[..., str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reading, "_LARGE", 0)
    monkeypatch.setattr(reading, "_ROWS_OF_A_PART", 2)
    path, mixed = put(PEOPLE), put("a,b\n1,2\n2,3\nx,4\n", "mixed.csv")
    same(lambda pd: [pd.read_csv(path), pd.read_csv(mixed), pd.read_csv(path, index_col="name")])
    same(lambda pd: pd.read_csv(path, dtype={"name": "category"}))
    same(lambda pd: pd.read_csv(path, parse_dates=["born"]))
    plain = pandas.read_csv(path).fillna({"name": "?"})
    for frame in (plain, plain.tail(3), plain.set_index("name"), plain.astype({"name": "category"})):
        frame.to_parquet(tmp_path / "a.parquet")
        same(lambda pd: pd.read_parquet(tmp_path / "a.parquet"))


def test_a_copy_made_again_is_the_same_file(spark: Any, put: Callable[..., str], tmp_path: Path) -> None:
    path = put(PEOPLE)
    (tmp_path / "cache").mkdir()
    states = []
    for _ in range(2):
        ours.read_csv(path)
        (file,) = (tmp_path / "cache").rglob("*.parquet")
        states.append((file, file.stat().st_size, file.stat().st_mtime_ns))
        os.remove(file)
    assert states[0] == states[1]
