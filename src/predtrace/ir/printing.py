"""The operator tree as text that can be read aloud: one line per operator, inputs below it.

Column names are plain; `#id` is added where two columns in reach of an operator have the same name. The
plan of a subquery stands below the operator that evaluates it, under the number its condition mentions.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from typing import Any

from predtrace.ir import expressions as ir
from predtrace.ir import operators as op
from predtrace.ir.describing import Describer, describe, describe_sort_key
from predtrace.ir.expressions import Column
from predtrace.ir.parts import walk
from predtrace.ir.types import INTEGER

__all__ = ["describe", "explain"]

_MOST_HANDED_ON = 8


def explain(operator: op.Operator) -> str:
    """The tree from the result down to the sources."""
    return "\n".join(TreePrinter().lines(operator))


class TreePrinter:
    def __init__(self) -> None:
        self._numbers: dict[int, int] = {}

    def lines(self, operator: op.Operator) -> list[str]:
        describer = Describer(_naming(operator), self._subquery_text)
        detail = _detail(operator, describer)
        head = f"{operator.title()} {detail}".rstrip()
        parts = [self.lines(below) for below in operator.inputs]
        for query in operator.subqueries():
            below = self.lines(query.plan)
            parts.append([f"{self._subquery_text(query)}:", *(f"   {line}" for line in below)])
        return [head, *_branches(parts)]

    def _subquery_text(self, query: ir.Subquery) -> str:
        number = self._numbers.setdefault(id(query), len(self._numbers) + 1)
        return f"subquery {number}"


def _branches(parts: list[list[str]]) -> list[str]:
    lines = []
    for index, part in enumerate(parts):
        last = index == len(parts) - 1
        lines.append(("└─ " if last else "├─ ") + part[0])
        lines.extend(("   " if last else "│  ") + line for line in part[1:])
    return lines


def _naming(operator: op.Operator) -> Callable[[Column], str]:
    """Names that are unique among the columns in reach of one operator."""
    ids: dict[str, set[str]] = defaultdict(set)
    mentioned = [node for e in operator.expressions for node in walk(e)]
    in_reach = [column for below in operator.inputs for column in below.output]
    for column in (*operator.output, *in_reach, *(node for node in mentioned if isinstance(node, Column))):
        ids[column.name].add(column.id)
    for node in mentioned:
        if isinstance(node, ir.OuterColumn):
            ids[node.column.name].add(node.column.id)
    return lambda column: str(column) if len(ids[column.name]) > 1 else column.name


def _named(items: tuple[op.Named, ...], describer: Describer) -> str:
    return ", ".join(_named_one(item, describer) for item in items)


def _named_one(item: op.Named, describer: Describer) -> str:
    if item.expression == item.column:
        return describer.column(item.column)
    return f"{describer.column(item.column)} = {describer.text(item.expression)}"


def _project(project: op.Project, describer: Describer) -> str:
    """What is new; of many columns that are handed on only how many they are."""
    new = tuple(item for item in project.columns if item.expression != item.column)
    others = len(project.columns) - len(new)
    if others <= _MOST_HANDED_ON:
        return _named(project.columns, describer)
    return ", and ".join(part for part in (_named(new, describer), f"{others} columns as they are") if part)


def _detail(operator: op.Operator, describer: Describer) -> str:
    """What an operator does, in one line."""
    for kind, write in _DETAILS:
        if isinstance(operator, kind):
            return write(operator, describer)
    return ""


def _columns(columns: tuple[Column, ...], describer: Describer) -> str:
    return ", ".join(describer.column(column) for column in columns)


def _source(source: op.Source, describer: Describer) -> str:
    """A source by its name and its files; a copy by the files that the user has."""
    descriptor = source.descriptor
    originals = [state.path for state in descriptor.originals]
    bases = [path.rstrip("/").rsplit("/", 1)[-1] for path in originals or descriptor.locations]
    more = f" and {len(bases) - 1} more" if len(bases) > 1 else ""
    place = f"{bases[0]}{more}" if bases else ""
    parts = [] if originals else [descriptor.format]
    return f"{descriptor.name} ({': '.join([*parts, *([place] if place else [])])})"


def _join(join: op.Join, describer: Describer) -> str:
    condition = "" if join.condition is None else f"on {describer.text(join.condition)}"
    flag = "" if join.flag is None else f" as {describer.column(join.flag)}"
    return condition + flag


def _group(group: op.GroupBy, describer: Describer) -> str:
    hidden = group.extremes if isinstance(group, op.GroupByWithExtremes) else ()
    parts = [_named(items, describer) for items in (group.keys, (*group.aggregates, *hidden))]
    return ": ".join(part for part in parts if part)


def _limit(limit: op.Limit, describer: Describer) -> str:
    count = "all rows" if limit.count is None else f"{limit.count} row{'' if limit.count == 1 else 's'}"
    return count + (f" after skipping {limit.offset}" if limit.offset else "")


def _generate(generate: op.Generate, describer: Describer) -> str:
    outer = ", keeping rows that yield none" if generate.outer else ""
    return f"{_columns(generate.generated, describer)} from {describer.text(generate.generator)}{outer}"


def _expand(expand: op.Expand, describer: Describer) -> str:
    rows = "; ".join(f"({describer.all(projection)})" for projection in expand.projections)
    return f"{_columns(expand.columns, describer)} from {rows}"


def _pivot(pivot: op.Pivot, describer: Describer) -> str:
    """Cells with one pivot value share their aggregates with the others, so those are said once."""
    calls = dict.fromkeys(describer.text(call) for cell in pivot.cells for call in cell.aggregates())
    values = dict.fromkeys(describer.text(cell.value) for cell in pivot.cells)
    cells = f"{', '.join(calls)} for {describer.text(pivot.pivot)} in ({', '.join(values)})"
    if isinstance(pivot, op.PivotWithFlag):
        cells += f" as {describer.column(pivot.flag.column)}"
    return ": ".join(part for part in (_named(pivot.keys, describer), cells) if part)


def _row_numbers(numbers: op.RowNumbers, describer: Describer) -> str:
    """As the window functions that they are."""
    called = ir.Call("row_number", (), INTEGER, is_nullable=False)
    frame = ir.Frame(ir.FrameKind.ROWS, "unbounded", "current")
    return _named(
        tuple(
            op.Named(n.column, ir.WindowCall(called, n.partition, n.order, frame)) for n in numbers.numbers
        ),
        describer,
    )


def _keys(operator: op.GroupedMapWithKeys | op.CoGroupedMapWithKeys, describer: Describer) -> str:
    return f" as {_columns(operator.key_columns, describer)}"


def _sort(sort: op.Sort, describer: Describer) -> str:
    keys = ", ".join(describe_sort_key(key, describer) for key in sort.keys)
    return f"by {keys}" + ("" if sort.everywhere else " within each partition")


def _sample(sample: op.Sample, describer: Describer) -> str:
    replacing = " with replacement" if sample.with_replacement else ""
    return f"{sample.upper - sample.lower:.4g} of the rows{replacing}"


def _grouped_map(grouped: op.GroupedMap, describer: Describer) -> str:
    key = _keys(grouped, describer) if isinstance(grouped, op.GroupedMapWithKeys) else ""
    return f"{grouped.function_name} of each ({_columns(grouped.keys, describer)}){key}"


def _cogrouped_map(grouped: op.CoGroupedMap, describer: Describer) -> str:
    left, right = _columns(grouped.left_keys, describer), _columns(grouped.right_keys, describer)
    key = _keys(grouped, describer) if isinstance(grouped, op.CoGroupedMapWithKeys) else ""
    return f"{grouped.function_name} of each ({left}) with ({right}){key}"


_DETAILS: tuple[tuple[type[op.Operator], Callable[[Any, Describer], str]], ...] = (
    (op.Source, _source),
    (op.Opaque, lambda opaque, describer: f"because {opaque.why}" if opaque.why else ""),
    (op.Filter, lambda filter_, describer: describer.text(filter_.condition)),
    (op.Project, _project),
    (op.Sort, _sort),
    (op.Limit, _limit),
    (op.Sample, _sample),
    (op.Generate, _generate),
    (op.Expand, _expand),
    (op.Join, _join),
    (op.GroupBy, _group),
    (op.Distinct, lambda distinct, describer: "" if distinct.is_full() else _columns(distinct.on, describer)),
    (op.Pivot, _pivot),
    (op.RowNumbers, _row_numbers),
    (op.Window, lambda window, describer: _named(window.functions, describer)),
    (op.GroupedMap, _grouped_map),
    (op.CoGroupedMap, _cogrouped_map),
    (op.SetOperation, lambda operation, describer: _columns(operation.columns, describer)),
)
