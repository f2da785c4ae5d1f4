"""The user's functions for values, rows and columns, compared with plain pandas."""

from __future__ import annotations

import collections
import datetime
import functools
import math
import random
from pathlib import Path
from typing import Any

import numpy as np
import pandas
import pytest
from tests.pandas_on_spark.same import same

import predtrace
import predtrace.pandas as ours
from predtrace.frontends.pandas.core.steps import Unfaithful

nan = float("nan")
LIMIT = 2


@pytest.fixture
def people() -> Any:
    return pandas.DataFrame(
        {
            "name": ["Ann", "bob", nan, "Cy"],
            "age": [30, 41, 5, 0],
            "size": [1.5, nan, -2.0, 0.25],
            "old": [True, False, True, True],
            "born": pandas.to_datetime(["1990-05-01 00:00", None, "2015-02-03 04:05", "2020-12-31 23:00"]),
        }
    )


def twice(x: Any) -> Any:
    return x * LIMIT


def deeper(x: Any) -> Any:
    return twice(x) + 1


def test_functions_of_values(spark: Any, people: Any) -> None:
    def program(pd: Any, df: Any) -> Any:
        df["a"] = df.age.apply(lambda age: age * 2)
        df["b"] = df.age.apply(lambda age: "old" if age > 18 else "young")
        df["c"] = df["size"].apply(lambda size: size + 1)
        df["d"] = df["name"].apply(lambda name: len(name) if isinstance(name, str) else 0)
        df["e"] = df["name"].apply(str)
        df["f"] = df["name"].map(lambda name: name.upper(), na_action="ignore")
        df["g"] = df.age.apply(lambda age: None if age > 18 else age)
        df["h"] = df.age.map(lambda age: age > 18)
        df["i"] = df.old.map(lambda old: not old)
        df["j"] = df.born.apply(lambda born: born.year)
        df["k"] = df.born.map(lambda born: born + pd.Timedelta(days=1))
        df["l"] = df.age.apply(deeper)
        df["m"] = df.age.apply(lambda x, y, z=0: x + y + z, args=(5,), z=2)
        df["n"] = df["size"].apply(lambda size: nan if pd.isnull(size) else round(size))
        df["o"] = df.age.apply(np.sqrt)
        df["p"] = df.age.map(np.sqrt)
        df["q"] = df.age.apply(lambda age: np.float32(age))
        df["r"] = df["size"].apply(np.isnan)
        df["s"] = df.age.apply(float)
        df["t"] = df.age.map("{} years".format)
        df["u"] = df["name"].apply(lambda name: [name, "x"] if name == "bob" else [])
        df["v"] = df.age.apply(lambda age: datetime.date(2000, 1, 1 + age % 20))
        df["w"] = df.age.apply(lambda age: datetime.datetime(2000, 1, 1 + age % 20))
        df["x"] = df.age.apply(functools.partial(max, 7)) + df.age.apply(math.sqrt)
        df["y"] = df.age.map(collections.defaultdict(lambda: "many", {0: "none", 5: "five"}))
        df["z"] = df.born.apply(lambda born: "missing" if pd.isnull(born) else born.strftime("%Y"))
        df["aa"] = df.old.apply(lambda old: np.bool_(old))
        df["ab"] = df.age.apply(lambda age: pd.Timedelta(days=age))
        df["ac"] = df.age.apply(lambda age: None)
        df["ad"] = df["name"].apply(lambda name: name == name)
        df["ae"] = df.age.apply(lambda age: nan if age > 18 else True)
        return df

    same(program, df=people)


def test_what_functions_are_given(spark: Any, people: Any) -> None:
    def program(pd: Any, df: Any) -> Any:
        for label in list(df.columns):
            df[f"{label} given"] = df[label].apply(lambda value: f"{type(value).__name__} {value!r}")
        small = df.assign(little=df.age.astype("int8"), less=df["size"].astype("float32"))
        df["little"] = small.little.apply(lambda value: type(value).__name__)
        df["less"] = small.less.apply(lambda value: type(value).__name__)
        return df

    same(program, df=people)


def test_whole_numbers_with_gaps_are_floats(spark: Any, people: Any) -> None:
    def program(pd: Any, df: Any) -> Any:
        df["part"] = df[df.age > 3]["age"]
        df["given"] = df["part"].apply(lambda value: type(value).__name__)
        df["more"] = df["part"].map(lambda value: value * 2)
        return df

    same(program, df=people)


def test_functions_use_values_that_spark_works_out(spark: Any, people: Any) -> None:
    def program(pd: Any, df: Any) -> Any:
        mean, most = df.age.mean(), df.age.max()
        df["a"] = df.age.apply(lambda age: age - mean)
        df["b"] = df.age.apply(lambda age, top: age / top, args=(most,))
        df["c"] = df.apply(lambda row: row["age"] > mean, axis=1)

        def shared(age: Any) -> Any:
            return age * most

        df["d"] = df.age.map(lambda age: shared(age) + mean)
        return df

    same(program, df=people)


def test_series_of_results_are_frames(spark: Any, people: Any) -> None:
    same(lambda pd, df: df.age.apply(lambda age: pd.Series([age, age / 2, "x"])), df=people)
    same(lambda pd, df: df.age.apply(lambda age: pd.Series({"one": age, "two": str(age)})), df=people)
    same(lambda pd, df: df.apply(lambda row: pd.Series([row["age"], row["name"]]), axis=1), df=people)
    same(
        lambda pd, df: df.apply(lambda row: pd.Series({"n": row.age + 1, "m": row["size"]}), axis=1),
        df=people,
    )
    same(
        lambda pd, df: df.apply(lambda row: [row["age"], row["name"]], axis=1, result_type="expand"),
        df=people,
    )
    same(lambda pd, df: df.apply(lambda row: (row.age, row.old), axis=1, result_type="expand"), df=people)
    same(
        lambda pd, df: df.apply(lambda row: {"a": row.age, "b": 0.5}, axis=1, result_type="expand"), df=people
    )
    same(lambda pd, df: df.apply(lambda row: [row["age"], 1], axis=1), df=people)

    def columns(pd: Any, df: Any) -> Any:
        df[["x", "y"]] = df.apply(lambda row: pd.Series([row["age"], row["age"] * 2]), axis=1)
        return df

    same(columns, df=people)


def test_functions_of_rows(spark: Any, people: Any) -> None:
    def program(pd: Any, df: Any) -> Any:
        df["a"] = df.apply(lambda row: row["age"] * 2, axis=1)
        df["b"] = df.apply(lambda row: f"{row['name']} {row.age} {row['size']}", axis=1)
        df["c"] = df[["age", "size"]].apply(lambda row: repr(row["age"]), axis=1)
        df["d"] = df[["age", "size"]].apply(lambda row: row.sum(), axis=1)
        df["e"] = df.apply(lambda row: row.get("age", 0) + row.get("nothing", 7), axis=1)
        df["f"] = df[["name", "age"]].apply(lambda row: "-".join(map(str, row)), axis=1)
        df["g"] = df.apply(lambda row: row.name, axis=1)
        df["h"] = df.apply(lambda row: pd.isnull(row["name"]) or row.born is pd.NaT, axis="columns")
        df["i"] = df.apply(lambda row, more: row.age + more, axis=1, args=(3,))
        df["j"] = df[["old", "age"]].apply(lambda row: f"{row.dtype} {row.tolist()}", axis=1)
        df["k"] = df[["age"]].apply(lambda row: type(row["age"]).__name__, axis=1)
        df["l"] = df.apply(lambda row: row.born.year if pd.notnull(row.born) else None, axis=1)
        df["m"] = df.apply(lambda row: 1, axis=1)
        df["n"] = df[["born"]].apply(lambda row: str(row.dtype), axis=1)
        df["o"] = df.apply(_labelled, axis=1)
        df["p"] = df.apply(lambda row: len(row) if len(row) > 99 else 0, axis=1)
        return df

    same(program, df=people)


def _labelled(row: Any) -> str:
    if row["age"] > 18:
        return "grown up"
    return "small" if row["age"] else "new"


def test_row_names_are_index_labels(spark: Any, people: Any) -> None:
    people.index = pandas.Index(["w", "x", "y", "z"], name="id")
    same(lambda pd, df: df.apply(lambda row: f"{row.name}{row.age}", axis=1), df=people)
    people.index = pandas.MultiIndex.from_tuples([("w", 1), ("x", 2), ("y", 3), ("z", 4)])
    same(lambda pd, df: df.apply(lambda row: str(row.name), axis=1), df=people)


def test_functions_of_columns(spark: Any, people: Any) -> None:
    same(lambda pd, df: df[["age", "size"]].apply(lambda column: column * 2), df=people)
    same(lambda pd, df: df[["age", "size"]].apply(lambda column: column.max() - column.min()), df=people)
    same(lambda pd, df: df.apply(lambda column: column.isnull().sum()), df=people)
    same(lambda pd, df: df[["age", "size"]].apply(np.exp), df=people)
    same(lambda pd, df: df[["name", "age"]].apply(lambda column: column.astype(str)), df=people)
    same(lambda pd, df: df[["age"]].apply(lambda column: np.asarray(column) + 1), df=people)
    same(lambda pd, df: df[["age", "size"]].transform(lambda column: column - column.mean()), df=people)
    same(lambda pd, df: df.age.transform(lambda age: age + 1), df=people)
    same(lambda pd, df: df.age.transform("abs"), df=people)
    same(lambda pd, df: df.pipe(lambda frame, more: frame.age + more, 5), df=people)
    same(lambda pd, df: df.age.pipe((lambda more, data: data + more, "data"), 5), df=people)
    same(lambda pd, df: df.age.apply("abs"), df=people)


def test_functions_of_all_values(spark: Any, people: Any) -> None:
    same(lambda pd, df: df[["age", "size"]].map(lambda value: value * 2), df=people)
    same(lambda pd, df: df.map(str), df=people)
    same(lambda pd, df: df[["name"]].map(lambda value: value.upper(), na_action="ignore"), df=people)
    same(lambda pd, df: df[["age"]].map(3), df=people)


def test_no_rows(spark: Any, people: Any) -> None:
    none = people[people.age > 99]
    same(lambda pd, df: df.age.apply(lambda age: str(age)), df=none)
    same(lambda pd, df: df.age.map(str), df=none)
    same(lambda pd, df: df.apply(lambda row: row["age"] * 2, axis=1), df=none)
    same(lambda pd, df: df.apply(lambda row: row["name"].upper(), axis=1), df=none)
    same(lambda pd, df: df[["age", "size"]].map(str), df=none)


def test_categories(spark: Any) -> None:
    frame = pandas.DataFrame({"c": pandas.Series(["a", nan, "b", "a"], dtype="category")})
    same(lambda pd, df: df.c.apply(lambda text: text.upper()), df=frame)
    same(lambda pd, df: df.c.map(lambda text: 1, na_action="ignore"), df=frame)
    same(lambda pd, df: df.c.map({"a": "x", "b": "y"}.get, na_action="ignore"), df=frame)
    same(lambda pd, df: df.c.map(lambda text: str(text)), df=frame)
    same(lambda pd, df: df.c.apply(len), df=frame)
    same(lambda pd, df: df.c.apply(ord), df=frame.dropna())


@pytest.mark.parametrize(
    "program",
    [
        lambda pd, df: df.age.apply(lambda age: 1 / age),
        lambda pd, df: df["name"].apply(lambda name: name.upper()),
        lambda pd, df: df["name"].apply(lambda name: {}[name]),
        lambda pd, df: df.apply(lambda row: row["nothing"], axis=1),
        lambda pd, df: df.apply(lambda row: row["age"], axis=1, result_type="what"),
        lambda pd, df: df.age.map(str, na_action="what"),
        lambda pd, df: df.age.transform(lambda age: age.sum() if hasattr(age, "sum") else 1 / 0),
        lambda pd, df: df.age.pipe((lambda more, data: data, "data"), data=5),
    ],
)
def test_what_pandas_raises(spark: Any, people: Any, program: Any) -> None:
    same(program, df=people)


def test_a_part_is_given_back_without_calls_for_other_rows(spark: Any, people: Any) -> None:
    def program(pd: Any, df: Any) -> Any:
        df["upper"] = df[df["name"].notnull()]["name"].apply(lambda name: name.upper())
        return df

    same(program, df=people)


def test_results_are_columns_like_others(spark: Any, people: Any) -> None:
    def program(pd: Any, df: Any) -> Any:
        df = df.sort_values("age", ascending=False).reset_index(drop=True)
        df["name"] = df["name"].fillna("nobody").apply(str.upper)
        df["label"] = df.apply(lambda row: f"{row.name}{row['name']}", axis=1)
        df["chain"] = df.age.apply(lambda age: age + 1).apply(lambda age: age / 2).map(lambda half: half > 3)
        df.loc[df.age > 3, "half"] = df.loc[df.age > 3, "age"].apply(lambda age: 1 / age)
        return df[df.apply(lambda row: row["age"] != 5 and row.chain, axis=1)]

    same(program, df=people)


def test_tables_instead_of_functions(spark: Any, people: Any) -> None:
    same(lambda pd, df: df.age.map({30: "thirty", 5: "five"}), df=people)
    same(lambda pd, df: df["name"].map({"Ann": 1, nan: 2}, na_action="ignore"), df=people)
    same(lambda pd, df: df.age.map(pd.Series(["none", "one"], index=[0, 1])), df=people)


def test_rows_are_traced_through_functions(
    spark: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PREDTRACE_CACHE", str(tmp_path / "cache"))
    path = tmp_path / "people.csv"
    path.write_text("id,name,age\n1,Ann Lee,30\n2,Bob Ray,4\n3,Cy Day,17\n")
    df = ours.read_csv(path)
    mean = df.age.mean()
    df["last"] = df["name"].apply(lambda name: name.split(" ")[1])
    df["rest"] = df.apply(lambda row: row["age"] * 2 if row.last != "Ray" else 0, axis=1)
    df["far"] = df.age.map(lambda age: age - mean)

    def rows(frame: Any, condition: str) -> list[int]:
        lineage = predtrace.capture(frame).trace(condition)
        assert lineage.exact
        return sorted(lineage["people"].to_pandas()["id"])

    assert rows(df[["id", "last"]], "last = 'Day'") == [3]
    assert rows(df[["id", "rest"]], "rest = 60") == [1]
    assert rows(df[["id", "far"]], "id = 2") == [1, 2, 3]


def test_refusals_name_the_call_and_the_line(spark: Any, people: Any) -> None:
    frame = ours.DataFrame(people)
    means = frame.age
    count = 0

    def counted(age: Any) -> Any:
        nonlocal count
        count += 1
        return count

    for program, why in (
        (lambda: frame.age.apply(lambda age: (age, 1)), "tuple"),
        (lambda: frame.age.apply(lambda age: age if age else "none"), "several types"),
        (lambda: frame.age.apply(lambda age: age if age else False), "several types"),
        (lambda: frame.age.apply(lambda age: means.max() - age), "a Series"),
        (lambda: frame.age.apply(lambda age, other: 1, args=(frame,)), "a DataFrame"),
        (lambda: frame.age.apply(counted), "changes 'count'"),
        (lambda: frame.age.apply(lambda age: random.random()), "random"),
        (lambda: frame.age.apply(lambda age: np.random.rand()), "random"),
        (lambda: frame.age.apply([abs]), "several functions"),
        (lambda: frame.apply(lambda row: {"a": 1}, axis=1), "dict"),
        (lambda: frame.apply(lambda row: ours.Series([1] * row.age), axis=1), "different labels"),
        (lambda: frame.apply(lambda column: column, raw=True), "raw"),
        (lambda: frame.apply(lambda column: column[column == column]), "other rows"),
        (lambda: frame.age.apply(lambda age: 2**70), "64 bits"),
    ):
        with pytest.raises(Unfaithful, match=rf"(apply|map)\(.*{why}.* line \d+ of test_applying"):
            program()
