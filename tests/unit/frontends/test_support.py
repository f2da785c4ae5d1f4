"""The page about what is supported says what the tables say."""

from __future__ import annotations

from pathlib import Path

from predtrace.frontends.spark import support
from predtrace.frontends.spark.plans import READERS
from predtrace.frontends.spark.plans.sources import LEAVES

PAGE = Path(__file__).parents[3] / "docs" / "spark-support.md"


def test_page_is_up_to_date() -> None:
    assert PAGE.read_text(encoding="utf-8") == support.page(), "write it again: see the page's second line"


def test_no_node_is_described_that_is_not_there() -> None:
    assert set(support.OPERATORS) == set(READERS)
    assert set(support.SOURCES) == set(LEAVES)
