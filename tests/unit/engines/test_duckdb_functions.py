"""Python functions in predicates over Parquet files, with no Spark in sight."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet
import pytest
from pyspark import cloudpickle

from predtrace.engines.duckdb import DuckEngine
from predtrace.engines.duckdb_frames import DuckFrame
from predtrace.engines.duckdb_sql import NotInDuckDB
from predtrace.engines.python_functions import Place, RowFunction
from predtrace.ir.expressions import (
    Call,
    Column,
    ColumnId,
    Expression,
    Lambda,
    LambdaVariable,
    Literal,
    UserCall,
)
from predtrace.ir.predicates import Parameter
from predtrace.ir.types import BOOLEAN, DOUBLE, LONG, STRING, DataType
from predtrace.plan.lineage_plan import LineagePlan

KEY, NAME, PRICE = (
    Column(ColumnId(str(at)), name, type_)
    for at, (name, type_) in enumerate([("key", LONG), ("name", STRING), ("price", DOUBLE)])
)
COLUMNS = (KEY, NAME, PRICE)
NAN = float("nan")
ROWS: list[tuple[Any, ...]] = [
    (1, "a", 1.0),
    (2, None, NAN),
    (None, "a", None),
    (4, "b", -0.0),
    (5, "b", 0.0),
    (6, "c", NAN),
]


def _call(
    name: str, *arguments: Expression, returns: DataType = STRING, meaning: Lambda | None = None
) -> UserCall:
    return UserCall(name, name, arguments, returns, meaning=meaning)


def _is(one: Expression, other: Expression) -> Call:
    return Call("<=>", (one, other), BOOLEAN)


def _both(one: Expression, other: Expression) -> Call:
    return Call("and", (one, other), BOOLEAN)


def _text(value: str | None) -> Literal:
    return Literal(value, STRING)


def _target(column: Column) -> Parameter:
    return Parameter(f"target.{column.id}", column.type)


class Bench:
    """An engine with functions, each of which writes down what it is asked."""

    def __init__(self, folder: Path, **functions: Callable[..., Any]) -> None:
        self._folder, self._functions = folder, functions
        # In a folder of its own, so that modules of the tests are not there by chance.
        self._place = Place(
            sys.executable, str(folder), tuple(os.environ.items()), str(Path(cloudpickle.__file__).parents[2])
        )
        known = cache(self._row_function)
        self.engine = DuckEngine({}, functions=lambda call: known(call.name))
        self.rows = self.read("rows", ROWS)

    def read(self, name: str, rows: list[tuple[Any, ...]]) -> DuckFrame:
        types = [pa.int64(), pa.string(), pa.float64()]
        columns = [pa.array([row[at] for row in rows], types[at]) for at in range(3)]
        path = self._folder / f"{name}.parquet"
        pa.parquet.write_table(pa.table(columns, names=["c0", "c1", "c2"]), path)
        return self.engine.rows([str(path)], COLUMNS)

    def _row_function(self, name: str) -> RowFunction:
        function, log = self._functions[name], str(self._folder / f"{name}.log")

        def written_down(*values: Any) -> Any:
            with open(log, "a") as lines:
                lines.write(f"{values!r}\n")
            return function(*values)

        code = cloudpickle.dumps(written_down)  # type: ignore[no-untyped-call]
        return RowFunction(name, code, self._place)

    def asked(self, name: str) -> list[str]:
        log = self._folder / f"{name}.log"
        return sorted(log.read_text().splitlines()) if log.exists() else []

    def keys(self, *predicates: Expression, target: tuple[Any, ...] = (1, "a", 1.0)) -> list[int]:
        relation = self.engine.relation("target", COLUMNS, self.read("target", [target]))
        self.engine.check_selections(predicates)
        found = self.engine.where(self.rows, [(predicate, relation) for predicate in predicates])
        assert found.to_arrow().column_names == ["c0", "c1", "c2"]
        return sorted(key or 0 for key in found.to_arrow()["c0"].to_pylist())


def test_each_input_is_asked_once(tmp_path: Path) -> None:
    bench = Bench(tmp_path, f=str)
    found = bench.keys(_is(_call("f", NAME), _text("a")), _is(_call("f", NAME), _text("b")))
    assert found == [0, 1, 4, 5]
    assert bench.keys(_is(_call("f", NAME), _text("None"))) == [2]
    assert bench.asked("f") == ["('a',)", "('b',)", "('c',)", "(None,)"]


def test_zeros_are_told_apart_by_their_sign(tmp_path: Path) -> None:
    bench = Bench(tmp_path, f=repr, g=lambda key, price: f"{key} {price}")
    assert bench.keys(_is(_call("f", PRICE), _text("-0.0"))) == [4]
    assert bench.keys(_is(_call("f", PRICE), _text("0.0"))) == [5]
    assert bench.keys(_is(_call("f", PRICE), _text("nan"))) == [2, 6]
    assert bench.asked("f") == ["(-0.0,)", "(0.0,)", "(1.0,)", "(None,)", "(nan,)"]
    one, other = (_is(_call("f", Literal(zero, DOUBLE)), _text(str(zero))) for zero in (0.0, -0.0))
    assert len(bench.keys(_both(one, other))) == len(ROWS)
    assert bench.keys(_is(_call("g", KEY, PRICE), _text("4 -0.0"))) == [4]


def test_only_rows_that_the_rest_leaves_are_asked(tmp_path: Path) -> None:
    bench = Bench(tmp_path, f=str, g=str)
    own = _is(NAME, _target(NAME))
    assert bench.keys(_both(_is(_call("f", KEY), _text("1")), own)) == [1]
    assert bench.asked("f") == ["(1,)", "(None,)"]
    # A row that was not asked has no value, which is not the value NULL.
    assert bench.keys(_both(Call("isnull", (_call("f", KEY),), BOOLEAN), own)) == []
    both = _both(_is(_call("f", NAME), _text("b")), _is(_call("g", KEY), _text("4")))
    assert bench.keys(both) == [4]
    assert bench.asked("g") == ["(4,)", "(5,)"]


def test_what_is_known_of_a_function_leaves_fewer_rows(tmp_path: Path) -> None:
    bench = Bench(tmp_path, f=lambda name: None if name is None else name + "!")
    value = LambdaVariable(ColumnId("p0"), "p0", STRING)
    meaning = Lambda((value,), Call("python str +", (value, _text("!")), STRING))
    call = _call("f", NAME, meaning=meaning)
    assert bench.keys(_is(call, _target(NAME)), target=(0, "b!", 0.0)) == [4, 5]
    assert bench.asked("f") == ["('b',)"]


def test_functions_of_functions_and_of_what_is_looked_up(tmp_path: Path) -> None:
    bench = Bench(tmp_path, f=lambda key: str((key or 0) % 2), g=lambda text: text * 2)
    assert bench.keys(_is(_call("g", _call("f", KEY)), _text("11"))) == [1, 5]
    assert bench.asked("g") == ["('0',)", "('1',)"]
    assert bench.keys(_is(_call("f", KEY), _call("f", _target(KEY))), target=(8, "", 0.0)) == [0, 2, 4, 6]


def test_what_no_tuple_selects(tmp_path: Path) -> None:
    bench = Bench(tmp_path, f=str)
    relation = bench.engine.relation("target", COLUMNS, bench.read("target", [(1, "a", 1.0)]))
    predicate = _both(_is(_call("f", KEY), _text("1")), _is(NAME, _target(NAME)))
    left = bench.engine.without(bench.rows, predicate, relation).to_arrow()
    assert left.column_names == ["c0", "c1", "c2"]
    assert left["c0"].to_pylist() == [2, None, 4, 5, 6]
    assert bench.asked("f") == ["(1,)", "(None,)"]


def test_a_function_without_inputs_is_not_asked(tmp_path: Path) -> None:
    bench = Bench(tmp_path, f=lambda _: sys.exit("asked"))
    assert bench.keys(_both(_is(_call("f", NAME), _text("a")), _is(NAME, _text("z")))) == []


REFUSED: dict[str, tuple[Callable[..., Any], DataType, str]] = {
    "another type": (lambda name: 1, STRING, "it returned a int, not a str"),
    "a subclass": (lambda name: True, LONG, "it returned a bool, not a int"),
    "a number that does not fit": (lambda name: 2**63, LONG, "a value that is no bigint"),
    "text that is none": (lambda name: "\ud800", STRING, "a value that is no string"),
    "an error": (lambda name: os.listdir("/no/such/folder"), STRING, "FileNotFoundError"),
    "the end of the process": (lambda name: os._exit(1), STRING, "came to an end"),
    "the end of the program": (lambda name: sys.exit("enough"), STRING, "SystemExit: enough"),
    "an iteration that stops": (lambda name: next(iter(())), STRING, "StopIteration"),
}


@pytest.mark.parametrize("what", REFUSED)
def test_what_is_left_to_spark(tmp_path: Path, what: str) -> None:
    function, returns, said = REFUSED[what]
    bench = Bench(tmp_path, f=function, g=str)
    with pytest.raises(NotInDuckDB, match=f"the function f.*{said}"):
        bench.keys(Call("isnotnull", (_call("f", NAME, returns=returns),), BOOLEAN))
    assert bench.keys(_is(_call("g", NAME), _text("a"))) == [0, 1], "others are called as before"


def test_what_is_refused_before_anything_is_asked(tmp_path: Path) -> None:
    bench = Bench(tmp_path, f=str)
    moments = Column(ColumnId("9"), "at", DataType("timestamp"))
    for call, said in (
        (_call("f", KEY, _target(KEY)), "together"),
        (_call("f", moments), "of a timestamp"),
        (_call("f", KEY, returns=DataType("float")), "returns a float"),
        (_call("f"), "without arguments"),
    ):
        with pytest.raises(NotInDuckDB, match=said):
            bench.engine.check_selections([_is(call, Literal(None, call.type))])
    with pytest.raises(NotInDuckDB, match="UserCall"):  # what the user asks for is not called here
        bench.engine.check(LineagePlan(COLUMNS, (), ()), _is(_call("f", KEY), _text("1")))
    with pytest.raises(NotInDuckDB, match="floats among values that were looked up"):
        bench.keys(_is(_call("f", _target(PRICE)), NAME))
    assert bench.asked("f") == []


def test_what_functions_print_is_no_answer(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    bench = Bench(tmp_path, f=lambda name: print("hello", flush=True) or name)
    assert bench.keys(_is(_call("f", NAME), _text("c"))) == [6]
    assert capfd.readouterr().out == ""
