"""Wide frames made long, and nested records made flat."""

from __future__ import annotations

from typing import Any

import pandas
import pytest
from tests.pandas_on_spark.same import given, same

import predtrace
import predtrace.pandas as ours
from predtrace.errors import PredtraceError

WIDE = pandas.DataFrame(
    {
        "id": [3, 1, 2],
        "sex": ["m", "f", None],
        "score_2020": [8.5, None, 9.0],
        "score_2019": [5, 6, 7],
        "rank_2020": [3, 2, 1],
        "rank_2019": [1, 2, 3],
        "area": [1.5, 2.5, 3.5],
    }
)


def test_wide_to_long(spark: Any) -> None:
    def program(pd: Any, wide: Any) -> Any:
        twice = wide.assign(half=[1, 1, 2], id=[1, 2, 1])
        return [
            pd.wide_to_long(wide, ["score", "rank"], i="id", j="year", sep="_"),
            pd.wide_to_long(wide, "score_", i="id", j="year").reset_index(),
            pd.wide_to_long(twice, ["rank", "score"], i=["half", "id"], j="year", sep="_"),
            pd.wide_to_long(
                wide.rename(columns={"rank_2020": "rank_new", "rank_2019": "rank_old"}),
                "rank",
                i="id",
                j="when",
                sep="_",
                suffix=r"\w+",
            ),
        ]

    same(program, wide=WIDE)


def test_a_long_row_depends_on_its_wide_row(spark: Any) -> None:
    found = ours.wide_to_long(given(WIDE), ["score", "rank"], i="id", j="year", sep="_").reset_index()
    lineage = predtrace.capture(found).trace("id = 1 and year = 2019")
    assert lineage.exact
    assert sum(lineage.counts().values()) == 1


def test_wide_to_long_of_what_is_not_alike(spark: Any) -> None:
    with pytest.raises(PredtraceError, match="different suffixes"):
        ours.wide_to_long(given(WIDE).drop(columns="rank_2019"), ["score", "rank"], "id", "year", sep="_")
    same(lambda pd, wide: pd.wide_to_long(wide.assign(id=1), "score_", "id", "year"), wide=WIDE)


def test_nested_records(spark: Any) -> None:
    def program(pd: Any) -> Any:
        records = [
            {"id": 1, "user": {"name": "ann", "age": 3}, "tags": ["x", "y"], "buys": [{"n": 2}, {"n": 5}]},
            {"id": 2, "user": {"name": "bob"}, "tags": [], "buys": []},
        ]
        return [
            pd.json_normalize([{key: record[key] for key in ("id", "user", "tags")} for record in records]),
            pd.json_normalize(records, record_path="buys", meta=[["user", "name"]], sep="_"),
            pd.json_normalize(records[0], record_path="tags"),
        ]

    same(program)
