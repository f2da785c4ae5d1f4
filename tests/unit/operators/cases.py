"""An operator of every kind over small tables a(k, x) and b(j, y), for the tests of the laws."""

from __future__ import annotations

from tests.unit.ir import samples
from tests.unit.ir.samples import call, column, number

from predtrace.ir.expressions import AggregateCall, Call, Column, Expression, Literal, SortKey
from predtrace.ir.operators import (
    Distinct,
    Except,
    Expand,
    Filter,
    GroupBy,
    Intersect,
    Join,
    JoinKind,
    Limit,
    Named,
    Operator,
    Project,
    Sample,
    Sort,
    Union,
)
from predtrace.ir.predicates import Parameter
from predtrace.ir.types import BOOLEAN, INTEGER, LONG

K, X = column(1, "k"), column(2, "x")
J, Y = column(3, "j"), column(4, "y")
A = samples.source("a", K, X)
B = samples.source("b", J, Y, reference=1)
POSITIVE = call(">", X, number(0))
EQUAL = call("=", K, J)
FLAG = Column(column(5, "found").id, "found", BOOLEAN, False)
COUNT, MAXIMUM, TOTAL = column(6, "n", LONG), column(7, "m"), column(8, "t", LONG)
DOUBLED = column(9, "d")
OUT = (column(10, "k"), column(11, "x"))


def join(kind: JoinKind, condition: Expression | None = EQUAL) -> Join:
    return Join(
        left=A, right=B, kind=kind, condition=condition, flag=FLAG if kind is JoinKind.EXISTENCE else None
    )


def group(*aggregates: Named, keys: bool = True) -> GroupBy:
    return GroupBy(input=A, keys=(Named(K, K),) if keys else (), aggregates=aggregates)


COUNTED = Named(COUNT, AggregateCall("count", (X,), LONG))
LARGEST = Named(MAXIMUM, AggregateCall("max", (X,), INTEGER))
LARGEST_POSITIVE = Named(MAXIMUM, AggregateCall("max", (X,), INTEGER, condition=call(">", K, number(0))))
LATEST = Named(MAXIMUM, AggregateCall("max_by", (X, K), INTEGER))
SUMMED = Named(TOTAL, AggregateCall("sum", (X,), LONG))

FILTER = Filter(input=A, condition=POSITIVE)
PROJECT = Project(input=A, columns=(Named(K, K), Named(DOUBLED, call("+", X, X, type_=INTEGER))))
SORT = Sort(input=A, keys=(SortKey(X),))
LIMIT = Limit(input=A, count=1)
SAMPLE = Sample(input=A, lower=0.0, upper=0.5, with_replacement=False, seed=1)
DISTINCT = Distinct(input=A, on=(K, X))
DROP_DUPLICATES = Distinct(input=A, on=(K,))
UNION = Union(branches=(A, B), columns=OUT, keep_duplicates=True)
INTERSECT = Intersect(branches=(A, B), columns=OUT, keep_duplicates=False)
EXCEPT = Except(branches=(A, B), columns=OUT, keep_duplicates=False)
EXCEPT_ALL = Except(branches=(A, B), columns=OUT, keep_duplicates=True)
EXPAND = Expand(input=A, projections=((K, X), (K, Literal(None, INTEGER))), columns=OUT)


def fixed(*columns: Column) -> Expression:
    """Each column has the target row's value."""
    parts = [Call("<=>", (c, Parameter(c.id, c.type)), BOOLEAN, is_nullable=False) for c in columns]
    found: Expression = parts[0]
    for part in parts[1:]:
        found = Call("and", (found, part), BOOLEAN)
    return found


def everything(operator: Operator) -> Expression:
    """All output columns are fixed: the row itself is selected."""
    return fixed(*operator.output)
