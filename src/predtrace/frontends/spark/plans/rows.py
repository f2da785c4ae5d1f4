"""Plan nodes that work on one row at a time, or choose among the rows of one input."""

from __future__ import annotations

from predtrace.errors import PlanIntegrityError
from predtrace.frontends.spark.origins import origin_of
from predtrace.frontends.spark.plans.reader import (
    Converted,
    NodeScope,
    Reading,
    expression_id_of,
    without_repeats,
)
from predtrace.frontends.spark.plans.table_functions import check_table_function
from predtrace.frontends.spark.plans.tree import PlanNode, short_name
from predtrace.ir.expressions import Call, Cast, Column, Expression, Literal, SortKey
from predtrace.ir.operators import (
    Distinct,
    Expand,
    Filter,
    Generate,
    Limit,
    Named,
    OneRow,
    Operator,
    Project,
    RowNumber,
    RowNumbers,
    Sample,
    Sort,
    Unpivot,
)
from predtrace.ir.parts import subqueries_of
from predtrace.ir.types import INTEGER, LONG, VOID


def _input(node: PlanNode, reading: Reading, around: NodeScope | None) -> tuple[Converted, NodeScope]:
    below = reading.read_plan(node.children[0], reading, around)
    return below, NodeScope(reading, below.columns(), around)


def read_filter(node: PlanNode, reading: Reading, around: NodeScope | None) -> Converted:
    if is_invented_numbering(node.children[0]):
        return _limit_per_group(node, reading, around)
    below, scope = _input(node, reading, around)
    condition = scope.expression(node.field("condition"), node.expression_handle("condition"))
    operator = Filter(input=below.operator, condition=condition, origin=origin_of(node))
    return Converted(operator, below.expression_ids)


def is_invented_numbering(node: PlanNode) -> bool:
    """A row_number without an order: nobody can write that, decorrelation makes it of a correlated LIMIT."""
    if node.kind != "Window" or node.sequence("orderSpec"):
        return False
    return any(short_name(part["class"]) == "RowNumber" for part in node.sequence("windowExpressions")[0])


def _limit_per_group(node: PlanNode, reading: Reading, around: NodeScope | None) -> Converted:
    """The limit that a filter on an invented numbering stands for, once per value of the correlated columns."""
    window = node.children[0]
    below = reading.read_plan(window.children[0], reading, around)
    scope = NodeScope(reading, below.columns(), around)
    number = reading.fresh("row_number", INTEGER)
    number_id = expression_id_of(window.sequence("windowExpressions")[0])
    condition = NodeScope(reading, {**below.columns(), number_id: number}, around).expression(
        node.field("condition"), node.expression_handle("condition")
    )
    match condition:
        case Call(function="<=", arguments=(Column() as column, Literal(value=int() as count))) if (
            column == number
        ):
            within = tuple(scope.attribute(part) for part in window.sequence("partitionSpec"))
        case _:
            raise PlanIntegrityError(
                f"a numbering of rows is used in {condition}", todo="report it with the query"
            )
    operator = Limit(input=below.operator, count=count, within=within, origin=origin_of(node))
    return Converted(operator, below.expression_ids)


def read_project(node: PlanNode, reading: Reading, around: NodeScope | None) -> Converted:
    below, scope = _input(node, reading, around)
    items = node.sequence("projectList")
    handles = [node.expression_handle("projectList", i) for i in range(len(items))]
    named = [scope.named(item, handle) for item, handle in zip(items, handles, strict=True)]
    ids = tuple(expression_id for _, expression_id in named)
    columns = without_repeats(reading, [item for item, _ in named])
    if tuple(item.expression for item in columns) == below.operator.output and all(
        item.column.name == item.expression.name  # type: ignore[attr-defined]
        for item in columns
    ):
        return Converted(below.operator, ids)  # the same columns under other ids: nothing happens here
    return Converted(Project(input=below.operator, columns=columns, origin=origin_of(node)), ids)


def read_sort(node: PlanNode, reading: Reading, around: NodeScope | None) -> Converted:
    below, scope = _input(node, reading, around)
    keys: list[SortKey] = [
        scope.sort_key(item, node.expression_handle("order", i))
        for i, item in enumerate(node.sequence("order"))
    ]
    operator = Sort(
        input=below.operator, keys=tuple(keys), everywhere=bool(node.field("global")), origin=origin_of(node)
    )
    return Converted(operator, below.expression_ids)


def read_sequence(node: PlanNode, reading: Reading, around: NodeScope | None) -> Converted:
    """The numbering that pandas' default index is: 0, 1, 2... in the order of the rows, which a Sort below gives."""
    below, _ = _input(node, reading, around)
    attribute = node.field("sequenceAttr")
    expression_id = expression_id_of(attribute)
    column = reading.define(expression_id, attribute[0]["name"], LONG, False)
    order = below.operator.keys if isinstance(below.operator, Sort) else ()
    numbers = (RowNumber(column, (), order, column),)
    numbered = RowNumbers(input=below.operator, numbers=numbers, origin=origin_of(node))
    columns = tuple(Named(each, each) for each in (column, *below.operator.output))  # Spark puts it first
    operator = Project(input=numbered, columns=columns, origin=origin_of(node))
    return Converted(operator, (expression_id, *below.expression_ids))


def _row_count(node: PlanNode, getter: str, scope: NodeScope) -> int:
    expression = scope.expression(node.field(getter), node.expression_handle(getter))
    if isinstance(expression, Literal) and isinstance(expression.value, int):
        return expression.value
    # Spark accepts any foldable expression here, and evaluates it itself.
    return int(node.expression_handle(getter)().eval(None))


def read_limit(node: PlanNode, reading: Reading, around: NodeScope | None) -> Converted:
    below, scope = _input(node, reading, around)
    count = _row_count(node, "limitExpr", scope)
    inner = below.operator
    if isinstance(inner, Limit) and inner.count is None:
        operator = Limit(input=inner.input, count=count, offset=inner.offset, origin=origin_of(node))
    else:
        operator = Limit(input=inner, count=count, origin=origin_of(node))
    return Converted(operator, below.expression_ids)


def read_offset(node: PlanNode, reading: Reading, around: NodeScope | None) -> Converted:
    below, scope = _input(node, reading, around)
    operator = Limit(
        input=below.operator, count=None, offset=_row_count(node, "offsetExpr", scope), origin=origin_of(node)
    )
    return Converted(operator, below.expression_ids)


def read_sample(node: PlanNode, reading: Reading, around: NodeScope | None) -> Converted:
    below, _ = _input(node, reading, around)
    seed = node.field("seed")
    operator = Sample(
        input=below.operator,
        lower=node.field("lowerBound"),
        upper=node.field("upperBound"),
        with_replacement=bool(node.field("withReplacement")),
        seed=seed if isinstance(seed, int) else None,
        origin=origin_of(node),
    )
    return Converted(operator, below.expression_ids)


def read_distinct(node: PlanNode, reading: Reading, around: NodeScope | None) -> Converted:
    below, scope = _input(node, reading, around)
    on = below.operator.output
    if node.kind == "Deduplicate":
        on = tuple(scope.attribute(key) for key in node.sequence("keys"))
    operator = Distinct(input=below.operator, on=on, origin=origin_of(node))
    return Converted(operator, below.expression_ids)


def read_generate(node: PlanNode, reading: Reading, around: NodeScope | None) -> Converted:
    check_table_function(node)
    below, scope = _input(node, reading, around)
    generator = scope.expression(node.field("generator"), node.expression_handle("generator"))
    attributes = node.sequence("generatorOutput")
    generated = tuple(reading.define_attribute(a) for a in attributes)
    operator: Operator = Generate(
        input=below.operator,
        generator=generator,
        generated=generated,
        outer=bool(node.field("outer")),
        origin=origin_of(node),
    )
    stacked = _stacked(generator, generated)
    if stacked is not None:
        operator = Unpivot(
            input=below.operator,
            projections=tuple((*below.operator.output, *values) for values in stacked),
            columns=operator.output,
            origin=operator.origin,
        )
    return Converted(operator, (*below.expression_ids, *(expression_id_of(a) for a in attributes)))


_MOST_STACKED = 40
"""So many rows are looked at one by one; `stack` of more is a generator like any other."""


def _stacked(generator: Expression, generated: tuple[Column, ...]) -> list[list[Expression]] | None:
    """The values of each row that `stack` makes of a row; None for other generators."""
    match generator:
        case Call(function="stack", arguments=(Literal(value=int() as count), *values)):
            if not 0 < count <= _MOST_STACKED or not generator.is_deterministic() or subqueries_of(generator):
                return None
            missing = [Literal(None, VOID)] * (count * len(generated) - len(values))
            cells = iter([*values, *missing])
            return [[_as_typed(next(cells), column) for column in generated] for _ in range(count)]
    return None


def _as_typed(value: Expression, column: Column) -> Expression:
    return value if value.type == column.type else Cast(value, column.type)


def read_expand(node: PlanNode, reading: Reading, around: NodeScope | None) -> Converted:
    below, scope = _input(node, reading, around)
    projections = tuple(
        tuple(
            scope.expression(item, node.expression_handle("projections", i, j))
            for j, item in enumerate(projection)
        )
        for i, projection in enumerate(node.sequence("projections"))
    )
    attributes = node.sequence("output")
    # Grouping sets add their grouping id as the last column; without one this is an unpivot.
    grouping = any(a[0]["name"] in GROUPING_COLUMNS for a in attributes)
    operator = (Expand if grouping else Unpivot)(
        input=below.operator,
        projections=projections,
        columns=tuple(reading.define_attribute(a) for a in attributes),
        origin=origin_of(node),
    )
    return Converted(operator, tuple(expression_id_of(a) for a in attributes))


GROUPING_COLUMNS = frozenset({"spark_grouping_id", "_gen_grouping_pos"})


def read_one_row(node: PlanNode, reading: Reading, around: NodeScope | None) -> Converted:
    return Converted(OneRow(), ())
