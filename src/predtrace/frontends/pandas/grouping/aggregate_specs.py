"""What `groupby(...).agg(...)` asks for, in any of its forms: which aggregate of which column, under which label."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from pandas.errors import SpecificationError

from predtrace.frontends.pandas.core.tables import Label
from predtrace.frontends.pandas.reducing.aggregates import name_of


@dataclass(frozen=True)
class Spec:
    """An aggregate of a column: the label it gets, the column's label, and a name or a function."""

    label: Label
    column: Label
    function: Any


@dataclass(frozen=True)
class Specs:
    """All of them. `is_plain`: each column has one aggregate, under its own label."""

    listed: Sequence[Spec]
    column_names: tuple[Label, ...]
    is_plain: bool = False


def specs_of(kind: str, given: Any, labels: list[Label], options: dict[str, Any]) -> Specs:
    """The aggregates that a user asks for. `options`: named aggregates, if nothing else is given.

    >>> [(s.label, s.column) for s in specs_of("DataFrameGroupBy", {"a": ["sum", "max"]}, ["a"], {}).listed]
    [(('a', 'sum'), 'a'), (('a', 'max'), 'a')]
    """
    is_series = kind == "SeriesGroupBy"
    if given is None:
        return _of_names(options, labels, is_series)
    if isinstance(given, dict):
        if is_series:
            raise SpecificationError("nested renamer is not supported")
        return _of_dict(given)
    if isinstance(given, (list, tuple)):
        named = _named(given)
        if is_series:
            return Specs([Spec(name, labels[0], one) for name, one in named], (None,))
        if len({name for name, _ in named}) < len(named):
            raise SpecificationError("Function names must be unique if there is no new column names assigned")
        listed = [Spec((label, name), label, one) for label in labels for name, one in named]
        return Specs(listed, (None, None))
    return Specs([Spec(label, label, given) for label in labels], (None,), is_plain=True)


def _of_names(options: dict[str, Any], labels: list[Label], is_series: bool) -> Specs:
    """`agg(total=("x", "sum"))`, or of a series `agg(total="sum")`."""
    if not options:
        raise TypeError("Must provide 'func' or tuples of '(column, aggfunc).")
    if is_series:
        listed = [Spec(name, labels[0], one) for name, one in options.items()]
    elif all(isinstance(one, tuple) and len(one) == 2 for one in options.values()):
        listed = [Spec(name, one[0], one[1]) for name, one in options.items()]
    else:
        raise TypeError("Must provide 'func' or tuples of '(column, aggfunc).")
    return Specs(listed, (None,))


def _of_dict(given: dict[Label, Any]) -> Specs:
    if not any(isinstance(one, (list, tuple)) for one in given.values()):
        if any(isinstance(one, dict) for one in given.values()):
            raise SpecificationError("nested renamer is not supported")
        return Specs([Spec(label, label, one) for label, one in given.items()], (None,))
    listed = []
    for label, one in given.items():
        for name, function in _named(one if isinstance(one, (list, tuple)) else [one]):
            listed.append(Spec((label, name), label, function))
    return Specs(listed, (None, None))


def _named(functions: Iterable[Any]) -> list[tuple[Label, Any]]:
    """Functions with the names that their columns get: lambdas are numbered if they are not alone."""
    listed = list(functions)
    found: list[tuple[Label, Any]] = []
    lambdas = 0
    for one in listed:
        if isinstance(one, tuple):  # a name and a function
            found.append((one[0], one[1]))
            continue
        name = name_of(one)
        if name == "<lambda>" and len(listed) > 1:
            name = f"<lambda_{lambdas}>"
            lambdas += 1
        found.append((name, one))
    return found
