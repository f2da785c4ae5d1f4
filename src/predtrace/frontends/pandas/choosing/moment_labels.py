"""Texts as labels of an index of moments: `df.loc["2020-01"]` means all of that month, where the index is finer."""

from __future__ import annotations

import datetime
from typing import Any

import pandas as pd
from pyspark.sql import functions as F

from predtrace.frontends.pandas.core.dtypes import BOOL
from predtrace.frontends.pandas.core.scalars import literal
from predtrace.frontends.pandas.core.spaces import Value

_UNITS = {"Y": "year", "Q": "quarter", "M": "month", "D": "day", "h": "hour", "min": "minute", "s": "second"}


def as_moment(label: Any) -> Any:
    """A label as an index of moments has it; a KeyError if it is none."""
    if isinstance(label, (str, datetime.date)):
        try:
            return pd.Timestamp(label)
        except ValueError:
            raise KeyError(label) from None
    return label


def named_span(label: str) -> tuple[pd.Timestamp, pd.Timestamp, str]:
    """The first moment of what a text names, the first one after it, and its unit.

    >>> named_span("2020-02")
    (Timestamp('2020-02-01 00:00:00'), Timestamp('2020-03-01 00:00:00'), 'month')
    """
    try:
        period = pd.Period(label)
    except ValueError:
        raise KeyError(label) from None
    unit = _UNITS.get(period.freqstr.partition("-")[0])
    if unit is None:  # finer than any text that people write: it is one moment
        moment = pd.Timestamp(label)
        return moment, moment + pd.Timedelta(1, "us"), "microsecond"
    return period.start_time, (period + 1).start_time, unit


def in_span(value: Value, label: str) -> Value | None:
    """Which moments are within what a text names; None if the text names one moment as the index has them.

    The index is finer if one of its moments is not the start of such a unit; Spark looks.
    """
    start, end, unit = named_span(label)
    if unit not in ("year", "quarter", "month"):
        finer = F.max(F.date_trunc(unit, value.column) != value.column)
        if not value.space.rows(value.uses).agg(finer).collect()[0][0]:
            return None
    column = (value.column >= literal(start, value.dtype)) & (value.column < literal(end, value.dtype))
    return value.with_column(F.coalesce(column, F.lit(False)), BOOL)
