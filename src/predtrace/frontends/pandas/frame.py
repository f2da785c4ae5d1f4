"""DataFrame: a table of pandas, worked out by Spark."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from predtrace.frontends.pandas.applying.methods import ApplyingFrame
from predtrace.frontends.pandas.choosing.methods import ChoosingFrame
from predtrace.frontends.pandas.cleaning.methods import CleaningFrame
from predtrace.frontends.pandas.core.aligning import beside, beside_by_place, same_rows
from predtrace.frontends.pandas.core.built_lists import on_spark
from predtrace.frontends.pandas.core.construction import placed
from predtrace.frontends.pandas.core.held import Held, _labels
from predtrace.frontends.pandas.core.making import known, table_for_frame
from predtrace.frontends.pandas.core.scalars import Scalar, value_in
from predtrace.frontends.pandas.core.spaces import Value
from predtrace.frontends.pandas.core.steps import refused
from predtrace.frontends.pandas.core.tables import Label, Table
from predtrace.frontends.pandas.files.methods import WritingFrame
from predtrace.frontends.pandas.grouping.methods import GroupingFrame
from predtrace.frontends.pandas.merging.methods import MergingFrame
from predtrace.frontends.pandas.moving.methods import MovingFrame
from predtrace.frontends.pandas.reducing.methods import ReducingFrame
from predtrace.frontends.pandas.reshaping.methods import ReshapingFrame
from predtrace.frontends.pandas.series import Series


class DataFrame(
    ChoosingFrame,
    CleaningFrame,
    ReducingFrame,
    GroupingFrame,
    MovingFrame,
    ApplyingFrame,
    MergingFrame,
    ReshapingFrame,
    WritingFrame,
):
    """Columns with one index. Nothing is worked out until it is looked at."""

    _kind = "DataFrame"

    def __init__(
        self, data: Any = None, index: Any = None, columns: Any = None, dtype: Any = None, copy: Any = None
    ) -> None:
        super().__init__(table_for_frame(data, index, columns, dtype))

    @classmethod
    def from_dict(
        cls, data: dict[Any, Any], orient: str = "columns", dtype: Any = None, columns: Any = None
    ) -> DataFrame:
        """A frame of columns by their labels, or of rows by theirs."""
        if orient == "columns" and columns is None:
            return cls(data, dtype=dtype)
        return cls(pd.DataFrame.from_dict(known(data), orient, dtype, columns))

    @classmethod
    def from_records(cls, data: Any, *args: Any, **kwargs: Any) -> DataFrame:
        """A frame of rows that the program holds."""
        if isinstance(data, Held):
            raise refused("DataFrame.from_records(frame)", "it is for rows of the program", "use copy()")
        return cls(pd.DataFrame.from_records(known(data), *args, **kwargs))

    @property
    def _raw(self) -> Table:
        table: Table = self.__dict__["_held"]
        shown = self.__dict__.get("_columns_shown")
        if shown is not None and tuple(shown.names) != table.column_names:
            table = self.__dict__["_held"] = replace(table, column_names=tuple(shown.names))
        return table

    @_raw.setter
    def _raw(self, table: Table) -> None:
        self.__dict__["_held"] = table
        self.__dict__.pop("_columns_shown", None)

    def _one(self, label: Label) -> Series:
        found = self._table.values(label)
        if not found:
            raise KeyError(label)
        if len(found) > 1:
            raise refused(f"a column with the label {label!r}", "the frame has several of them")
        column = Series._of(replace(self._table, columns=((label, found[0]),), column_names=(None,)))
        column._column_of = self
        return column

    def _chosen(self, labels: list[Label]) -> DataFrame:
        missing = [label for label in labels if label not in self._table.labels]
        if missing:
            raise KeyError(f"{missing} not in index")
        return DataFrame._of(
            replace(self._table, columns=tuple((label, self._one(label)._value) for label in labels))
        )

    def __getitem__(self, key: Any) -> Any:
        from predtrace.frontends.pandas.choosing.selecting import item_of_frame

        return item_of_frame(self, key)

    def __setitem__(self, key: Any, values: Any) -> None:
        from predtrace.frontends.pandas.choosing.selecting import set_item_of_frame

        set_item_of_frame(self, key, values)

    def _follow(self, label: Label, before: Table, column: Series) -> bool:
        """Change as a column that was taken out changed in place, if both still have the same rows; as in pandas."""
        is_here = len(self._raw.values(label)) == 1 and same_rows(self._raw, before)
        if is_here and same_rows(before, column._raw) and before.order == column._raw.order:
            self._set(label, column)
            return True
        return False

    def _set(self, label: Label, values: Any) -> None:
        """Set a column: values of other rows go by the index, lists by position."""
        table, value = self._valued(values)
        self._become(DataFrame._of(table.with_column(label, value)))

    def _valued(self, values: Any) -> tuple[Table, Value]:
        """What a user assigns, as a value for each row of this frame; the frame's table where that is."""
        values = on_spark(values)
        if isinstance(values, DataFrame) and len(values._table.columns) == 1:
            values = Series._of(values._table)
        if isinstance(values, Series) and values._kind == "Index":
            table, (value,) = beside_by_place(self._table, values._table)
            return table, value
        if isinstance(values, Series):
            table, (value,) = beside(self._table, values._raw)
            return table, value
        if isinstance(values, pd.Series):
            return self._valued(Series(values))
        if isinstance(values, (list, tuple, np.ndarray, pd.Index, pd.api.extensions.ExtensionArray, range)):
            return placed(self._table, known(values))
        if (
            isinstance(values, Scalar)
            or np.isscalar(values)
            or values is None
            or pd.api.types.is_scalar(values)
        ):
            return self._table, value_in(self._table.space, values)
        raise refused(
            f"a {type(values).__name__} as a column", "it is not known how its values belong to rows"
        )

    def __delitem__(self, label: Label) -> None:
        if label not in self._table.labels:
            raise KeyError(label)
        kept = tuple((known, value) for known, value in self._table.columns if known != label)
        self._become(DataFrame._of(replace(self._table, columns=kept)))

    def __contains__(self, label: Label) -> bool:
        return label in self._table.labels

    def __iter__(self) -> Iterator[Label]:
        return iter(self._table.labels)

    def keys(self) -> Any:
        """The labels of the columns."""
        return self.columns

    def items(self) -> Iterator[tuple[Label, Series]]:
        """Each column with its label."""
        for label in self._table.labels:
            yield label, self._one(label)

    @property
    def columns(self) -> Any:
        """The labels of the columns. Who gives this index a name gives it to the columns, as in pandas."""
        self.__dict__["_columns_shown"] = shown = _labels(self._table)
        return shown

    @columns.setter
    def columns(self, labels: Any) -> None:
        given = list(labels)
        if len(given) != len(self._table.columns):
            raise ValueError(
                f"Length mismatch: Expected axis has {len(self._table.columns)} elements, "
                f"new values have {len(given)} elements"
            )
        names = tuple(getattr(labels, "names", None) or (None,))
        pairs = tuple((label, value) for label, (_, value) in zip(given, self._table.columns, strict=True))
        self._become(DataFrame._of(replace(self._table, columns=pairs, column_names=names)))

    @property
    def shape(self) -> tuple[int, int]:
        """The numbers of rows and columns."""
        return len(self), len(self._table.columns)

    @property
    def dtypes(self) -> Any:
        """The dtypes that pandas would show."""
        return pd.Series(self._shown_dtypes(), index=self.columns, dtype=object)

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        return np.asarray(self.to_pandas(), dtype=dtype)

    def __bool__(self) -> bool:
        raise ValueError(
            "The truth value of a DataFrame is ambiguous. Use a.empty, a.bool(), a.item(), a.any() or a.all()."
        )

    def __getattr__(self, name: str) -> Any:
        if not name.startswith("_"):
            if name in self._table.labels:
                return self._one(name)
            if hasattr(pd.DataFrame, name):
                raise refused(f"DataFrame.{name}", "it is not made for Spark yet")
        raise AttributeError(f"'DataFrame' object has no attribute {name!r}")

    def __setattr__(self, name: str, values: Any) -> None:
        if name in self._raw.labels and not hasattr(type(self), name):
            self._set(name, values)
        else:
            object.__setattr__(self, name, values)
