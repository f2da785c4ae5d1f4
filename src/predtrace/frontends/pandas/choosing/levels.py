"""The levels of an index and their names."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from predtrace.frontends.pandas.core.tables import Label, Positions, Table


def level_labels(table: Table) -> tuple[Label, ...]:
    """The names of the levels."""
    index = table.index
    return (index.label,) if isinstance(index, Positions) else tuple(level.label for level in index)


def level_number(labels: tuple[Label, ...], level: Any) -> int:
    """The number of a level that is given by its name or number."""
    if level in labels and not isinstance(level, bool):
        return labels.index(level)
    if isinstance(level, (int, np.integer)):
        if not -len(labels) <= level < len(labels):
            raise IndexError(f"Too many levels: Index has only {len(labels)} level, not {level + 1}")
        return int(level) % len(labels)
    raise KeyError(f"Level {level} not found")


def index_named(table: Table, labels: list[Label]) -> Table:
    """The same table with other names of the index's levels."""
    index = table.index
    if isinstance(index, Positions):
        if len(labels) != 1:
            raise ValueError(f"Length of new names must be 1, got {len(labels)}")
        return replace(table, index=Positions(labels[0]))
    if len(labels) != len(index):
        raise ValueError(f"Length of new names must be {len(index)}, got {len(labels)}")
    return replace(
        table, index=tuple(replace(level, label=label) for level, label in zip(index, labels, strict=True))
    )
