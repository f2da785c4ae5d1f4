"""What users may declare about functions that nobody can look into."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeVar

from predtrace.errors import InputError
from predtrace.frontends.spark.udfs import ROWWISE

Batch = TypeVar("Batch")
Result = TypeVar("Result")


def rowwise(function: Callable[[Iterator[Batch]], Iterable[Result]]) -> Callable[[Iterator[Batch]], Any]:
    """Declare that a function for `mapInPandas` or `mapInArrow` treats each row by itself.

    Every output row then depends on one input row alone, and the output rows of an input row are the same
    whatever other rows are in its batch; an input row may have none, one or many. The lineage of an output row is
    the input row it was made from. (Without the declaration, any input row may have made any output row, and answers
    are not exact.)

    The declaration is yours: nobody checks it. Where it is wrong (the function compares rows, numbers them, sums
    them up, remembers earlier ones), the lineage is wrong, and still says that it is exact. Beware of what pandas
    does to a column that has a NULL somewhere in the batch: whole numbers become floats, and `str(v)` gives `"5.0"`
    for 5.

    To tell which row an output row came from, `run` and traces call the function once for each row: what it does
    before its first batch, such as loading a model, should be quick or cached.

    >>> import predtrace
    >>> def words(batches):
    ...     for batch in batches:
    ...         texts = batch.assign(word=batch["text"].str.split()).explode("word")
    ...         yield texts[["word"]]
    >>> notes = spark.createDataFrame([(1, "to be"), (2, "or not"), (3, "to be")], "id int, text string")
    >>> notes.createOrReplaceTempView("notes")
    >>> pipeline = predtrace.capture(spark.table("notes").mapInPandas(predtrace.rowwise(words), "word string"))
    >>> lineage = pipeline.trace({"word": "be"})
    >>> lineage.exact, sorted(lineage["notes"].to_pandas()["id"])
    (True, [1, 3])
    """
    if not callable(function) or isinstance(function, type):
        raise InputError(
            f"rowwise declares a function over batches, not {function!r}",
            todo="pass the function that you give to mapInPandas or mapInArrow",
        )

    # A function of its own, so that the mark is sent with it, and the user's function stays as it is.
    @functools.wraps(function)
    def row_by_row(batches: Iterator[Batch]) -> Any:
        return function(batches)

    setattr(row_by_row, ROWWISE, True)
    return row_by_row
