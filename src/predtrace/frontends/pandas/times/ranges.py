"""`pd.date_range` and its like: pandas' own, between values that Spark may have to work out first.

pd.date_range(df["date"].min(), df["date"].max())
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

import pandas as pd

from predtrace.frontends.pandas.core.making import known
from predtrace.frontends.pandas.core.steps import refused


def _between_known(name: str) -> Callable[..., Any]:
    plain = getattr(pd, name)

    @wraps(plain)
    def of_known(*args: Any, **kwargs: Any) -> Any:
        return plain(*map(known, args), **known(kwargs))

    return of_known


bdate_range = _between_known("bdate_range")
date_range = _between_known("date_range")
interval_range = _between_known("interval_range")
period_range = _between_known("period_range")
timedelta_range = _between_known("timedelta_range")


class _Made(type):
    """The kind of a class that stands for one of pandas: what is made of it, and asked of it, is pandas' own."""

    @property
    def _plain(cls) -> Any:
        return getattr(pd, cls.__name__)

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        return cls._plain(*map(known, args), **known(kwargs))

    def __new__(cls, name: str, bases: tuple[type, ...], namespace: dict[str, Any]) -> _Made:
        if bases:
            raise refused(
                f"a class of the program's own made of {bases[0].__name__}", "it stands for pandas' own"
            )
        return super().__new__(cls, name, bases, namespace)

    def __eq__(cls, other: object) -> bool:
        return other is cls or other is cls._plain

    def __hash__(cls) -> int:
        return hash(cls._plain)

    def __instancecheck__(cls, instance: Any) -> bool:
        return isinstance(instance, cls._plain)

    def __subclasscheck__(cls, subclass: type) -> bool:
        return issubclass(subclass, cls._plain)

    def __getattr__(cls, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(cls._plain, name)


class Timestamp(metaclass=_Made):
    """A moment."""


class Timedelta(metaclass=_Made):
    """A span of time."""
