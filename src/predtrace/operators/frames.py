"""Which rows of its partition a window function looks at, as a condition over two rows.

The condition reads the columns of a row, and those of the current row under other ids (`current`). One definition
serves the symbolic run (two symbolic rows) and the push-down (the current row's values are those of the target).

| function | rows | told by |
|---|---|---|
| aggregates | the declared frame | ROWS: positions; RANGE: the order's expressions |
| row_number | from the start of the partition to the row | positions |
| rank, dense_rank | the same, the row's peers included | the order's expressions |
| ntile, percent_rank, cume_dist | the whole partition | |
| lag, lead | the fetched row | positions |
| first, any_value, nth_value from the start of the partition | the fetched row | positions |
| last, other frames, IGNORE NULLS | the fetched row | its position: the same function, fetching that |

Positions are hidden columns (`RowNumbers`), and so are fetched positions: functions of the Window itself.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from predtrace.ir.expressions import (
    AggregateCall,
    Call,
    Column,
    ColumnId,
    Expression,
    Frame,
    FrameKind,
    Literal,
    SortKey,
    WindowCall,
)
from predtrace.ir.parts import transform
from predtrace.ir.types import BOOLEAN, INTEGER, DataType, DecimalType
from predtrace.symbolic.values import NotExpressible

_UP_TO_ROW = Frame(FrameKind.ROWS, "unbounded", "current")
_UP_TO_PEERS = Frame(FrameKind.RANGE, "unbounded", "current")
_PARTITION = Frame(FrameKind.ROWS, "unbounded", "unbounded")
_RANKING = {
    "row_number": _UP_TO_ROW,
    **dict.fromkeys(("rank", "dense_rank"), _UP_TO_PEERS),
    **dict.fromkeys(("ntile", "percent_rank", "cume_dist"), _PARTITION),
}
_FETCHING = frozenset({"lag", "lead", "nth_value", "first", "last", "any_value"})
_MOVES = {"lag": "-", "lead": "+"}
_NUMBERS = frozenset({"byte", "short", "integer", "long", "float", "double"})

_WHOLE_DAYS = frozenset({"interval day", "interval month", "interval year", "interval year to month"})


@dataclass(frozen=True)
class Look:
    """The rows a window function looks at: those that meet every condition, all of one partition."""

    partition: tuple[Expression, ...]
    frame: tuple[Expression, ...]
    has_row_itself: bool


def current(column: Column) -> Column:
    """A column of the current row."""
    return replace(column, id=ColumnId(f"current.{column.id}"))


def of_current(expression: Expression) -> Expression:
    """An expression over the current row's columns."""
    return transform(expression, lambda part: current(part) if isinstance(part, Column) else part)


def needs_fetched(call: WindowCall) -> bool:
    """Whether only the function itself can tell the position of the row it fetches."""
    return _name(call) in _FETCHING and _offset(call) is None


def needs_position(call: WindowCall) -> bool:
    """Whether only the positions of rows tell which of them the function looks at."""
    frame = _frame(call)
    return _name(call) in _FETCHING or (frame.kind is FrameKind.ROWS and frame != _PARTITION)


def fetching_position(call: WindowCall, position: Column) -> WindowCall:
    """The same function over the same frame, fetching the position of the row it fetches; NULL if there is none."""
    function = call.function
    if not isinstance(function, (Call, AggregateCall)):
        raise NotExpressible(f"which row {_name(call)} fetches")
    value, *others = function.arguments
    fetched: Expression = position
    if function.option("ignore_nulls"):
        present = Call("isnotnull", (value,), BOOLEAN, is_nullable=False)
        fetched = Call("if", (present, position, Literal(None, INTEGER)), INTEGER)
    if _name(call) in _MOVES:
        others = [*others[:1], Literal(None, INTEGER)]  # a default is no row
    fetching = replace(function, arguments=(fetched, *others), data_type=INTEGER)
    if isinstance(fetching, Call):
        fetching = replace(fetching, is_nullable=True)
    return replace(call, function=fetching)


def look_of(call: WindowCall, position: Column | None, fetched: Column | None) -> Look:
    """What a window function looks at, given the hidden columns that tell it."""
    partition = tuple(_call("<=>", part, of_current(part)) for part in call.partition)
    if _name(call) in _FETCHING:
        return Look(partition, _fetched(call, position, fetched), False)
    return Look(partition, _between(call, position), _has_row_itself(_frame(call)))


def _fetched(call: WindowCall, position: Column | None, fetched: Column | None) -> tuple[Expression, ...]:
    if position is None:
        raise NotExpressible(f"which row {_name(call)} fetches")
    if fetched is not None:
        return (_call("=", position, current(fetched)),)
    offset = _offset(call)
    if offset is None:
        raise NotExpressible(f"which row {_name(call)} fetches")
    if _name(call) in _MOVES:
        place = Call(_MOVES[_name(call)], (current(position), offset), INTEGER)
        return (_call("=", position, place),)
    return (_call("=", position, offset), *_between(call, position))


def _offset(call: WindowCall) -> Expression | None:
    """How far the fetched row is from the current one or from the start, where that is known beforehand."""
    function, name = call.function, _name(call)
    if not isinstance(function, (Call, AggregateCall)) or function.option("ignore_nulls"):
        return None
    if name in _MOVES:
        return function.arguments[1]
    if call.frame.lower != "unbounded" or name == "last":
        return None
    return function.arguments[1] if name == "nth_value" else Literal(1, INTEGER)


def _name(call: WindowCall) -> str:
    return getattr(call.function, "function", "")


def _frame(call: WindowCall) -> Frame:
    if isinstance(call.function, AggregateCall) or _name(call) in _FETCHING:
        return call.frame
    if _name(call) not in _RANKING:
        raise NotExpressible(f"which rows the window function {_name(call)} looks at")
    return _RANKING[_name(call)]


def _call(function: str, *arguments: Expression) -> Expression:
    return Call(function, arguments, BOOLEAN, is_nullable=function != "<=>")


def _between(call: WindowCall, position: Column | None) -> tuple[Expression, ...]:
    """Between the ends of the frame."""
    frame = _frame(call)
    if frame.kind is FrameKind.ROWS:
        return _between_positions(frame, position)
    return _between_peers(call, frame)


def _between_positions(frame: Frame, position: Column | None) -> tuple[Expression, ...]:
    conditions = []
    for comparison, bound in ((">=", frame.lower), ("<=", frame.upper)):
        if bound == "unbounded":
            continue
        if position is None:
            raise NotExpressible("which rows a frame of ROWS holds")
        end: Expression = current(position)
        if isinstance(bound, Expression):
            end = Call("+", (end, bound), INTEGER)
        conditions.append(_call(comparison, position, end))
    return tuple(conditions)


def _between_peers(call: WindowCall, frame: Frame) -> tuple[Expression, ...]:
    conditions = []
    own = [(key, key.expression) for key in call.order]
    if frame.lower != "unbounded":
        conditions.append(_sorted(_ends(call, frame.lower), own))
    if frame.upper != "unbounded":
        conditions.append(_sorted(own, _ends(call, frame.upper)))
    return tuple(condition for condition in conditions if condition is not None)


_Values = list[tuple[SortKey, Expression]]


def _ends(call: WindowCall, bound: Expression | str) -> _Values:
    """The values of the order's expressions at the end of a RANGE frame."""
    ends = [(key, of_current(key.expression)) for key in call.order]
    return ends if isinstance(bound, str) else [(key, _moved(key, end, bound)) for key, end in ends]


def _moved(key: SortKey, value: Expression, offset: Expression) -> Expression:
    """A value so far along in the order."""
    if value.type.name == "date" and offset.type.name == "integer":
        return Call("date_add" if key.ascending else "date_sub", (value, offset), value.type)
    if _adds(value.type, offset.type):
        return Call("+" if key.ascending else "-", (value, offset), value.type)
    raise NotExpressible(f"a frame whose range is an offset to a {value.type}")


def _adds(moved: DataType, by: DataType) -> bool:
    """Whether `+` moves a value as a frame does, the sum being of the value's own type."""
    if moved.name == "date":
        return by.name in _WHOLE_DAYS
    if moved.name in {"timestamp", "timestamp_ntz"}:
        return by.name.startswith("interval ")
    return moved.name in _NUMBERS or isinstance(moved, DecimalType)


def _sorted(first: _Values, then: _Values) -> Expression | None:
    """Whether one row's values sort before another's or tie with them; None: all rows tie."""
    found: Expression | None = None
    for (key, one), (_, other) in reversed(list(zip(first, then, strict=True))):
        before = _sorts_before(key, one, other)
        ties = _call("<=>", one, other)
        found = _call("or", before, ties if found is None else _call("and", ties, found))
    return found


def _sorts_before(key: SortKey, one: Expression, other: Expression) -> Expression:
    before = _call("<" if key.ascending else ">", one, other)
    if not key.expression.nullable:
        return before
    null, value = (one, other) if key.nulls_first else (other, one)
    return _call("or", before, _call("and", _call("isnull", null), _call("isnotnull", value)))


def _has_row_itself(frame: Frame) -> bool:
    """Whether the row is certainly in its own frame; nothing is known of sums with an offset."""
    return isinstance(frame.lower, str) and isinstance(frame.upper, str)
