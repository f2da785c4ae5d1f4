"""Python functions over groups, and operators nobody can look into.

The user's own function runs on each group; every row it returns has the lineage of the whole group. A function that
is declared to work row by row runs on each row, and what it returns has the lineage of that row. An opaque
operator is run by Spark itself, on the rows below it; every row it returns has the lineage of all of them.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from functools import reduce
from typing import Any

from predtrace.errors import UnsupportedExpression, UnsupportedOperator
from predtrace.frontends.spark.capture import Captured
from predtrace.frontends.spark.leaves import Output, dataframe_of, with_output_of
from predtrace.frontends.spark.udfs import (
    is_python,
    is_row_function,
    python_function,
    register_function,
    takes_arrow,
)
from predtrace.ir.expressions import Column
from predtrace.ir.operators import CoGroupedMap, GroupedMap, Opaque
from predtrace.ir.spark_sql import user_function_name
from predtrace.reference.enclosing import Enclosing, Rules, Tracking
from predtrace.reference.frames import Tracked, collected, column_name, grouped, sharing_lineage


def register(captured: Captured) -> None:
    """Make the user's functions callable from SQL text under their own unique names."""
    for identity, call in captured.functions.items():
        if not is_python(call):
            raise UnsupportedExpression(
                f"the function {identity} is a Java or Scala one", todo="write it in SQL or as a Python UDF"
            )
        if is_row_function(call):
            register_function(captured.session, user_function_name(identity), call)


def track_grouped_map(operator: GroupedMap, tracking: Tracking, enclosing: Enclosing | None) -> Tracked:
    tracked = _unbound(tracking.input_of(operator, enclosing), operator)
    if operator.by_row:
        return _track_rows(operator, tracking, tracked)
    run = _runner(tracking, operator.function, operator.arguments, operator.columns)
    cells = [column_name(column) for column in tracked.lineages()]

    def apply(key: Any, rows: Any) -> Any:
        return _with_lineage(run(key, [rows]), [(rows, cells)])

    grouped = tracked.rows.groupBy(*(f"`{column_name(key)}`" for key in operator.keys))
    result = grouped.applyInPandas(apply, _schema(operator.columns, tracked.lineages()))
    return Tracked(result, operator.columns, tracked.references)


def _track_rows(operator: GroupedMap, tracking: Tracking, tracked: Tracked) -> Tracked:
    """Equal rows have equal results, so their lineages need not be brought together here."""
    if not operator.deterministic:
        tracked = sharing_lineage(tracked)
    call = tracking.captured.functions[operator.function]
    users = python_function(call)
    width, names = len(operator.arguments), [column.name for column in operator.arguments]
    cells = [column_name(column) for column in tracked.lineages()]
    results = [(column_name(column), column.name) for column in operator.columns]

    def of_frames(batches: Iterator[Any]) -> Iterator[Any]:
        for batch in batches:
            for at in range(len(batch)):
                row = batch.iloc[at : at + 1].reset_index(drop=True)
                lineage = [[int(address) for address in row[cell][0]] for cell in cells]
                row = row.iloc[:, :width]
                row.columns = names
                for result in filter(len, users(iter([row]))):
                    made = _under_our_names(result, results)
                    for cell, addresses in zip(cells, lineage, strict=True):
                        made[cell] = _cells(addresses, len(made))
                    yield made

    def of_arrow(batches: Iterator[Any]) -> Iterator[Any]:
        import pyarrow

        for batch in batches:
            for at in range(batch.num_rows):
                row = batch.slice(at, 1)
                given = pyarrow.RecordBatch.from_arrays(row.columns[:width], names)
                for result in filter(len, users(iter([given]))):
                    made = [result.column(theirs) for _, theirs in results]
                    made += [pyarrow.concat_arrays([row.column(cell)] * len(result)) for cell in cells]
                    yield pyarrow.RecordBatch.from_arrays(made, [*(ours for ours, _ in results), *cells])

    rows = tracked.rows.select(*(f"`{column_name(c)}`" for c in (*operator.arguments, *tracked.lineages())))
    schema = _schema(operator.columns, tracked.lineages())
    mapped = rows.mapInArrow(of_arrow, schema) if takes_arrow(call) else rows.mapInPandas(of_frames, schema)
    return Tracked(mapped, operator.columns, tracked.references)


def track_cogrouped_map(operator: CoGroupedMap, tracking: Tracking, enclosing: Enclosing | None) -> Tracked:
    left = _unbound(tracking.input_of(operator, enclosing, 0), operator)
    right = _unbound(tracking.input_of(operator, enclosing, 1), operator)
    run = _runner(
        tracking, operator.function, operator.left_arguments, operator.columns, operator.right_arguments
    )
    left_cells = [column_name(column) for column in left.lineages()]
    right_cells = [column_name(column) for column in right.lineages()]

    def apply(key: Any, left_rows: Any, right_rows: Any) -> Any:
        result = run(key, [left_rows, right_rows])
        return _with_lineage(result, [(left_rows, left_cells), (right_rows, right_cells)])

    def groups(tracked: Tracked, keys: tuple[Column, ...]) -> Any:
        return tracked.rows.groupBy(*(f"`{column_name(key)}`" for key in keys))

    lineages = [*left.lineages(), *right.lineages()]
    cogrouped = groups(left, operator.left_keys).cogroup(groups(right, operator.right_keys))
    result = cogrouped.applyInPandas(apply, _schema(operator.columns, lineages))
    return Tracked(result, operator.columns, left.references | right.references)


def _unbound(tracked: Tracked, operator: GroupedMap | CoGroupedMap | Opaque) -> Tracked:
    if tracked.bindings:
        raise UnsupportedOperator(
            f"{operator.title()} inside a correlated subquery", operator.origin, "take it out"
        )
    return tracked


def _schema(columns: tuple[Column, ...], lineages: list[Column]) -> str:
    fields = [f"`{column_name(column)}` {column.type.sql()}" for column in (*columns, *lineages)]
    return ", ".join(fields)


def _runner(
    tracking: Tracking,
    function: str,
    arguments: tuple[Column, ...],
    columns: tuple[Column, ...],
    right_arguments: tuple[Column, ...] | None = None,
) -> Callable[[Any, list[Any]], Any]:
    """A function that runs the user's one on pandas groups, under the names the user knows."""
    call = tracking.captured.functions[function]
    users = python_function(call)
    arrow = takes_arrow(call)
    sides = [arguments] if right_arguments is None else [arguments, right_arguments]
    names = [[(column_name(column), column.name) for column in side] for side in sides]
    results = [(column_name(column), column.name) for column in columns]
    with_key = len(inspect.signature(users).parameters) > len(sides)

    def run(key: Any, groups: list[Any]) -> Any:
        inputs = []
        for group, side in zip(groups, names, strict=True):
            frame = group[[ours for ours, _ in side]]
            frame.columns = [theirs for _, theirs in side]
            inputs.append(_as_arrow(frame) if arrow else frame)
        output = users(*([key] if with_key else []), *inputs)
        return _under_our_names(output.to_pandas() if arrow else output, results)

    return run


def _under_our_names(frame: Any, results: list[tuple[str, str]]) -> Any:
    """What the user's function returned, as Spark understands it: by name, or else by position."""
    if not len(frame.columns):  # no rows
        frame = frame.reindex(columns=[theirs for _, theirs in results]).astype("object")
    by_name = all(isinstance(name, str) for name in frame.columns)
    chosen = (frame[[theirs for _, theirs in results]] if by_name else frame).copy()
    chosen.columns = [ours for ours, _ in results]
    return chosen.reset_index(drop=True)


def _as_arrow(frame: Any) -> Any:
    import pyarrow

    return pyarrow.Table.from_pandas(frame, preserve_index=False)


def _with_lineage(result: Any, groups: list[tuple[Any, list[str]]]) -> Any:
    for rows, cells in groups:
        for cell in cells:
            addresses: set[int] = reduce(lambda known, more: known.union(more), rows[cell], set())
            result[cell] = _cells(sorted(int(a) for a in addresses), len(result))
    return result


def _cells(addresses: list[int], count: int) -> Any:
    """A column that holds the same list in each row; an empty one too must be known to hold lists."""
    import pandas

    return pandas.array([addresses] * count, dtype="object")


def track_opaque(operator: Opaque, tracking: Tracking, enclosing: Enclosing | None) -> Tracked:
    session = tracking.captured.session
    node = tracking.captured.opaque_nodes[operator.node]
    branches = [_unbound(tracking.track(branch, enclosing), operator) for branch in operator.branches]
    children = node.children()
    for position, branch in enumerate(branches):
        plan = branch.rows.select(*branch.values())._jdf.queryExecution().analyzed()
        children = children.updated(position, with_output_of(Output(children.apply(position)), plan))
    rows = dataframe_of(session, node.withNewChildren(children)).toDF(*map(column_name, operator.columns))
    for branch in branches:
        rows = rows.crossJoin(grouped(branch.rows, [], collected(branch.lineages())))
    references = frozenset[int]().union(*(branch.references for branch in branches))
    return Tracked(rows, operator.columns, references)


RULES: Rules = {GroupedMap: track_grouped_map, CoGroupedMap: track_cogrouped_map, Opaque: track_opaque}
