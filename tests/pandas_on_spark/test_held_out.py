"""What programs do that nobody had in mind when the methods were written: one test for each thing that was found."""

from __future__ import annotations

import datetime
from typing import Any

import numpy as np
import pandas
import pytest
from tests.pandas_on_spark.same import given, same

import predtrace
from predtrace.errors import PredtraceError

VISITS = pandas.DataFrame(
    {
        "who": ["ann", "bob", "ann", "cid", "bob"],
        "day": pandas.to_datetime(["2024-01-05", "2024-02-01", "2024-02-03", None, "2024-01-09"]),
        "paid": [3.0, np.nan, 4.5, 1.0, 2.0],
        "tags": ["x, y", "", None, "x,y , z", "z"],
    }
)


def test_functions_of_groups_with_values_that_spark_works_out(spark: Any) -> None:
    """It was refused if there were other functions."""

    def program(pd: Any, visits: Any) -> Any:
        snapshot = visits["day"].max() + datetime.timedelta(days=1)
        mean, most = visits["paid"].mean(), visits["paid"].max()
        return [
            visits.groupby("who").agg(
                {"day": lambda days: (snapshot - days.max()).days, "tags": "count", "paid": "sum"}
            ),
            visits.groupby("who").agg(
                over=("paid", lambda paid: (paid > mean).sum()),
                n=("paid", "size"),
                part=("paid", lambda paid: paid.max() / most + mean),
                spread=("paid", lambda paid: paid.max() - paid.min()),
            ),
        ]

    same(program, visits=VISITS)


def test_groups_depend_on_the_value_that_one_of_the_functions_uses(spark: Any) -> None:
    visits = given(VISITS)
    mean = visits["paid"].mean()
    found = visits.groupby("who").agg(
        over=("paid", lambda paid: (paid > mean).sum()), n=("day", lambda days: len(days))
    )
    lineage = predtrace.capture(found).trace("who = 'cid'")
    assert max(lineage.counts().values()) == 5


def test_rows_of_several_lengths(spark: Any) -> None:
    """A function that makes rows of lists: it was refused, as the rows have different labels."""

    def program(pd: Any, visits: Any) -> Any:
        wide = visits["tags"].str.split(r"\s*,\s*", regex=True).apply(pd.Series)
        return [
            wide,
            wide.stack().reset_index(level=1, drop=True).rename("tag"),
            visits["paid"].apply(lambda paid: pd.Series([1, 2] if paid > 2 else [])),
            visits.apply(
                lambda row: pd.Series([1, 2.5, "x"][: len(row["who"]) - int(row["paid"] > 2)]), axis=1
            ),
        ]

    same(program, visits=VISITS)


def test_rows_with_other_labels_are_refused(spark: Any) -> None:
    with pytest.raises(PredtraceError, match="different labels"):
        given(VISITS)["paid"].apply(lambda paid: given_labels(paid))


def given_labels(paid: float) -> Any:
    return pandas.Series({"a": 1} if paid > 2 else {"b": 1})


def test_levels_of_an_index_are_refused(spark: Any) -> None:
    """pandas has labels there of which no row is left."""
    with pytest.raises(PredtraceError, match="get_level_values"):
        given(VISITS).set_index(["who", "day"]).index.levels  # noqa: B018
