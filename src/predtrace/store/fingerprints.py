"""Whether a source still is what it was when the pipeline was captured.

Files are compared one by one: size and time of change of those that were read, and files that were added to the
folders since. Local files are looked at directly; others need a session to reach them.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

from predtrace.errors import StaleSource
from predtrace.ir.operators import FileState, SourceDescriptor
from predtrace.store.files import is_local, local_path

Listing = Callable[[str], "Iterator[FileState] | list[FileState]"]
"""From a location to the state of every data file in it."""

_MOST_NAMED = 3


def check_unchanged(descriptors: list[SourceDescriptor], remote: Listing | None = None) -> None:
    """Raise an error that says what changed, if anything did."""
    problems = [problem for descriptor in descriptors for problem in changes(descriptor, remote)]
    if problems:
        raise StaleSource(
            f"the sources have changed since the run: {'; '.join(problems)}",
            todo="run the pipeline again, or pass allow_stale=True to trace in what is there now",
        )


def changes(descriptor: SourceDescriptor, remote: Listing | None = None) -> list[str]:
    """What changed in a source, in words. Formats without files cannot be looked at: no change is noticed."""
    if descriptor.fingerprint.kind != "files":
        return []
    then = {_plain(state.path): state for state in descriptor.fingerprint.files}
    now: dict[str, FileState] = {}
    for location in descriptor.locations:
        if is_local(location):
            now.update((_plain(state.path), state) for state in local_states(location))
        elif remote is not None:
            now.update((_plain(state.path), state) for state in remote(location))
        else:
            return []
    gone = [path for path in then if path not in now]
    added = [path for path in now if path not in then]
    changed = [
        path
        for path, state in then.items()
        if path in now and (state.size, state.modified) != (now[path].size, now[path].modified)
    ]
    found = (("gone", gone), ("replaced", changed), ("added", added))
    return [f"{_named(paths)} of {descriptor.name} {_were(paths)} {what}" for what, paths in found if paths]


def local_states(location: str) -> Iterator[FileState]:
    """The data files at a local location; Spark leaves out names that begin with `_` or `.`."""
    root = local_path(location)
    if root.is_file():
        yield _state(root)
    for folder, folders, names in os.walk(root):
        folders[:] = [name for name in folders if not name.startswith((".", "_"))]
        for name in sorted(names):
            if not name.startswith((".", "_")):
                yield _state(Path(folder) / name)


def _state(path: Path) -> FileState:
    found = path.stat()
    return FileState(str(path), found.st_size, found.st_mtime_ns // 1_000_000)


def _plain(path: str) -> str:
    return str(local_path(path)) if is_local(path) else path


def _named(paths: list[str]) -> str:
    names = [path.rsplit("/", 1)[-1] for path in sorted(paths)]
    rest = f" and {len(names) - _MOST_NAMED} more" if len(names) > _MOST_NAMED else ""
    return ", ".join(names[:_MOST_NAMED]) + rest


def _were(paths: list[str]) -> str:
    return "is" if len(paths) == 1 else "are"
