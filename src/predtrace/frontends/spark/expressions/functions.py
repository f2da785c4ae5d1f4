"""Which Spark SQL function each Catalyst expression class is.

The tables hold the classes whose children, in order, are the function's arguments, in order. Every entry has
been checked against Spark: the examples of Spark's own function reference, read here and written back as SQL,
are analysed to the same type and evaluate to the same values (`tests/spark/test_expressions.py`). Classes
that are not listed and have no reader of their own are refused.
"""

from __future__ import annotations

from typing import Any

from predtrace.frontends.spark.expressions.function_table import (
    AGGREGATE_TABLE,
    FUNCTION_TABLE,
    REPLACED_TABLE,
)

PREDICATES = {
    "EqualTo": "=",
    "EqualNullSafe": "<=>",
    "LessThan": "<",
    "LessThanOrEqual": "<=",
    "GreaterThan": ">",
    "GreaterThanOrEqual": ">=",
    "And": "and",
    "Or": "or",
    "Not": "not",
    "IsNull": "isnull",
    "IsNotNull": "isnotnull",
    "In": "in",
    "RLike": "rlike",
}
"""Results are boolean, and NULL only if an argument is (IS NULL and `<=>`: never)."""

INFIX = {
    "Add": "+",
    "Subtract": "-",
    "Multiply": "*",
    "Divide": "/",
    "Remainder": "%",
    "IntegralDivide": "div",
    "UnaryMinus": "negative",
    "BitwiseAnd": "&",
    "BitwiseOr": "|",
    "BitwiseXor": "^",
    "BitwiseNot": "~",
    # Arithmetic with dates and intervals: the operand types decide, so the sign alone brings the class back.
    "DateAddInterval": "+",
    "DateAddYMInterval": "+",
    "TimeAdd": "+",
    "TimestampAddInterval": "+",
    "TimestampAddYMInterval": "+",
    "SubtractDates": "-",
    "SubtractTimestamps": "-",
    "MultiplyInterval": "*",
    "MultiplyYMInterval": "*",
    "MultiplyDTInterval": "*",
    "DivideInterval": "/",
    "DivideYMInterval": "/",
    "DivideDTInterval": "/",
    "GetArrayItem": "getitem",
    "GetMapValue": "getitem",
}

PLAIN_NUMBERS = frozenset({"byte", "short", "integer", "long", "float", "double"})

TRANSPARENT = (
    "Alias",
    "KnownNullable",
    "KnownNotNull",
    "KnownFloatingPointNormalized",
    "TempResolvedColumn",
    "SQLScalarFunction",
)
"""Wrappers that do not change the value."""

NON_DETERMINISTIC = frozenset(
    {
        "AesEncrypt",
        "CallMethodViaReflection",
        "CurrentDate",
        "CurrentTime",
        "CurrentTimestamp",
        "InputFileBlockLength",
        "InputFileBlockStart",
        "InputFileName",
        "LocalTimestamp",
        "MonotonicallyIncreasingID",
        "Now",
        "Rand",
        "RandStr",
        "Randn",
        "Shuffle",
        "SparkPartitionID",
        "TryReflect",
        "Uniform",
        "Uuid",
    }
)
"""Two runs may differ. The clock stands still during one run, but not between two;
encryption draws a random start although Spark calls it deterministic."""

WINDOW_FUNCTIONS = {
    "RowNumber": "row_number",
    "Rank": "rank",
    "DenseRank": "dense_rank",
    "PercentRank": "percent_rank",
    "CumeDist": "cume_dist",
    "NTile": "ntile",
    "Lag": "lag",
    "Lead": "lead",
    "NthValue": "nth_value",
}
RANKING = frozenset({"RowNumber", "Rank", "DenseRank", "PercentRank", "CumeDist"})
IGNORES_NULLS = frozenset({"First", "Last", "AnyValue"})

DATE_PARTS = {
    "SecondWithFraction": "SECOND",
    "YearOfWeek": "YEAROFWEEK",
    **{
        f"Extract{kind}{part}": part.upper().removesuffix("S")
        for kind in ("ANSIInterval", "Interval")
        for part in ("Years", "Months", "Days", "Hours", "Minutes", "Seconds")
    },
}
"""What Spark puts in the place of `extract`, where that is no function of its own."""


def _table(text: str) -> dict[str, str]:
    """Read `Class=function` words."""
    return dict(word.split("=", 1) for word in text.split())


FUNCTIONS = _table(FUNCTION_TABLE)
AGGREGATES = _table(AGGREGATE_TABLE)
REPLACED = _table(REPLACED_TABLE)
"""Functions that Spark implements by a replacement; their arguments stand in fields, in order."""


def name_of(kind: str) -> str:
    """The function of a class that has no reader of its own."""
    return INFIX.get(kind) or FUNCTIONS[kind]


def name_by_fields(kind: str, fields: dict[str, Any], ansi: bool) -> str:
    """The function of a class that several functions share.

    >>> name_by_fields("ParseToTimestamp", {"dataType": "timestamp_ntz", "failOnError": True}, True)
    'to_timestamp_ntz'
    """
    attempt = "try_" if fields.get("failOnError") is False or fields.get("ansiEnabled") is False else ""
    if kind in {"BinaryPad", "BinaryPredicate"}:
        return str(fields["funcName" if kind == "BinaryPad" else "prettyName"])
    if kind == "ElementAt":
        return "try_element_at" if attempt and ansi else "element_at"
    if kind == "ParseToDate":
        return "try_to_date" if attempt and ansi else "to_date"
    suffix = "ntz" if fields.get("dataType") == "timestamp_ntz" else "ltz"
    if kind == "ParseToTimestamp":
        return "try_to_timestamp" if attempt and ansi else f"to_timestamp_{suffix}"
    if kind == "MakeTimestamp":
        return f"{attempt if ansi else ''}make_timestamp_{suffix}"
    return attempt + SHARED[kind]


SHARED = {
    "ParseUrl": "parse_url",
    "UrlDecode": "url_decode",
    "ParseJson": "parse_json",
    "VariantArrayAppend": "variant_array_append",
    "VariantInsert": "variant_insert",
    "VariantSet": "variant_set",
}
