"""What is said of a program that uses pandas, besides its run: which frame was taken, what was skipped, what left."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.console import RenderableType

from predtrace.api.tables import table

if TYPE_CHECKING:
    from predtrace.cli.programs import Ran

_MOST_LINES = 5


def said_of(ran: Ran, local_sources: list[str]) -> list[RenderableType]:
    """For people."""
    shown: list[RenderableType] = [f"The result is {ran.name}: {ran.why}."]
    if ran.skipped:
        rows = [(one["what"], f"{one['calls']:,}", one["where"]) for one in ran.skipped]
        shown.append(table("Skipped", ("what", "calls", "where"), rows, numbers=("calls",)))
    if local_sources:
        names = ", ".join(dict.fromkeys(local_sources))
        shown.append(f"Traces end at {names}: values that the program itself made outside of Spark.")
    if ran.left:
        rest = f" and {len(ran.left) - _MOST_LINES} more" if len(ran.left) > _MOST_LINES else ""
        shown.append(
            f"Values left Spark by {'; '.join(ran.left[:_MOST_LINES])}{rest}. "
            "A frame that the program made of them is an opaque step: each of its rows may depend on every row that "
            "left, and traces of it say that they are not exact."
        )
    return shown
