"""What `pd.` means: our functions over frames, pandas' own for what holds no rows, a refusal for the rest."""

from __future__ import annotations

from importlib import import_module
from types import ModuleType
from typing import Any

import pandas

from predtrace.frontends.pandas.core.steps import refused

_FUNCTIONS = {
    "frame": ["DataFrame"],
    "series": ["Series"],
    "files.reading": [
        "ExcelFile",
        "json_normalize",
        "read_csv",
        "read_excel",
        "read_feather",
        "read_fwf",
        "read_json",
        "read_parquet",
        "read_pickle",
        "read_stata",
        "read_table",
    ],
    "merging.concatenating": ["concat"],
    "merging.methods": ["merge"],
    "merging.nearest_rows": ["merge_asof"],
    "reshaping.crosstabs": ["crosstab"],
    "reshaping.dummies": ["get_dummies"],
    "reshaping.lengthening": ["wide_to_long"],
    "reshaping.melting": ["melt"],
    "reshaping.pivots": ["pivot", "pivot_table"],
    "times.parsing": ["to_datetime"],
    "cleaning.binning": ["cut", "qcut"],
    "cleaning.categorical_arrays": ["Categorical", "factorize"],
    "cleaning.converting": ["to_numeric", "to_timedelta"],
    "cleaning.methods": ["isna", "isnull", "notna", "notnull"],
    "reducing.counting": ["unique", "value_counts"],
    "times.ranges": [
        "Timedelta",
        "Timestamp",
        "bdate_range",
        "date_range",
        "interval_range",
        "period_range",
        "timedelta_range",
    ],
}
_WHERE = {name: module for module, names in _FUNCTIONS.items() for name in names}

_WITHOUT_ROWS = (
    "NA NaT Period DateOffset Interval Index MultiIndex RangeIndex DatetimeIndex IntervalIndex "
    "CategoricalIndex CategoricalDtype DatetimeTZDtype StringDtype Int64Dtype Grouper NamedAgg "
    "IndexSlice ExcelWriter set_option "
    "get_option reset_option describe_option options option_context api errors offsets tseries testing "
    "show_versions __version__"
)
_VALUES = frozenset(_WITHOUT_ROWS.split())


def attribute(name: str) -> Any:
    """`pd.name`."""
    if name in _WHERE:
        return getattr(import_module(f"predtrace.frontends.pandas.{_WHERE[name]}"), name)
    if name in _VALUES:
        return getattr(pandas, name)
    if hasattr(pandas, name) and not name.startswith("__"):
        raise refused(f"pandas.{name}", "it is not made for Spark yet")
    raise AttributeError(f"module 'pandas' has no attribute {name!r}")


class Pandas(ModuleType):
    """Our module under the name `pd`. In a function that is sent to Spark's workers it is pandas itself: there are
    plain values, and frames of pandas, and none of ours."""

    def __reduce__(self) -> tuple[Any, ...]:
        return import_module, ("pandas",)
