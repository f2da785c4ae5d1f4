"""Files of a store or a source, on the local disk or on any file system that Hadoop knows.

Local files need no JVM. Paths inside a store are written with `/` and are relative to its root, so that a store can
be moved. Locations are read as Hadoop reads them: nothing in them is escaped, so `%20` is three characters.
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Protocol

from predtrace.ir.operators import FileState

_SCHEME = re.compile(r"[A-Za-z][\w+.-]+:")
"""At least two letters: one is a drive of Windows."""
_NO_DATA = (".", "_")
"""How names of files begin that Spark takes for no data."""


class Files(Protocol):
    """What a store does with files."""

    def read(self, path: str) -> bytes:
        """The content of a file; an OSError if it cannot be read."""

    def write_whole(self, path: str, content: bytes) -> None:
        """Write a file so that it is there in full or not at all."""

    def folders(self, path: str = "") -> list[str]:
        """The names of the folders in a folder; none if it does not exist."""

    def exists(self, path: str) -> bool:
        """Whether there is a file or folder."""

    def is_folder(self, path: str = "") -> bool:
        """Whether there is a folder."""

    def states(self, path: str = "") -> Iterator[FileState]:
        """All files in a folder and in those below it, or the one file that is there."""

    def size(self, path: str) -> int:
        """The bytes of all data in a folder."""

    def remove(self, path: str) -> None:
        """Delete a file or a folder with all it holds."""

    def location(self, path: str = "") -> str:
        """The full path, as people write it."""

    def url(self, path: str = "") -> str:
        """The full path as Spark takes it, wherever its default file system is."""


def is_local(location: str) -> bool:
    """Whether a location is on the local disk.

    >>> is_local("runs/q4"), is_local("file:/runs/q4"), is_local("s3a://bucket/runs")
    (True, True, False)
    """
    scheme = _SCHEME.match(location)
    return scheme is None or scheme[0].lower() == "file:"


def local_path(location: str) -> Path:
    """The path of a local location.

    >>> str(local_path("file:/runs/50%25 #1")), str(local_path("file:///runs")), str(local_path("runs"))
    ('/runs/50%25 #1', '/runs', 'runs')
    """
    return Path(re.sub(r"^file:(//(?=/))?", "", location, flags=re.IGNORECASE))


class LocalFiles:
    """Files on the local disk."""

    def __init__(self, root: str) -> None:
        self._root = local_path(root).absolute()

    def _path(self, path: str) -> Path:
        return self._root / path if path else self._root

    def read(self, path: str) -> bytes:
        return self._path(path).read_bytes()

    def write_whole(self, path: str, content: bytes) -> None:
        target = self._path(path)
        target.parent.mkdir(parents=True, exist_ok=True)
        unfinished = target.with_name(f".{target.name}.{os.getpid()}")
        with unfinished.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        unfinished.replace(target)

    def folders(self, path: str = "") -> list[str]:
        folder = self._path(path)
        return sorted(entry.name for entry in folder.iterdir() if entry.is_dir()) if folder.is_dir() else []

    def exists(self, path: str) -> bool:
        return self._path(path).exists()

    def is_folder(self, path: str = "") -> bool:
        return self._path(path).is_dir()

    def states(self, path: str = "") -> Iterator[FileState]:
        root = self._path(path)
        if root.is_file():
            yield _state(root)
        for folder, folders, names in os.walk(root, followlinks=True):
            folders.sort()
            for name in sorted(names):
                file = Path(folder) / name
                if file.is_file():
                    yield _state(file)

    def size(self, path: str) -> int:
        return _data_size(self.states(path))

    def remove(self, path: str) -> None:
        target = self._path(path)
        if target.is_dir():
            shutil.rmtree(target)
        else:
            target.unlink(missing_ok=True)

    def location(self, path: str = "") -> str:
        return str(self._path(path))

    def url(self, path: str = "") -> str:
        return f"file://{self._path(path).as_posix()}"


def _data_size(states: Iterable[FileState]) -> int:
    """Spark's checksums and marks are no data, and may get lost in a copy."""
    return sum(state.size for state in states if not state.path.rsplit("/", 1)[-1].startswith(_NO_DATA))


def _state(path: Path) -> FileState:
    found = path.stat()
    return FileState(str(path), found.st_size, found.st_mtime_ns // 1_000_000)


class HadoopFiles:
    """Files on a file system that Spark reads and writes through Hadoop."""

    def __init__(self, session: Any, root: str) -> None:
        self._root = root.rstrip("/")
        self._path_class = session.sparkContext._jvm.org.apache.hadoop.fs.Path
        configuration = session._jsparkSession.sessionState().newHadoopConf()
        self._system = self._path_class(root).getFileSystem(configuration)

    def _path(self, path: str) -> Any:
        return self._path_class(self.location(path))

    def read(self, path: str) -> bytes:
        if not self.exists(path):
            raise FileNotFoundError(f"there is no {self.location(path)}")
        stream = self._system.open(self._path(path))
        try:
            return bytes(stream.readAllBytes())
        finally:
            stream.close()

    def write_whole(self, path: str, content: bytes) -> None:
        folder, _, name = path.rpartition("/")
        unfinished = self._path(f"{folder}/.{name}.{os.getpid()}".lstrip("/"))
        stream = self._system.create(unfinished, True)
        try:
            stream.write(bytearray(content))
        finally:
            stream.close()
        if not self._system.rename(unfinished, self._path(path)):
            raise OSError(f"{self.location(path)} could not be given its name")

    def folders(self, path: str = "") -> list[str]:
        if not self.is_folder(path):
            return []
        found = self._system.listStatus(self._path(path))
        return sorted(status.getPath().getName() for status in found if status.isDirectory())

    def exists(self, path: str) -> bool:
        return bool(self._system.exists(self._path(path)))

    def is_folder(self, path: str = "") -> bool:
        return self.exists(path) and bool(self._system.getFileStatus(self._path(path)).isDirectory())

    def states(self, path: str = "") -> Iterator[FileState]:
        if not self.exists(path):
            return
        found = self._system.listFiles(self._path(path), True)
        while found.hasNext():
            status = found.next()
            yield FileState(
                status.getPath().toString(), int(status.getLen()), int(status.getModificationTime())
            )

    def size(self, path: str) -> int:
        return _data_size(self.states(path))

    def remove(self, path: str) -> None:
        self._system.delete(self._path(path), True)

    def location(self, path: str = "") -> str:
        return f"{self._root}/{path}" if path else self._root

    def url(self, path: str = "") -> str:
        return self.location(path)
