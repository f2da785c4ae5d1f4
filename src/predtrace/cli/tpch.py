"""TPC-H data for the demo and the tests: generated once, kept in the cache, complete or not there at all."""

from __future__ import annotations

import os
import shutil
import subprocess
import sysconfig
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console

from predtrace.cache import cache_folder
from predtrace.errors import EnvironmentProblem

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

TABLES = ("customer", "lineitem", "nation", "orders", "part", "partsupp", "region", "supplier")


def generate(scale_factor: float = 0.01, console: Console | None = None) -> Path:
    """Return a folder with the eight tables as `<table>.parquet`, generating them if they are not there."""
    name = f"tpch-sf{scale_factor:g}"
    folder = cache_folder() / name
    if is_complete(folder):
        return folder
    draft = Path(tempfile.mkdtemp(prefix=f".{name}-", dir=folder.parent))
    try:
        with (console or Console(quiet=True)).status(
            f"Generating TPC-H data at scale factor {scale_factor:g} …"
        ):
            _run_generator(draft, scale_factor)
        _publish(draft, folder)
    finally:
        shutil.rmtree(draft, ignore_errors=True)
    return folder


def is_complete(folder: Path) -> bool:
    """Say whether the folder has all eight tables."""
    return all((folder / f"{table}.parquet").is_file() for table in TABLES)


def register(spark: SparkSession, folder: Path) -> None:
    """Make each table of the folder a temporary view named after it."""
    for table in TABLES:
        spark.read.parquet(str(folder / f"{table}.parquet")).createOrReplaceTempView(table)


def _run_generator(folder: Path, scale_factor: float) -> None:
    command = [generator(), "parquet", "-s", f"{scale_factor:g}", "--output-dir", str(folder)]
    answer = subprocess.run(command, capture_output=True, text=True, check=False)
    if answer.returncode != 0 or not is_complete(folder):
        raise EnvironmentProblem(
            f"tpchgen-cli ended with code {answer.returncode}: {answer.stderr.strip() or 'no message'}",
            where="generating TPC-H data",
            todo=f"check that there is room and permission to write in {folder.parent}",
        )


def generator() -> str:
    """The program that makes TPC-H data."""
    # First beside this Python: a virtual environment that is used but not activated is not on PATH.
    program = shutil.which("tpchgen-cli", path=sysconfig.get_path("scripts")) or shutil.which("tpchgen-cli")
    if program is None:
        raise EnvironmentProblem(
            "the program tpchgen-cli is missing",
            where="generating TPC-H data",
            todo="run `pip install tpchgen-cli`",
        )
    return program


def _publish(draft: Path, folder: Path) -> None:
    """Give the finished draft its name; where someone else was faster, theirs is as good."""
    os.chmod(draft, 0o755)  # mkdtemp keeps everybody else out, a cache need not
    if folder.exists() and not is_complete(folder):
        shutil.rmtree(folder, ignore_errors=True)
    try:
        draft.rename(folder)
    except OSError:
        if not is_complete(folder):
            raise
