"""Every error predtrace raises: one tree, and one sentence that says what, where, and what to do.

Two kinds must not be confused: what the user gave us cannot be handled (the subclasses of
`InputError`), or we broke one of our own rules (`PlanIntegrityError`: always a bug of ours).
"""

from __future__ import annotations


class PredtraceError(Exception):
    """Base of all errors of predtrace.

    >>> str(PredtraceError("column 'x' is unknown", where="in trace()", todo="use one of: a, b"))
    "column 'x' is unknown, in trace(). What to do: use one of: a, b."
    """

    def __init__(self, what: str, where: str = "", todo: str = "") -> None:
        self.what = what
        self.where = where
        self.todo = todo
        message = what
        if where:
            message += f", {where}"
        message += "."
        if todo:
            message += f" What to do: {todo}."
        super().__init__(message)


class InputError(PredtraceError):
    """The user's pipeline, condition or environment cannot be handled as it is."""


class UnsupportedOperator(InputError):
    """A plan node outside the operator model, where treating it as Opaque would not be sound."""


class UnsupportedExpression(InputError):
    """An expression outside the model."""


class UnknownColumn(InputError):
    """A trace names a column that the pipeline's output does not have."""


class UnknownSource(InputError):
    """A lineage is asked for a source that the pipeline does not read."""


class NoSuchRow(InputError):
    """The condition of a trace selects no output row."""


class SourceProblem(InputError):
    """Spark could not read the sources or run the pipeline again."""


class StoreProblem(InputError):
    """A run store, or something in it, is missing, unfinished, damaged or of another version."""


class UntrustedFunctions(InputError):
    """A stored run needs the user's functions, and nobody said that its store may be trusted."""


class StaleSource(InputError):
    """A source is no longer what it was when the pipeline ran."""


class InvalidCondition(InputError):
    """The rows to trace are not described by a valid condition, dict, Row or Column."""


class EnvironmentProblem(InputError):
    """Java, Spark or another part of the installation is missing or unusable."""


class PlanIntegrityError(PredtraceError):
    """An operator graph breaks its own rules: a bug in predtrace, please report it."""
