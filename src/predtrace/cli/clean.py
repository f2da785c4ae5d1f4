"""`predtrace clean`: remove what killed runs left in a store. Complete runs and those going on are not touched."""

from __future__ import annotations

from rich.console import RenderableType

from predtrace.cli.reporting import Report
from predtrace.cli.stores import runs_in


def clean_store(location: str, dry_run: bool) -> Report:
    """Remove the runs that were killed."""
    runs = runs_in(location)
    unfinished = runs.unfinished()
    running = [found.run for found in unfinished if found.is_running]
    killed = [found.run for found in unfinished if not found.is_running]
    removed = killed if dry_run else runs.clean()
    word = "Would remove" if dry_run else "Removed"
    shown: list[RenderableType] = [f"{word} {run}" for run in removed]
    shown += [f"Left {run}: it is still running" for run in running]
    if not unfinished:
        shown.append("Nothing to remove: every run is complete.")
    document = {
        "store": runs.files.location(),
        "dry_run": dry_run,
        "removed": [] if dry_run else removed,
        "would_remove": removed if dry_run else [],
        "left_running": running,
    }
    return Report(document, shown)
