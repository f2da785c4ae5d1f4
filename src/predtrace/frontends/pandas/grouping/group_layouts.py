"""The driver's side of functions over groups: which columns Spark hands over, and the types of what comes back."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from inspect import getclosurevars
from typing import Any

from pyspark.errors import PySparkException
from pyspark.sql import DataFrame as Rows
from pyspark.sql import functions as F
from pyspark.sql import types as spark

from predtrace.frontends.pandas.core.certain import certain, certain_index, common_dtype, misses
from predtrace.frontends.pandas.core.dtypes import BOOL, FLOAT64, TEXT, Dtype
from predtrace.frontends.pandas.core.facts import any_true
from predtrace.frontends.pandas.core.scalars import Scalar
from predtrace.frontends.pandas.core.spaces import Value, fresh
from predtrace.frontends.pandas.core.steps import refused
from predtrace.frontends.pandas.core.tables import Level, Positions, Table
from predtrace.frontends.pandas.grouping.group_calls import Wrapper
from predtrace.frontends.pandas.grouping.group_worker import GroupLayout, Kind, Part, Shape, unpacked
from predtrace.frontends.pandas.grouping.groups import Groups
from predtrace.frontends.pandas.reducing.aggregates import name_of
from predtrace.frontends.spark.udfs import declare_handed_on
from predtrace.ir.operators import OneFor

_TOO_LARGE = 2**53
"""From here on a float need not be the whole number it was made of."""


@dataclass(frozen=True)
class Mapped:
    """Groups on their way to a function. `table`: the rows with the columns that a group shows.

    `scalars`: values that Spark works out and that the function is given, too; they come with the rows.
    """

    call: str
    groups: Groups
    table: Table
    is_series: bool
    scalars: tuple[Scalar, ...] = ()

    @cached_property
    def shown(self) -> Table:
        """The table with certain dtypes."""
        return certain_index(certain(replace(self.table, order=self.groups.order)))

    @cached_property
    def _scalar_names(self) -> tuple[str, ...]:
        return tuple(fresh("scalar") for _ in self.scalars)

    @cached_property
    def layout(self) -> GroupLayout:
        """Where the parts of a group are in the rows."""
        table = self.shown
        levels: tuple[Level, ...] = () if isinstance(table.index, Positions) else table.index
        columns = [value for _, value in table.columns]
        self._check_digits([*columns, *self.groups.by, *(level.value for level in levels)])
        return GroupLayout(
            tuple(Part(key.label, key.value.name, _shown(key.value)) for key in self.groups.keys),
            tuple(Part(label, value.name, _shown(value)) for label, value in table.columns),
            tuple(Part(level.label, level.value.name, _shown(level.value)) for level in levels),
            tuple((key.name, key.ascending, key.missing_last) for key in table.order),
            table.column_names,
            self.is_series,
            self._scalar_names,
        )

    def _check_digits(self, values: Iterable[Value]) -> None:
        """Refuse whole numbers that are too large for floats: as such Python gets them where one is missing."""
        doubtful = [value for value in values if value.dtype.name == "Int64" and value.dtype.may_miss]
        conditions = [
            value.with_column(F.abs(value.column) >= _TOO_LARGE, BOOL)
            for value in doubtful
            if misses([value])[value.name]
        ]
        if any(any_true([condition])[0] for condition in conditions):
            raise refused(
                self.call, "a column of Int64 misses values and has numbers beyond 2**53", "use int or str"
            )

    def rows(self, all_rows: bool = False, more: Iterable[str] = ()) -> Rows:
        """The rows for Spark to hand over: those in groups, or all."""
        names = [*self.shown.names(), *(key.value.name for key in self.groups.keys), *more]
        found = self.shown.space.rows(names)
        there = None if all_rows else self.groups.there()
        if there is not None:
            found = found.where(there.column)
        chosen = found.select(*dict.fromkeys(names))
        given = {name: one.column() for name, one in zip(self._scalar_names, self.scalars, strict=True)}
        return chosen.withColumns(given) if given else chosen

    def run(
        self,
        rows: Rows,
        wrapper: Wrapper,
        schema: spark.StructType,
        one_for: OneFor = OneFor.UNKNOWN,
        kept: Iterable[tuple[str, str]] = (),
    ) -> Rows:
        """The rows that a function gives for all groups. `one_for`, `kept`: what is known of these rows."""
        keys = [key.value.name for key in self.groups.keys]
        # Python has floats for whole numbers of which one is missing, and no NaN beside what is missing.
        exact = {key.name for key in self.shown.order if key.is_place}
        if one_for is OneFor.GROUP:
            exact = {key.value.name for key in self.groups.keys if not key.value.dtype.is_float}
        wrapper.__name__ = _users_names(wrapper) or wrapper.__name__  # whoever reads the plan knows that one
        declare_handed_on(wrapper, one_for, {new: old for old, new in kept if old in exact})
        try:
            return rows.groupBy(*keys).applyInPandas(wrapper, schema)
        except PySparkException as problem:
            raise refused(self.call, f"the function cannot be sent to Spark: {problem}") from problem

    def shapes(self, wrapper: Wrapper) -> list[Shape]:
        """What a function gives for the groups. Spark runs now."""
        schema = spark.StructType([spark.StructField("shape", spark.StringType())])
        found = self.run(self.rows(), wrapper, schema).distinct().collect()
        return [unpacked(row["shape"]) for row in found]

    def kept(self, names: Sequence[str]) -> list[tuple[str, str]]:
        """Columns of the rows that come along, with names for what comes back."""
        return [(name, fresh(name.rpartition("_")[0])) for name in dict.fromkeys(names)]


def _users_names(wrapper: Wrapper) -> str:
    """The names of the functions that a wrapper calls (`group_calls`)."""
    inside = getclosurevars(wrapper).nonlocals
    functions = [inside["function"]] if "function" in inside else [one for _, one in inside.get("calls", ())]
    return ", ".join(dict.fromkeys(map(name_of, functions)))


def _shown(value: Value) -> Any:
    if value.dtype.is_difference or value.dtype.is_mixed:
        return value.dtype  # pandas has objects, which are not what Spark holds
    return value.dtype.shown(value.dtype.is_bool and value.dtype.may_miss)


def schema_of(
    rows: Rows, kept: Sequence[tuple[str, str]], output: Sequence[tuple[str, Dtype]]
) -> spark.StructType:
    """The types of what comes back: of columns that come along, and of new ones."""
    kinds = {field.name: field.dataType for field in rows.schema.fields}
    fields = [(new, kinds[old]) for old, new in kept] + [(name, dtype.spark) for name, dtype in output]
    return spark.StructType([spark.StructField(name, kind) for name, kind in fields])


def combined(call: str, kinds: Iterable[Kind], of_values: bool = False) -> Dtype:
    """The dtype of a column that has values of all these kinds below each other.

    `of_values`: they are single values, of which pandas makes a column; not columns.
    """
    listed = list(kinds)
    for kind in listed:
        if isinstance(kind, str):
            raise refused(call, f"the function gives objects that Spark's columns cannot hold ({kind})")
    known = [kind for kind in listed if isinstance(kind, Dtype)]
    misses = len(known) < len(listed)
    if not known:
        return FLOAT64 if of_values else TEXT
    found = common_dtype(known)
    if found is None:
        names = ", ".join(sorted({kind.name for kind in known}))
        raise refused(call, f"the function gives values of several types for different groups ({names})")
    if misses and found.is_whole_with_na:
        raise refused(call, f"the function gives {found.name} for some groups and nothing else for others")
    if misses and found.is_integer:
        return FLOAT64
    return found.missing(found.may_miss or misses)
