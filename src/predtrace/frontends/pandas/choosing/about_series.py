"""What a series says about itself, as a frame does: its shape, its dtype, its labels."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from predtrace.frontends.pandas.core.facts import one_misses
from predtrace.frontends.pandas.core.held import Held

if TYPE_CHECKING:
    from predtrace.frontends.pandas.choosing.index import Index
    from predtrace.frontends.pandas.series import Series


class AboutSeries(Held):
    """These attributes of a Series."""

    @property
    def shape(self) -> tuple[int, ...]:
        """The number of values."""
        return (len(self),)

    @property
    def dtypes(self) -> Any:
        """The dtype that pandas would show."""
        return self._shown_dtypes()[0]

    @property
    def axes(self) -> list[Any]:
        """The index, in a list."""
        return [self.keys()]

    def keys(self) -> Index:
        """The index."""
        from predtrace.frontends.pandas.choosing.index import Index

        return Index._from(self)

    @property
    def hasnans(self) -> bool:
        """Whether a value is missing."""
        return one_misses(self._table.columns[0][1])

    def factorize(self, sort: bool = False, use_na_sentinel: bool = True) -> tuple[Series, Any]:
        """The number of each value, and the values by number."""
        from predtrace.frontends.pandas.cleaning.categorical_arrays import factorize

        found: tuple[Series, Any] = factorize(self, sort, use_na_sentinel)
        return found
