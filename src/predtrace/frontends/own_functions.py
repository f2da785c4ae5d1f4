"""Functions of predtrace's own that stand in plans as Python functions, such as the one that reads texts as moments.

Spark is sent their code, as that of any function: nothing of this package has to be installed where Spark runs. But
nobody has to trust code to call one of them again: what made it, and with which plain arguments, says as much.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from importlib import import_module
from typing import Any

Function = Callable[..., Any]

_RECIPE, _BY_ROW = "predtrace_recipe", "predtrace_by_row"

_MAKERS = {"to_datetime": ("predtrace.frontends.pandas.times.parsing", "reading_batches")}
"""By name, the functions that make functions. Only these are ever called for what a store says."""


def declare_own(function: Function, maker: str, arguments: dict[str, Any], by_row: Function) -> None:
    """Say how a function of whole batches was made, and which one does the same for one value."""
    setattr(function, _RECIPE, json.dumps([maker, arguments]))
    setattr(function, _BY_ROW, by_row)


def recipe_of(function: Function) -> str:
    """How a function was made, as JSON; nothing for one that is not ours."""
    return str(getattr(function, _RECIPE, ""))


def by_row(function: Function) -> Function | None:
    """The function that does for one value what one of ours does for a batch."""
    found: Function | None = getattr(function, _BY_ROW, None)
    return found


def made_again(recipe: str) -> Function:
    """A function by its recipe. No code comes from anywhere but this package.

    >>> import pandas as pd
    >>> made_again('["to_datetime", {"format": "%d/%m/%Y"}]')(pd.Series(["24/12/2026"]))[0].isoformat()
    '2026-12-24T00:00:00'
    """
    maker, arguments = json.loads(recipe)
    module, name = _MAKERS[maker]
    made: Function = getattr(import_module(module), name)(arguments)
    return made
