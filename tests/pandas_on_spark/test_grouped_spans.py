"""`groupby(...).resample(...)`, and groups by a function or a dict of the labels, compared with plain pandas."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas
import pytest
from tests.pandas_on_spark.same import given, same

import predtrace
from predtrace.errors import PredtraceError

READINGS = pandas.DataFrame(
    {
        "when": pandas.to_datetime(["2020-01-05", "2020-03-07", "2020-01-09", "2020-02-01", "2020-01-06"]),
        "meter": ["a", "a", "b", "b", "a"],
        "use": [1, 2, 3, 4, 6],
        "cost": [1.5, np.nan, 2.5, 3.0, 1.0],
    }
)
BY_TIME = READINGS.set_index("when")


@pytest.mark.filterwarnings("ignore")
def test_spans_of_each_group(spark: Any) -> None:
    same(lambda pd, df: df.groupby("meter").resample("M")["use"].sum(), df=BY_TIME)
    same(lambda pd, df: df.groupby("meter")["cost"].resample("ME").mean().unstack(0), df=BY_TIME)
    same(lambda pd, df: df.groupby("meter")[["use", "cost"]].resample("W").first(), df=BY_TIME)
    same(lambda pd, df: df.groupby("meter").resample("D").size(), df=BY_TIME)
    same(
        lambda pd, df: df.groupby("meter").resample("W", on="when").agg({"use": "sum", "cost": ["max"]}),
        df=READINGS,
    )


def test_spans_without_a_gap_are_plain_groups(spark: Any) -> None:
    df = given(BY_TIME).groupby("meter").resample("ME")["use"].sum()
    some = given(BY_TIME[:1]).groupby("meter").resample("ME")["use"].sum()
    assert "explode" in predtrace.capture(df).explain().lower()
    assert "explode" not in predtrace.capture(some).explain().lower()
    assert predtrace.capture(some).trace("meter = 'a'").counts() == {"local_1": 1}


def test_rows_that_pandas_takes_wrongly_are_refused(spark: Any) -> None:
    with pytest.raises(PredtraceError, match="reset_index"):
        given(READINGS[1:].set_index("use")).groupby("meter").resample("D", on="when")


def test_groups_by_what_labels_are_called(spark: Any) -> None:
    def program(pd: Any, df: Any) -> Any:
        streets = {"a": "North", "b": "South"}
        by_meter = df.set_index("meter")
        return [
            by_meter.groupby(streets)["cost"].sum(),
            by_meter.groupby([streets, "use"]).size(),
            by_meter["use"].groupby(lambda meter: meter * 2).max(),
            df.set_index("when")["use"].groupby(lambda moment: moment.month).sum(),
        ]

    same(program, df=READINGS)


def test_several_quantiles_of_each_group(spark: Any) -> None:
    same(lambda pd, df: df.groupby("meter")["cost"].quantile([0.5, 0.9]), df=READINGS)
    same(lambda pd, df: df.groupby(["meter", "use"])["cost"].quantile([0.25, 0.75]).unstack(), df=READINGS)


def test_the_ends_of_a_group_are_no_part_of_the_spans_between(spark: Any) -> None:
    """The first and the last row of a group were in the lineage of all its spans."""
    df = given(BY_TIME).groupby("meter").resample("ME")["use"].sum().reset_index()
    found = {}
    for day in ("01-31", "02-29", "03-31"):
        lineage = predtrace.capture(df).trace(f"meter = 'a' and when = timestamp_ntz'2020-{day}'")
        assert lineage.exact
        found[day] = lineage.counts()
    assert found == {"01-31": {"local_1": 2}, "02-29": {"local_1": 0}, "03-31": {"local_1": 1}}


def test_groups_of_all_kinds_have_their_spans(spark: Any) -> None:
    """What the ends are is written into the plan."""
    frame = READINGS.assign(
        on=READINGS["when"].dt.normalize().iloc[0], size=[0.1, 0.1, 2.5, 2.5, 1e-9], ok=READINGS["use"] > 2
    )
    for keys in (["size"], ["ok", "on"], ["use"], ["meter", "size"]):
        same(
            lambda pd, df, keys=keys: df.set_index("when").groupby(keys).resample("W")["cost"].sum(), df=frame
        )
