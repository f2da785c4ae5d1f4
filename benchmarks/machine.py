"""What the machine is, as far as it matters to times: no names, no paths."""

from __future__ import annotations

import os
import platform
from importlib.metadata import version
from pathlib import Path

from pyspark.sql import SparkSession


def description(spark: SparkSession) -> dict[str, str]:
    return {
        "processor": _processor(),
        "cores": str(os.cpu_count()),
        "cores of Spark": str(spark.sparkContext.defaultParallelism),
        "memory": f"{_memory() / 2**30:.0f} GiB",
        "memory of Spark": spark.conf.get("spark.driver.memory") or "",
        "system": platform.system(),
        "load at the start": " ".join(f"{load:.1f}" for load in os.getloadavg()),
        "Python": platform.python_version(),
        "Java": str(spark._jvm.System.getProperty("java.version")) if spark._jvm else "",
        **{package: version(package) for package in ("predtrace", "pyspark", "duckdb", "z3-solver")},
    }


def _processor() -> str:
    information = Path("/proc/cpuinfo")
    lines = information.read_text(encoding="utf-8").splitlines() if information.exists() else []
    models = (line.split(":", 1)[1].strip() for line in lines if line.startswith("model name"))
    return next(models, platform.machine())


def _memory() -> int:
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
