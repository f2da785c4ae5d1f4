"""Frames written, printed and taken apart: what pandas itself would have given."""

from __future__ import annotations

from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np
import pandas
import pytest
from tests.pandas_on_spark.same import assert_same, given, same

from predtrace.frontends.pandas.core.watching import listening

nan = float("nan")


@pytest.fixture
def people() -> Any:
    return pandas.DataFrame(
        {
            "name": ["ann", "bob", nan, "dé"],
            "age": [31, 5, -4, 7],
            "height": [1.5, nan, 2e6, -0.25],
            "member": [True, False, True, True],
            "born": pandas.to_datetime(["2001-02-03", None, "1999-12-31", "2020-02-29"]),
        }
    )


def test_values_of_python(spark: Any, people: Any) -> None:
    same(
        lambda pd, df: [
            df[["age", "height"]].values,
            df["age"].values,
            df[["age", "height"]].to_numpy(dtype="float32"),
            df["age"].to_numpy(),
            df["age"].tolist(),
            df["age"].to_list(),
            df["age"].to_dict(),
            df[["age"]].to_dict(),
            df[["age", "member"]].to_dict("records"),
            df[["age", "member"]].to_dict(orient="list"),
            list(df["age"].items()),
            [tuple(row) for row in df[["age", "member"]].itertuples()],
            [label for label, _ in df.iterrows()],
            df["age"][df["age"] > 10].item(),
            list(df["age"]),
            np.asarray(df["height"]).sum(where=[True, False, True, True]),
        ],
        df=people,
    )


def test_texts(spark: Any, people: Any) -> None:
    same(
        lambda pd, df: [
            df.to_csv(),
            df.to_csv(index=False, sep=";", na_rep="-"),
            df["age"].to_csv(),
            df.to_json(),
            df.to_json(orient="records", lines=True),
            df.to_string(),
            df.to_string(index=False),
            df["name"].to_string(),
            df.to_html(),
            df[df["age"] > 5].to_csv(),
        ],
        df=people,
    )


def test_files(spark: Any, people: Any, tmp_path: Path) -> None:
    ours = given(people)
    ours.to_csv(tmp_path / "a.csv", index=False)
    assert_same(pandas.read_csv(tmp_path / "a.csv", parse_dates=["born"]), people)
    ours.to_parquet(str(tmp_path / "a.parquet"))
    assert_same(pandas.read_parquet(tmp_path / "a.parquet"), people)
    ours.to_pickle(path=tmp_path / "a.pickle")
    assert_same(pandas.read_pickle(tmp_path / "a.pickle"), people)
    ours[["age"]].to_json(tmp_path / "a.json")
    assert (tmp_path / "a.json").read_text() == people[["age"]].to_json()


def test_info(spark: Any, people: Any) -> None:
    def program(pd: Any, df: Any) -> list[str]:
        said = []
        for frame in (df, df[df["age"] > 5], df[["age"]], df["age"]):
            out = StringIO()
            frame.info(buf=out, memory_usage=False)
            said.append(out.getvalue())
        return said

    same(program, df=people)


def test_what_is_printed(spark: Any, people: Any) -> None:
    same(lambda pd, df: [repr(df), str(df["name"]), repr(df[df["age"] > 100]), df._repr_html_()], df=people)


@pytest.fixture
def long() -> Any:
    numbers = np.arange(100)
    frame = pandas.DataFrame({"i": numbers * 37 % 101, "f": numbers / 7, "t": [f"word {n}" for n in numbers]})
    frame["whole"] = [nan if n == 50 else n for n in numbers]
    frame["wide column"] = frame["t"] * 4
    return frame


def test_long_frames_are_cut_as_pandas_cuts_them(spark: Any, long: Any) -> None:
    def program(pd: Any, df: Any) -> list[Any]:
        shown = [repr(df), df._repr_html_(), repr(df["whole"]), repr(df[["t"]]), repr(df[df["i"] > 10])]
        with pandas.option_context("display.max_rows", 8, "display.min_rows", 4):
            shown += [repr(df), repr(df["t"]), repr(df[df["i"] > 60])]
        with pandas.option_context("display.max_rows", None):
            shown.append(repr(df["i"]))
        with pandas.option_context("display.max_rows", 99, "display.min_rows", None):
            shown.append(repr(df["i"]))
        with pandas.option_context("display.max_columns", 2, "display.show_dimensions", True):
            shown.append(repr(df))
        with pandas.option_context("display.max_rows", 100):
            shown.append(repr(df))
        return shown

    same(program, df=long)
    same(lambda pd, df: repr(df), df=long.set_index("t"))
    same(lambda pd, df: repr(df), df=long.set_index(["i", "t"]))


class Heard:
    """Remembers what it hears."""

    def __init__(self, lets_write: bool) -> None:
        self.lets_write = lets_write
        self.said: list[Any] = []

    def shown(self, frame: Any) -> None:
        self.said.append(("shown", frame))

    def written(self, frame: Any, target: str) -> None:
        self.said.append(("written", frame, target))

    def left(self, call: str, place: str) -> None:
        assert "test_writing.py" in place
        self.said.append(call)

    def drawn(self, call: str) -> Any:
        return lambda: call


def test_a_listener_hears_everything(spark: Any, people: Any, tmp_path: Path) -> None:
    df = given(people)
    hears = Heard(lets_write=False)
    with listening(hears):
        df.to_csv(tmp_path / "a.csv")
        df.to_csv(path_or_buf=str(tmp_path / "b.csv"))
        str(df)
        assert df.to_string() == df.to_pandas().to_string()
        assert df["age"].values.sum() == 39
        assert (df.plot(), df["age"].hist()) == ("DataFrame.plot", "Series.hist")
    assert list(tmp_path.iterdir()) == []
    assert hears.said == [
        ("written", df, str(tmp_path / "a.csv")),
        ("written", df, str(tmp_path / "b.csv")),
        ("shown", df),
        ("shown", df),
        "DataFrame.to_pandas()",
        "Series.values",
    ]
