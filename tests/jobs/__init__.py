"""Jobs as people write them, with hand-written lineage: the proof that traces are exact on more than queries.

Usage: set the folder for their tables with `use_folder(spark, folder)`, then build any of `JOBS`.
"""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

from pyspark.sql import SparkSession

from .registry import FOLDER_SETTING, JOBS, TABLES

THEMES = (
    "cleaning",
    "features",
    "sessions",
    "deduplication",
    "reshaping",
    "nested",
    "grouped_maps",
    "custom_aggregates",
    "windows",
    "reports",
    "table_functions",
)
for theme in THEMES:
    import_module(f"{__name__}.{theme}")  # importing a theme registers its jobs


def use_folder(spark: SparkSession, folder: Path) -> None:
    """Where the tables of jobs are, or will be written when a job first reads them."""
    spark.conf.set(FOLDER_SETTING, str(folder))


__all__ = ["JOBS", "TABLES", "THEMES", "use_folder"]
