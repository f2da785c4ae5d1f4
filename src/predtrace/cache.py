"""Where predtrace keeps what it can make again: generated data, a Java launcher.

Deleting this folder is always safe; the next use fills it again.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

from predtrace.errors import EnvironmentProblem


def cache_folder(*parts: str) -> Path:
    """Return a folder inside predtrace's cache, creating it and its parents.

    `PREDTRACE_CACHE` names the cache itself; without it, it is where the platform keeps caches.

    >>> cache_folder("doctest").name
    'doctest'
    """
    folder = _root().joinpath(*parts)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise EnvironmentProblem(
            f"the cache folder {folder} cannot be created ({error.strerror})",
            todo="set the environment variable PREDTRACE_CACHE to a folder you can write to",
        ) from error
    return folder


def _root() -> Path:
    chosen = os.environ.get("PREDTRACE_CACHE")
    if chosen:
        return Path(chosen).expanduser().absolute()
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA", "~/AppData/Local")
    elif sys.platform == "darwin":
        base = "~/Library/Caches"
    else:
        base = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    return Path(base).expanduser().absolute() / "predtrace"
