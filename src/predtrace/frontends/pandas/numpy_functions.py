"""numpy's functions over series: `np.log(s)`, `np.where(mask, a, b)`."""

from __future__ import annotations

from typing import Any

from predtrace.frontends.pandas.steps import refused


def apply_ufunc(ufunc: Any, method: str, inputs: Any, kwargs: Any) -> Any:
    """What numpy hands over when a series is an argument of an elementwise function."""
    raise refused(f"numpy.{ufunc.__name__}", "it is not made for Spark yet")


def apply_function(function: Any, args: Any, kwargs: Any) -> Any:
    """What numpy hands over when a series is an argument of another function."""
    raise refused(f"numpy.{function.__name__}", "it is not made for Spark yet")
