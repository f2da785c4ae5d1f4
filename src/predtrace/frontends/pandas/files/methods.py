"""Frames and series out of Spark: files, dicts, lists, texts to look at.

These calls mean to have the values on this machine, so they fetch the rows, and pandas itself does the rest. Whoever
listens (`core/watching.py`) hears of it: what the program does with the values is not part of any pipeline.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pandas as pd

from predtrace.frontends.pandas.core.held import Held
from predtrace.frontends.pandas.core.showing import shortened
from predtrace.frontends.pandas.core.tables import Label, Positions, Table
from predtrace.frontends.pandas.core.watching import listener, tell_left, tell_shown

_TARGETS = ("path_or_buf", "path", "excel_writer", "buf", "con", "fname")


def _writes(name: str) -> Callable[..., Any]:
    """A method that writes to a file, or gives the text if it is told no file."""

    def method(self: Held, *args: Any, **kwargs: Any) -> Any:
        given = args[0] if args else next((kwargs[key] for key in _TARGETS if key in kwargs), None)
        hears = listener()
        if hears is not None and given is None:
            hears.shown(self)
        elif hears is not None:
            hears.written(
                self, str(given) if isinstance(given, str) or hasattr(given, "__fspath__") else name
            )
            if not hears.lets_write:
                return None
        return getattr(self._collected(), name)(*args, **kwargs)

    return _named(method, name, f"As pandas has it: all rows, by pandas' own `{name}`.")


def _gives(name: str) -> Callable[..., Any]:
    """A method that gives values of Python."""

    def method(self: Held, *args: Any, **kwargs: Any) -> Any:
        tell_left(f"{self._kind}.{name}()", self._table.rows)
        return getattr(self._collected(), name)(*args, **kwargs)

    return _named(method, name, f"As pandas has it: the values on this machine, by pandas' own `{name}`.")


def _given(name: str) -> Any:
    """A property that holds values of Python."""

    def method(self: Held) -> Any:
        tell_left(f"{self._kind}.{name}", self._table.rows)
        return getattr(self._collected(), name)

    return property(_named(method, name, f"As pandas has it: the values on this machine, as `{name}`."))


def _draws(name: str) -> Any:
    """A property that draws: all rows, by pandas itself; nothing where a program is run for its frames alone."""

    def method(self: Held) -> Any:
        hears = listener()
        return getattr(self._collected(), name) if hears is None else hears.drawn(f"{self._kind}.{name}")

    return property(_named(method, name, f"As pandas has it: all rows, drawn by pandas' own `{name}`."))


def _named(method: Callable[..., Any], name: str, says: str) -> Callable[..., Any]:
    method.__name__, method.__doc__ = name, says
    return method


class Leaving(Held):
    """What frames and series have in common."""

    to_csv = _writes("to_csv")
    to_json = _writes("to_json")
    to_excel = _writes("to_excel")
    to_pickle = _writes("to_pickle")
    to_sql = _writes("to_sql")
    to_string = _writes("to_string")
    to_markdown = _writes("to_markdown")
    to_latex = _writes("to_latex")
    to_clipboard = _writes("to_clipboard")
    to_dict = _gives("to_dict")
    to_numpy = _gives("to_numpy")
    memory_usage = _gives("memory_usage")
    values = _given("values")
    plot = _draws("plot")
    hist = _draws("hist")

    def info(self, *args: Any, **kwargs: Any) -> None:
        """Print what pandas prints of a frame: its index, columns and dtypes."""
        frame = self._collected()
        if _has_all_rows(self._table) and frame.index.equals(pd.RangeIndex(len(frame))):
            frame.index = pd.RangeIndex(len(frame), name=frame.index.name)
        frame.info(*args, **kwargs)

    def _shortened(self) -> Any:
        tell_shown(self)
        return shortened(self)


def _has_all_rows(table: Table) -> bool:
    """Whether pandas would still have the index as a range: no row was taken out, none moved."""
    space = table.space
    while space.kept_of is not None:
        space, condition = space.kept_of
        if condition is not None:
            return False
    if isinstance(table.index, Positions):
        return True
    return [level.value.name for level in table.index] == [key.name for key in table.order]


class WritingFrame(Leaving):
    """These methods of a DataFrame."""

    to_parquet = _writes("to_parquet")
    to_feather = _writes("to_feather")
    to_html = _writes("to_html")
    to_stata = _writes("to_stata")
    to_xml = _writes("to_xml")
    to_records = _gives("to_records")
    boxplot = _draws("boxplot")
    style = _draws("style")

    def iterrows(self) -> Iterator[tuple[Label, pd.Series]]:
        """The rows one by one, each a series of pandas with its index label."""
        tell_left("DataFrame.iterrows()", self._table.rows)
        return iter(self._collected().iterrows())

    def itertuples(self, index: bool = True, name: str | None = "Pandas") -> Iterator[Any]:
        """The rows one by one, as tuples with names."""
        tell_left("DataFrame.itertuples()", self._table.rows)
        return iter(self._collected().itertuples(index, name))


class WritingSeries(Leaving):
    """These methods of a Series."""

    tolist = _gives("tolist")
    to_list = _gives("to_list")
    item = _gives("item")
    array = _given("array")

    def items(self) -> Iterator[tuple[Label, Any]]:
        """Index labels and values, one by one."""
        tell_left("Series.items()", self._table.rows)
        return iter(self._collected().items())

    def _collected(self) -> Any:
        return super()._collected().iloc[:, 0]
