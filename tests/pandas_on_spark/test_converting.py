"""`to_numeric`, `to_datetime`, `to_timedelta`, `cut` and `qcut`, compared with plain pandas."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas
import pytest
from tests.pandas_on_spark.same import same

import predtrace.pandas as ours
from predtrace.frontends.pandas.core.steps import Unfaithful

nan = float("nan")


def _column(values: Any, dtype: Any = object) -> Any:
    return pandas.DataFrame({"x": pandas.Series(values, dtype=dtype)})


@pytest.mark.parametrize(
    "values",
    [
        ["1", " 2 ", "-3", "+4"],
        ["1", "2.5", "1e3", "inf", ".5", "9007199254740993"],
        ["1", nan, "3"],
        ["1", "", "x"],
        ["1,000", "nan", "0x10", "1_0", "True"],
        [nan, nan],
        [],
        ["99999999999999999999"],
    ],
)
def test_numbers_from_texts(spark: Any, values: Any) -> None:
    frame = _column(values)
    same(lambda pd, df: pd.to_numeric(df.x), df=frame)
    same(lambda pd, df: pd.to_numeric(df["x"], errors="coerce"), df=frame)


def test_numbers_from_other_values(spark: Any) -> None:
    frame = pandas.DataFrame({"i": [1, 2], "f": [1.5, nan], "b": [True, False], "s": ["1", "2"]})
    for label in frame:
        same(lambda pd, df, label=label: pd.to_numeric(df[label]), df=frame)
    same(lambda pd, df: df[["i", "s"]].apply(pd.to_numeric), df=frame)
    same(lambda pd, df: df[["i", "s"]].apply(pd.to_numeric, errors="coerce"), df=frame)
    same(lambda pd, df: pd.to_numeric("5"), df=frame)
    same(lambda pd, df: pd.to_numeric(df), df=frame)
    same(lambda pd, df: pd.to_numeric(df.s, errors="what"), df=frame)


ISO = ["2020-01-31", nan, "2021-02-03", "2020-01-31"]


@pytest.mark.parametrize(
    ("values", "options"),
    [
        (ISO, {}),
        (ISO, {"format": "%Y-%m-%d"}),
        ([*ISO, "nonsense"], {}),
        ([*ISO, "nonsense"], {"errors": "coerce"}),
        ([*ISO, "2020-01-31 10:00"], {}),
        ([*ISO, "2020-01-31 10:00"], {"format": "ISO8601"}),
        ([*ISO, "01/02/2003"], {"format": "mixed"}),
        (["01/02/2003", "13/02/2003"], {}),
        (["01/02/2003", "11/12/2003"], {}),
        (["01/02/2003", "11/12/2003"], {"dayfirst": True}),
        (["13/02/2003", "01/12/2003"], {"dayfirst": True}),
        (["2003.02.01 10:11:12.5", ""], {"format": "%Y.%m.%d %H:%M:%S.%f"}),
        (["Jan 5, 2020", "Feb 7, 2021"], {}),
        (["20200131", "19991231"], {"format": "%Y%m%d"}),
        (["", "NaT", nan], {}),
        ([nan, None], {}),
        ([], {}),
        (["1500-01-01"], {}),
        (["1500-01-01"], {"errors": "coerce"}),
        (["10:30", "23:59"], {"format": "%H:%M"}),
        (["2020-13-45"], {"format": "%Y-%m-%d", "errors": "coerce"}),
    ],
)
def test_moments_from_texts(spark: Any, values: Any, options: Any) -> None:
    same(lambda pd, df: pd.to_datetime(df.x, **options), df=_column(values))


def test_moments_from_numbers(spark: Any) -> None:
    frame = pandas.DataFrame(
        {"s": [0, 1577836800, -5], "f": [1577836800.5, nan, 0.25], "day": [20200131, 20191231, 19990101]}
    )
    frame["year"], frame["gap"] = [2020, 1999, 2001], [2020.0, nan, 1999.0]
    same(lambda pd, df: pd.to_datetime(df.s, unit="s"), df=frame)
    same(lambda pd, df: pd.to_datetime(df.s, unit="ms"), df=frame)
    same(lambda pd, df: pd.to_datetime(df.f, unit="s"), df=frame)
    same(lambda pd, df: pd.to_datetime(df.day, format="%Y%m%d"), df=frame)
    same(lambda pd, df: pd.to_datetime(df.year, format="%Y"), df=frame)
    same(lambda pd, df: pd.to_datetime(df.gap, format="%Y"), df=frame)
    same(lambda pd, df: pd.to_datetime(df.s, unit="s", format="%Y"), df=frame)
    same(lambda pd, df: pd.to_datetime(df.s > 0), df=frame)


def test_moments_from_parts_and_scalars(spark: Any) -> None:
    frame = pandas.DataFrame(
        {"year": [2020, 2021], "month": [2, 12], "day": [29, 31], "hour": [5, 6], "x": ["1", "2"]}
    )
    same(lambda pd, df: pd.to_datetime(df[["year", "month", "day"]]), df=frame)
    same(lambda pd, df: pd.to_datetime(df[["year", "month", "day", "hour"]]), df=frame)
    same(lambda pd, df: pd.to_datetime({"year": df.year, "month": df.x, "day": df.day}), df=frame)
    same(lambda pd, df: pd.to_datetime(df[["year", "month"]]), df=frame)
    same(lambda pd, df: pd.to_datetime(df), df=frame)
    same(lambda pd, df: pd.to_datetime("2020-05-01"), df=frame)
    same(lambda pd, df: pd.to_datetime(["2020-05-01"]), df=frame)
    same(lambda pd, df: pd.to_datetime(df.assign(d=pd.to_datetime(df.x, format="%d")).d), df=frame)


@pytest.mark.filterwarnings("ignore")
def test_texts_that_are_read_one_by_one(spark: Any) -> None:
    frame = _column(["May 2020", "2020-02-03 10:00", "1/2/2003"])
    same(lambda pd, df: pd.to_datetime(df.x), df=frame)
    same(lambda pd, df: pd.to_datetime(df.x, dayfirst=True), df=frame)
    same(lambda pd, df: pd.to_datetime(df.x, errors="ignore"), df=_column(["2020-02-03", "what"]))
    same(lambda pd, df: pd.to_numeric(df.x, errors="ignore"), df=_column(["1", "what"]))


def test_spans_from_texts_and_numbers(spark: Any) -> None:
    frame = pandas.DataFrame({"t": ["1 days", nan, "02:03:04.5"], "i": [1, -2, 3], "f": [1.5, nan, -0.25]})
    same(lambda pd, df: pd.to_timedelta(df.t), df=frame)
    same(lambda pd, df: pd.to_timedelta(df.i, unit="D"), df=frame)
    same(lambda pd, df: pd.to_timedelta(df.i, unit="ms"), df=frame)
    same(lambda pd, df: pd.to_timedelta(df.f, unit="h"), df=frame)
    same(lambda pd, df: pd.to_timedelta(df.t + "x"), df=frame)
    same(lambda pd, df: pd.to_timedelta(df.t + "x", errors="coerce"), df=frame)
    same(lambda pd, df: pd.to_timedelta(df.i, unit="what"), df=frame)


@pytest.fixture
def numbers() -> Any:
    return pandas.DataFrame({"x": [1.0, nan, 5.5, 10.0, 3.25, 0.0, -2.0, 5.0], "i": [3, 1, 4, 1, 5, 9, 2, 6]})


@pytest.mark.parametrize(
    "program",
    [
        lambda pd, df: pd.cut(df.x, 3),
        lambda pd, df: pd.cut(df.x, 3, right=False),
        lambda pd, df: pd.cut(df.i, 4, labels=False),
        lambda pd, df: pd.cut(df.x, [0, 1, 5, 10]),
        lambda pd, df: pd.cut(df.x, [0, 1, 5, 10], include_lowest=True),
        lambda pd, df: pd.cut(df.x, [0, 1, 5, 10], right=False),
        lambda pd, df: pd.cut(df.x, bins=[-np.inf, 0, 5, np.inf], labels=["low", "mid", "high"]),
        lambda pd, df: pd.cut(df.i, bins=[0, 3, 6, 9], labels=[1, 2, 3]),
        lambda pd, df: pd.cut(df.i, bins=[0, 3, 6, 9], labels=["a", "b", "a"], ordered=False),
        lambda pd, df: pd.cut(df.i, bins=[0, 3, 6, 9], labels=False),
        lambda pd, df: pd.cut(df.x, 2, retbins=True),
        lambda pd, df: pd.cut(df.i, [1, 3, 5], retbins=True, labels=["p", "q"]),
        lambda pd, df: pd.cut(df.i, 3, labels=["a", "b", "c"]).astype(str),
        lambda pd, df: pd.qcut(df.x, 4),
        lambda pd, df: pd.qcut(df.i, 4, labels=False, duplicates="drop"),
        lambda pd, df: pd.qcut(df.i, [0, 0.1, 0.5, 1.0], labels=["s", "m", "l"]),
        lambda pd, df: pd.qcut(df.x, 3, retbins=True),
        lambda pd, df: pd.qcut(df.i, 8),
        lambda pd, df: pd.cut(df.x, [5, 1]),
        lambda pd, df: pd.cut(df.x, 0),
        lambda pd, df: pd.cut(df.x[df.x > 99], 3),
        lambda pd, df: pd.cut(df.x, [0, 1, 2], labels=["one"]),
        lambda pd, df: pd.cut(df.x, [0, 1, 1, 2]),
        lambda pd, df: pd.cut(df.x, [0, 1, 1, 2], duplicates="drop"),
        lambda pd, df: pd.cut([1, 2, 3], 2).tolist(),
        lambda pd, df: pd.cut(df.x * np.inf, 2),
        lambda pd, df: df.assign(band=pd.cut(df.i, 3)).band.apply(lambda band: band.left),
        lambda pd, df: df.assign(band=pd.cut(df.i, 3, labels=["a", "b", "c"])).band.map(str.upper),
        lambda pd, df: pd.cut(df.i * 0 + 7, 3),
    ],
)
def test_bins(spark: Any, numbers: Any, program: Any) -> None:
    same(program, df=numbers)


def test_bins_as_columns(spark: Any, numbers: Any) -> None:
    def program(pd: Any, df: Any) -> Any:
        df["band"] = pd.cut(df.i, 3)
        df["quarter"] = pd.qcut(df.i, 2)
        df["label"] = pd.cut(df.x, [0, 4, 8], labels=["few", "many"])
        df["code"] = pd.cut(df.x, [0, 4, 8], labels=False)
        return df[df.i > 1]

    same(program, df=numbers)


def test_refusals_name_the_call_and_the_line(spark: Any) -> None:
    frame = ours.DataFrame(
        pandas.DataFrame({"x": ["2020-01-01T00:00:00Z", "b"], "t": pandas.to_datetime(["2020", "2021"])})
    )
    fine = ours.Series(["2020-01-01 00:00:00.123456789"])
    programs: list[tuple[Callable[[], Any], str]] = [
        (lambda: ours.to_datetime(frame.x[frame.x != "b"]), "to_datetime"),
        (lambda: ours.to_datetime(frame.x, utc=True), "to_datetime"),
        (lambda: ours.to_datetime(fine), "to_datetime"),
        (lambda: ours.to_numeric(frame.t), "to_numeric"),
        (lambda: ours.to_numeric(frame.x, downcast="float"), "to_numeric"),
        (lambda: ours.cut(frame.t, 3), "cut"),
        (lambda: ours.cut(ours.Series([1, 2]), pandas.IntervalIndex.from_breaks([0, 1, 2])), "cut"),
    ]
    for program, name in programs:
        with pytest.raises(Unfaithful, match=rf"{name}\(\).* line \d+ of test_converting"):
            program()
