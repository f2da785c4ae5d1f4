"""Plans as JSON: records whose fields hold other records, parts of the operator model or plain values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any, TypeVar

from predtrace.errors import InputError
from predtrace.ir.serialise import decode, encode

Record = TypeVar("Record")
Nesting = Mapping[type, Mapping[str, type]]
"""For each kind of record: the fields that hold tuples of records."""


def document(name: str, version: int, record: Any, nesting: Nesting) -> dict[str, Any]:
    """The JSON form of a plan, as Python dictionaries and lists."""
    return {name: version, **_written(record, nesting)}


def from_document(
    name: str, version: int, kind: type[Record], found: dict[str, Any], nesting: Nesting
) -> Record:
    """The plan of a JSON form."""
    known = found.get(name) if isinstance(found, dict) else None
    if known != version:
        raise InputError(
            f"this is version {known!r} of the {name.replace('_', ' ')} format, and only {version} is known",
            todo="capture the pipeline again, or use the version of predtrace that wrote it",
        )
    return _read(kind, {key: value for key, value in found.items() if key != name}, nesting)


def _written(record: Any, nesting: Nesting) -> dict[str, Any]:
    nested = nesting[type(record)]
    values = {field.name: getattr(record, field.name) for field in fields(record)}
    return {n: [_written(r, nesting) for r in v] if n in nested else encode(v) for n, v in values.items()}


def _read(kind: type[Record], found: dict[str, Any], nesting: Nesting) -> Record:
    nested = nesting[kind]
    wanted = {field.name for field in fields(kind)}  # type: ignore[arg-type]
    if set(found) != wanted:
        odd = ", ".join(sorted(set(found) ^ wanted))
        raise InputError(f"{kind.__name__} has other fields than this version knows: {odd}")
    values: dict[str, Any] = {
        n: tuple(_read(nested[n], r, nesting) for r in v) if n in nested else decode(v)
        for n, v in found.items()
    }
    return kind(**values)
