"""How property tests are run: how many examples, and a Spark that is quick on tiny tables.

`PREDTRACE_EXAMPLES` asks for more examples than a usual test run draws, and for other ones each time.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

from hypothesis import HealthCheck, settings
from pyspark.sql import SparkSession

MANY = int(os.environ.get("PREDTRACE_EXAMPLES", "0"))

FAST = {
    # Compiling each tiny query takes longer than running it.
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    "spark.sql.adaptive.enabled": "false",
    "spark.sql.shuffle.partitions": "1",
}


def examples(usual: int) -> settings:
    """So many examples in a usual run: the same ones each time."""
    return settings(
        max_examples=MANY or usual,
        derandomize=not MANY,
        database=None,
        deadline=None,
        print_blob=False,
        suppress_health_check=list(HealthCheck),
    )


@contextmanager
def configured(spark: SparkSession, options: dict[str, str]) -> Iterator[None]:
    """The session with other options for a while."""
    before = {name: spark.conf.get(name, None) for name in options}
    for name, value in options.items():
        spark.conf.set(name, value)
    try:
        yield
    finally:
        for name, old in before.items():
            if old is None:
                spark.conf.unset(name)
            else:
                spark.conf.set(name, old)
