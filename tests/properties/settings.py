"""How property tests are run: how many examples, and a Spark with other options.

A usual run draws the same examples each time. `PREDTRACE_ROUNDS` asks for so many rounds of other ones, which
`PREDTRACE_SEED` decides; rounds are tests of their own, so that they can run side by side.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

import pytest
from hypothesis import HealthCheck, Phase, seed, settings
from pyspark.sql import SparkSession

ROUNDS = int(os.environ.get("PREDTRACE_ROUNDS", "0"))
SEED = int(os.environ.get("PREDTRACE_SEED", "0"))

in_rounds = pytest.mark.parametrize("number", range(1, ROUNDS + 1) if ROUNDS else [0])
"""A property test gets the number of its round; that of a usual run is 0."""

Test = TypeVar("Test", bound=Callable[..., None])


def examples(count: int, number: int) -> Callable[[Test], Test]:
    """So many examples in the round of this number."""
    chosen = settings(
        max_examples=count,
        derandomize=not number,
        database=None,
        deadline=None,
        print_blob=False,
        # To shrink an example takes minutes; in a long run it is done later, with its seed.
        phases=(Phase.generate,) if number else tuple(Phase),
        suppress_health_check=list(HealthCheck),
    )

    def in_this_round(test: Test) -> Test:
        return seed(SEED + number)(chosen(test)) if number else chosen(test)

    return in_this_round


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
