"""Python functions that random pipelines call: UDFs in expressions, functions over groups, partitions and pairs of
groups.

None fails for any value, and none looks at the order of rows. They are defined inside a function so that Spark sends
them to its workers by value. A pipeline prints those it calls.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from functools import lru_cache
from types import SimpleNamespace
from typing import Any

import pandas as pd
from pyspark.sql import SparkSession
from pyspark.sql import functions as F
from pyspark.sql.pandas import functions as pandas_functions
from tests.properties.draft import Draft

import predtrace

UDFS: dict[str, tuple[str, tuple[str, ...]]] = {
    "py_half": ("int", ("int",)),
    "py_mod": ("int", ("int",)),
    "py_large": ("int", ("int",)),
    "py_sum": ("int", ("int", "int")),
    "py_length": ("int", ("string",)),
    "py_twice": ("int", ("int",)),
    "py_clean": ("string", ("string",)),
    "py_name": ("string", ("int",)),
    "py_label": ("string", ("string", "int")),
    "py_some": ("boolean", ("int",)),
    "py_same": ("boolean", ("string", "string")),
    "py_next": ("date", ("date",)),
}
"""By name: the type of the result, and those of the arguments."""

_PANDAS = ("py_twice",)


def returning(type_: str) -> list[str]:
    """The names of the UDFs with results of a type."""
    return [name for name, (returned, _) in UDFS.items() if returned == type_]


def call(draft: Draft, type_: str, part: Callable[[str], str]) -> str:
    """A call of a UDF of the type; `part` draws an argument of a type."""
    name = draft.choose(returning(type_))
    return f"{name}({', '.join(part(argument) for argument in UDFS[name][1])})"


def calls(names: list[str], first: str) -> dict[str, tuple[int, str]]:
    """DataFrame calls with Python functions, by feature, with their weights."""
    groups = f"df.groupBy({names})"
    pair = f"df.groupBy('{first}').cogroup(df.groupBy('{first}'))"
    return {
        "pandas aggregate": (1, f"{groups}.agg(py.different('{first}').alias('m'))"),
        "grouped map": (1, f"{groups}.applyInPandas(py.large_groups, df.schema)"),
        "grouped map with key": (1, f"{groups}.applyInPandas(py.sizes, 'k string, n int')"),
        "cogrouped map": (1, f"{pair}.applyInPandas(py.pairs, 'n int, m int')"),
        "row map": (1, "df.mapInPandas(predtrace.rowwise(py.cells), 'n bigint')"),
        "row map in Arrow": (1, "df.mapInArrow(predtrace.rowwise(py.known), df.schema)"),
    }


@lru_cache(maxsize=1)
def library() -> SimpleNamespace:
    """All functions, by name."""

    def py_half(value):  # type: ignore[no-untyped-def]
        return None if value is None else value // 2

    def py_mod(value):  # type: ignore[no-untyped-def]
        if value is None:
            return None
        return value % 3

    def py_large(value):  # type: ignore[no-untyped-def]
        return value if value is not None and value > 1 else None

    def py_sum(one, other):  # type: ignore[no-untyped-def]
        return None if one is None or other is None else one + other

    def py_length(text):  # type: ignore[no-untyped-def]
        return len(text or "")

    def py_twice(values: pd.Series) -> pd.Series:
        return values * 2

    def py_clean(text):  # type: ignore[no-untyped-def]
        return text.strip().lower() if text else None

    names = {0: "zero", 1: "one", 2: "two"}

    def py_name(value):  # type: ignore[no-untyped-def]
        return names.get(value)

    def py_label(text, value):  # type: ignore[no-untyped-def]
        if value is None:
            return "none"
        return f"{text}-{value}"

    def py_some(value):  # type: ignore[no-untyped-def]
        return value is not None and value >= 1

    def py_same(one, other):  # type: ignore[no-untyped-def]
        return None if one is None else one == other

    def py_next(day):  # type: ignore[no-untyped-def]
        import datetime

        return None if day is None else day + datetime.timedelta(days=1)

    def different(values: pd.Series) -> int:
        return int(values.nunique())

    def large_groups(group):  # type: ignore[no-untyped-def]
        return group if len(group) > 1 else group.head(0)

    def sizes(key, group):  # type: ignore[no-untyped-def]
        return pd.DataFrame({"k": [str(key)], "n": [len(group)]})

    def pairs(left, right):  # type: ignore[no-untyped-def]
        return pd.DataFrame({"n": [len(left)], "m": [len(right)]})

    def cells(batches):  # type: ignore[no-untyped-def]
        for batch in batches:
            known = batch.notna().sum(axis=1)
            yield pd.DataFrame({"n": known}).loc[known.index.repeat(known % 3)]

    def known(batches: Any) -> Iterator[Any]:
        for batch in batches:
            yield batch.filter(batch.column(0).is_valid())

    return SimpleNamespace(**{name: made for name, made in locals().items() if callable(made)})


def register(spark: SparkSession, text: str) -> None:
    """Make the UDFs that a text names known to Spark."""
    for name, (returned, _) in UDFS.items():
        if name in text:
            function = getattr(library(), name)
            # Its overloads know the old function types only, not the type hints that replaced them.
            pandas_udf: Any = pandas_functions.pandas_udf
            made = (
                pandas_udf(function, returned)
                if name in _PANDAS
                else F.udf(function, returned, useArrow=False)
            )
            spark.udf.register(name, made)


def namespace() -> dict[str, Any]:
    """What a DataFrame call may name besides `df`."""
    functions = SimpleNamespace(**vars(library()))
    pandas_udf: Any = pandas_functions.pandas_udf
    functions.different = pandas_udf(functions.different, "int")
    return {"F": F, "py": functions, "predtrace": predtrace}


def definitions(text: str) -> list[str]:
    """The source of the functions that a text names."""
    named = (made for name, made in vars(library()).items() if name in text)
    return [inspect.cleandoc(f"\n{inspect.getsource(made)}") for made in named]
