"""The rows at the names of spans of time: `resample("D").ffill()`, `bfill()`, `asfreq()`, `interpolate()`.

It is what `reindex` does with the names of all spans, the rows in the order of time. If the moments are as regular as
the spans already, pandas takes the rows as they are, and only calls them by the names of their spans.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pandas as pd
from pandas.tseries import offsets
from pyspark.sql import functions as F

from predtrace.frontends.pandas.choosing.reindexing import with_rows
from predtrace.frontends.pandas.core.dtypes import BOOL
from predtrace.frontends.pandas.core.facts import any_true, one_misses
from predtrace.frontends.pandas.core.spaces import Key, Value
from predtrace.frontends.pandas.core.steps import only, refused
from predtrace.frontends.pandas.core.tables import Level, Table
from predtrace.frontends.pandas.grouping.grouped_state import Grouped
from predtrace.frontends.pandas.grouping.time_bins import TimeBins

_FEWEST_FOR_A_FREQUENCY = 3
"""pandas sees no frequency in fewer moments."""


class Upsampled(Grouped):
    """These methods of rows by spans of time."""

    def ffill(self, limit: int | None = None) -> Any:
        """For each span the last row that is not after its name."""
        return self._of(self._at_names("ffill", limit))

    def bfill(self, limit: int | None = None) -> Any:
        """For each span the first row that is not before its name."""
        return self._of(self._at_names("bfill", limit))

    def asfreq(self, fill_value: Any = None) -> Any:
        """For each span the row that has its very name as its moment; missing where there is none."""
        return self._of(self._at_names(None, None, float("nan") if fill_value is None else fill_value))

    def interpolate(self, method: str = "linear", **options: Any) -> Any:
        """The same as `asfreq`, with missing numbers on a line between those before and after."""
        return self.asfreq().interpolate(method=method, **options)

    @property
    def _bins(self) -> TimeBins:
        assert self._groups.bins is not None
        return self._groups.bins

    def _rows(self, name: str) -> Table:
        """The rows in the order of time."""
        groups, call = self._groups, f"{self._kind}.{name}() of spans of time"
        if groups.bins is None or groups.spans is not None:
            raise refused(call, "they are spans of each group")
        if groups.keys[0].is_column:
            raise ValueError(
                "Upsampling from level= or on= selection is not supported, use .set_index(...) to explicitly set "
                "index to datetime-like"
            )
        if one_misses(groups.bins.moments):
            raise refused(call, "a moment is missing", "leave such rows out first: df[df.index.notna()]")
        if len(groups.table.levels()) > 1:
            raise refused(call, "the index has several levels", "use reset_index() and set_index() first")
        table = replace(groups.table, columns=self._columns)
        return replace(table, order=(Key(groups.bins.moments.name), *table.order))

    def _at_names(self, method: str | None, limit: Any, fill_value: Any = float("nan")) -> Table:
        name = method or "asfreq"
        only(f"{self._kind}.{name}()", {"limit": None}, {"limit": limit})
        table, bins = self._rows(name), self._bins
        every = bins.every
        if every is None:
            raise refused(f"{self._kind}.{name}() of spans of time", "there is no moment")
        if self._is_regular(table, len(every)):
            level = Level(self._groups.keys[0].label, bins.labels())
            return replace(table.settled(), index=(level,))
        named = every.rename(self._groups.keys[0].label)
        return with_rows(f"{self._kind}.{name}()", table, named, fill_value, method)

    def _is_regular(self, table: Table, count: int) -> bool:
        """Whether there is a row for each span, each as long after the one before. Asks Spark."""
        moment = self._bins.moments
        if count < _FEWEST_FOR_A_FREQUENCY or table.rows().count() != count:
            return False
        length = self._bins.frequency.offset
        if not isinstance(length, offsets.Tick):
            if any_true(
                [moment.with_column(self._bins.frequency.label(moment.column) != moment.column, BOOL)]
            )[0]:
                raise refused(
                    f"{self._kind} of spans of time",
                    "whether the moments are as regular is not known on Spark",
                )
            return False  # the names are the moments: it comes to the same
        since = moment.column - F.lag(moment.column).over(table.window())
        keys = {key.name for key in table.order}
        differs = Value(
            table.space,
            since != F.lit(pd.Timedelta(length).to_pytimedelta()),
            moment.uses | keys,
            BOOL,
            is_window=True,
        )
        return not any_true([differs])[0]
