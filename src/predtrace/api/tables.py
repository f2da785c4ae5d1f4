"""Rows on the terminal and in JSON."""

from __future__ import annotations

import base64
import datetime
import math
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

from rich.cells import cell_len
from rich.console import Console, Group
from rich.table import Table
from rich.text import Text

if TYPE_CHECKING:
    import pyarrow

_WIDEST_CELL = 28


def table(
    title: str, columns: Sequence[str], rows: Iterable[Sequence[Any]], numbers: Iterable[str] = ()
) -> Group:
    """Draw a table; the columns named in `numbers` are aligned to the right."""
    drawn = Table()
    right = set(numbers)
    for position, name in enumerate(columns):
        side: Literal["right", "left"] = "right" if name in right else "left"
        # What the row is about stays in one piece, to be copied.
        drawn.add_column(Text(name), justify=side, overflow="fold", no_wrap=position == 0)
    for row in rows:
        drawn.add_row(*(Text(str(value)) for value in row))
    return _titled(title, drawn)


def rows_table(title: str, rows: pyarrow.Table, width: int) -> Group:
    """Draw rows, with as many of their columns as fit in the width; the title says how many do not."""
    cells = [[_cell(value) for value in column.to_pylist()] for column in rows.columns]
    shown = 0
    taken = 1
    for name, values in zip(rows.column_names, cells, strict=True):
        taken += 3 + max(map(cell_len, [name, *values]))
        if shown and taken > width:
            break
        shown += 1
    hidden = len(cells) - shown
    drawn = Table()
    for name in rows.column_names[:shown]:
        drawn.add_column(Text(name), no_wrap=True)
    for row in zip(*cells[:shown], strict=True):
        drawn.add_row(*map(Text, row))
    return _titled(f"{title}, {hidden} more columns" if hidden else title, drawn)


def print_rows(title: str, rows: pyarrow.Table) -> None:
    """Print rows to standard output."""
    console = Console()
    console.print(rows_table(title, rows, console.width))


def _titled(title: str, drawn: Table) -> Group:
    # Not the table's own title, which would be wrapped to the table's width.
    return Group(Text(title, style="bold"), drawn)


def json_rows(rows: pyarrow.Table) -> list[dict[str, Any]]:
    """Rows as JSON objects; a column name that comes again gets `#2`."""
    names: list[str] = []
    for name in rows.column_names:
        chosen, copy = name, 1
        while chosen in names:
            copy += 1
            chosen = f"{name}#{copy}"
        names.append(chosen)
    columns = [[json_value(value) for value in column.to_pylist()] for column in rows.columns]
    return [dict(zip(names, row, strict=True)) for row in zip(*columns, strict=True)]


def json_value(value: Any) -> Any:
    """A value in JSON: what JSON has no number or word for is text.

    >>> import decimal
    >>> [json_value(v) for v in (1, None, decimal.Decimal("1.50"), datetime.date(2024, 1, 2), float("nan"), b"a")]
    [1, None, '1.50', '2024-01-02', 'nan', 'YQ==']
    """
    match value:
        case None | bool() | int() | str():
            return value
        case float():
            return value if math.isfinite(value) else str(value)
        case datetime.date() | datetime.time():  # a datetime is a date too
            return value.isoformat()
        case bytes():
            return base64.b64encode(value).decode()
        case Mapping():
            return {str(name): json_value(part) for name, part in value.items()}
        case list() | tuple():
            return [json_value(part) for part in value]
    return str(value)


def _cell(value: Any) -> str:
    text = "NULL" if value is None else str(value).replace("\n", "⏎").replace("\t", " ")
    return text if len(text) <= _WIDEST_CELL else text[: _WIDEST_CELL - 1] + "…"
