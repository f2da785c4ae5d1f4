"""A small database of operators and expressions for the tests of the model."""

from __future__ import annotations

from predtrace.ir import expressions as ir
from predtrace.ir import operators as op
from predtrace.ir.types import BOOLEAN, DOUBLE, INTEGER, LONG, STRING, DataType, Field, StructType


def column(identifier: int | str, name: str, type_: DataType = INTEGER) -> ir.Column:
    return ir.Column(ir.ColumnId(str(identifier)), name, type_)


def call(function: str, *arguments: ir.Expression, type_: DataType = BOOLEAN) -> ir.Call:
    return ir.Call(function, arguments, type_)


def number(value: int, type_: DataType = INTEGER) -> ir.Literal:
    return ir.Literal(value, type_)


def text(value: str) -> ir.Literal:
    return ir.Literal(value, STRING)


def source(name: str, *columns: ir.Column, reference: int = 0) -> op.Source:
    schema = StructType("struct", tuple(Field(c.name, c.type, c.nullable) for c in columns))
    fingerprint = op.Fingerprint("files", (op.FileState(f"/data/{name}.parquet", 10, 20),))
    descriptor = op.SourceDescriptor(
        name, "parquet", (f"file:/data/{name}.parquet",), (("mergeSchema", "false"),), schema, fingerprint
    )
    return op.Source(reference=reference, descriptor=descriptor, columns=columns, origin="line 1")


def pairs(first: int = 1, reference: int = 0) -> op.Source:
    """A key and a double, with ids from the first on."""
    return source("t", column(first, "k"), column(first + 1, "v", DOUBLE), reference=reference)


PAIRS = pairs()
K, V = PAIRS.columns

ORDER_KEY = column(1, "order_key", LONG)
PRIORITY = column(2, "priority", STRING)
LINE_KEY = column(3, "line_key", LONG)
QUANTITY = column(4, "quantity")


def orders() -> op.Source:
    return source("orders", ORDER_KEY, PRIORITY)


def lines() -> op.Source:
    return source("lines", LINE_KEY, QUANTITY, reference=1)


def late_orders() -> op.Operator:
    """Orders per priority that have a line: a semi join, a group and a sort."""
    join = op.Join(
        left=orders(),
        right=op.Filter(input=lines(), condition=call(">", QUANTITY, number(3))),
        kind=op.JoinKind.SEMI,
        condition=call("=", LINE_KEY, ORDER_KEY),
        origin="line 2, column 7",
    )
    count = ir.AggregateCall("count", (number(1),), LONG)
    group = op.GroupBy(
        input=join,
        keys=(op.Named(PRIORITY, PRIORITY),),
        aggregates=(op.Named(column(5, "orders", LONG), count),),
    )
    return op.Sort(input=group, keys=(ir.SortKey(PRIORITY),))
