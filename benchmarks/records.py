"""What a benchmark found out, as JSON and back. Reading is strict: a document that has not this form is refused."""

from __future__ import annotations

import dataclasses
import json
import statistics
import typing
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

VERSION = 1

MEASURED = "measured"
NOT_SUPPORTED = "not supported"
WRONG = "wrong"
OVER_THE_LIMIT = "over the limit"
FAILED = "failed"
STATUSES = (MEASURED, NOT_SUPPORTED, WRONG, OVER_THE_LIMIT, FAILED)


@dataclass(frozen=True)
class Timed:
    """How long a step took, turn by turn; or why there is no time."""

    status: str
    why: str = ""
    times_ms: tuple[float, ...] = ()

    def __post_init__(self) -> None:
        if self.status not in STATUSES:
            raise ValueError(f"{self.status!r} is no status")
        if (self.status == MEASURED) != bool(self.times_ms):
            raise ValueError(f"{self.status} with times {self.times_ms}")

    @property
    def median(self) -> float | None:
        return statistics.median(self.times_ms) if self.times_ms else None

    @property
    def spread(self) -> float:
        """The distance of the slowest turn from the quickest, as a share of the median."""
        return (max(self.times_ms) - min(self.times_ms)) / statistics.median(self.times_ms)


@dataclass(frozen=True)
class Saved:
    """What a run keeps besides its output."""

    results: int
    rows: int
    bytes: int


@dataclass(frozen=True)
class QueryRecord:
    """A TPC-H query. `steps` by name, see `benchmarks.queries`; `saved` by who saves it."""

    query: str
    target: str
    lineage_rows: dict[str, int]
    saved: dict[str, Saved]
    false_positives: dict[str, float]
    steps: dict[str, Timed]


@dataclass(frozen=True)
class PipelineRecord:
    """A pipeline of a corpus."""

    corpus: str
    name: str
    input_rows: int
    operators: int
    method: str
    saved: dict[str, Saved]
    steps: dict[str, Timed]


@dataclass(frozen=True)
class Document:
    """One run of the benchmark."""

    version: int
    made: str
    machine: dict[str, str]
    scale_factor: float
    turns: int
    limit_seconds: float
    queries: tuple[QueryRecord, ...]
    pipelines: tuple[PipelineRecord, ...]

    def write(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(dataclasses.asdict(self), indent=1) + "\n", encoding="utf-8")


Record = TypeVar("Record")


def read_document(path: Path) -> Document:
    found = json.loads(path.read_text(encoding="utf-8"))
    if not isinstance(found, dict) or found.get("version") != VERSION:
        raise ValueError(f"{path.name} is no document of version {VERSION}")
    return read_record(Document, found)


def read_record(kind: type[Record], found: Any, where: str = "document") -> Record:
    """A record of some type, with exactly its fields; a `ValueError` that names the place otherwise."""
    hints = typing.get_type_hints(kind)
    if not isinstance(found, dict) or found.keys() != hints.keys():
        raise ValueError(f"{where} has not the fields {', '.join(hints)}")
    return kind(**{name: _read(hint, found[name], f"{where}.{name}") for name, hint in hints.items()})


def _read(hint: Any, value: Any, where: str) -> Any:
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if dataclasses.is_dataclass(hint):
        return read_record(typing.cast(type[Any], hint), value, where)
    if origin is tuple and isinstance(value, list):
        return tuple(_read(arguments[0], part, f"{where}[{at}]") for at, part in enumerate(value))
    if origin is dict and isinstance(value, dict):
        return {name: _read(arguments[1], part, f"{where}.{name}") for name, part in value.items()}
    if hint is float and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    if isinstance(hint, type) and type(value) is hint:
        return value
    raise ValueError(f"{where} is no {getattr(hint, '__name__', hint)}: {value!r}")


def ratio(slower: Timed | None, quicker: Timed | None) -> float | None:
    """How many times as long one step takes as another: turn by turn where both took the same turns."""
    if slower is None or quicker is None or not slower.times_ms or not quicker.times_ms:
        return None
    if len(slower.times_ms) == len(quicker.times_ms):
        pairs = zip(slower.times_ms, quicker.times_ms, strict=True)
        return statistics.median(one / other for one, other in pairs)
    return statistics.median(slower.times_ms) / statistics.median(quicker.times_ms)
