"""`between_time` and `at_time`, compared with plain pandas."""

from __future__ import annotations

from typing import Any

import pandas
from tests.pandas_on_spark.expressions import all_refused, results_are_same

CALLS = pandas.DataFrame(
    {"n": range(7)},
    index=pandas.to_datetime(
        [
            "2024-03-01 09:00",
            "2024-03-01 17:30:00.000001",
            "2024-03-02 23:59:59.999999",
            None,
            "2024-02-29 00:00",
            "2024-03-01 09:00",
            "1969-12-31 17:30",
        ],
        format="ISO8601",
    ),
)


def test_rows_by_the_time_of_day(spark: Any) -> None:
    results_are_same(
        """
        df.between_time("09:00", "17:30")
        df.between_time("9:00", "17:30", inclusive="left")
        df.between_time("9:00", "17:30", inclusive="right")
        df.between_time("9:00", "17:30", inclusive="neither")
        df.n.between_time("17:30", "09:00")
        df.n.between_time("17:30", "09:00", inclusive="neither")
        df.between_time(pd.Timestamp('09:00').time(), pd.Timestamp('23:59:59.999999').time())
        df.between_time("0:00", "0:00")
        df.at_time("09:00")
        df.n.at_time(pd.Timestamp('17:30').time())
        df.at_time("5:30pm")
        df.between_time("9", "noon")
        df.between_time("09:00", "17:30", inclusive="none")
        df.reset_index().at_time("09:00")
        df.reset_index(drop=True).between_time("09:00", "17:30")
        """,
        df=CALLS,
    )


def test_what_is_not_made_for_spark(spark: Any) -> None:
    all_refused(
        """
        df.at_time("09:00", asof=True)
        df.between_time("09:00", "10:00", axis=1)
        """,
        df=CALLS,
    )
