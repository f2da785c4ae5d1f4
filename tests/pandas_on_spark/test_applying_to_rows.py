"""The user's functions for whole rows, compared with plain pandas."""

from __future__ import annotations

from typing import Any

import pandas
from tests.pandas_on_spark.applying_frames import PEOPLE
from tests.pandas_on_spark.same import same


def test_series_of_results_are_frames(spark: Any) -> None:
    same(lambda pd, df: df.age.apply(lambda age: pd.Series([age, age / 2, "x"])), df=PEOPLE)
    same(lambda pd, df: df.age.apply(lambda age: pd.Series({"one": age, "two": str(age)})), df=PEOPLE)
    same(lambda pd, df: df.apply(lambda row: pd.Series([row["age"], row["name"]]), axis=1), df=PEOPLE)
    same(
        lambda pd, df: df.apply(lambda row: pd.Series({"n": row.age + 1, "m": row["size"]}), axis=1),
        df=PEOPLE,
    )
    same(
        lambda pd, df: df.apply(lambda row: [row["age"], row["name"]], axis=1, result_type="expand"),
        df=PEOPLE,
    )
    same(lambda pd, df: df.apply(lambda row: (row.age, row.old), axis=1, result_type="expand"), df=PEOPLE)
    same(
        lambda pd, df: df.apply(lambda row: {"a": row.age, "b": 0.5}, axis=1, result_type="expand"), df=PEOPLE
    )
    same(lambda pd, df: df.apply(lambda row: [row["age"], 1], axis=1), df=PEOPLE)
    same(lambda pd, df: pd.crosstab(df["name"], df.old).apply(lambda row: row / row.sum(), axis=1), df=PEOPLE)
    same(
        lambda pd, df: (
            df.groupby("name")[["age"]]
            .agg(["min", "max"])
            .apply(lambda row: row - row[("age", "min")], axis=1)
        ),
        df=PEOPLE,
    )

    def columns(pd: Any, df: Any) -> Any:
        df[["x", "y"]] = df.apply(lambda row: pd.Series([row["age"], row["age"] * 2]), axis=1)
        return df

    same(columns, df=PEOPLE)


def test_functions_of_rows(spark: Any) -> None:
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

    same(program, df=PEOPLE)


def _labelled(row: Any) -> str:
    if row["age"] > 18:
        return "grown up"
    return "small" if row["age"] else "new"


def test_row_names_are_index_labels(spark: Any) -> None:
    PEOPLE.index = pandas.Index(["w", "x", "y", "z"], name="id")
    same(lambda pd, df: df.apply(lambda row: f"{row.name}{row.age}", axis=1), df=PEOPLE)
    PEOPLE.index = pandas.MultiIndex.from_tuples([("w", 1), ("x", 2), ("y", 3), ("z", 4)])
    same(lambda pd, df: df.apply(lambda row: str(row.name), axis=1), df=PEOPLE)
