"""Where a run keeps the rows of plan nodes: in memory for the life of the pipeline object, or in a store.

The run goes on from the rows that were kept, so nothing is computed twice. Where somebody may go by their order, it
goes on from a copy in memory: how files part them is not how Spark did, and they may be sorted for lookups. An output
in which nothing is looked up is read from its files in their order.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Protocol

from pyspark.sql import DataFrame
from pyspark.sql.classic.dataframe import DataFrame as ClassicDataFrame

from predtrace.ir.expressions import Column
from predtrace.operators import Selection
from predtrace.store.files import Files
from predtrace.store.manifest import SavedRows
from predtrace.store.saving import save_rows, saved_rows

_FEW, _FEW_BYTES = 200_000, 1024 * 1024
"""Of so many rows one task goes on: it is done with them before others have got theirs from a shuffle. Where nobody
counts rows, bytes tell."""


def folder_of(plan_node: int) -> str:
    return f"results/{plan_node}"


@dataclass(frozen=True)
class RowsToKeep:
    """Rows of a plan node or a source, which have these columns in this order, and how they will be looked up."""

    folder: str
    rows: DataFrame
    columns: tuple[Column, ...]
    lookups: tuple[Selection, ...] = ()
    ordered: bool = False
    """Whether somebody may go by the order in which the rows come."""
    ordered_in_files: bool = False
    """Whether files have that order as well: what nothing goes on from, and is sorted as a whole."""


class Keeping(Protocol):
    """Keeps rows and gives them back."""

    def keep(self, what: RowsToKeep) -> DataFrame:
        """The rows, from where they are kept."""


class InMemory:
    """Spark keeps the rows, in memory or on its own disks."""

    def keep(self, what: RowsToKeep) -> DataFrame:
        # (Not persisted: Spark's cache loses NaN under a filter.)
        return what.rows.localCheckpoint()


@dataclass
class InStore:
    """The rows go to a run's folder, to stay there or for a moment; `saved` has what went where."""

    files: Files
    run: str
    to_stay: bool = True
    saved: dict[str, SavedRows] = field(default_factory=dict)

    def keep(self, what: RowsToKeep) -> DataFrame:
        if what.ordered and not (what.ordered_in_files and not what.lookups):
            kept = what.rows.localCheckpoint()
            self._save(what, kept)
            return kept
        saved = self._save(what, what.rows)
        read = saved_rows(what.rows.sparkSession, self.files, self.run, saved, what.ordered)
        if not what.ordered and self._is_small(saved):
            read = read.coalesce(1)
        return _typed_as(what.rows, read)

    def _is_small(self, saved: SavedRows) -> bool:
        if self.to_stay:
            return saved.rows <= _FEW
        return self.files.size(f"{self.run}/{saved.folder}") <= _FEW_BYTES

    def _save(self, what: RowsToKeep, rows: DataFrame) -> SavedRows:
        sorted_for = what.lookups if self.to_stay else ()
        saved = save_rows(self.files, self.run, what.folder, rows, what.columns, sorted_for, self.to_stay)
        self.saved[what.folder] = saved
        return saved


def _typed_as(rows: DataFrame, read: DataFrame) -> DataFrame:
    """Rows read from files with the types that they were written from: files do not say what holds no NULL.

    Of a column itself Spark can be told later; of what is nested in it only here.
    """
    if [f.dataType for f in read.schema.fields] == [f.dataType for f in rows.schema.fields]:
        return read
    session: Any = rows.sparkSession
    execution: Any = read._jdf.queryExecution()
    typed = session._jsparkSession.internalCreateDataFrame(execution.toRdd(), rows._jdf.schema(), False)
    return ClassicDataFrame(typed, session)
