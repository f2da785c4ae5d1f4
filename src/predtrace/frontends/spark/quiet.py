"""Keeps PySpark from logging errors that are about to be explained. Imports nothing of Spark."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def quiet_spark() -> Iterator[None]:
    """Log nothing for a while: PySpark logs every error besides raising it."""
    before = logging.root.manager.disable
    logging.disable(logging.CRITICAL)
    try:
        yield
    finally:
        logging.disable(before)
