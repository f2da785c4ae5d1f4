"""A value for each column of a frame, as users give it: a scalar, a dict, a series over the labels, a row.

`df.fillna(df.mean())` and `df - df.min()` take one value of the series for each column: a scalar, so that the
result is still known to depend on the rows of the mean.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from predtrace.frontends.pandas.core.elements import is_series
from predtrace.frontends.pandas.core.scalars import Scalar, value_in
from predtrace.frontends.pandas.core.stacked import scalars_of
from predtrace.frontends.pandas.core.steps import refused
from predtrace.frontends.pandas.core.tables import Label


def for_columns(given: Any, labels: Sequence[Label]) -> dict[Label, Any]:
    """The value for each of the columns that have one."""
    by_label = labelled_values(given)
    if by_label is None:
        return dict.fromkeys(labels, given)
    return {label: by_label[label] for label in labels if label in by_label}


def labelled_values(given: Any) -> dict[Label, Any] | None:
    """The values of something that has one for each label; None if it is no such thing."""
    from predtrace.frontends.pandas.choosing.one_row import Row

    if isinstance(given, (Mapping, pd.Series)):
        return dict(given)
    if isinstance(given, Row):
        return {label: given[label] for label in given._table.labels}
    return _scalars(given) if is_series(given) else None


def _scalars(series: Any) -> dict[Label, Scalar]:
    """Each value of a series as a scalar. Its labels are those of columns, so Python must know them."""
    known = scalars_of(series._table)
    if known is not None:
        return known
    table = series._table.indexed()
    levels = table.levels()
    if len(levels) > 1:
        raise refused("a series over columns", "its index has several levels")
    level, value = levels[0].value, table.columns[0][1]
    labels = [row["label"] for row in table.rows().select(level.column.alias("label")).collect()]
    if len(set(labels)) < len(labels):
        raise refused("a series over columns", "a label comes twice in its index")
    found: dict[Label, Scalar] = {}
    for label in labels:
        here = level.column.eqNullSafe(value_in(table.space, label).column)
        rows = table.rows().where(here).select(value.column.alias("value"))
        found[label] = Scalar(rows, value.dtype)
    return found
