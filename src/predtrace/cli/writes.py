"""What a PySpark script writes, seen as it is written.

A writer takes its settings one by one (`mode`, `option`, `partitionBy` ...) and then writes (`parquet`,
`saveAsTable`, V2's `append` ...). While writes are watched, the settings are remembered; at the write, the watcher is
given the DataFrame and gives back the one to write, which is then written with the same settings.
"""

from __future__ import annotations

import inspect
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import wraps
from typing import Any

from pyspark.sql import DataFrame
from pyspark.sql.readwriter import DataFrameWriter, DataFrameWriterV2

Watcher = Callable[[str, DataFrame], AbstractContextManager[DataFrame | None]]
"""From the target and what is written there to what is to be written; None: nothing. It is left after the write."""

_WRITES: dict[type, frozenset[str]] = {
    DataFrameWriter: frozenset(
        {"save", "insertInto", "saveAsTable", "json", "parquet", "text", "csv", "xml", "orc", "jdbc"}
    ),
    DataFrameWriterV2: frozenset(
        {"create", "replace", "createOrReplace", "append", "overwrite", "overwritePartitions"}
    ),
}
_TARGETS = ("path", "name", "tableName", "table")


@dataclass
class _Settings:
    """How a writer was made and set up."""

    made_with: tuple[Any, ...]
    calls: list[tuple[str, tuple[Any, ...], dict[str, Any]]] = field(default_factory=list)

    def again(self, writer: Any, frame: DataFrame) -> Any:
        """Another such writer, of another DataFrame."""
        other = type(writer)(frame, *self.made_with)
        for name, arguments, options in self.calls:
            getattr(other, name)(*arguments, **options)
        return other


@contextmanager
def watched_writes(watcher: Watcher) -> Iterator[None]:
    """Let a watcher see every write of the process, until this ends."""
    watch = _Watch(watcher)
    with ExitStack() as restoring:
        for kind, writes in _WRITES.items():
            for name, method in list(vars(kind).items()):
                if name == "__init__":
                    replacement = watch.making(method)
                elif name.startswith("_") or not inspect.isfunction(method):
                    continue
                elif name in writes:
                    replacement = watch.writing(method)
                else:
                    replacement = watch.setting(method)
                restoring.callback(setattr, kind, name, method)
                setattr(kind, name, replacement)
        yield


class _Watch:
    def __init__(self, watcher: Watcher) -> None:
        self._watcher = watcher
        self._within = threading.local()
        # One at a time, also where a script writes from many threads: solver and capture are not made for more.
        self._lock = threading.Lock()

    def making(self, method: Callable[..., None]) -> Callable[..., None]:
        @wraps(method)
        def made(writer: Any, df: DataFrame, *arguments: Any) -> None:
            method(writer, df, *arguments)
            writer._predtrace_settings = _Settings(arguments)

        return made

    def setting(self, method: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(method)
        def was_set(writer: Any, *arguments: Any, **options: Any) -> Any:
            settings = getattr(writer, "_predtrace_settings", None)
            if settings is not None:
                settings.calls.append((method.__name__, arguments, options))
            return method(writer, *arguments, **options)

        return was_set

    def writing(self, method: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(method)
        def written(writer: Any, *arguments: Any, **options: Any) -> Any:
            settings = getattr(writer, "_predtrace_settings", None)
            if settings is None or getattr(self._within, "a_write", False):
                return method(writer, *arguments, **options)  # what the watcher itself writes
            target = _target(method, settings, (writer, *arguments), options)
            self._within.a_write = True
            try:
                with self._lock, self._watcher(target, writer._df) as frame:
                    if frame is None:
                        return None
                    chosen = writer if frame is writer._df else settings.again(writer, frame)
                    return method(chosen, *arguments, **options)
            finally:
                self._within.a_write = False

        return written


def _target(
    method: Callable[..., Any], settings: _Settings, arguments: tuple[Any, ...], options: dict[str, Any]
) -> str:
    if settings.made_with:
        return str(settings.made_with[0])  # DataFrameWriterV2: the table
    try:
        given = inspect.signature(method).bind(*arguments, **options).arguments
    except TypeError:  # a wrong call: the method itself will say so
        return method.__name__
    named = [given[name] for name in _TARGETS if given.get(name) is not None]
    by_option = [call[1][1] for call in settings.calls if call[0] == "option" and call[1][:1] == ("path",)]
    return str((named or by_option or [method.__name__])[0])
