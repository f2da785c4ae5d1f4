"""Where rows come from, and the operators nobody can look into."""

from __future__ import annotations

import json
from dataclasses import dataclass

from predtrace.ir.expressions import Column, Options
from predtrace.ir.operators.base import Operator
from predtrace.ir.types import StructType

UNIQUE = "predtrace.unique"
"""The option of a source that names the columns, each of which numbers its rows: no two have the same number."""
ORIGINALS = "predtrace.originals"
"""The option of a source whose files are a copy of others: the state of those others, as JSON."""


@dataclass(frozen=True)
class FileState:
    path: str
    size: int
    modified: int


@dataclass(frozen=True)
class Fingerprint:
    """The state of a source when it was captured: its files, or a token where the format offers one.

    `kind` says what the token is; `none` means a change cannot be noticed.
    """

    kind: str
    files: tuple[FileState, ...] = ()
    token: str = ""


@dataclass(frozen=True)
class SourceDescriptor:
    """What a source is: enough to find and read it again."""

    name: str
    format: str
    locations: tuple[str, ...]
    options: Options
    schema: StructType
    fingerprint: Fingerprint

    @property
    def unique(self) -> tuple[str, ...]:
        """The columns that number the rows."""
        return tuple(json.loads(dict(self.options).get(UNIQUE, "[]")))

    @property
    def originals(self) -> tuple[FileState, ...]:
        """The files that the source's own are a copy of, as they were then."""
        return tuple(FileState(*state) for state in json.loads(dict(self.options).get(ORIGINALS, "[]")))


@dataclass(frozen=True, kw_only=True)
class Source(Operator):
    """One reference to a source. `reference` numbers the references of a pipeline from 0.

    A copy that only a rewriting added (the domain of a decorrelated subquery) has no reference number and
    contributes no lineage.
    """

    reference: int | None
    descriptor: SourceDescriptor
    columns: tuple[Column, ...]

    @property
    def output(self) -> tuple[Column, ...]:
        return self.columns


@dataclass(frozen=True, kw_only=True)
class OneRow(Operator):
    """The single row without columns that `SELECT 1` starts from; it is no source."""

    @property
    def output(self) -> tuple[Column, ...]:
        return ()


@dataclass(frozen=True, kw_only=True)
class Opaque(Operator):
    """An operator nobody can look into: each output row may come from every input row.

    `node` is the front end's handle on the operator, so that it can be run.
    """

    branches: tuple[Operator, ...]
    name: str
    why: str
    columns: tuple[Column, ...]
    node: int
    deterministic: bool = True

    @property
    def inputs(self) -> tuple[Operator, ...]:
        return self.branches

    @property
    def output(self) -> tuple[Column, ...]:
        return self.columns

    def title(self) -> str:
        return f"Opaque({self.name})"
