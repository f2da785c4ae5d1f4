"""The casts, by the names of both types. TRY_CAST: NULL where Spark fails."""

from __future__ import annotations

from collections.abc import Callable

from predtrace.engines.duckdb_sql.types import WHOLE, scalar_type
from predtrace.engines.duckdb_sql.unsupported import NotInDuckDB
from predtrace.ir.types import DataType, DecimalType

Rule = Callable[[str, DataType, DataType], str]
"""Text of the value, its type, the type it becomes."""

_EXACT_IN_DOUBLE = 15
"""Decimal digits that a double holds exactly. Beyond, DuckDB rounds twice."""


def _plain(value: str, source: DataType, target: DataType) -> str:
    return f"CAST({value} AS {scalar_type(target)})"


def _attempt(value: str, source: DataType, target: DataType) -> str:
    return f"TRY_CAST({value} AS {scalar_type(target)})"


def _cut_off(value: str, source: DataType, target: DataType) -> str:
    """Spark cuts fractions off, DuckDB rounds them."""
    return f"TRY_CAST(trunc({value}) AS {scalar_type(target)})"


def _not_zero(value: str, source: DataType, target: DataType) -> str:
    return f"({value} <> 0)"


def _short_decimal(value: str, source: DataType, target: DataType) -> str:
    if isinstance(source, DecimalType) and source.precision > _EXACT_IN_DOUBLE:
        raise NotInDuckDB(f"a cast from {source} to {target}")
    return _plain(value, source, target)


def _pairs(sources: tuple[str, ...], targets: tuple[str, ...], rule: Rule) -> dict[tuple[str, str], Rule]:
    return {(source, target): rule for source in sources for target in targets}


CASTS: dict[tuple[str, str], Rule] = {
    **_pairs(WHOLE, (*WHOLE, "decimal"), _attempt),
    **_pairs(WHOLE, ("float", "double", "string"), _plain),
    **_pairs(WHOLE, ("boolean",), _not_zero),
    **_pairs(("boolean",), (*WHOLE, "string"), _plain),
    **_pairs(("decimal",), ("decimal",), _attempt),
    **_pairs(("decimal",), WHOLE, _cut_off),
    **_pairs(("decimal",), ("double",), _short_decimal),
    **_pairs(("float",), ("double",), _plain),
    # Not to a long: Spark makes the largest long of 2^63, which does not fit.
    **_pairs(("float", "double"), ("byte", "short", "integer"), _cut_off),
    **_pairs(("date",), ("timestamp_ntz",), _plain),
    **_pairs(("timestamp_ntz",), ("date",), _plain),
}


def cast(value: str, source: DataType, target: DataType) -> str:
    """The text of a value cast to another type."""
    scalar_type(source)
    if source == target:
        return value
    rule = CASTS.get((source.name, target.name))
    if rule is None:
        raise NotInDuckDB(f"a cast from {source} to {target}")
    return rule(value, source, target)
