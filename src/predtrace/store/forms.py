"""Types that Parquet has no form for, in one that it has, and back.

A column without a type (`void`) holds only NULLs and is kept as booleans; a calendar interval is kept as its text.
Both may be nested in others.
"""

from __future__ import annotations

from dataclasses import replace

from predtrace.ir.literal_sql import string_sql
from predtrace.ir.types import BOOLEAN, STRING, ArrayType, DataType, MapType, StructType, contains, quoted

_STORED = {"void": BOOLEAN, "calendar_interval": STRING}


def stored_type(type_: DataType) -> DataType:
    """The type in which values are kept.

    >>> stored_type(ArrayType("array", DataType("void"))).sql()
    'ARRAY<BOOLEAN>'
    """
    match type_:
        case ArrayType():
            return replace(type_, element=stored_type(type_.element))
        case MapType():
            return replace(type_, key=stored_type(type_.key), value=stored_type(type_.value))
        case StructType():
            return replace(type_, fields=tuple(replace(f, type=stored_type(f.type)) for f in type_.fields))
    return _STORED.get(type_.name, type_)


def to_stored(sql: str, type_: DataType) -> str:
    """An expression of a type, as SQL, in the form that is kept."""
    kept = stored_type(type_)
    return sql if kept == type_ else f"CAST({sql} AS {kept.sql()})"


def from_stored(sql: str, type_: DataType, depth: int = 0) -> str:
    """An expression that reads what was kept, as one of the type.

    >>> from_stored("x", ArrayType("array", DataType("void")))
    'transform(x, v0 -> NULL)'
    """
    if not contains(type_, *_STORED):
        return sql
    value = f"v{depth}"
    match type_:
        case ArrayType(element=element):
            return f"transform({sql}, {value} -> {from_stored(value, element, depth + 1)})"
        case MapType(key=key, value=inner):
            k = f"k{depth}"
            keys = f"transform_keys({sql}, ({k}, {value}) -> {from_stored(k, key, depth + 1)})"
            return f"transform_values({keys}, ({k}, {value}) -> {from_stored(value, inner, depth + 1)})"
        case StructType(fields=fields):
            parts = (
                f"{string_sql(f.name)}, {from_stored(f'({sql}).{quoted(f.name)}', f.type, depth + 1)}"
                for f in fields
            )
            return f"if({sql} IS NULL, NULL, named_struct({', '.join(parts)}))"
    return "NULL" if type_.name == "void" else f"CAST({sql} AS {type_.sql()})"
