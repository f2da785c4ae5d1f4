"""The types both engines have, and what they widen to without loss."""

from __future__ import annotations

from collections.abc import Sequence

from predtrace.engines.duckdb_sql.unsupported import NotInDuckDB
from predtrace.ir.types import ArrayType, DataType, DecimalType, MapType, StructType

WHOLE = ("byte", "short", "integer", "long")
FLOATING = ("float", "double")

SCALARS = {
    "boolean": "BOOLEAN",
    "byte": "TINYINT",
    "short": "SMALLINT",
    "integer": "INTEGER",
    "long": "BIGINT",
    "float": "FLOAT",
    "double": "DOUBLE",
    "decimal": "DECIMAL",
    "string": "VARCHAR",
    "binary": "BLOB",
    "date": "DATE",
    "timestamp": "TIMESTAMP WITH TIME ZONE",
    "timestamp_ntz": "TIMESTAMP",
}
"""The types that expressions may have. A Spark timestamp is an instant, as is DuckDB's with a time zone."""


def scalar_type(type_: DataType) -> str:
    """DuckDB's name of a type.

    >>> scalar_type(DecimalType("decimal", 12, 2))
    'DECIMAL(12,2)'
    """
    if type_.name not in SCALARS:
        raise NotInDuckDB(f"values of type {type_}")
    if not isinstance(type_, DecimalType):
        return SCALARS[type_.name]
    if type_.scale < 0:
        raise NotInDuckDB(f"values of type {type_}")
    return f"DECIMAL({type_.precision},{type_.scale})"


def file_type(type_: DataType) -> str:
    """DuckDB's name of a type that a column of a file may have: nested ones too, which no expression reads."""
    if isinstance(type_, ArrayType):
        return f"{file_type(type_.element)}[]"
    if isinstance(type_, MapType):
        return f"MAP({file_type(type_.key)}, {file_type(type_.value)})"
    if isinstance(type_, StructType):
        return f"STRUCT({', '.join(f'{identifier(f.name)} {file_type(f.type)}' for f in type_.fields)})"
    return scalar_type(type_)


def identifier(name: str) -> str:
    """A name as DuckDB writes it.

    >>> identifier("order key")
    '"order key"'
    """
    return '"' + name.replace('"', '""') + '"'


def common_type(types: Sequence[DataType]) -> DataType:
    """The type that holds the values of all of these, none of them changed."""
    first = types[0]
    for type_ in types:
        scalar_type(type_)
    if all(type_ == first for type_ in types):
        return first
    if all(type_.name in WHOLE for type_ in types):
        return max(types, key=lambda type_: WHOLE.index(type_.name))
    decimals = [decimal for decimal in map(_as_decimal, types) if decimal is not None]
    if len(decimals) == len(types):
        scale = max(type_.scale for type_ in decimals)
        digits = max(type_.precision - type_.scale for type_ in decimals)
        if digits + scale <= 38:
            return DecimalType("decimal", digits + scale, scale)
    raise NotInDuckDB(f"{' and '.join(str(type_) for type_ in dict.fromkeys(types))} side by side")


_DIGITS = {"byte": 3, "short": 5, "integer": 10, "long": 19}


def _as_decimal(type_: DataType) -> DecimalType | None:
    if isinstance(type_, DecimalType):
        return type_
    return DecimalType("decimal", _DIGITS[type_.name], 0) if type_.name in WHOLE else None
