"""The DuckDB of this process. To start one takes as long as a small trace, so all engines have connections to one.

A connection has temporary tables of its own; its frames end with it. A process that forks lets go of the database
first: the child would have it without its threads, and could not end it.
"""

from __future__ import annotations

import os
import tempfile
import uuid
from pathlib import Path

import duckdb

_STARTED: dict[str, duckdb.DuckDBPyConnection] = {}
_THIS = "this process"


def connect() -> duckdb.DuckDBPyConnection:
    """A new connection."""
    started = _STARTED.get(_THIS) or _STARTED.setdefault(_THIS, _start())
    connection = started.cursor()
    connection.execute("SET TimeZone = 'UTC'")
    return connection


def let_go() -> None:
    """The next connection starts another database. This one ends with its last connection."""
    _STARTED.clear()


def _start() -> duckdb.DuckDBPyConnection:
    # DuckDB makes the folder when memory runs short, and takes it away again.
    spill = Path(tempfile.gettempdir()) / f"predtrace-{uuid.uuid4().hex}"
    # A file is read once or twice: a copy of it in memory, besides that of the system, would take time and room.
    return duckdb.connect(config={"temp_directory": str(spill), "enable_external_file_cache": False})


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=let_go)
