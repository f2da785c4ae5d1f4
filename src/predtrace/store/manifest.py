"""What a run says of itself, as versioned JSON: the plan of its traces, its sources, and what it saved.

No code is in it and none is loaded from it: operators, predicates and schemas are plain data (`ir.serialise`). A
checksum over all of it tells damage that would still be a manifest, such as another digit in a constant.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, fields
from typing import Any

from predtrace.errors import StoreProblem
from predtrace.ir.expressions import Column, Options
from predtrace.ir.operators import Operator, SourceDescriptor
from predtrace.ir.serialise import decode, encode
from predtrace.plan.lineage_plan import LineagePlan

VERSION = 5


@dataclass(frozen=True)
class SavedRows:
    """Rows kept in a store as Parquet, their columns named by id. `folder` is relative to the run's own."""

    folder: str
    columns: tuple[Column, ...]
    rows: int
    bytes: int


@dataclass(frozen=True)
class SavedResult:
    """The rows of a plan node."""

    plan_node: int
    saved: SavedRows


@dataclass(frozen=True)
class SavedSource:
    """A reference to a source: what it is, and its rows where nobody else keeps them (rows made in memory)."""

    reference: int
    descriptor: SourceDescriptor
    saved: SavedRows | None


@dataclass(frozen=True)
class SavedFunction:
    """A function: its pickle, with a checksum of it and the Python it is for, or, of one of ours, how it is made.

    Without either it is not a Python one.
    """

    name: str
    file: str
    checksum: str
    python: str
    evaluation: int
    """How Spark calls it, by Spark's own number."""
    returns: str
    """Its type, as Spark's JSON."""
    recipe: str = ""


@dataclass(frozen=True)
class Manifest:
    """One complete run."""

    run: str
    name: str
    """What the user calls it: the table or path its output goes to, say. May be empty."""
    created: str
    written_by: str
    operators: Operator
    plan: LineagePlan
    output: SavedRows
    output_schema: str
    results: tuple[SavedResult, ...]
    counted: tuple[tuple[int, int], ...]
    """How many rows plan nodes have, as this run counted them, or else an earlier one of the same pipeline. The next
    one goes by it in choosing what to save."""
    sources: tuple[SavedSource, ...]
    functions: tuple[SavedFunction, ...]
    """The functions that predicates call."""
    settings: Options
    """What the session was set to, in so far as it says what expressions and sources mean (the time zone)."""

    @property
    def output_names(self) -> list[str]:
        """The names of the user's output columns."""
        return [field["name"] for field in json.loads(self.output_schema)["fields"]]

    def to_bytes(self) -> bytes:
        document = _written(self)
        whole = {"predtrace_run": VERSION, "checksum": _checksum(document), **document}
        # A line for each field: to indent all of it, Python takes ten times as long.
        lines = (
            f"{json.dumps(k)}: {json.dumps(v, ensure_ascii=False, allow_nan=False)}" for k, v in whole.items()
        )
        return ("{\n" + ",\n".join(lines) + "\n}").encode()

    @classmethod
    def from_bytes(cls, content: bytes, where: str) -> Manifest:
        """Read a manifest; one clear error for anything that is none."""
        try:
            document = json.loads(content)
        except (ValueError, RecursionError) as problem:
            raise StoreProblem(f"the manifest is no JSON: {problem}", where, _RUN_AGAIN) from None
        version = document.pop("predtrace_run", None) if isinstance(document, dict) else None
        if version != VERSION or isinstance(version, bool):
            raise StoreProblem(
                f"the run was saved in format {version!r}, and this version knows {VERSION} only",
                where,
                "use the version of predtrace that saved it, or run the pipeline again",
            )
        try:
            if document.pop("checksum", None) != _checksum(document):
                raise ValueError("its checksum is another one")
            found = _read(cls, document)
        except Exception as problem:
            raise StoreProblem(f"the manifest is damaged: {problem}", where, _RUN_AGAIN) from None
        assert isinstance(found, cls)
        return found


_RUN_AGAIN = "run the pipeline again"

_RECORDS: dict[type, dict[str, type]] = {
    Manifest: {
        "output": SavedRows,
        "results": SavedResult,
        "sources": SavedSource,
        "functions": SavedFunction,
    },
    SavedFunction: {},
    SavedResult: {"saved": SavedRows},
    SavedSource: {"saved": SavedRows},
    SavedRows: {},
}
"""The fields that hold other records; all others hold parts of the operator model or plain values."""


def _checksum(document: dict[str, Any]) -> str:
    """Of the values, however they are laid out."""
    text = json.dumps(document, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def _written(record: Any) -> dict[str, Any]:
    document: dict[str, Any] = {}
    for field in fields(record):
        value = getattr(record, field.name)
        if isinstance(value, LineagePlan):
            document[field.name] = value.to_json()
        elif field.name in _RECORDS[type(record)] and value is not None:
            document[field.name] = (
                [_written(v) for v in value] if isinstance(value, tuple) else _written(value)
            )
        else:
            document[field.name] = encode(value)
    return document


def _read(kind: type, document: dict[str, Any]) -> Any:
    if set(document) != {field.name for field in fields(kind)}:
        raise ValueError(f"other fields than a {kind.__name__} has")
    values: dict[str, Any] = {}
    for name, value in document.items():
        inner = _RECORDS[kind].get(name)
        if name == "plan":
            values[name] = LineagePlan.from_json(value)
        elif inner is None or value is None:
            values[name] = decode(value)
        elif isinstance(value, list):
            values[name] = tuple(_read(inner, part) for part in value)
        else:
            values[name] = _read(inner, value)
    return kind(**values)
