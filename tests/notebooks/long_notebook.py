"""A notebook of any number of operators, as text: plain statements, one operator each, to see how time grows.

The statements go round: cleaning, new columns, filters, joins, groups, windows, sorting. Each round works on what
the one before left, and drops its helper columns, so that the frame does not grow.
"""

from __future__ import annotations

from itertools import cycle, islice

RESULT = "df"
"""The variable that has the last frame."""

START = """\
import numpy as np
import pandas as pd

df = pd.read_csv("data/nursery_sales.csv")
channels = pd.DataFrame({"channel": ["shop", "web", "market"], "fee": [0.0, 0.05, 0.12]})
"""

ROUND = (
    'df["plant"] = df["plant"].str.strip()',
    'df["qty"] = df["qty"].fillna({n} % 3)',
    'df["revenue"] = df["qty"] * df["price"] + {n} % 7',
    'df = df[df["sale"] != {n}]',
    'df = df.merge(channels, on="channel", how="left")',
    'df["net"] = df["revenue"] * (1 - df["fee"])',
    'df = df.drop(columns=["fee"])',
    'df["size"] = np.where(df["qty"] > {n} % 5, "large", "small")',
    'df.loc[df["net"] > 250, "net"] = 250.0',
    'df["mean_net"] = df.groupby("plant")["net"].transform("mean")',
    'df["above"] = df["net"] > df["mean_net"]',
    'df = df.sort_values(["month", "sale"])',
    'df["price"] = df["price"].apply(lambda p: p + 0.01 if p < 20 else p)',
    'df = df.rename(columns={{"mean_net": "usual"}})',
    'df["gap"] = (df["net"] - df["usual"]).round(2)',
    'df["label"] = df["plant"] + "-" + df["size"]',
    'df = df[df["label"] != "{n}"]',
    'df["qty"] = df["qty"].clip(upper=12)',
    'df["month"] = df["month"].map({{3: 3, 4: 4, 5: 5}})',
    'df = df.drop(columns=["usual", "label", "size", "above"])',
)


def long_notebook(operators: int = 200, rounds: tuple[str, ...] = ROUND) -> str:
    """The text of a notebook with so many statements after its start. `{n}` in one is its number.

    >>> print(long_notebook(3).removeprefix(START))
    df["plant"] = df["plant"].str.strip()
    df["qty"] = df["qty"].fillna(2 % 3)
    df["revenue"] = df["qty"] * df["price"] + 3 % 7
    """
    statements = islice(cycle(rounds), operators)
    return START + "\n".join(one.format(n=n) for n, one in enumerate(statements, start=1))
