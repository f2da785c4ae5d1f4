"""The levels of an index have the order that their labels were made in, which `unstack` shows."""

from __future__ import annotations

from typing import Any

import pandas
import pytest
from tests.pandas_on_spark.same import given, same

from predtrace.errors import PredtraceError

POINTS = pandas.DataFrame(
    {"team": ["b", "a", "b", "c"], "wins": [3, 1, 4, 1], "draws": [5, 9, 2, 6], "away": [5, 3, 5, 8]}
)


def test_columns_that_were_stacked_come_back_in_their_order(spark: Any) -> None:
    def program(pd: Any, points: Any) -> Any:
        stacked = points.reset_index().set_index(["index", "team"]).stack()
        return [
            stacked.unstack(),
            stacked[stacked > 2].unstack(fill_value=0),
            (stacked * 2).unstack(),
            stacked.swaplevel().unstack("team"),
            stacked.sort_index().unstack(),
            stacked.groupby(level=[0, 2]).sum().unstack(),
            points[["wins", "draws"]].unstack().unstack(0),
        ]

    same(program, points=POINTS)


def test_values_of_a_function_by_name(spark: Any) -> None:
    """They came out as columns in the order of the alphabet."""

    def program(pd: Any, points: Any) -> Any:
        def described(wins: Any) -> Any:
            return pandas.Series({"n": len(wins), "best": wins.max(), "mean": wins.mean()})

        found = points.groupby("team")["wins"].apply(described)
        return [found.unstack(), found.unstack().reset_index(), found.unstack(0)]

    same(program, points=POINTS)


def test_keys_of_concat(spark: Any) -> None:
    def program(pd: Any, points: Any) -> Any:
        both = pd.concat([points["wins"], points["away"]], keys=["wins", "away"], names=["kind", "row"])
        return [both.unstack(0), both.unstack("row"), both.sort_index().unstack(0)]

    same(program, points=POINTS)


def test_groups_that_are_not_sorted(spark: Any) -> None:
    """They came out sorted."""
    groups = given(POINTS).groupby(["team", "wins"], sort=False)["away"].sum()
    with pytest.raises(PredtraceError, match="sort=False"):
        groups.unstack()

    def program(pd: Any, points: Any) -> Any:
        return [
            points.groupby(["team", "wins"], sort=False)["away"].sum().sort_index().unstack(),
            points.value_counts(["team", "wins"]).unstack(fill_value=0),
            points.groupby("team")["wins"].value_counts().unstack(),
        ]

    same(program, points=POINTS)
