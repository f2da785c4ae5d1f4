"""`to_datetime`: texts, numbers and parts of dates as moments.

Without a format pandas guesses one from the first text that is there, and reads all others by it. The guess is
pandas' own, of that very text; then every text is read by pandas with the format, in batches.

Spark looks at all values when the function is called, for what pandas would raise, and for what no column holds: time
zones, and parts of a microsecond.
"""

from __future__ import annotations

import warnings
from typing import Any

import pandas as pd
from pandas.tseries.api import guess_datetime_format
from pyspark.sql import Column
from pyspark.sql import types as spark
from pyspark.sql.udf import UserDefinedFunction
from pyspark.util import PythonEvalType

from predtrace.frontends.own_functions import declare_own
from predtrace.frontends.pandas.applying.calling import Function
from predtrace.frontends.pandas.applying.returned import DATE
from predtrace.frontends.pandas.core.dtypes import MOMENT
from predtrace.frontends.pandas.core.held import Held
from predtrace.frontends.pandas.core.scalars import Scalar
from predtrace.frontends.pandas.core.spaces import Value
from predtrace.frontends.pandas.core.steps import only, refused
from predtrace.frontends.pandas.core.tables import Table

_CALL = "to_datetime()"
_NOTHING = ("", "NaT", "nat", "NAT", "nan", "NaN", "NAN", "now", "today")
"""Texts that pandas takes for missing, or for no example of a format."""
_PARTS = {"year": "year", "month": "month", "day": "day", "hour": "h", "minute": "m", "second": "s"}
_PARTS |= {f"{name}s": part for name, part in _PARTS.items()} | {"ms": "ms", "us": "us"}


def to_datetime(
    arg: Any,
    errors: str = "raise",
    dayfirst: bool = False,
    yearfirst: bool = False,
    utc: bool = False,
    format: str | None = None,
    exact: Any = None,
    unit: str | None = None,
    infer_datetime_format: Any = None,
    origin: Any = "unix",
    cache: bool = True,
) -> Any:
    """Texts, numbers of a unit, or parts of dates as moments."""
    from predtrace.frontends.pandas.frame import DataFrame
    from predtrace.frontends.pandas.series import Series

    if errors not in ("ignore", "raise", "coerce"):
        raise ValueError("errors must be one of 'ignore', 'raise', or 'coerce'.")
    options = {"dayfirst": dayfirst, "yearfirst": yearfirst, "format": format, "unit": unit}
    if exact is not None:
        options["exact"] = exact
    is_parts = isinstance(arg, dict) and any(isinstance(one, Held) for one in arg.values())
    if not isinstance(arg, Held) and not is_parts:
        given = arg._known if isinstance(arg, Scalar) else arg
        return pd.to_datetime(given, errors=errors, utc=utc, origin=origin, **options)
    only(_CALL, {"utc": False, "origin": "unix"}, {"utc": utc, "origin": origin})
    if is_parts:
        arg = DataFrame(arg)
    if isinstance(arg, DataFrame):
        return _assembled(arg, errors)
    assert isinstance(arg, Series)
    return _converted(arg, errors, options)


def _converted(series: Any, errors: str, options: dict[str, Any]) -> Any:
    value = series._value
    if value.dtype.is_moment:
        return series.copy()
    if value.dtype == DATE.missing(value.dtype.may_miss) and options["unit"] is None:
        return series._made(value.with_column(value.column.cast("timestamp_ntz"), MOMENT))
    if not (value.dtype.is_text or (value.dtype.is_number and not value.dtype.is_bool)):
        raise TypeError(f"dtype {value.dtype.name} cannot be converted to datetime64[ns]")
    if options["unit"] is not None and (options["format"] is not None or value.dtype.is_text):
        if options["format"] is not None:
            raise ValueError("cannot specify both format and unit")
        raise refused(_CALL, "the values are texts, and a unit is given")
    table = series._table
    value = table.columns[0][1]
    if options["format"] is None and options["unit"] is None:
        guessed = _guessed(table, value, options["dayfirst"]) if value.dtype.is_text else None
        options = {**options, "format": guessed or ("mixed" if value.dtype.is_text else None)}
    kinds = _kinds(table, value, options)
    if "zoned" in kinds:
        raise refused(_CALL, "there are moments with a time zone, which no column holds")
    if "failed" in kinds and errors == "ignore":
        return series.copy()
    if "failed" in kinds and errors == "raise":
        _raise_first(table, value, options)
    if "finer" in kinds:
        raise refused(_CALL, "there are moments with parts of a microsecond")
    return series._made(
        value.with_column(_by_batches(reading_batches(options), MOMENT.spark, value.column), MOMENT)
    )


def _by_batches(function: Function, returns: spark.DataType, column: Column) -> Column:
    return UserDefinedFunction(function, returns, "to_datetime", PythonEvalType.SQL_SCALAR_PANDAS_UDF)(column)


def reading_batches(options: dict[str, Any]) -> Function:
    """A function that reads a batch of values; what it cannot read is missing."""

    def parse(values: Any) -> Any:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = pd.to_datetime(values, errors="coerce", **options)
        return found.astype("datetime64[us]")

    def parse_one(value: Any) -> Any:
        moment = None if value is None else parse(pd.Series([value])).iloc[0]
        return None if moment is None or pd.isna(moment) else moment.to_pydatetime()

    declare_own(parse, "to_datetime", options, parse_one)
    return parse


def _teller(options: dict[str, Any]) -> Function:
    """A function that says of each value in a batch whether it can be read, and whether a column can hold it."""
    nothing = _NOTHING

    def tell(values: Any) -> Any:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = pd.to_datetime(values, errors="coerce", **options)
        if str(found.dtype) != "datetime64[ns]":
            return pd.Series("zoned", index=values.index)
        told = pd.Series("read", index=values.index)
        told[found.dt.nanosecond > 0] = "finer"
        told[found.isna() & values.notna() & ~values.isin(nothing)] = "failed"
        return told

    return tell


def _kinds(table: Table, value: Value, options: dict[str, Any]) -> set[str]:
    told = _by_batches(_teller(options), spark.StringType(), value.column)
    return {row.kind for row in table.space.rows(value.uses).select(told.alias("kind")).distinct().collect()}


def _raise_first(table: Table, value: Value, options: dict[str, Any]) -> None:
    """Raise what pandas raises for the first value that it cannot read."""
    failed = _by_batches(_teller(options), spark.StringType(), value.column) == "failed"
    ((first,),) = _ordered(table, value, failed).limit(1).collect()
    pd.to_datetime(pd.Series([first]), **options)
    raise ValueError(f"{first!r} is no moment")


def _guessed(table: Table, value: Value, dayfirst: bool) -> str | None:
    """The format that pandas guesses; None if it would read each text by itself."""
    is_example = value.column.isNotNull() & ~value.column.isin(*_NOTHING)
    examples = _ordered(table, value, is_example).limit(2).collect()
    if not examples:
        return None
    found: str | None = guess_datetime_format(examples[0][0], dayfirst=dayfirst)
    if found is None and len(examples) > 1:
        warnings.warn(
            "Could not infer format, so each element will be parsed individually, falling back to `dateutil`. To "
            "ensure parsing is consistent and as-expected, please specify a format.",
            UserWarning,
            stacklevel=2,
        )
    return found


def _ordered(table: Table, value: Value, condition: Column) -> Any:
    names = [*value.uses, *(key.name for key in table.order)]
    rows = table.space.rows(names).where(condition)
    return rows.orderBy(*(key.column() for key in table.order)).select(value.column)


def _assembled(frame: Any, errors: str) -> Any:
    """Moments from columns of years, months, days and so on."""
    from predtrace.frontends.pandas.cleaning.converting import to_numeric, to_timedelta

    parts = {_PARTS.get(str(label).lower(), str(label)): label for label in frame.columns}
    lacking = sorted({"year", "month", "day"} - set(parts))
    if lacking:
        raise ValueError(
            "to assemble mappings requires at least that [year, month, day] be specified: "
            f"[{','.join(lacking)}] is missing"
        )
    others = sorted(set(parts) - set(_PARTS.values()))
    if others:
        raise ValueError(f"extra keys have been passed to the datetime assemblage: [{','.join(others)}]")

    def number(part: str) -> Any:
        return to_numeric(frame[parts[part]], errors=errors)

    days = number("year") * 10000 + number("month") * 100 + number("day")
    try:
        moments = to_datetime(days, format="%Y%m%d", errors=errors)
    except ValueError as problem:
        raise ValueError(f"cannot assemble the datetimes: {problem}") from problem
    for part in ("h", "m", "s", "ms", "us"):
        if part in parts:
            moments = moments + to_timedelta(number(part), unit=part, errors=errors)
    return moments
