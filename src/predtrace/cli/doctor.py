"""`predtrace doctor`: is everything here that predtrace needs, and if not, which command helps?"""

from __future__ import annotations

import os
import platform
import re
import sys
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from importlib import metadata

from rich.console import RenderableType

from predtrace.api.tables import table
from predtrace.cache import cache_folder
from predtrace.cli.reporting import ExitCode, Report, progress
from predtrace.cli.tpch import generator
from predtrace.errors import EnvironmentProblem
from predtrace.frontends.spark.java import find_java

_OLDEST_PYTHON = (3, 10)
_REQUIREMENT = re.compile(r"^([\w.-]+)\s*([^;]*)")
_BOUND = re.compile(r"(>=|<)\s*([\d.]+)")


@dataclass(frozen=True)
class Finding:
    """One thing that was looked at. `fix` is the command that helps; empty if all is well."""

    what: str
    found: str
    fix: str = ""


def examine() -> Report:
    """Look at everything."""
    with progress("Looking around"):
        findings = [_python(), _java(), *_packages(), *_spark_home(), _tpch_generator(), _cache()]
    wrong = [finding for finding in findings if finding.fix]
    rows = [(f.what, f.found, "ok" if not f.fix else "missing") for f in findings]
    shown: list[RenderableType] = [table("predtrace doctor", ("what", "found", ""), rows)]
    shown += [f"{finding.what}: {finding.fix}" for finding in wrong] or ["All is well."]
    document = {"ok": not wrong, "findings": [asdict(finding) for finding in findings]}
    return Report(document, shown, ExitCode.ENVIRONMENT if wrong else ExitCode.OK)


def _python() -> Finding:
    old = sys.version_info[:2] < _OLDEST_PYTHON
    fix = f"install Python {'.'.join(map(str, _OLDEST_PYTHON))} or newer" if old else ""
    return Finding("Python", f"{platform.python_version()} ({sys.executable})", fix)


def _java() -> Finding:
    try:
        java = find_java()
    except EnvironmentProblem as problem:
        return Finding("Java", problem.what, problem.todo)
    return Finding("Java", f"{java.version} ({java.program}, from {java.origin})")


def _packages() -> Iterator[Finding]:
    """The packages that predtrace's own metadata asks for."""
    for requirement in metadata.requires("predtrace") or ():
        found = _REQUIREMENT.match(requirement)
        if found is None or "extra ==" in requirement:
            continue
        name, bounds = found.group(1), found.group(2).strip()
        fix = f"{sys.executable} -m pip install '{name}{bounds}'"
        try:
            version = metadata.version(name)
        except metadata.PackageNotFoundError:
            yield Finding(name, "not installed", fix)
        else:
            yield Finding(name, version, "" if within(version, bounds) else fix)


def _spark_home() -> Iterator[Finding]:
    """Another Spark than the package's own, if the environment names one: its version must be the same."""
    home = os.environ.get("SPARK_HOME")
    if not home:
        return
    try:
        with open(os.path.join(home, "RELEASE"), encoding="utf-8") as file:
            text = file.readline()
    except OSError:
        text = ""
    told = re.search(r"Spark (\d+\.\d+)", text)
    package = ".".join(_version("pyspark").split(".")[:2])
    differs = told is not None and told.group(1) != package
    fix = f"unset SPARK_HOME, or install pyspark {told.group(1)}" if told is not None and differs else ""
    yield Finding("SPARK_HOME", home, fix)


def _tpch_generator() -> Finding:
    try:
        return Finding("TPC-H generator", generator())
    except EnvironmentProblem as problem:
        return Finding("TPC-H generator", problem.what, problem.todo)


def _cache() -> Finding:
    try:
        folder = cache_folder()
    except EnvironmentProblem as problem:
        return Finding("cache", problem.what, problem.todo)
    writable = os.access(folder, os.W_OK)
    fix = "" if writable else "set PREDTRACE_CACHE to a folder you can write to"
    return Finding("cache", str(folder), fix)


def within(version: str, bounds: str) -> bool:
    """Whether a version is within bounds like `>=2.2,<3`.

    >>> within("2.3.3", "<3,>=2.2"), within("3.0", "<3,>=2.2"), within("4.1.0.dev1", ">=4.1")
    (True, False, True)
    """
    have = _numbers(version)
    return all(
        have >= _numbers(bound) if sign == ">=" else have < _numbers(bound)
        for sign, bound in _BOUND.findall(bounds)
    )


def _numbers(version: str) -> tuple[int, ...]:
    leading = re.match(r"\d+(\.\d+)*", version)
    parts = [int(part) for part in leading.group(0).split(".")] if leading else [0]
    while len(parts) > 1 and parts[-1] == 0:
        parts.pop()  # 4.1.0 is no newer than 4.1
    return tuple(parts)


def _version(package: str) -> str:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return ""
