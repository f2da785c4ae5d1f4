"""Functions of rows and of groups are given periods and intervals as pandas has them."""

from __future__ import annotations

from typing import Any

import pandas
import pytest
from tests.pandas_on_spark.same import given, same

import predtrace
from predtrace.errors import PredtraceError

ORDERS = pandas.DataFrame(
    {
        "who": ["ann", "bob", "ann", "cid", "bob", "bob"],
        "day": pandas.to_datetime(
            ["2024-01-05", "2024-02-01", "2024-02-03", None, "2024-01-09", "2024-02-20"]
        ),
        "paid": [3.0, 2.5, 4.5, 1.0, 2.0, 9.0],
        "age": [20.0, 35.0, 20.0, None, 35.0, 70.0],
    }
)


def with_months(orders: Any) -> Any:
    orders["month"] = orders["day"].dt.to_period("M")
    return orders


def test_functions_of_groups_beside_periods(spark: Any) -> None:
    """Every function of whole groups was refused where the frame had a column of periods."""

    def program(pd: Any, orders: Any) -> Any:
        orders = with_months(orders)
        groups = orders.groupby("who")
        return [
            orders.groupby("who", group_keys=False)[["who", "month", "paid"]].apply(
                lambda rows: rows.nlargest(1, "paid")
            ),
            groups.filter(lambda rows: rows["month"].nunique() > 1),
            groups[["month", "paid"]].apply(
                lambda rows: pandas.Series(
                    {"first": rows["month"].min(), "n": len(rows), "months": rows["month"].nunique()}
                )
            ),
            groups["month"].apply(lambda months: months.max()),
            groups[["month"]].apply(lambda rows: rows["month"].min()),
            groups.agg(last=("month", lambda months: months.max()), n=("paid", lambda paid: len(paid))),
            orders.dropna().groupby("who")["month"].transform(lambda months: months.max()),
        ]

    same(program, orders=ORDERS)


def test_functions_of_groups_by_periods(spark: Any) -> None:
    def program(pd: Any, orders: Any) -> Any:
        by_month = with_months(orders).groupby("month")
        return [
            by_month[["who", "paid"]].apply(lambda rows: rows["paid"].sum() / rows["who"].nunique()),
            by_month["who"].apply(lambda names: ", ".join(sorted(set(names)))),
            by_month["paid"].transform(lambda paid: paid / paid.sum()),
            by_month[["who", "paid"]].apply(lambda rows: rows.sort_values("paid").head(1)),
        ]

    same(program, orders=ORDERS)


def test_a_group_depends_on_its_own_rows(spark: Any) -> None:
    by_month = with_months(given(ORDERS)).groupby("month")
    found = by_month[["paid"]].apply(lambda rows: rows["paid"].sum())
    lineage = predtrace.capture(found.rename("sum").reset_index()).trace("sum = 5.0")
    assert lineage.exact
    assert max(lineage.counts().values()) == 2


def test_functions_of_rows_with_periods(spark: Any) -> None:
    def program(pd: Any, orders: Any) -> Any:
        orders = with_months(orders)
        return [
            orders["month"].apply(str),
            orders["month"].map(lambda month: month.year if month is not pandas.NaT else 0),
            orders.apply(lambda row: f"{row['month']} {row['who']}", axis=1),
            orders.apply(lambda row: len(row.dropna()), axis=1),
        ]

    same(program, orders=ORDERS)


def test_functions_of_rows_with_intervals(spark: Any) -> None:
    """A whole row was refused where a column of the frame came from `cut` without labels."""

    def program(pd: Any, orders: Any) -> Any:
        orders["band"] = pd.cut(orders["age"], [0, 30, 60, 90])
        orders["left"] = pd.cut(orders["age"], [0, 35, 90], right=False)

        def described(row: Any, least: int) -> Any:
            age, paid = row[["age", "paid"]]
            return paid if age > least else 0.0

        return [
            orders.apply(described, axis=1, args=(30,)),
            orders.apply(lambda row: row["band"].right if row.notna().all() else -1, axis=1),
            orders.apply(lambda row: f"{row['band']} {row['left']}", axis=1),
        ]

    same(program, orders=ORDERS)


def test_refusals_name_the_line_of_the_program(spark: Any) -> None:
    """They named a line of Python's own library."""
    orders = given(ORDERS)
    orders["week"] = orders["day"].dt.isocalendar().week
    with pytest.raises(PredtraceError, match=r"UInt32.*test_kept_in_functions\.py"):
        orders["week"].apply(lambda week: week + 1)
