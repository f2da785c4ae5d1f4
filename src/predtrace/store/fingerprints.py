"""Whether a source still is what it was when the pipeline was captured.

Files are compared one by one: size and time of change of those that were read, and files that were added since where
the pipeline would read them too. A file that was touched counts as replaced: what is in it is not looked at. Where
the files are a copy of others, those others are compared, too. Sources without files cannot be compared; `unnoticed`
names those.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from fnmatch import fnmatchcase
from pathlib import Path

from predtrace.errors import StaleSource
from predtrace.ir.operators import FileState, SourceDescriptor
from predtrace.store.files import LocalFiles, is_local, local_path

Listing = Callable[[str], Iterable[FileState]]
"""From a location to the state of every file in it."""

_MOST_NAMED = 3


def check_unchanged(descriptors: Iterable[SourceDescriptor], remote: Listing | None = None) -> None:
    """Raise an error that says what changed, if anything did."""
    different = dict.fromkeys(descriptors)  # one source may be read several times
    problems = [problem for descriptor in different for problem in changes(descriptor, remote)]
    if problems:
        raise StaleSource(
            f"the sources have changed since the run: {'; '.join(problems)}",
            todo="run the pipeline again, or pass allow_stale=True to trace in what is there now",
        )


def changes(descriptor: SourceDescriptor, remote: Listing | None = None) -> list[str]:
    """What changed in a source, in words. `remote` looks at files that are not on the local disk."""
    if descriptor.fingerprint.kind != "files":
        return []
    then = {_plain(state.path): state for state in descriptor.fingerprint.files}
    now: dict[str, FileState] = {}
    added: list[str] = []
    for location in descriptor.locations:
        listing = local_states if is_local(location) else remote
        if listing is None:
            return []
        for state in listing(location):
            path = _plain(state.path)
            now[path] = state
            if path not in then and _is_read(state, path, _plain(location), dict(descriptor.options)):
                added.append(path)
    gone = [path for path in then if path not in now]
    replaced = [path for path, state in then.items() if path in now and _differs(state, now[path])]
    for original in descriptor.originals:
        found_now = _state_now(original.path)
        if found_now != original:
            (gone if found_now is None else replaced).append(original.path)
    found = (("gone", gone), ("replaced", replaced), ("added", added))
    return [f"{_named(paths)} of {descriptor.name} {_were(paths)} {what}" for what, paths in found if paths]


def unnoticed(descriptors: Iterable[SourceDescriptor]) -> list[str]:
    """The sources of which nobody can tell whether they have changed: their names and what they are."""
    found = (f"{d.name} ({d.format})" for d in descriptors if d.fingerprint.kind == "none")
    return list(dict.fromkeys(found))


def local_states(location: str) -> Iterable[FileState]:
    """The files at a local location."""
    return LocalFiles(location).states()


def _state_now(path: str) -> FileState | None:
    try:
        found = Path(path).stat()
    except OSError:
        return None
    return FileState(path, found.st_size, found.st_mtime_ns // 1_000_000)


def _is_read(state: FileState, path: str, root: str, options: dict[str, str]) -> bool:
    """Whether Spark would read a file in a folder: it holds data, and lies directly there or in a partition."""
    folders = path.removeprefix(root).strip("/").split("/")[:-1]
    name = path.rsplit("/", 1)[-1]
    lower = {key.lower(): value for key, value in options.items()}
    anywhere = lower.get("recursivefilelookup", "").lower() == "true"
    pattern = lower.get("pathglobfilter", "*")
    wanted = "{" in pattern or fnmatchcase(name, pattern)  # Hadoop's alternatives are not Python's
    reachable = all(_is_visible(part) and (anywhere or "=" in part) for part in folders)
    return state.size > 0 and wanted and reachable and _is_visible(name)


def _is_visible(name: str) -> bool:
    return not (
        name.startswith(".") or (name.startswith("_") and "=" not in name) or name.endswith("._COPYING_")
    )


def _differs(then: FileState, now: FileState) -> bool:
    return (then.size, then.modified) != (now.size, now.modified)


def _plain(path: str) -> str:
    return str(local_path(path)) if is_local(path) else path.rstrip("/")


def _named(paths: list[str]) -> str:
    names = [path.rsplit("/", 1)[-1] for path in sorted(paths)]
    rest = f" and {len(names) - _MOST_NAMED} more" if len(names) > _MOST_NAMED else ""
    return ", ".join(names[:_MOST_NAMED]) + rest


def _were(paths: list[str]) -> str:
    return "is" if len(paths) == 1 else "are"
