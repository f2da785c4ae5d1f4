"""How Spark works out each aggregate of pandas. `reducing/aggregates.py` says what is special about them."""

from __future__ import annotations

from collections.abc import Callable

from pyspark.sql import Column
from pyspark.sql import functions as F

from predtrace.frontends.pandas.core.dtypes import BOOL, FLOAT64, INT64, SPAN, TEXT, Dtype
from predtrace.frontends.pandas.core.numbers import without_nan
from predtrace.frontends.pandas.core.places import backwards
from predtrace.frontends.pandas.core.steps import refused
from predtrace.frontends.pandas.reducing.within import Part

_Found = tuple[Column, Dtype]


def _sum(part: Part, min_count: int = 0) -> _Found:
    if part.dtype.is_text:
        return _one_after_the_other(part), TEXT
    total = part.over(F.sum(part.number))
    if part.dtype.name == SPAN.name:
        return F.coalesce(total, F.expr("INTERVAL '0 00:00:00' DAY TO SECOND")), SPAN
    return _counted_from(part, total, 0, min_count)


def _prod(part: Part, min_count: int = 0) -> _Found:
    kind = "double" if part.dtype.is_float else "bigint"
    # Spark's own product is of floats only.
    factors = part.over(F.collect_list(part.number.cast(kind)))
    product = F.aggregate(factors, F.lit(1).cast(kind), lambda a, b: a * b)
    return _counted_from(part, product, 1, min_count)


def _counted_from(part: Part, total: Column, start: int, min_count: int) -> _Found:
    """A sum or a product, given what it is where nothing is added."""
    if min_count > 0:
        total = F.when(part.count >= min_count, total)
    else:
        total = F.coalesce(total, F.lit(start).cast("double" if part.dtype.is_float else "bigint"))
    if part.dtype.is_float:
        return part.as_float(total)
    if part.within.by and part.dtype.is_integer and part.dtype.name != "int64":
        # Groups keep small whole numbers, as long as they are not too large: then Spark's cast raises an error.
        return total.cast(part.dtype.spark), part.dtype.missing(min_count > 0)
    return total, INT64.missing(min_count > 0)


def _one_after_the_other(part: Part) -> Column:
    listed = F.array_sort(part.over(F.collect_list(_placed(part))))
    return F.array_join(F.transform(listed, lambda one: one.getField("value")), "")


def _mean(part: Part) -> _Found:
    timed = _in_time(part, F.avg)
    if timed:
        return timed
    if part.dtype.is_float:
        return part.as_float(part.over(F.avg(part.number)))
    # Spark's average adds up floats, whose last digit depends on the order of the rows.
    total = part.over(F.sum(part.number.cast("decimal(20, 0)")))
    return part.as_float(total.cast("double") / _divisor(part.count).cast("double"))


def _in_time(part: Part, function: Callable[[Column], Column]) -> _Found | None:
    """An aggregate of moments, which is one of the spans from a moment on, or of spans; None if it is of others."""
    if part.dtype.name == SPAN.name:
        return part.over(function(part.column)), SPAN
    if not part.dtype.is_moment:
        return None
    start = F.lit("1970-01-01").cast("timestamp_ntz")
    return start + part.over(function(part.column - start)), part.dtype.missing()


_SPREADS: dict[tuple[str, int], Callable[[Column], Column]] = {
    ("var", 0): F.var_pop,
    ("var", 1): F.var_samp,
    ("std", 0): F.stddev_pop,
    ("std", 1): F.stddev_samp,
}


def _spread(name: str, part: Part, ddof: int) -> Column:
    if ddof not in (0, 1):
        raise refused(f"{name}(ddof={ddof})", "Spark divides by n or by n - 1")
    return part.over(_SPREADS[name, ddof](part.number))


def _std(part: Part, ddof: int = 1) -> _Found:
    return part.as_float(_spread("std", part, ddof))


def _var(part: Part, ddof: int = 1) -> _Found:
    return part.as_float(_spread("var", part, ddof))


def _sem(part: Part, ddof: int = 1) -> _Found:
    return part.as_float(_spread("std", part, ddof) / F.sqrt(_divisor(part.count)))


def _divisor(count: Column) -> Column:
    """Missing instead of zero."""
    return F.nullif(count, F.lit(0))


def _skew(part: Part) -> _Found:
    n = part.count.cast("double")
    found = without_nan(part.over(F.skewness(part.number)))
    found = F.sqrt(n * (n - 1)) / _divisor(n - 2) * F.coalesce(found, F.lit(0.0))
    return part.as_float(F.when(part.count >= 3, found))


def _kurt(part: Part) -> _Found:
    n = part.count.cast("double")
    found = without_nan(part.over(F.kurtosis(part.number)))
    found = (n - 1) / _divisor((n - 2) * (n - 3)) * ((n + 1) * found + 6)
    return part.as_float(F.when(part.count >= 4, F.coalesce(found, F.lit(0.0))))


def _median(part: Part) -> _Found:
    return _in_time(part, F.median) or part.as_float(part.over(F.median(part.number)))


def _quantile(part: Part, q: float = 0.5) -> _Found:
    if part.dtype.is_bool and not part.within.by:
        raise TypeError("numpy boolean subtract, the `-` operator, is not supported")
    if not 0 <= q <= 1:
        raise ValueError("percentiles should all be in the interval [0, 1]. Try dividing by 100")
    timed = _in_time(part, lambda spans: F.percentile(spans, float(q)))
    return timed or (without_nan(part.over(F.percentile(part.number.cast("double"), float(q)))), FLOAT64)


def _min(part: Part) -> _Found:
    return part.over(F.min(part.column)), part.dtype.missing()


def _max(part: Part) -> _Found:
    return part.over(F.max(part.column)), part.dtype.missing()


def _first(part: Part) -> _Found:
    return part.over(F.min(_placed(part))).getField("value"), part.dtype.missing()


def _last(part: Part) -> _Found:
    return part.over(F.max(_placed(part))).getField("value"), part.dtype.missing()


def _placed(part: Part) -> Column:
    """A value after its place. (`min_by` would take one of those that tie, for all that Spark knows.)"""
    pair = F.struct(part.within.place.alias("place"), part.column.alias("value"))
    return F.when(part.column.isNotNull(), pair)


def _count(part: Part) -> _Found:
    return part.count, INT64


def _size(part: Part) -> _Found:
    return part.over(F.count(F.lit(1))), INT64


def _nunique(part: Part, dropna: bool = True) -> _Found:
    # No window of Spark counts distinct values.
    of_window = F.size(part.over(F.collect_set(part.column)))
    found = of_window if part.within.is_window else F.count_distinct(part.column)
    if not dropna:
        found = found + F.coalesce(part.over(F.max(part.column.isNull().cast("int"))), F.lit(0))
    return found.cast("bigint"), INT64


def _truth(part: Part) -> Column:
    if part.dtype.is_bool:
        return part.column
    if part.dtype.is_text:
        return F.length(part.column) > 0
    if not part.dtype.is_number:
        raise refused(f"any() and all() of {part.dtype.name}", "it is not made for Spark yet")
    return part.column != 0


def _any(part: Part) -> _Found:
    return F.coalesce(part.over(F.bool_or(_truth(part))), F.lit(False)), BOOL


def _all(part: Part) -> _Found:
    return F.coalesce(part.over(F.bool_and(_truth(part))), F.lit(True)), BOOL


def _idxmin(part: Part) -> _Found:
    return _label_of(part, part.number)


def _idxmax(part: Part) -> _Found:
    turned = backwards(part.number, INT64.spark if part.dtype.is_bool else part.dtype.spark)
    assert turned is not None
    return _label_of(part, turned)


def _label_of(part: Part, low: Column) -> _Found:
    """The label of the row with the lowest value, the first of those."""
    label = part.within.label
    known = F.struct(low.alias("low"), part.within.place.alias("place"), label.column.alias("label"))
    found = part.over(F.min(F.when(part.column.isNotNull(), known)))
    return found.getField("label"), label.dtype.missing()


AGGREGATES: dict[str, Callable[..., _Found]] = {
    "sum": _sum,
    "prod": _prod,
    "product": _prod,
    "mean": _mean,
    "median": _median,
    "std": _std,
    "var": _var,
    "sem": _sem,
    "skew": _skew,
    "kurt": _kurt,
    "kurtosis": _kurt,
    "quantile": _quantile,
    "min": _min,
    "max": _max,
    "first": _first,
    "last": _last,
    "count": _count,
    "size": _size,
    "nunique": _nunique,
    "any": _any,
    "all": _all,
    "idxmin": _idxmin,
    "idxmax": _idxmax,
}
OF_NUMBERS = frozenset(
    ["sum", "prod", "product", "mean", "median", "std", "var", "sem", "skew", "kurt", "kurtosis", "quantile"]
)
"""The aggregates that are worked out from numbers."""
