"""What frames look like: the text and the HTML of pandas. Of a long frame only its two ends are fetched."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pandas as pd

from predtrace.frontends.pandas.core.spaces import Space
from predtrace.frontends.pandas.core.tables import Positions, Table

if TYPE_CHECKING:
    from predtrace.frontends.pandas.core.held import Held


class Cut:
    """How pandas shows a long frame: its ends, and how many rows it has in all.

    pandas cuts whatever is longer than its limit, and looks at the ends alone. So it is given the ends, a little
    longer than that limit together, and only the number of rows it says is another one.
    """

    def __init__(self, ends: Any, count: int) -> None:
        self._ends = ends
        self._count = count

    def __repr__(self) -> str:
        count = len(self._ends)
        if isinstance(self._ends, pd.Series):
            return _last_replaced(repr(self._ends), f"Length: {count},", f"Length: {self._count},")
        return _last_replaced(repr(self._ends), f"[{count} rows x ", f"[{self._count} rows x ")

    def _repr_html_(self) -> str | None:
        if isinstance(self._ends, pd.Series):
            return None
        shown = self._ends._repr_html_()
        return shown and _last_replaced(shown, f"<p>{len(self._ends)} rows", f"<p>{self._count} rows")


def _last_replaced(text: str, old: str, new: str) -> str:
    before, found, after = text.rpartition(old)
    return f"{before}{new}{after}" if found else text


def shortened(held: Held) -> Any:
    """What pandas would show: the object itself, or its ends if it is long."""
    limit = pd.get_option("display.max_rows")
    shows_all = not limit or pd.get_option("display.large_repr") != "truncate"
    count = 0 if shows_all else len(held)
    if shows_all or count <= limit:
        return held._collected()
    return Cut(_ends(held, count, limit // 2 + 1), count)


def _ends(held: Held, count: int, each: int) -> Any:
    table = held._table
    dtypes = held._shown_dtypes()
    parts = [held._of(_end(table, each, backwards))._collected() for backwards in (False, True)]
    typed = []
    for part in parts:
        if isinstance(part, pd.Series):
            typed.append(part.astype(dtypes[0]))
            continue
        for place, dtype in enumerate(dtypes):
            part.isetitem(place, part.iloc[:, place].astype(dtype))
        typed.append(part)
    ends = pd.concat(typed)
    if isinstance(table.index, Positions):
        ends.index = pd.Index([*range(each), *range(count - each, count)], name=table.index.label)
    return ends


def _end(table: Table, count: int, backwards: bool) -> Table:
    """The first rows, or the last ones."""
    names = table.names()
    rows = table.rows().orderBy(*(key.column(backwards) for key in table.order)).limit(count)
    return replace(table.moved(Space(rows.select(*names))))
