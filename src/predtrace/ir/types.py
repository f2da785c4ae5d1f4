"""Spark's data types as plain data.

The text forms are Spark's: `from_json` reads what `DataType.json` and plan JSON contain, `sql` writes
what `CAST(x AS ...)` takes.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Any

from predtrace.errors import PlanIntegrityError


@dataclass(frozen=True)
class DataType:
    """A type without parameters, named as Spark's JSON names it: `integer`, `string`, `date`..."""

    name: str

    def sql(self) -> str:
        return _SQL_NAMES.get(self.name, self.name.upper())

    def parts(self) -> tuple[DataType, ...]:
        """The types nested directly inside this one."""
        return ()

    def __str__(self) -> str:
        return self.sql().lower()


@dataclass(frozen=True)
class DecimalType(DataType):
    precision: int
    scale: int

    def sql(self) -> str:
        return f"DECIMAL({self.precision},{self.scale})"


@dataclass(frozen=True)
class ArrayType(DataType):
    element: DataType
    contains_null: bool = True

    def sql(self) -> str:
        return f"ARRAY<{self.element.sql()}>"

    def parts(self) -> tuple[DataType, ...]:
        return (self.element,)


@dataclass(frozen=True)
class MapType(DataType):
    key: DataType
    value: DataType
    value_contains_null: bool = True

    def sql(self) -> str:
        return f"MAP<{self.key.sql()}, {self.value.sql()}>"

    def parts(self) -> tuple[DataType, ...]:
        return (self.key, self.value)


@dataclass(frozen=True)
class Field:
    name: str
    type: DataType
    nullable: bool = True


@dataclass(frozen=True)
class StructType(DataType):
    fields: tuple[Field, ...]

    def sql(self) -> str:
        inner = ", ".join(f"{quoted(f.name)}: {f.type.sql()}" for f in self.fields)
        return f"STRUCT<{inner}>"

    def parts(self) -> tuple[DataType, ...]:
        return tuple(f.type for f in self.fields)


def quoted(name: str) -> str:
    """A name as a Spark SQL identifier.

    >>> quoted("order `id`")
    '`order ``id```'
    """
    return "`" + name.replace("`", "``") + "`"


_SQL_NAMES = {
    "integer": "INT",
    "long": "BIGINT",
    "short": "SMALLINT",
    "byte": "TINYINT",
    "calendar_interval": "INTERVAL",
}

_DECIMAL = re.compile(r"decimal\((\d+),\s*(-?\d+)\)")

BOOLEAN = DataType("boolean")
INTEGER = DataType("integer")
LONG = DataType("long")
STRING = DataType("string")
DOUBLE = DataType("double")
DATE = DataType("date")
VOID = DataType("void")


def from_json(value: Any) -> DataType:
    """Read a type from Spark's JSON form.

    >>> from_json("decimal(12,2)").sql()
    'DECIMAL(12,2)'
    >>> from_json({"type": "array", "elementType": "long", "containsNull": False}).sql()
    'ARRAY<BIGINT>'
    """
    if isinstance(value, str):
        match = _DECIMAL.fullmatch(value)
        if match:
            return DecimalType("decimal", int(match[1]), int(match[2]))
        return DataType({"interval": "calendar_interval"}.get(value, value))
    kind = value.get("type")
    if kind == "array":
        return ArrayType("array", from_json(value["elementType"]), value["containsNull"])
    if kind == "map":
        return MapType(
            "map", from_json(value["keyType"]), from_json(value["valueType"]), value["valueContainsNull"]
        )
    if kind == "struct":
        return StructType("struct", tuple(map(field_from_json, value["fields"])))
    if kind == "udt":
        return from_json(value["sqlType"])
    raise PlanIntegrityError(f"unknown type {value!r}", todo="report it with the query")


def field_from_json(value: Any) -> Field:
    """Read a field of a struct, whose collations Spark's JSON has beside its type.

    >>> collations = {"__COLLATIONS": {"names.element": "icu.UNICODE_CI"}}
    >>> names = {"type": "array", "elementType": "string", "containsNull": False}
    >>> field_from_json({"name": "names", "type": names, "nullable": True, "metadata": collations}).type.sql()
    'ARRAY<STRING COLLATE UNICODE_CI>'
    """
    collations = (value.get("metadata") or {}).get("__COLLATIONS", {})
    type_ = _collated(from_json(value["type"]), value["name"], collations)
    return Field(value["name"], type_, value["nullable"])


def _collated(type_: DataType, path: str, collations: dict[str, str]) -> DataType:
    if isinstance(type_, ArrayType):
        return replace(type_, element=_collated(type_.element, f"{path}.element", collations))
    if isinstance(type_, MapType):
        key, value = (
            _collated(part, f"{path}.{name}", collations)
            for part, name in ((type_.key, "key"), (type_.value, "value"))
        )
        return replace(type_, key=key, value=value)
    if path not in collations:
        return type_
    return DataType(f"string collate {collations[path].partition('.')[2]}")


def contains(type_: DataType, *names: str) -> bool:
    """Whether a type is, or has nested in it, one of the named types.

    >>> contains(ArrayType("array", DOUBLE), "double", "float")
    True
    """
    return type_.name in names or any(contains(part, *names) for part in type_.parts())


def is_collated(type_: DataType) -> bool:
    """Whether different texts may be equal in it, as under `UTF8_LCASE`: one stands for all, any of them.

    >>> is_collated(STRING), is_collated(ArrayType("array", DataType("string collate UTF8_LCASE")))
    (False, True)
    """
    return type_.name.startswith("string collate") or any(map(is_collated, type_.parts()))


def is_comparable(type_: DataType) -> bool:
    """Whether Spark can compare values of a type, as semi joins and DISTINCT do."""
    return not contains(type_, "map", "variant", "interval", "calendar_interval")
