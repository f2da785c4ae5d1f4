"""`wide_to_long`: columns such as `score2019` and `score2020` as one column, with a row for each year."""

from __future__ import annotations

import re
from typing import Any

import pandas as pd

from predtrace.frontends.pandas.core.steps import refused
from predtrace.frontends.pandas.core.tables import Label

_CALL = "pandas.wide_to_long()"


def wide_to_long(df: Any, stubnames: Any, i: Any, j: Any, sep: str = "", suffix: str = r"\d+") -> Any:
    """A row for each row and each suffix of the columns whose labels begin with one of the stubs."""
    from predtrace.frontends.pandas.merging.concatenating import concat

    stubs, ids = ([one] if isinstance(one, str) else list(one) for one in (stubnames, i))
    labels = list(df.columns)
    if set(stubs) & set(labels):
        raise ValueError("stubname can't be identical to a column name")
    if bool(df[ids].duplicated().any()):
        raise ValueError("the id variables need to uniquely identify each row")
    columns = {stub: _by_suffix(labels, stub + sep, suffix) for stub in stubs}
    suffixes = list(columns[stubs[0]])
    if not suffixes or any(list(found) != suffixes for found in columns.values()):
        raise refused(_CALL, "the stubs have different suffixes, or none", "use melt() for each of them")
    # pandas has the other columns by the alphabet.
    others = sorted(set(labels) - {*ids, *(label for found in columns.values() for label in found.values())})
    rows = df.reset_index(drop=True)
    parts = []
    for text, number in zip(suffixes, _numbers(suffixes), strict=True):
        named = {columns[stub][text]: stub.rstrip(sep) for stub in stubs}
        part = rows[[*ids, *others, *named]].rename(columns=named)
        part[j] = number
        parts.append(part)
    found = concat(parts)
    if len(ids) > 1:
        found = found.sort_index(kind="stable")
    return found.set_index([*ids, j])


def _by_suffix(labels: list[Label], stub: str, suffix: str) -> dict[str, Label]:
    """The columns of a stub by what comes after it."""
    fits = re.compile(rf"^{re.escape(stub)}{suffix}$")
    return {
        label.replace(stub, ""): label for label in labels if isinstance(label, str) and fits.match(label)
    }


def _numbers(suffixes: list[str]) -> list[Any]:
    try:
        return list(pd.to_numeric(pd.Series(suffixes)).tolist())
    except (TypeError, ValueError, OverflowError):
        return suffixes
