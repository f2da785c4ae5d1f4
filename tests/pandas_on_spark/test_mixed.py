"""Objects that are texts and numbers, compared with plain pandas."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas
import pytest
from tests.pandas_on_spark.expressions import all_refused, results_are_same
from tests.pandas_on_spark.same import given, same

import predtrace

nan = float("nan")

SIZES = pandas.DataFrame(
    {
        "size": ["12", "-", "7", nan, "-", "12"],
        "text": ["x", "Less than 1", "3.5", "x", nan, "1e3"],
        "n": [0, 3, 5, 0, 2, 0],
        "f": [0.5, nan, -1.0, 2.0, 1e16, 0.5],
        "k": ["a", "b", "a", "b", "a", "c"],
    }
)
OBJECTS = pandas.DataFrame(
    {"o": [1, "1", "x", nan, 1], "p": ["x", 1e16, "2.5", nan, 1e-05], "w": [3, 4, 3, 5, 6]}
)
OBJECTS["w"] = OBJECTS["w"].astype(object)


def test_texts_some_of_which_become_numbers(spark: Any) -> None:
    results_are_same(
        """
        df["size"].replace("-", 0)
        df["size"].replace("-", 0).astype(float)
        df["size"].fillna("1").replace("-", 0).astype(int)
        df["size"].replace("-", 0).astype(str)
        df["size"].replace({"-": 0, "7": 8}).astype(float)
        df["size"].replace("-", 0).replace("12", 13)
        df["size"].replace("-", 0).replace("7", "seven")
        pd.to_numeric(df["size"].replace("-", 0))
        pd.to_numeric(df["text"].replace("x", 0), errors="coerce")
        df["text"].replace({"Less than 1": 0.5, "x": 2.0}).astype(float)
        df["text"].replace("x", 7.0).astype(str)
        df["size"].fillna(0)
        df.fillna(0)
        df["size"].where(df.n > 1, 0)
        df["size"].fillna(0).astype(str).str.len()
        df["size"].replace("-", 0).isna().sum()
        df["size"].replace("-", 0).dropna()
        df["size"].replace("-", 0).fillna(5)
        df["size"].replace("-", 0) == 0
        df["size"].replace("-", 0) == "12"
        df["size"].replace("-", 0) != 0
        df["size"].replace("-", 0) == 0.5
        df["size"].replace("-", 0).astype(int)
        df["text"].replace("x", 0).astype(float)
        df["size"].replace("-", 0).apply(lambda v: int(v) + 1 if isinstance(v, str) else -1)
        df["size"].replace("-", 0).map(lambda v: type(v).__name__)
        df["size"].replace("-", 0).nunique()
        df["size"].replace("-", 0).count()
        df["size"].replace("-", 0).value_counts()
        df["size"].replace("-", 0).drop_duplicates()
        df["size"].replace("-", 0).dropna().unique()
        df["size"].replace("-", 0).sort_values()
        df.assign(size=df["size"].replace("-", 0)).dtypes
        df.assign(size=df["size"].replace("-", 0)).query("size == 0")
        df.assign(size=df["size"].replace("-", 0)).groupby("k")["size"].first()
        df.assign(size=df["size"].replace("-", 0).astype(float)).groupby("k")["size"].sum()
        """,
        df=SIZES,
    )


def test_numbers_some_of_which_become_texts(spark: Any) -> None:
    results_are_same(
        """
        df.n.replace(0, "none")
        df.n.replace(0, "none").astype(str)
        df.n.where(df.n > 0, "none")
        df.n.mask(df.n > 4, "many")
        df.n.map({0: "none", 2: 5})
        df.f.fillna("missing")
        df.f.fillna("missing").astype(str)
        df.assign(n=df.n.replace(0, "none"))[["k", "n"]].set_index("n").loc["none"]
        df.assign(n=df.n.replace(0, "none"))[["k", "n"]].set_index("n").loc[3]
        df.assign(n=df.n.replace(0, "none"))[["k", "n"]].set_index("n").reset_index()
        """,
        df=SIZES,
    )


def test_objects_in_a_file(spark: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PREDTRACE_CACHE", str(tmp_path / "cache"))
    (tmp_path / "a.csv").write_text("a\n1\nx\n\n1\n")
    converters = {"a": lambda text: 1 if text == "1" else text}
    for _ in range(2):
        same(lambda pd: pd.read_csv(tmp_path / "a.csv", converters=converters, skip_blank_lines=False))


def test_objects_of_the_program(spark: Any) -> None:
    results_are_same(
        """
        df
        df.o.astype(str)
        df.p.astype(str)
        df.w.astype(int) + 1
        df.w.astype(float).mean()
        df.o == 1
        df.o == "1"
        df.p == "2.5"
        df.p == 1e16
        df.p == 1e-05
        df.p.replace(1e16, "large")
        pd.concat([df.p, df.p.replace("x", 1e16)]).drop_duplicates()
        df.o.duplicated()
        df.o.str.upper()
        df.o.str.contains("x", na=False)
        df.p.str.len()
        df[df.o.notna()].o.apply(lambda v: v if isinstance(v, int) else 0)
        pd.concat([df, df])["o"]
        """,
        df=OBJECTS,
    )


@pytest.mark.parametrize("keys", ["n", "f", ["n", "k"], ["k", "n"]])
def test_totals_below_numbers(spark: Any, keys: Any) -> None:
    def table(pd: Any, df: Any) -> Any:
        index = [df[key] for key in keys] if isinstance(keys, list) else df[keys]
        return pd.crosstab(index, df["size"], margins=True)

    same(table, df=SIZES)
    same(lambda pd, df: df.pivot_table("w", keys, "size", aggfunc="sum", margins=True), df=SIZES.assign(w=1))
    same(
        lambda pd, df: df.pivot_table("w", keys, aggfunc="mean", margins=True),
        df=SIZES.assign(w=[1, 2, 3, 4, 5, 9]),
    )


def test_totals_can_be_looked_at(spark: Any) -> None:
    results_are_same(
        """
        pd.crosstab(df.n, df.k, margins=True).loc["All"]
        pd.crosstab(df.n, df.k, margins=True).loc[0]
        pd.crosstab(df.n, df.k, margins=True).iloc[:-1]
        pd.crosstab(df.n, df.k, margins=True).reset_index()
        pd.crosstab(df.n, df.k, margins=True)["All"] / 6
        pd.crosstab(df.n, df.k, margins=True).sort_index()
        pd.crosstab(df.n, df.k, normalize="columns", margins=True)
        pd.crosstab(df.n, df.k, normalize=True, margins=True)
        """,
        df=SIZES,
    )


def test_texts_or_numbers_that_are_left_alone(spark: Any) -> None:
    """pandas looks at what is there: whether it can be sorted, has texts, or is all numbers."""
    results_are_same(
        """
        df.o.sort_values()
        df.o[df.o == 1].str.upper()
        df.o[df.o.isna()].str.upper()
        df.o[df.o == "x"].str.upper()
        df.o.ffill()
        df.o.bfill()
        df.o.infer_objects()
        df[["o", "p"]].infer_objects()
        df.p == 2**53 + 1
        df.p.replace(1e16, 2.0**53) == 2**53 + 1
        df.o == 10**400
        df.p == 10**400
        """,
        df=OBJECTS.drop(columns="w").assign(w=1),
    )
    all_refused(
        """
        df.w.sort_values()
        df.sort_values(["p", "o"])
        df.o[df.o == 1].sort_values()
        df.o[df.o == 1].infer_objects()
        df[["w"]].infer_objects()
        df.o.where(df.o == 1).ffill()
        df.w.bfill()
        df.o == np.True_
        """,
        df=OBJECTS,
    )


def test_what_is_refused(spark: Any) -> None:
    all_refused(
        """
        df.groupby("o").size()
        df.o.mode()
        df.o.min()
        df.o.cummax()
        df.o + 1
        df.o < 1
        df.o == df.o
        df.o.isin([1])
        df.o.rank()
        df.o.astype("category")
        df.o.replace("x", 2.5)
        df.o.replace(["x", "1"], 3)
        pd.get_dummies(df.o)
        df.set_index("o").loc[["x"]]
        df.merge(df.assign(o="x"), on="o")
        pd.concat([df.o, df.p])
        df.apply(lambda row: row.o, axis=1)
        none["size"].replace("-", 0).astype(str)
        """,
        df=OBJECTS,
        none=SIZES.where(SIZES["size"].notna(), None),
    )


def test_a_row_is_traced_through_them(spark: Any) -> None:
    table = given(SIZES)
    table["size"] = table["size"].replace("-", 0).astype(float)
    lineage = predtrace.capture(table[table["size"] > 6]).trace("n = 5")
    assert lineage.exact
    assert sum(lineage.counts().values()) == 1
    totals = given(SIZES).pivot_table("f", "n", "k", aggfunc="count", margins=True)
    lineage = predtrace.capture(totals.reset_index()).trace("n = 'All'")
    assert sum(lineage.counts().values()) == 5  # all rows but the one without a value
