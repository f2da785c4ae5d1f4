"""Spark's types in Arrow: rows have the same Arrow schema whichever engine selects them."""

from __future__ import annotations

import pyarrow

from predtrace.engines.duckdb_sql import NotInDuckDB
from predtrace.ir.types import ArrayType, DataType, DecimalType, Field, MapType, StructType

_SCALARS = {
    "boolean": pyarrow.bool_(),
    "byte": pyarrow.int8(),
    "short": pyarrow.int16(),
    "integer": pyarrow.int32(),
    "long": pyarrow.int64(),
    "float": pyarrow.float32(),
    "double": pyarrow.float64(),
    "string": pyarrow.string(),
    "binary": pyarrow.binary(),
    "date": pyarrow.date32(),
    "timestamp_ntz": pyarrow.timestamp("us"),
}


def arrow_schema(schema: StructType, time_zone: str) -> pyarrow.Schema:
    """The schema that Spark gives rows in Arrow; `time_zone` is that of the session.

    >>> from predtrace.ir.types import INTEGER, STRING
    >>> arrow_schema(StructType("struct", (Field("id", INTEGER), Field("tags", ArrayType("array", STRING)))), "UTC")
    id: int32
    tags: list<element: string>
      child 0, element: string
    """
    return pyarrow.schema([_field(field, time_zone) for field in schema.fields])


def _field(field: Field, time_zone: str) -> pyarrow.Field:
    return pyarrow.field(field.name, arrow_type(field.type, time_zone), nullable=field.nullable)


def arrow_type(type_: DataType, time_zone: str) -> pyarrow.DataType:
    """The type that Spark gives values in Arrow."""
    match type_:
        case DecimalType():
            return pyarrow.decimal128(type_.precision, type_.scale)
        case ArrayType():
            return pyarrow.list_(_field(Field("element", type_.element, type_.contains_null), time_zone))
        case MapType():
            value = _field(Field("value", type_.value, type_.value_contains_null), time_zone)
            return pyarrow.map_(_field(Field("key", type_.key, nullable=False), time_zone), value)
        case StructType():
            return pyarrow.struct([_field(field, time_zone) for field in type_.fields])
    if type_.name == "timestamp":
        return pyarrow.timestamp("us", tz=time_zone)
    if type_.name not in _SCALARS:
        raise NotInDuckDB(f"values of type {type_}")
    return _SCALARS[type_.name]
