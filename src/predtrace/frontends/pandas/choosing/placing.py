"""`iloc` and `iat`: rows and columns by their places, to read them and to set values there."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from predtrace.frontends.pandas.choosing.index import Index
from predtrace.frontends.pandas.choosing.labels import Found, is_list
from predtrace.frontends.pandas.choosing.locating import Locator, is_several, one_of
from predtrace.frontends.pandas.choosing.row_places import (
    at_place,
    in_slice,
    numbered,
    places_of,
    row_at,
    sliced,
    taken,
)
from predtrace.frontends.pandas.choosing.selecting import is_mask, mask_beside, masked
from predtrace.frontends.pandas.core.dtypes import BOOL
from predtrace.frontends.pandas.core.held import Held
from predtrace.frontends.pandas.core.scalars import Scalar
from predtrace.frontends.pandas.core.steps import refused
from predtrace.frontends.pandas.core.tables import Label, Table
from predtrace.frontends.pandas.series import Series


class ILoc(Locator):
    """By places."""

    _name = "iloc"
    _by_place = True

    def _read(self, part: Held, key: Any) -> Any:
        table = part._table
        if is_mask(key):
            return part._of(masked(table, _mask_of_places(key)))
        if isinstance(key, slice):
            return part._of(sliced(table, key))
        if is_list(key) or isinstance(key, (Series, Index)):
            return part._of(taken(table, key))
        problem = IndexError("single positional indexer is out-of-bounds")
        return one_of(part, row_at(table.indexed(), _number(key)), self._held._table, problem)

    def _meant(self, table: Table, key: Any, labels: list[Label], values: Any) -> tuple[Found | None, Any]:
        if is_mask(key):
            return Found(*mask_beside(table, _mask_of_places(key))), values
        if isinstance(key, slice):
            return Found(*in_slice(table, key)), values
        if not is_list(key):
            places_of(table, [_number(key)])
            return Found(*at_place(table, _number(key)), is_one=True), values
        places = places_of(table, key)
        table, here = numbered(table)
        if is_several(values) and (len(labels) == 1 or np.ndim(values) > 1):
            order = np.argsort(places, kind="stable")
            if len(set(places)) < len(places) or len(values) != len(places):
                raise refused("iloc[places] = list of values", "not every place has one value")
            values = [values[place] for place in order]
        return Found(table, here.with_column(here.column.isin(*places), BOOL)), values


def _mask_of_places(key: Any) -> Any:
    if isinstance(key, (Series, pd.Series)) and not (isinstance(key, Series) and key._raw.is_array):
        raise refused("iloc[mask]", "the mask has labels", "use loc[mask]")
    return key


def _number(key: Any) -> int:
    if isinstance(key, (bool, np.bool_)) or not isinstance(key, (int, np.integer, Scalar)):
        raise TypeError(f"Cannot index by location index with a non-integer key: {key!r}")
    return int(key)


class IAt(ILoc):
    """One value by places."""

    _name = "iat"
