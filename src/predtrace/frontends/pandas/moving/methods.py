"""Windows in the order of the rows: `shift`, `diff`, `rolling`, `expanding`, cumulative functions, ranks.

How values are worked out is in `along.py`, `ranking.py` and `rolling.py`; groups use the same
(`grouping/grouped_rows.py`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from predtrace.frontends.pandas.core.certain import certain, is_numeric
from predtrace.frontends.pandas.core.held import Held
from predtrace.frontends.pandas.core.spaces import Value
from predtrace.frontends.pandas.core.steps import only, refused
from predtrace.frontends.pandas.core.tables import Label
from predtrace.frontends.pandas.moving.along import Along, changed, cumulated, differed, shifted
from predtrace.frontends.pandas.moving.fading import Fading, checked, weights_of
from predtrace.frontends.pandas.moving.in_the_row import cumulated_columns, ranked_columns, shifted_columns
from predtrace.frontends.pandas.moving.in_time import (
    AroundBeside,
    along_moments,
    is_time,
    moments_of,
    sorted_without,
    time_bounds,
)
from predtrace.frontends.pandas.moving.ranking import ranked
from predtrace.frontends.pandas.moving.rolling import EVERYTHING_BEFORE, Around, rolling_bounds

Same = TypeVar("Same", bound="_Moving")
_NOT_GIVEN = object()


class _Moving(Held):
    """These methods of series and frames: each column by itself."""

    def _along(
        self: Same,
        call: str,
        axis: Any,
        function: Callable[[Along, Value], Value],
        numeric_only: bool = False,
    ) -> Same:
        if axis not in (0, "index", None):
            raise ValueError(f"No axis named {axis} for object type {self._kind}")
        table = certain(self._table)
        along = Along(table)
        columns = [
            (label, value) for label, value in table.columns if is_numeric(value.dtype) or not numeric_only
        ]
        made = table.with_columns((label, function(along, value)) for label, value in columns)
        return self._of(made)

    def _goes_across(self, axis: Any) -> bool:
        """Whether a call is about the columns of each row."""
        return self._kind == "DataFrame" and axis in (1, "columns")

    def shift(self: Same, periods: int = 1, freq: Any = None, axis: Any = 0, fill_value: Any = None) -> Same:
        """The values some rows before."""
        only(f"{self._kind}.shift()", {"freq": None}, {"freq": freq})
        if self._goes_across(axis):
            only("DataFrame.shift(axis=1)", {"fill_value": None}, {"fill_value": fill_value})
            return self._of(shifted_columns(certain(self._table), periods))
        return self._along("shift", axis, lambda along, value: shifted(along, value, periods, fill_value))

    def diff(self: Same, periods: int = 1, axis: Any = 0) -> Same:
        """The differences to the values some rows before."""
        if self._goes_across(axis):
            return self - self.shift(periods, axis=1)  # type: ignore[operator, no-any-return]
        return self._along("diff", axis, lambda along, value: differed(along, value, periods))

    def pct_change(
        self: Same,
        periods: int = 1,
        fill_method: Any = "pad",
        limit: Any = None,
        freq: Any = None,
        axis: Any = 0,
    ) -> Same:
        """The parts by which values are greater than those some rows before."""
        only(f"{self._kind}.pct_change()", {"limit": None, "freq": None}, {"limit": limit, "freq": freq})
        fills = fills_missing(fill_method)
        if self._goes_across(axis):
            filled: Any = self.ffill(axis=1) if fills else self  # type: ignore[attr-defined]
            return filled / filled.shift(periods, axis=1) - 1  # type: ignore[no-any-return]
        return self._along("pct_change", axis, lambda along, value: changed(along, value, periods, fills))

    def cumsum(self: Same, axis: Any = 0, skipna: bool = True) -> Same:
        """The sums of all values up to each."""
        return self._cumulated("cumsum", axis, skipna)

    def cumprod(self: Same, axis: Any = 0, skipna: bool = True) -> Same:
        """The products of all values up to each."""
        return self._cumulated("cumprod", axis, skipna)

    def cummax(self: Same, axis: Any = 0, skipna: bool = True) -> Same:
        """The greatest values up to each."""
        return self._cumulated("cummax", axis, skipna)

    def cummin(self: Same, axis: Any = 0, skipna: bool = True) -> Same:
        """The least values up to each."""
        return self._cumulated("cummin", axis, skipna)

    def _cumulated(self: Same, name: str, axis: Any, skipna: bool) -> Same:
        only(f"{self._kind}.{name}()", {"skipna": True}, {"skipna": skipna})
        if self._goes_across(axis):
            return self._of(cumulated_columns(certain(self._table), name))
        return self._along(name, axis, lambda along, value: cumulated(along, name, value))

    def rank(
        self: Same,
        axis: Any = 0,
        method: str = "average",
        numeric_only: bool = False,
        na_option: str = "keep",
        ascending: bool = True,
        pct: bool = False,
    ) -> Same:
        """The places of the values if they were sorted."""
        if self._goes_across(axis):
            table = certain(self._table)
            if numeric_only:
                table = table.with_columns(
                    (label, value) for label, value in table.columns if is_numeric(value.dtype)
                )
            return self._of(ranked_columns(table, method, na_option, ascending, pct))

        def one(along: Along, value: Value) -> Value:
            return ranked(along, value, method, na_option, ascending, pct)

        return self._along("rank", axis, one, numeric_only)

    def rolling(
        self,
        window: Any,
        min_periods: int | None = None,
        center: bool = False,
        win_type: Any = None,
        on: Any = None,
        axis: Any = 0,
        closed: Any = None,
        step: Any = None,
    ) -> Around:
        """Some rows up to each, or around it; or those of some time up to each."""
        if is_time(window):
            given = {"center": center, "win_type": win_type, "axis": axis, "step": step}
            only(
                f"{self._kind}.rolling()", {"center": False, "win_type": None, "axis": 0, "step": None}, given
            )
            return self._in_time(window, min_periods, on, closed)
        given = {"win_type": win_type, "on": on, "axis": axis, "closed": closed, "step": step}
        only(f"{self._kind}.rolling()", dict.fromkeys(given) | {"axis": 0}, given)
        return self._around(*rolling_bounds(window, min_periods, center))

    def _in_time(self, window: Any, min_periods: int | None, on: Any, closed: Any) -> Around:
        call = f"{self._kind}.rolling({window!r})"
        bounds, least = time_bounds(call, window, min_periods, closed)
        table = certain(self._table)
        moment, name = moments_of(table, on)
        along = along_moments(Along(table), moment, call, name)
        if on is None:
            return self._around(bounds, least, along)
        place = table.labels.index(on)
        columns = [(label, table.values(label)[0]) for label in sorted_without(on, table.labels)]

        def finish(made: list[tuple[Label, Value]]) -> Any:
            before = sum(label in table.labels[:place] for label, _ in made)
            return self._of(table.with_columns([*made[:before], table.columns[place], *made[before:]]))

        def finish_chosen(made: list[tuple[Label, Value]]) -> Any:
            return self._of(table.with_columns([*made, table.columns[place]]))

        return AroundBeside(Around(along, columns, finish, bounds, least), call, on, finish_chosen)

    def expanding(self, min_periods: int = 1, axis: Any = 0, method: str = "single") -> Around:
        """All rows up to each."""
        only(f"{self._kind}.expanding()", {"axis": 0, "method": "single"}, {"axis": axis, "method": method})
        return self._around(EVERYTHING_BEFORE, min_periods)

    def _around(self, bounds: tuple[int, int], least: int, along: Along | None = None) -> Around:
        along = along or Along(certain(self._table))
        table = along.table

        def finish(columns: list[tuple[Label, Value]]) -> Any:
            return self._of(table.with_columns(columns))

        return Around(along, list(table.columns), finish, bounds, least, self._kind == "Series")

    def ewm(self, com: Any = None, span: Any = None, halflife: Any = None, **given: Any) -> Fading:
        """All rows up to each, of which the older ones weigh less and less."""
        options = checked({"com": com, "span": span, "halflife": halflife, **given}, self._kind)
        table = certain(self._table)

        def finish(columns: list[tuple[Label, Value]]) -> Any:
            return self._of(table.with_columns(columns))

        return Fading(Along(table), list(table.columns), finish, weights_of(options))


def fills_missing(fill_method: Any) -> bool:
    """Whether `pct_change` takes the value before a missing one in its place: pandas does, unless told otherwise."""
    if fill_method not in ("pad", "ffill", None):
        raise refused(f"pct_change(fill_method={fill_method!r})", "only 'ffill' and None are known")
    return fill_method is not None


class MovingFrame(_Moving):
    """These methods of a DataFrame."""


class MovingSeries(_Moving):
    """These methods of a Series."""
