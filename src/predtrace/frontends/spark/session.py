"""A small, quiet Spark session inside this process, for the demo, the tests and first steps.

Whoever has a session of their own keeps it: nothing here changes a session that is already there.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

from pyspark.sql import SparkSession

from predtrace.frontends.spark.java import java_home_for_spark

_LOGGING = Path(__file__).with_name("log4j2.properties")


def local_session(app_name: str = "predtrace", cores: int = 2, **conf: str) -> SparkSession:
    """Return the active Spark session, or start a local one with everything in this process.

    `conf` adds Spark settings or overrides ours: `local_session(**{"spark.driver.memory": "4g"})`.
    """
    active = SparkSession.getActiveSession()
    if active is not None:
        return active
    os.environ["JAVA_HOME"] = java_home_for_spark()
    # Python workers must be this very Python, or functions pickled here may not load there.
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    builder = SparkSession.builder.master(f"local[{cores}]").appName(app_name)
    for key, value in {**_settings(cores), **conf}.items():
        builder = builder.config(key, value)
    session: SparkSession = builder.getOrCreate()
    return session


def _settings(cores: int) -> dict[str, str]:
    return {
        "spark.driver.memory": "2g",
        # Only this machine talks to it, whatever the machine's host name resolves to.
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.host": "127.0.0.1",
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        # By file, because every other way to set the level prints a line about doing so.
        "spark.driver.extraJavaOptions": f"-Dlog4j2.configurationFile={_LOGGING.as_uri()}",
        "spark.sql.session.timeZone": "UTC",
        # 200 partitions of a small table are 200 tasks of pure overhead.
        "spark.sql.shuffle.partitions": str(cores),
    }
