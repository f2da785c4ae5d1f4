"""The Spark that frames are on: the one that is running, or a local one."""

from __future__ import annotations

from pyspark.sql import SparkSession

from predtrace.frontends.spark.session import local_session


def session() -> SparkSession:
    """The running Spark session; if there is none, one that starts now."""
    return local_session("predtrace.pandas")
