"""All engines of a process share a database, and nothing else."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.parquet
import pytest

from predtrace.engines import duckdb_database
from predtrace.engines.duckdb_database import connect, let_go
from predtrace.engines.duckdb_frames import answered
from predtrace.engines.duckdb_sql import NotInDuckDB
from predtrace.engines.parquet_files import FileColumn, ParquetFiles
from predtrace.ir.types import LONG, STRING, DataType


def test_a_connection_sees_no_tables_of_another() -> None:
    one, other = connect(), connect()
    one.execute("CREATE TEMP TABLE own AS SELECT 1")
    with pytest.raises(duckdb.CatalogException):
        other.execute("FROM own")
    one.close()
    assert other.execute("SELECT current_setting('TimeZone')").fetchall() == [("UTC",)]


@pytest.mark.parametrize("problem", [duckdb.FatalException, duckdb.InternalException])
def test_a_database_that_failed_is_not_used_again(problem: type[duckdb.Error]) -> None:
    def step() -> None:
        raise problem("broken")

    before = connect()
    with pytest.raises(NotInDuckDB):
        answered(step)
    assert not duckdb_database._STARTED
    assert connect().execute("SELECT 1").fetchall() == before.execute("SELECT 1").fetchall() == [(1,)]


def test_what_is_open_outlives_a_database_that_was_let_go() -> None:
    connection = connect()
    connection.execute("CREATE TEMP TABLE kept AS SELECT 7 AS n")
    let_go()
    assert connection.execute("FROM kept").fetchall() == [(7,)]


_FORKS = """
import os, sys
from predtrace.engines.duckdb_database import connect
asked = "select count(*) from range(3000000) t(x) where x % 7 = 1"
connect().execute(asked).fetchall()
child = os.fork()
if child == 0:
    connect().execute(asked).fetchall()
    sys.exit(7)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), connect().execute(asked).fetchall())
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="nothing forks on this system")
def test_a_child_of_the_process_has_a_database_of_its_own_and_comes_to_an_end() -> None:
    command = [sys.executable, "-W", "ignore", "-c", _FORKS]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert ended.stdout.split(maxsplit=1) == ["7", "[(428572,)]\n"], ended.stderr


def test_a_file_that_is_exchanged_is_looked_into_again(tmp_path: Path) -> None:
    path = tmp_path / "table.parquet"

    def reads(values: list[object], type_: DataType) -> bool:
        age = path.stat() if path.exists() else None
        pa.parquet.write_table(pa.table({"a": values}), path)
        if age is not None:
            os.utime(path, ns=(age.st_atime_ns, age.st_mtime_ns))
        try:
            ParquetFiles(connect()).reading([str(path)], [FileColumn("a", type_, "a")])
        except NotInDuckDB:
            return False
        return True

    assert reads([1], LONG)
    assert reads([2], LONG)
    assert not reads(["x"], LONG)
    assert reads(["y"], STRING)
