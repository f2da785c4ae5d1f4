"""Files of a store, on the local disk or on any file system that Hadoop knows.

A local store needs no JVM. Paths are written with `/` and are relative to the store's root, so that a store can
be moved.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Any, Protocol
from urllib.parse import unquote, urlsplit


class Files(Protocol):
    """What a store does with files."""

    def read(self, path: str) -> bytes:
        """The content of a file; FileNotFoundError if there is none."""

    def write_whole(self, path: str, content: bytes) -> None:
        """Write a file so that it is there in full or not at all."""

    def folders(self, path: str = "") -> list[str]:
        """The names of the folders in a folder; none if it does not exist."""

    def exists(self, path: str) -> bool:
        """Whether there is a file or folder."""

    def size(self, path: str) -> int:
        """The bytes of all files in a folder."""

    def remove(self, path: str) -> None:
        """Delete a file or a folder with all it holds."""

    def location(self, path: str = "") -> str:
        """The full path, as Spark and people write it."""


def is_local(location: str) -> bool:
    """Whether a location is on the local disk.

    >>> is_local("runs/q4"), is_local("file:/runs/q4"), is_local("s3a://bucket/runs")
    (True, True, False)
    """
    return urlsplit(location).scheme in ("", "file") or (os.name == "nt" and location[1:2] == ":")


def local_path(location: str) -> Path:
    """The path of a local location."""
    parts = urlsplit(location)
    return Path(unquote(parts.path)) if parts.scheme == "file" else Path(location)


class LocalFiles:
    """A store on the local disk."""

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

    def size(self, path: str) -> int:
        return sum(file.stat().st_size for file in self._path(path).rglob("*") if file.is_file())

    def remove(self, path: str) -> None:
        target = self._path(path)
        if target.is_dir():
            shutil.rmtree(target)
        else:
            target.unlink(missing_ok=True)

    def location(self, path: str = "") -> str:
        return str(self._path(path))


class HadoopFiles:
    """A store on a file system that Spark reads and writes through Hadoop."""

    def __init__(self, session: Any, root: str) -> None:
        jvm = session.sparkContext._jvm
        self._jvm, self._root = jvm, root.rstrip("/")
        self._path_class = jvm.org.apache.hadoop.fs.Path
        configuration = session._jsparkSession.sessionState().newHadoopConf()
        self._system = self._path_class(self._root).getFileSystem(configuration)

    def _path(self, path: str) -> Any:
        return self._path_class(self.location(path))

    def read(self, path: str) -> bytes:
        if not self.exists(path):
            raise FileNotFoundError(self.location(path))
        stream = self._system.open(self._path(path))
        try:
            return bytes(self._jvm.org.apache.commons.io.IOUtils.toByteArray(stream))
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
        self._system.delete(self._path(path), False)
        self._system.rename(unfinished, self._path(path))

    def folders(self, path: str = "") -> list[str]:
        if not self.exists(path):
            return []
        return sorted(
            s.getPath().getName() for s in self._system.listStatus(self._path(path)) if s.isDirectory()
        )

    def exists(self, path: str) -> bool:
        return bool(self._system.exists(self._path(path)))

    def size(self, path: str) -> int:
        return int(self._system.getContentSummary(self._path(path)).getLength())

    def remove(self, path: str) -> None:
        self._system.delete(self._path(path), True)

    def location(self, path: str = "") -> str:
        return f"{self._root}/{path}" if path else self._root
