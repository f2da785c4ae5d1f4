"""The quote for a trace: files and bytes of each source after pruning, and how long the last similar one took."""

from __future__ import annotations

import html
from collections.abc import Iterator
from dataclasses import dataclass

from rich.console import Console
from rich.filesize import decimal

from predtrace.api.tables import table
from predtrace.errors import UnknownSource

_HEADS = ("source", "format", "files", "bytes", "note")


@dataclass(frozen=True)
class SourceCost:
    """What a trace looks through in one source. What nobody knows beforehand is None, and `note` says why."""

    name: str
    format: str
    scanned: bool
    files: int | None
    bytes: int | None
    files_left: int | None
    """After pruning."""
    bytes_left: int | None
    note: str = ""

    def _cells(self) -> tuple[str, str, str, str, str]:
        if not self.scanned:
            return self.name, self.format, "", "", "not scanned"
        if self.files is None:
            return self.name, self.format, "", "", self.note
        return self.name, self.format, _files(self), _bytes(self), self.note

    def __str__(self) -> str:
        name, *rest = self._cells()
        return f"{name}: {', '.join(filter(None, rest))}"


@dataclass(frozen=True)
class Cost:
    """Where the rows may be that a trace looks for, as far as that is known before it runs.

    What is left after pruning is what an engine has to read that skips all it can. One that joins with the target
    rows instead of comparing with their values skips less, and reads more.

    >>> old = SourceCost("orders", "parquet", True, files=40, bytes=5_000_000, files_left=2, bytes_left=310_000)
    >>> print(Cost((old, SourceCost("rates", "memory", True, None, None, None, None, "in memory")), last=0.4))
    orders: parquet, 2 of 40 files, 310.0 kB of 5.0 MB
    rates: memory, in memory
    in all: 2 of 40 files, 310.0 kB of 5.0 MB may hold the rows, and what is in rates
    the last similar trace took 0.40 s
    """

    sources: tuple[SourceCost, ...]
    last: float | None = None
    """The seconds of the last similar trace; None if there was none."""

    def __getitem__(self, source: str) -> SourceCost:
        for one in self.sources:
            if one.name == source:
                return one
        known = ", ".join(one.name for one in self.sources)
        raise UnknownSource(f"the pipeline has no source {source!r}", todo=f"use one of: {known}")

    @property
    def files(self) -> int:
        """All files of the sources whose files are known."""
        return sum(one.files or 0 for one in self.sources)

    @property
    def bytes(self) -> int:
        """The bytes in them."""
        return sum(one.bytes or 0 for one in self.sources)

    @property
    def files_left(self) -> int:
        """The files that may hold rows that are looked for."""
        return sum(one.files_left or 0 for one in self.sources)

    @property
    def bytes_left(self) -> int:
        """The bytes in them, without row groups that hold none."""
        return sum(one.bytes_left or 0 for one in self.sources)

    def _summary(self) -> Iterator[str]:
        unknown = [one.name for one in self.sources if one.files_left is None]
        besides = f", and what is in {', '.join(unknown)}" if unknown else ""
        yield f"in all: {_files(self)}, {_bytes(self)} may hold the rows{besides}"
        if self.last is None:
            yield "no similar trace has been read yet"
        else:
            yield f"the last similar trace took {self.last:.2f} s"

    def show(self) -> None:
        """Print the quote as a table."""
        console = Console()
        console.print(table("cost", _HEADS, (one._cells() for one in self.sources), ("files", "bytes")))
        for line in self._summary():
            console.print(line, markup=False, highlight=False, soft_wrap=True)

    def __str__(self) -> str:
        return "\n".join([*map(str, self.sources), *self._summary()])

    def _repr_html_(self) -> str:
        heads = "".join(f"<th>{head}</th>" for head in _HEADS)
        rows = "".join(
            f"<tr>{''.join(f'<td>{html.escape(cell)}</td>' for cell in one._cells())}</tr>"
            for one in self.sources
        )
        lines = "<br>".join(map(html.escape, self._summary()))
        return f"<table><tr>{heads}</tr>{rows}</table><p>{lines}</p>"


def _files(cost: SourceCost | Cost) -> str:
    return f"{cost.files_left or 0:,} of {cost.files or 0:,} files"


def _bytes(cost: SourceCost | Cost) -> str:
    return f"{decimal(cost.bytes_left or 0)} of {decimal(cost.bytes or 0)}"
