"""Inference without Python's garbage collector, which takes a tenth of its time and finds nothing.

Formulas and expressions hold what is below them, never themselves: they go when nobody holds them. But there are
many, and each time there are enough new ones Python looks through all objects of the process.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def without_collecting() -> Iterator[None]:
    """Nothing is collected inside; after it, as before.

    >>> with without_collecting():
    ...     gc.isenabled()
    False
    """
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()
