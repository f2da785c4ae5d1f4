"""Objects that are texts and numbers (`core.mixed`) as values of one dtype: `astype`, `to_numeric`.

Texts become what texts become, numbers what numbers become: `int("5")` beside `int(5)`.
"""

from __future__ import annotations

from pyspark.sql import functions as F

from predtrace.frontends.pandas.core.dtypes import FLOAT64, INT64, TEXT, Dtype, conversion
from predtrace.frontends.pandas.core.mixed import content, is_text
from predtrace.frontends.pandas.core.spaces import Value
from predtrace.frontends.pandas.core.steps import refused
from predtrace.frontends.pandas.core.tables import Table


def texts_of(value: Value) -> Value:
    """What `str()` writes; what is missing stays so."""
    from predtrace.frontends.pandas.cleaning.casting import as_text

    texts = content(value)
    if value.dtype.numbers == "float64":
        floats = as_text(_numbers(value, FLOAT64)).column
        texts = F.when(is_text(value), texts).when(value.column.isNotNull(), floats)
    return value.with_column(texts, TEXT.missing(value.dtype.may_miss))


def numbers_of(value: Value, to: Dtype, table: Table) -> Value:
    """Numbers of a dtype; the errors are those of texts and numbers that cannot become such."""
    from predtrace.frontends.pandas.cleaning.casting import cast

    if not (to.is_integer or to.is_float):
        raise refused(
            f"astype({to.name!r}) of {value.dtype.name}", "it is not known on Spark", conversion(value.dtype)
        )
    texts = F.when(is_text(value), content(value)).when(value.column.isNotNull(), F.lit("0"))
    of_texts = cast(value.with_column(texts, TEXT.missing(value.dtype.may_miss)), to.name, table)
    own = FLOAT64 if value.dtype.numbers == "float64" else INT64
    numbers = F.when(is_text(value), F.lit(0).cast(own.spark)).otherwise(_numbers(value, own).column)
    of_numbers = cast(value.with_column(numbers, own.missing(value.dtype.may_miss)), to.name, table)
    column = F.when(is_text(value), of_texts.column).otherwise(of_numbers.column)
    return of_texts.with_column(column, to.missing(to.is_float and value.dtype.may_miss), of_numbers)


def _numbers(value: Value, dtype: Dtype) -> Value:
    """The numbers; what is a text is missing."""
    return value.with_column(F.when(~is_text(value), content(value)).cast(dtype.spark), dtype.missing())
