"""The rows of the nearest labels: `reindex(method="ffill")`, or `"bfill"`.

It is a left join with all rows whose labels are not after the wanted one (or not before it), of which the nearest
stays: a row depends on that one alone.
"""

from __future__ import annotations

from pyspark.sql import Window
from pyspark.sql import functions as F

from predtrace.frontends.pandas.core.aligning import check_unique
from predtrace.frontends.pandas.core.certain import certain
from predtrace.frontends.pandas.core.dtypes import BOOL
from predtrace.frontends.pandas.core.facts import any_true
from predtrace.frontends.pandas.core.spaces import Space, Value, fresh
from predtrace.frontends.pandas.core.steps import refused
from predtrace.frontends.pandas.core.tables import Table, renamed

_IS_BEFORE = {"ffill": True, "pad": True, "bfill": False, "backfill": False}


def nearest_beside(call: str, wanted: Table, table: Table, method: str) -> tuple[Table, list[Value]]:
    """For each row of a table the values of another one, at the nearest label in one direction. Asks Spark."""
    if method not in _IS_BEFORE:
        raise refused(f"{call[:-1]}method={method!r})", "only 'ffill' and 'bfill' are known")
    check_unique(table)
    left, right = wanted.settled().indexed(), renamed(certain(table).indexed())
    (here, *_), (there, *more) = left.levels(), right.levels()
    if more or here.value.dtype.name != there.value.dtype.name or there.value.dtype.is_text:
        raise refused(
            f"{call[:-1]}method={method!r})", "the labels are not all numbers or moments of one kind"
        )
    _check_order(right, there.value)
    mine, theirs, nearest = here.value.column, there.value.column, fresh("nearest")
    is_before = _IS_BEFORE[method]
    fits = theirs <= mine if is_before else theirs >= mine
    nearest_first = [key.column(backwards=is_before) for key in right.order]
    of_one = Window.partitionBy(*(key.name for key in left.order)).orderBy(*nearest_first)
    joined = left.rows().join(right.rows(), fits, "left").withColumn(nearest, F.row_number().over(of_one))
    values = [value for _, value in right.columns]
    names = dict.fromkeys([*left.names(), *(value.name for value in values)])
    space = Space(joined.where(F.col(nearest) == 1).select(*names))
    return left.moved(space), [space.value(value.name, value.dtype.missing()) for value in values]


def _check_order(table: Table, label: Value) -> None:
    """Raise what pandas raises if labels are not in order; missing ones are refused."""
    before = F.lag(label.column).over(table.window())
    uses = label.uses | {key.name for key in table.order}
    questions = (before > label.column, before < label.column, label.column.isNull())
    falls, rises, misses = any_true(
        [Value(table.space, question, uses, BOOL, is_window=True) for question in questions]
    )
    if misses:
        raise refused("reindex() by the nearest label", "a label is missing")
    if falls and rises:
        raise ValueError("index must be monotonic increasing or decreasing")
    if falls:
        raise refused("reindex() by the nearest label", "the labels go backwards", "use sort_index() first")
