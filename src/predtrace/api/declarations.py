"""What users may declare about functions that nobody can look into."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, TypeVar

from pyspark.sql.udtf import UserDefinedTableFunction
from pyspark.util import PythonEvalType

from predtrace.errors import InputError
from predtrace.frontends.spark.udfs import ROWWISE

Declared = TypeVar("Declared")

_TAKE_ROWS = {PythonEvalType.SQL_TABLE_UDF, PythonEvalType.SQL_ARROW_TABLE_UDF}
"""Table functions whose `eval` is given the values of one row; others take batches."""


def rowwise(function: Declared) -> Declared:
    """Declare that a function for `mapInPandas` or `mapInArrow`, or a table function, treats each row by itself.

    Every output row then depends on one input row alone, and the output rows of an input row are the same
    whatever other rows are in its batch; an input row may have none, one or many. The lineage of an output row is
    the input row it was made from. (Without the declaration, any input row may have made any output row: answers
    are not exact, and pipelines with a table function are refused.)

    The declaration is yours: nobody checks it. Where it is wrong (the function compares rows, numbers them, sums
    them up, remembers earlier ones), the lineage is wrong, and still says that it is exact. Beware of what pandas
    does to a column that has a NULL somewhere in the batch: whole numbers become floats, and `str(v)` gives `"5.0"`
    for 5.

    To tell which row an output row came from, `run` and traces call a function over batches once for each row: what
    it does before its first batch, such as loading a model, should be quick or cached.

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

    A table function is declared as what `udtf` makes of its class, or as the class before that. It says that each
    call of `eval` yields rows of its arguments alone, the same whenever it is called with them: whatever the object
    keeps from call to call must not show in the rows. (So it need not be declared deterministic to Spark as well.)
    A class with `terminate` cannot be declared, as what that yields belongs to no row.

    >>> from pyspark.sql.functions import udtf
    >>> @predtrace.rowwise
    ... @udtf(returnType="word string, place int")
    ... class Words:
    ...     def eval(self, text: str):
    ...         for place, word in enumerate(text.split()):
    ...             yield word, place
    >>> words_of = spark.udtf.register("words_of", Words)
    >>> split = spark.sql("SELECT word, place FROM notes, LATERAL words_of(notes.text)")
    >>> lineage = predtrace.capture(split).trace({"word": "not"})
    >>> lineage.exact, sorted(lineage["notes"].to_pandas()["id"])
    (True, [2])
    """
    declared: Any
    if isinstance(function, UserDefinedTableFunction):
        declared = _table_function(function)
    elif isinstance(function, type):
        declared = _class_of_rows(function)
    elif callable(function):
        declared = _function_over_batches(function)
    else:
        raise _cannot_be_declared(function)
    return declared  # type: ignore[no-any-return]


def _function_over_batches(function: Callable[..., Any]) -> Callable[..., Any]:
    # A function of its own, so that the mark is sent with it, and the user's function stays as it is.
    @functools.wraps(function)
    def row_by_row(batches: Any) -> Any:
        return function(batches)

    setattr(row_by_row, ROWWISE, True)
    return row_by_row


def _table_function(function: UserDefinedTableFunction) -> UserDefinedTableFunction:
    if function.evalType not in _TAKE_ROWS:
        raise InputError(
            f"rowwise declares a table function that is given rows, and {function._name} is given Arrow batches",
            todo="write it for pyspark.sql.functions.udtf",
        )
    return UserDefinedTableFunction(
        _class_of_rows(function.func),
        function._returnType,
        function._name,
        function.evalType,
        function.deterministic,
    )


def _class_of_rows(cls: type) -> type:
    """A class of its own, as with functions; under the name of the user's, which Spark shows."""
    if not hasattr(cls, "eval"):
        raise _cannot_be_declared(cls)
    if hasattr(cls, "terminate"):
        raise InputError(
            f"rowwise declares a class that yields rows of one row at a time, and {cls.__name__} has terminate",
            todo="leave terminate out if it yields nothing (Spark calls cleanup, too); if it yields rows, they are"
            " made of many rows: write it as a function for applyInPandas",
        )
    names = {"__module__": cls.__module__, "__qualname__": cls.__qualname__, "__doc__": cls.__doc__}
    return type(cls)(cls.__name__, (cls,), {**names, ROWWISE: True})


def _cannot_be_declared(what: object) -> InputError:
    return InputError(
        f"rowwise declares a function over batches or a table function, not {what!r}",
        todo="pass the function that you give to mapInPandas or mapInArrow, or what udtf made of a class with eval",
    )
