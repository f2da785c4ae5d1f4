"""Where in the user's program columns were made, for explaining a pipeline.

A front end that gives its columns names of their own in the whole process says where each was made.
"""

from __future__ import annotations

_places: dict[str, str] = {}


def remember_place(column: str, place: str) -> None:
    """A column was made at a place, such as `line 7 of report.py`."""
    _places[column] = place


def place_of(column: str) -> str:
    """The place where a column was made; nothing if nobody said."""
    return _places.get(column, "")
