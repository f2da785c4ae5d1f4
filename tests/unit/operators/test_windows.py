"""Windows: which rows a function looks at, told by hidden positions or by visible columns."""

from __future__ import annotations

import pytest
from tests.unit.ir.samples import call, column, number, source
from tests.unit.operators import cases as c
from tests.unit.operators.proofs import is_exact, is_sound, kept, lineage, recomputes

from predtrace.infer.verify import push_down
from predtrace.ir.expressions import (
    AggregateCall,
    Call,
    Expression,
    Frame,
    FrameKind,
    Literal,
    SortKey,
    WindowCall,
)
from predtrace.ir.operators import Named, Operator, Project, RowNumbers, Window
from predtrace.ir.predicates import Parameter
from predtrace.ir.types import DATE, INTEGER, LONG, DataType
from predtrace.operators.hidden import with_hidden_columns
from predtrace.operators.pushing import all_of

ROWS, RANGE = FrameKind.ROWS, FrameKind.RANGE
TOTAL = AggregateCall("sum", (c.X,), LONG)
BY_X = (SortKey(c.X),)
DOWN = (SortKey(c.X, ascending=False, nulls_first=False),)
DEFAULT = Frame(RANGE, "unbounded", "current")
WHOLE = Frame(ROWS, "unbounded", "unbounded")
RUNNING_ROWS = Frame(ROWS, "unbounded", "current")
AHEAD = Frame(ROWS, number(1), number(2))


def over(
    function: Expression,
    frame: Frame = DEFAULT,
    order: tuple[SortKey, ...] = BY_X,
    partition: tuple[Expression, ...] = (c.K,),
) -> WindowCall:
    return WindowCall(function, partition, order, frame)


def ranking(name: str, *arguments: Expression) -> WindowCall:
    return over(Call(name, arguments, INTEGER), RUNNING_ROWS)


def fetching(name: str, *more: Expression, frame: Frame = DEFAULT, ignore: bool = False) -> WindowCall:
    options = (("ignore_nulls", "true"),) if ignore else ()
    function = AggregateCall if name in {"first", "last", "any_value"} else Call
    return over(function(name, (c.X, *more), INTEGER, options=options), frame)


def window(*calls: WindowCall, over_rows: Operator = c.A) -> Window:
    functions = tuple(Named(column(20 + at, f"w{at}", f.type), f) for at, f in enumerate(calls))
    return Window(input=over_rows, functions=functions, plan_node=3)


def traceable(*calls: WindowCall, over_rows: Operator = c.A) -> Window:
    """The Window with its hidden columns, if it needs any."""
    found = with_hidden_columns(window(*calls, over_rows=over_rows))
    if isinstance(found, Project):
        found = found.input
    assert isinstance(found, Window)
    return found


# The rows that a row's function looked at, as the target's values tell them.
PEERS_UP_TO = "(x < :2 or x is null and :2 is not null or x <=> :2)"
ITSELF = "x <=> :2 and position.20 <=> :position.20"
LOOKS = [
    ("row_number", ranking("row_number"), "k <=> :1 and position.20 <= :position.20"),
    ("rank", ranking("rank"), f"k <=> :1 and {PEERS_UP_TO}"),
    ("dense_rank", ranking("dense_rank"), f"k <=> :1 and {PEERS_UP_TO}"),
    ("ntile", ranking("ntile", number(3)), "k <=> :1"),
    ("percent_rank", ranking("percent_rank"), "k <=> :1"),
    ("cume_dist", ranking("cume_dist"), "k <=> :1"),
    ("partition", over(TOTAL, WHOLE, ()), "k <=> :1"),
    ("everything", over(TOTAL, WHOLE, (), ()), "everything"),
    ("default frame", over(TOTAL), f"k <=> :1 and {PEERS_UP_TO}"),
    (
        "to the end",
        over(TOTAL, Frame(RANGE, "current", "unbounded")),
        "k <=> :1 and (:2 < x or :2 is null and x is not null or :2 <=> x)",
    ),
    ("rows", over(TOTAL, RUNNING_ROWS), "k <=> :1 and position.20 <= :position.20"),
    (
        "rows ahead",
        over(TOTAL, AHEAD),
        f"k <=> :1 and (position.20 >= :position.20 + 1 and position.20 <= :position.20 + 2 or {ITSELF})",
    ),
    (
        "range down",
        over(TOTAL, Frame(RANGE, number(-1), "current"), DOWN),
        "k <=> :1 and ((:2 - -1 > x or x is null and :2 - -1 is not null or :2 - -1 <=> x)"
        " and (x > :2 or :2 is null and x is not null or x <=> :2) or x <=> :2)",
    ),
    (
        "lag",
        fetching("lag", number(2), number(0)),
        f"k <=> :1 and (position.20 = :position.20 - 2 or {ITSELF})",
    ),
    ("lead", fetching("lead", number(1)), f"k <=> :1 and (position.20 = :position.20 + 1 or {ITSELF})"),
    (
        "first",
        fetching("first", frame=WHOLE),
        f"k <=> :1 and (position.20 = 1 or {ITSELF})",
    ),
    (
        "nth_value beyond the frame",
        fetching("nth_value", number(2), frame=RUNNING_ROWS),
        f"k <=> :1 and (position.20 = 2 and position.20 <= :position.20 or {ITSELF})",
    ),
    ("last", fetching("last"), f"k <=> :1 and (position.20 = :fetched.20 or {ITSELF})"),
    (
        "lag, ignore nulls",
        fetching("lag", number(1), ignore=True),
        f"k <=> :1 and (position.20 = :fetched.20 or {ITSELF})",
    ),
    (
        "first of a moving frame",
        fetching("first", frame=AHEAD),
        f"k <=> :1 and (position.20 = :fetched.20 or {ITSELF})",
    ),
]


@pytest.mark.parametrize(("function", "wanted"), [r[1:] for r in LOOKS], ids=[r[0] for r in LOOKS])
def test_a_selected_row_tells_exactly_which_rows_were_looked_at(function: WindowCall, wanted: str) -> None:
    operator = traceable(function)
    assert lineage(operator, c.everything(operator)) == [(wanted, True)]
    whole = "k <=> :1" if function.partition else "everything"
    assert kept(operator, c.everything(operator)) == [whole]


def test_what_visible_columns_tell_needs_no_hidden_ones() -> None:
    for function in (ranking("rank"), over(TOTAL), over(TOTAL, WHOLE, ()), ranking("ntile", number(2))):
        assert with_hidden_columns(window(function)) == window(function)


def test_without_positions_the_window_s_output_is_needed() -> None:
    visible = c.everything(window(over(TOTAL, RUNNING_ROWS)))
    assert lineage(traceable(over(TOTAL, RUNNING_ROWS)), visible) == [("k <=> :1", False)]
    # ... unless the query shows them itself.
    numbered = traceable(ranking("row_number"))
    visible = c.everything(window(ranking("row_number")))
    assert lineage(numbered, visible) == [("k <=> :1 and position.20 <= :20", True)]


def test_functions_of_one_window_are_one_operator() -> None:
    """Each function adds what it looks at; the partition keys that all share cut the input."""
    both = traceable(ranking("row_number"), over(TOTAL, partition=(c.K,), order=(SortKey(c.X, False),)))
    (pushed,) = lineage(both, c.everything(both))
    assert pushed[1]
    assert pushed[0].startswith("k <=> :1 and (position.20 <= :position.20 or ")
    assert kept(both, c.everything(both)) == ["k <=> :1"]
    other = traceable(over(TOTAL, WHOLE, ()), over(TOTAL, WHOLE, (), (c.X,)))
    assert lineage(other, c.everything(other)) == [("k <=> :1 or x <=> :2", True)]
    assert kept(other, c.everything(other)) == ["everything"]
    # A look that another includes is not repeated.
    wide = traceable(ranking("row_number"), ranking("ntile", number(2)))
    assert lineage(wide, c.everything(wide)) == [("k <=> :1", True)]


def test_offsets_move_as_the_order_s_type_moves() -> None:
    def framed(type_: DataType, offset: Expression) -> Window:
        moment = column(2, "x", type_)
        frame = Frame(RANGE, offset, "current")
        week = over(AggregateCall("count", (), LONG), frame, (SortKey(moment),))
        return traceable(week, over_rows=source("events", c.K, moment))

    def interval(text: str, unit: str) -> Literal:
        return Literal(None, DataType(f"interval {unit}"), f"INTERVAL '{text}' {unit.upper()}")

    for type_, offset, moved in (
        (DATE, number(-7), "date_add(:2, -7)"),
        (DATE, interval("-7", "day"), ":2 + INTERVAL '-7' DAY"),
        (DataType("timestamp"), interval("-7", "hour"), ":2 + INTERVAL '-7' HOUR"),
    ):
        (pushed,) = lineage(framed(type_, offset), c.everything(framed(type_, offset)))
        assert pushed[1]
        assert moved in pushed[0]
    # Nothing is claimed of what cannot be written down: a day plus some hours is no day.
    unknown = framed(DATE, interval("-7", "hour"))
    (nothing,) = push_down(unknown, c.everything(unknown))
    assert (nothing.lineage, nothing.exact) == (None, None)


RUNNING = traceable(over(TOTAL))
NUMBERED = traceable(over(TOTAL, RUNNING_ROWS))
LAST = traceable(fetching("last"))
P_K, P_X, P_POSITION = (Parameter(n, INTEGER) for n in ("1", "2", "position.20"))
POSITION = column("position.20", "position")
K_FIXED = c.fixed(c.K)


def test_wrong_rules_of_windows_are_refuted() -> None:
    strictly_before = all_of((K_FIXED, call("<", c.X, P_X)))
    assert not is_sound(RUNNING, c.everything(RUNNING), strictly_before), "the peers are missing"
    no_nulls = all_of((K_FIXED, call("<=", c.X, P_X)))
    assert not is_sound(RUNNING, c.everything(RUNNING), no_nulls), "NULLs sort first"
    assert not is_sound(RUNNING, c.everything(RUNNING), c.fixed(c.K, c.X)), "the frame is missing"
    by_value = all_of((K_FIXED, call("<=", c.X, P_X)))
    assert not is_exact(NUMBERED, c.everything(NUMBERED), by_value), "rows that tie may come later"
    assert not is_exact(NUMBERED, c.everything(NUMBERED), K_FIXED), "later rows are not in the frame"
    only_fetched = call("=", POSITION, Parameter("fetched.20", INTEGER))
    assert not is_sound(LAST, c.everything(LAST), only_fetched), "the row itself is missing"
    any_partition = call("<=", POSITION, P_POSITION)
    assert is_sound(NUMBERED, c.everything(NUMBERED), any_partition)
    assert not is_exact(NUMBERED, c.everything(NUMBERED), any_partition), "other partitions"


def test_a_partition_must_stay_whole() -> None:
    assert recomputes(RUNNING, c.everything(RUNNING), K_FIXED)
    assert not recomputes(RUNNING, c.everything(RUNNING), c.fixed(c.K, c.X))
    numbers = NUMBERED.input
    assert isinstance(numbers, RowNumbers)
    assert recomputes(numbers, c.everything(numbers), K_FIXED)
    assert not recomputes(numbers, c.everything(numbers), c.fixed(c.K, c.X)), "the others are counted"


def test_numbered_rows() -> None:
    numbers = NUMBERED.input
    assert lineage(numbers, c.everything(numbers)) == [("k <=> :1 and x <=> :2", True)]
    before = all_of((K_FIXED, call("<=", POSITION, P_POSITION)))
    assert lineage(numbers, before) == [("k <=> :1", False)]
    assert kept(numbers, before) == ["k <=> :1"]
    assert not is_sound(numbers, before, call("<", c.X, number(0)))


def test_a_window_that_was_not_made_traceable_claims_nothing() -> None:
    plain = window(over(TOTAL, RUNNING_ROWS))
    (pushed,) = push_down(plain, c.everything(plain))
    assert (pushed.lineage, pushed.exact) == (None, None)
