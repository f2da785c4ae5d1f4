"""Which process began a run, and whether it still lives.

A number alone does not tell: numbers are used again, and containers number their processes each on their own. Where
the system says more (Linux), the time a process was born and the space its number belongs to are compared too.
"""

from __future__ import annotations

import os
import socket
from pathlib import Path
from typing import Any


def this_process() -> dict[str, Any]:
    """What is known of this process, as JSON."""
    number = os.getpid()
    return {"host": socket.gethostname(), "space": _space(), "process": number, "born": _born(number)}


def is_here(process: dict[str, Any]) -> bool:
    """Whether it is, or was, a process that can be looked up here. What was not written down is not compared."""
    return process["host"] == socket.gethostname() and process.get("space", _space()) == _space()


def is_alive(process: dict[str, Any]) -> bool:
    """Whether a process that can be looked up here still lives."""
    number = int(process["process"])
    try:
        os.kill(number, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:
        pass  # somebody else's
    return _born(number) in (process.get("born", _born(number)), None) and not _is_zombie(number)


def _space() -> str | None:
    try:
        return os.readlink("/proc/self/ns/pid")
    except OSError:
        return None


def _born(number: int) -> str | None:
    """When a process was born, in ticks since the machine started."""
    found = _status(number)
    return found[19] if found else None


def _is_zombie(number: int) -> bool:
    """Whether it was killed and its parent has not asked for it yet."""
    return _status(number)[:1] in (["Z"], ["X"])


def _status(number: int) -> list[str]:
    """What Linux says of a process, from its state on; its name before that may contain anything."""
    try:
        return Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return []
