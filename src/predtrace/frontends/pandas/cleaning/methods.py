"""Changing values and labels one by one: dropping, renaming, replacing, filling, converting, masking."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pandas as pd

from predtrace.frontends.pandas.cleaning.calculating import CalculatingFrame, CalculatingSeries
from predtrace.frontends.pandas.cleaning.casting import CastingFrame, CastingSeries
from predtrace.frontends.pandas.cleaning.categorical import Categories
from predtrace.frontends.pandas.cleaning.combining import CombiningFrame, CombiningSeries
from predtrace.frontends.pandas.cleaning.dropping import DroppingFrame, DroppingSeries
from predtrace.frontends.pandas.cleaning.filling import FillingFrame, FillingSeries
from predtrace.frontends.pandas.cleaning.labelling import LabellingFrame, LabellingSeries
from predtrace.frontends.pandas.cleaning.mapping import mapped_by_table
from predtrace.frontends.pandas.cleaning.masking import MaskingFrame, MaskingSeries
from predtrace.frontends.pandas.cleaning.membership import MembershipFrame, MembershipSeries
from predtrace.frontends.pandas.cleaning.replacing import ReplacingFrame, ReplacingSeries
from predtrace.frontends.pandas.core.arithmetic import inverted
from predtrace.frontends.pandas.core.elements import changed, frame_of
from predtrace.frontends.pandas.core.facts import is_missing
from predtrace.frontends.pandas.core.held import Held
from predtrace.frontends.pandas.core.scalars import Scalar

if TYPE_CHECKING:
    from predtrace.frontends.pandas.frame import DataFrame

__all__ = ["CleaningFrame", "CleaningSeries", "isna", "isnull", "mapped_by_table", "notna", "notnull"]


class CleaningFrame(
    LabellingFrame,
    CastingFrame,
    ReplacingFrame,
    FillingFrame,
    DroppingFrame,
    CombiningFrame,
    MembershipFrame,
    MaskingFrame,
    CalculatingFrame,
):
    """These methods of a DataFrame."""

    def isnull(self) -> DataFrame:
        """Where values are missing."""
        return frame_of(changed(self, lambda _, value: is_missing(value)))

    isna = isnull

    def notnull(self) -> DataFrame:
        """Where values are not missing."""
        return frame_of(changed(self, lambda _, value: inverted(is_missing(value))))

    notna = notnull

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
        from predtrace.frontends.pandas.for_numpy.functions import apply_ufunc

        return apply_ufunc(ufunc, method, inputs, kwargs)

    def __array_function__(self, function: Any, types: Any, args: Any, kwargs: Any) -> Any:
        from predtrace.frontends.pandas.for_numpy.functions import apply_function

        return apply_function(function, args, kwargs)


class CleaningSeries(
    LabellingSeries,
    CastingSeries,
    ReplacingSeries,
    FillingSeries,
    DroppingSeries,
    CombiningSeries,
    MembershipSeries,
    MaskingSeries,
    CalculatingSeries,
):
    """These methods of a Series."""

    @property
    def cat(self) -> Categories:
        """Methods of categories."""
        return Categories(self)


def isna(obj: Any) -> Any:
    """Where an object misses values; whether a scalar is missing."""
    if isinstance(obj, Held):
        return obj.isna()  # type: ignore[attr-defined]
    return pd.isna(obj._known if isinstance(obj, Scalar) else obj)


isnull = isna


def notna(obj: Any) -> Any:
    """Where an object has values; whether a scalar is not missing."""
    if isinstance(obj, Held):
        return obj.notna()  # type: ignore[attr-defined]
    return pd.notna(obj._known if isinstance(obj, Scalar) else obj)


notnull = notna
