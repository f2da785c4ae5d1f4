"""Operators and expressions as JSON, and back: `from_json(to_json(x)) == x`, names and origins included.

Every node is an object that names its class: `{"is": "Filter", "condition": ...}`. Tuples are lists; values
JSON has no form for (decimals, dates, bytes, NaN) are objects too. No code is ever loaded: a class that is
not part of the model is an error.
"""

from __future__ import annotations

import dataclasses
import json
import math
from collections.abc import Callable
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from enum import Enum
from types import ModuleType
from typing import Any

from predtrace.errors import InputError, PlanIntegrityError
from predtrace.ir import expressions, predicates, types
from predtrace.ir.expressions import Expression
from predtrace.ir.operators import base, grouping, joins, rows, sets, sources
from predtrace.ir.operators.base import Operator

VERSION = 2


def _classes(*modules: ModuleType) -> dict[str, type]:
    found: dict[str, type] = {}
    for module in modules:
        for name, value in vars(module).items():
            own = isinstance(value, type) and value.__module__ == module.__name__
            if own and (dataclasses.is_dataclass(value) or issubclass(value, Enum)):
                found[name] = value
    return found


_MODEL = _classes(types, expressions, predicates, base, grouping, joins, rows, sets, sources)


def to_json(node: Operator | Expression) -> dict[str, Any]:
    """The JSON form, as Python dictionaries and lists."""
    return {"predtrace": VERSION, "node": encode(node)}


def from_json(document: dict[str, Any]) -> Any:
    """The operator or expression of a JSON form; checks it as if it had been built anew."""
    version = document.get("predtrace") if isinstance(document, dict) else None
    if version != VERSION:
        raise InputError(
            f"this is version {version!r} of the operator format, and only {VERSION} is known",
            todo="capture the pipeline again, or use the version of predtrace that wrote it",
        )
    if "node" not in document:
        raise InputError("the document holds no operators", todo="capture the pipeline again")
    return decode(document["node"])


def to_text(node: Operator | Expression) -> str:
    """The JSON form as text."""
    return json.dumps(to_json(node), ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def from_text(text: str) -> Any:
    """The operator or expression of a JSON text."""
    try:
        document = json.loads(text)
    except json.JSONDecodeError as error:
        raise InputError(f"the operators are no JSON: {error}", todo="capture the pipeline again") from error
    return from_json(document)


def encode(value: Any) -> Any:
    """The JSON form of a part of the model, or of a plain value, to stand inside another document."""
    if value is None or (isinstance(value, (bool, int, str)) and not isinstance(value, Enum)):
        return value
    if isinstance(value, float):
        finite = math.isfinite(value)
        return value if finite else {"is": "float", "value": repr(value)}
    if isinstance(value, tuple):
        return [encode(part) for part in value]
    if isinstance(value, Enum):
        return {"is": _known(type(value)), "value": value.value}
    if dataclasses.is_dataclass(value):
        fields = {f.name: encode(getattr(value, f.name)) for f in dataclasses.fields(value)}
        return {"is": _known(type(value)), **fields}
    return _encode_value(value)


def _encode_value(value: Any) -> dict[str, Any]:
    if isinstance(value, list):
        return {"is": "list", "value": [encode(part) for part in value]}
    if isinstance(value, dict):
        return {"is": "dict", "value": [[encode(k), encode(v)] for k, v in value.items()]}
    if isinstance(value, (bytes, bytearray)):
        return {"is": "bytes", "value": bytes(value).hex()}
    if isinstance(value, Decimal):
        return {"is": "decimal", "value": str(value)}
    if isinstance(value, timedelta):
        return {"is": "timedelta", "value": [value.days, value.seconds, value.microseconds]}
    for kind, name in ((datetime, "datetime"), (date, "date"), (time, "time")):
        if isinstance(value, kind):
            return {"is": name, "value": value.isoformat()}
    raise PlanIntegrityError(f"no JSON form for the {type(value).__name__} {value!r}")


def _known(kind: type) -> str:
    if _MODEL.get(kind.__name__) is not kind:
        raise PlanIntegrityError(f"{kind.__name__} is not part of the operator model")
    return kind.__name__


_VALUES: dict[str, Callable[[Any], Any]] = {
    "float": float,
    "list": lambda value: [decode(part) for part in value],
    "dict": lambda value: {decode(key): decode(part) for key, part in value},
    "bytes": bytes.fromhex,
    "decimal": Decimal,
    "timedelta": lambda value: timedelta(*value),
    "datetime": datetime.fromisoformat,
    "date": date.fromisoformat,
    "time": time.fromisoformat,
}


def decode(value: Any) -> Any:
    """What `encode` was given."""
    if isinstance(value, list):
        return tuple(decode(part) for part in value)
    if not isinstance(value, dict):
        return value
    name = value.get("is")
    if name in _VALUES:
        return _VALUES[name](value["value"])
    kind = _MODEL.get(name) if isinstance(name, str) else None
    if kind is None:
        raise InputError(
            f"{name!r} is no part of the operator model", todo="use the version of predtrace that wrote it"
        )
    if issubclass(kind, Enum):
        return kind(value["value"])
    fields = {key: decode(part) for key, part in value.items() if key != "is"}
    wanted = {f.name for f in dataclasses.fields(kind)}  # type: ignore[arg-type]
    if set(fields) != wanted:
        odd = sorted(set(fields) ^ wanted)
        raise InputError(f"{name} has other fields than this version knows: {', '.join(odd)}")
    return kind(**fields)
