"""`merge_asof` gives what plain pandas gives, and each row depends on itself and on the one row that is beside it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas
import pytest
from tests.pandas_on_spark.same import same

import predtrace
import predtrace.pandas as ours

TRADES = pandas.DataFrame(
    {
        "t": pandas.to_datetime([f"2024-01-01 00:00:{second:02d}" for second in (1, 3, 3, 7, 20, 41)]),
        "n": [1, 3, 3, 7, 20, 41],
        "who": ["a", "b", None, "a", "c", "b"],
        "x": [1.5, np.nan, 2.5, 3.5, 4.5, 5.5],
    },
    index=[5, 4, 3, 2, 1, 0],
)
QUOTES = pandas.DataFrame(
    {
        "t": pandas.to_datetime([f"2024-01-01 00:00:{second:02d}" for second in (0, 3, 3, 5, 9, 9, 30, 40)]),
        "n": [0, 3, 3, 5, 9, 9, 30, 40],
        "who": ["a", "b", "b", None, "a", "c", "a", "b"],
        "x": [10, 20, 30, 40, 50, 60, 70, 80],
        "bid": range(8),
    }
)


@pytest.mark.parametrize("direction", ["backward", "forward", "nearest"])
@pytest.mark.parametrize("exact", [True, False])
def test_directions(spark: Any, direction: str, exact: bool) -> None:
    options: Any = {"direction": direction, "allow_exact_matches": exact}

    def program(pd: Any, trades: Any, quotes: Any) -> Any:
        return [
            pd.merge_asof(trades, quotes, on="t", **options),
            pd.merge_asof(trades, quotes, on="n", by="who", **options),
            pd.merge_asof(trades, quotes, on="t", by="who", tolerance=pd.Timedelta("4s"), **options),
            pd.merge_asof(trades[["n"]], quotes[["n", "bid"]], on="n", tolerance=2, **options),
        ]

    same(program, trades=TRADES, quotes=QUOTES)


def test_other_names_and_suffixes(spark: Any) -> None:
    def program(pd: Any, trades: Any, quotes: Any) -> Any:
        quotes = quotes.rename(columns={"t": "since", "who": "whose"})
        found = pd.merge_asof(
            trades.sort_values("t"),
            quotes,
            left_on="t",
            right_on="since",
            left_by=["who"],
            right_by=["whose"],
            suffixes=("", "_quoted"),
        )
        late = pd.merge_asof(trades[trades["n"] > 3], quotes[quotes["n"] < 4], left_on="t", right_on="since")
        return [found, late, pd.merge_asof(trades, quotes.iloc[:0], left_on="t", right_on="since")]

    same(program, trades=TRADES, quotes=QUOTES)


@pytest.mark.parametrize(
    "options",
    [
        {"on": "who"},
        {"on": "t", "tolerance": "1s"},
        {"on": "n", "tolerance": 1.5},
        {"on": "n", "tolerance": -1},
        {"on": "t", "direction": "sideways"},
        {"on": "t", "by": "x"},
        {"on": "bid"},
        {"on": ["t", "n"]},
        {},
    ],
)
def test_errors(spark: Any, options: Any) -> None:
    same(lambda pd, a, b: pd.merge_asof(a, b, **options), a=TRADES, b=QUOTES)


def test_keys_out_of_order_and_missing_ones(spark: Any) -> None:
    for a, b in ((TRADES[::-1], QUOTES), (TRADES, QUOTES[::-1]), (TRADES, QUOTES.assign(t=pandas.NaT))):
        same(lambda pd, a, b: pd.merge_asof(a, b, on="t"), a=a, b=b)


def test_a_row_depends_on_the_one_beside_it(
    spark: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PREDTRACE_CACHE", str(tmp_path / "cache"))
    TRADES.to_csv(tmp_path / "trades.csv", index=False)
    QUOTES.to_csv(tmp_path / "quotes.csv", index=False)
    trades, quotes = (
        ours.read_csv(tmp_path / f"{name}.csv", parse_dates=["t"]) for name in ("trades", "quotes")
    )
    pipeline = predtrace.capture(ours.merge_asof(trades, quotes, on="t", by="who"))
    for trade, found in ((7, [0]), (3, [2]), (20, [5])):
        lineage = pipeline.trace(f"n_x = {trade} and who is not null")
        assert lineage.exact, lineage.why_not_exact
        assert lineage["trades"].count() == 1
        assert sorted(lineage["quotes"].to_pandas()["row"]) == found
