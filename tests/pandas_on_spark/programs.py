"""Small programs as texts, run with plain pandas and with our frames on Spark."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas
from tests.pandas_on_spark.same import assert_same, given, settled

import predtrace.pandas as ours

_on_spark: dict[int, tuple[Any, Any]] = {}
"""Frames that are on Spark already, by the frame of pandas they were made of."""


def check(text: str, **frames: Any) -> None:
    """Run a program with both, and compare. Where pandas raises, ours must raise the same kind of error."""
    try:
        expected = _run(text, pandas, {name: frame.copy() for name, frame in frames.items()})
    except Exception as problem:
        try:
            found = settled(_run(text, ours, {name: placed(frame) for name, frame in frames.items()}))
        except type(problem):
            return
        raise AssertionError(f"{text}\npandas raises {problem!r}, ours gives\n{found}") from None
    try:
        assert_same(settled(_run(text, ours, {n: placed(frame) for n, frame in frames.items()})), expected)
    except Exception as problem:
        raise AssertionError(f"{text}\n{problem}\npandas gives\n{expected}") from problem


def _run(text: str, pd: Any, frames: dict[str, Any]) -> Any:
    return eval(text, {"pd": pd, "np": np, "nan": float("nan"), "__name__": "__main__", **frames})


def placed(frame: Any) -> Any:
    """A frame of pandas as one of ours, which is made once."""
    if id(frame) not in _on_spark:
        _on_spark[id(frame)] = (frame, given(frame))
    return _on_spark[id(frame)][1].copy()
