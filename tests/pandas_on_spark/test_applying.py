"""The user's functions for values, rows and columns, compared with plain pandas."""

from __future__ import annotations

import collections
import datetime
import functools
import math
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas
import pytest
from tests.pandas_on_spark.applying_frames import PEOPLE
from tests.pandas_on_spark.same import same

import predtrace
import predtrace.pandas as ours
from predtrace.frontends.pandas.core.steps import Unfaithful

nan = float("nan")
LIMIT = 2


@pytest.fixture
def people() -> Any:
    return PEOPLE


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


def test_functions_look_into_other_frames(spark: Any, people: Any) -> None:
    same(lambda pd, df: df.age.apply(lambda age: df.age.max() - age), df=people)
    same(lambda pd, df: df.age.apply(lambda age, other: (other.age > age).sum(), args=(df,)), df=people)
    same(lambda pd, df: df.groupby("old")["age"].agg(lambda ages: (ages > df["age"].mean()).sum()), df=people)
    same(lambda pd, df: df.groupby("old")["age"].apply(lambda ages: len(ages) / len(df)), df=people)


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
    same(lambda pd, df: df.c.map({"a": 1, "b": 2}), df=frame)
    same(lambda pd, df: df.c.map({"a": 1, "b": 1}), df=frame)
    same(lambda pd, df: df.c.map({"a": 1}), df=frame)
    same(lambda pd, df: df.c.map({"a": "x", "b": "y", nan: "z"}), df=frame)
    same(lambda pd, df: df.c.map({"a": "x", "b": "y", nan: "z"}, na_action="ignore"), df=frame)
    same(lambda pd, df: df.c.map({"a": 1, "b": 2, "c": 2.5}), df=frame.dropna())


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
    count = 0

    def counted(age: Any) -> Any:
        nonlocal count
        count += 1
        return count

    programs: list[tuple[Callable[[], Any], str]] = [
        (lambda: frame.age.apply(lambda age: (age, 1)), "tuple"),
        (lambda: frame.age.apply(lambda age: age if age else "none"), "several types"),
        (lambda: frame.age.apply(lambda age: age if age else False), "several types"),
        (lambda: frame.age.apply(counted), "changes 'count'"),
        (lambda: frame.age.apply(lambda age: random.random()), "random"),
        (lambda: frame.age.apply(lambda age: np.random.rand()), "random"),
        (lambda: frame.age.apply([abs]), "several functions"),
        (lambda: frame.apply(lambda row: {"a": 1}, axis=1), "dict"),
        (lambda: frame.apply(lambda column: column, raw=True), "raw"),
        (lambda: frame.apply(lambda column: column[column == column]), "other rows"),
        (lambda: frame.age.apply(lambda age: 2**70), "64 bits"),
    ]
    for program, why in programs:
        with pytest.raises(Unfaithful, match=rf"(apply|map)\(.*{why}.* line \d+ of test_applying"):
            program()
