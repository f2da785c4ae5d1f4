"""Where a run keeps the rows of plan nodes: in memory for the life of the pipeline object, or in a store.

The run goes on from the rows that were kept, so nothing is computed twice. A run into a store goes on from a copy
that Spark keeps, while the rows are written in another thread: most of what is left to do then is waiting, for Spark
to plan and for small tasks to begin. The copy also has the rows as Spark parted and ordered them, which files have
not: they may be sorted for lookups. The copies go when the run is over, and who asks for the rows reads the files. An
output in which nothing is looked up is read from its files in their order.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Protocol

from pyspark import inheritable_thread_target
from pyspark.sql import DataFrame
from pyspark.sql.classic.dataframe import DataFrame as ClassicDataFrame

from predtrace.ir.expressions import Column
from predtrace.operators import Selection
from predtrace.store.files import Files
from predtrace.store.manifest import SavedRows
from predtrace.store.saving import PLAIN, save_rows, saved_rows

_FEW_BYTES_IN_FILES, _FEW_BYTES_IN_MEMORY = 1024 * 1024, 16 * 1024 * 1024
"""Of so many bytes one task goes on: it is done with them before others have got theirs from a shuffle."""
_MOST_WRITTEN_AT_ONCE = 4


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
    goes_on: bool = False
    """Whether the run goes on from the rows."""


class Keeping(Protocol):
    """Keeps rows and gives them back."""

    def keep(self, what: RowsToKeep) -> DataFrame:
        """The rows, to go on from; just the rows that were given where nothing goes on from them."""

    def finish(self) -> None:
        """Come back when all rows are kept, or none of them is being written any more."""


class InMemory:
    """Spark keeps the rows, in memory or on its own disks."""

    def keep(self, what: RowsToKeep) -> DataFrame:
        # (Not persisted: Spark's cache loses NaN under a filter.)
        return what.rows.localCheckpoint()

    def finish(self) -> None:
        pass


@dataclass
class InStore:
    """The rows go to a run's folder, to stay there or for a moment; `saved` has what went where."""

    files: Files
    run: str
    to_stay: bool = True
    saved: dict[str, SavedRows] = field(default_factory=dict)
    kept: dict[str, Callable[[], DataFrame]] = field(default_factory=dict)
    """By folder, how rows are read from where they stay."""
    _writing: list[Future[None]] = field(default_factory=list)
    _copies: list[DataFrame] = field(default_factory=list)
    _threads: ThreadPoolExecutor = field(
        default_factory=lambda: ThreadPoolExecutor(_MOST_WRITTEN_AT_ONCE, "predtrace-save")
    )

    def keep(self, what: RowsToKeep) -> DataFrame:
        if self.to_stay and what.goes_on:
            return self._kept_beside(what)
        if what.ordered and not (what.ordered_in_files and not what.lookups):
            kept = what.rows.localCheckpoint()
            self._save(what, kept)
            self.kept[what.folder] = lambda: kept
            return kept
        self._save(what, what.rows)
        self.kept[what.folder] = partial(self._read, what)
        if not what.goes_on:
            return what.rows  # Spark would look into the files now, and perhaps nobody ever asks
        kept = self._read(what)
        return kept.coalesce(1) if not what.ordered and self._are_small_files(what.folder) else kept

    def finish(self) -> None:
        self._threads.shutdown()  # nothing may write to a run's folder that is about to be removed
        for copy in self._copies:
            _rdd_of(copy).unpersist(False)
        for writing in self._writing:
            writing.result()

    def _kept_beside(self, what: RowsToKeep) -> DataFrame:
        """A copy of the rows, which are being written to files."""
        copy = what.rows.localCheckpoint()
        self._copies.append(copy)
        self.kept[what.folder] = partial(self._read, what)
        save = inheritable_thread_target(what.rows.sparkSession)(self._save)
        self._writing.append(self._threads.submit(save, what, copy))
        return copy.coalesce(1) if not what.ordered and _is_small_in_memory(copy) else copy

    def _are_small_files(self, folder: str) -> bool:
        return self.files.size(f"{self.run}/{folder}") <= _FEW_BYTES_IN_FILES

    def _read(self, what: RowsToKeep) -> DataFrame:
        session = what.rows.sparkSession
        read = saved_rows(
            session, self.files, self.run, self.saved[what.folder], what.ordered and not what.goes_on
        )
        are_plain = all(column.type.name in PLAIN for column in what.columns)
        return read if are_plain else _typed_as(what.rows, read)

    def _save(self, what: RowsToKeep, rows: DataFrame) -> None:
        sorted_for = what.lookups if self.to_stay else ()
        self.saved[what.folder] = save_rows(
            self.files, self.run, what.folder, rows, what.columns, sorted_for, self.to_stay
        )


class ReadWhenAsked(Mapping[int, DataFrame]):
    """The rows of plan nodes; of each a frame is made when it is asked for, which takes Spark a while."""

    def __init__(self, frames: Mapping[int, Callable[[], DataFrame]]) -> None:
        self._frames = dict(frames)
        self._read: dict[int, DataFrame] = {}

    def __getitem__(self, plan_node: int) -> DataFrame:
        if plan_node not in self._read:
            self._read[plan_node] = self._frames[plan_node]()
        return self._read[plan_node]

    def __iter__(self) -> Iterator[int]:
        return iter(self._frames)

    def __len__(self) -> int:
        return len(self._frames)


def _rdd_of(copy: DataFrame) -> Any:
    """The rows that Spark keeps for a checkpointed frame."""
    return copy._jdf.queryExecution().analyzed().rdd()


def _is_small_in_memory(copy: DataFrame) -> bool:
    number = _rdd_of(copy).id()
    context: Any = copy.sparkSession.sparkContext
    for kept in context._jsc.sc().getRDDStorageInfo():
        if kept.id() == number:
            return bool(kept.memSize() + kept.diskSize() <= _FEW_BYTES_IN_MEMORY)
    return False


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
