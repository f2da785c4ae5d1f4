"""Expressions as immutable data.

There are few kinds, and every consumer (Spark SQL, printing, JSON, Z3, DuckDB) is one `match` over them. Operators
and functions are all `Call`s, named as Spark SQL names them; what only some functions have (a LIKE's escape
character, `IGNORE NULLS`) stands in `options`. Columns are equal when their ids are equal: names, types and
nullability are for people and for typing.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from enum import Enum
from typing import TYPE_CHECKING, Any, NewType

from predtrace.errors import PlanIntegrityError
from predtrace.ir.node import Expression as Expression
from predtrace.ir.types import BOOLEAN, DataType

if TYPE_CHECKING:
    from predtrace.ir.operators.base import Operator

ColumnId = NewType("ColumnId", str)
"""Spark's expression id; `12.1` is the second definition of expression 12 in one plan (a CTE used twice)."""


@dataclass(frozen=True)
class Column(Expression):
    """A column, where it is defined and where it is used."""

    id: ColumnId
    name: str = field(compare=False)
    data_type: DataType = field(compare=False)
    is_nullable: bool = field(compare=False, default=True)

    def _own_columns(self) -> frozenset[Column]:
        return frozenset((self,))

    @property
    def type(self) -> DataType:
        return self.data_type

    @property
    def nullable(self) -> bool:
        return self.is_nullable

    def __str__(self) -> str:
        return f"{self.name}#{self.id}"


@dataclass(frozen=True)
class OuterColumn(Expression):
    """Inside a subquery: a column of the row of the enclosing query."""

    needs_one_row = False

    column: Column

    @property
    def type(self) -> DataType:
        return self.column.type

    @property
    def nullable(self) -> bool:
        return self.column.nullable


@dataclass(frozen=True)
class Literal(Expression):
    """A constant. `text` is set where only Spark SQL text can write the value (intervals, maps...)."""

    value: Any
    data_type: DataType
    text: str | None = None

    def __eq__(self, other: object) -> bool:
        """Whether it is the same constant: 0.0 is not -0.0, which functions tell apart, and NaN is NaN.

        >>> from predtrace.ir.types import DOUBLE
        >>> Literal(0.0, DOUBLE) == Literal(-0.0, DOUBLE)
        False
        >>> Literal(float("nan"), DOUBLE) == Literal(float("nan"), DOUBLE)
        True
        """
        return isinstance(other, Literal) and self._identity() == other._identity()

    def __hash__(self) -> int:
        return hash(self._identity())

    def _identity(self) -> tuple[object, ...]:
        is_plain = isinstance(self.value, (bool, int, str, bytes, type(None)))
        return self.value if is_plain else repr(self.value), self.data_type, self.text

    @property
    def type(self) -> DataType:
        return self.data_type

    @property
    def nullable(self) -> bool:
        return self.value is None and self.text is None


Options = tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Call(Expression):
    """A function or operator of Spark SQL applied to arguments."""

    function: str
    arguments: tuple[Expression, ...]
    data_type: DataType
    is_nullable: bool = True
    deterministic: bool = True
    options: Options = ()

    @property
    def type(self) -> DataType:
        return self.data_type

    @property
    def nullable(self) -> bool:
        return self.is_nullable

    def children(self) -> tuple[Expression, ...]:
        return self.arguments

    def rebuilt(self, children: tuple[Expression, ...]) -> Expression:
        # (Said in full: `replace` takes several times as long, and this is done most of all.)
        return Call(
            self.function, children, self.data_type, self.is_nullable, self.deterministic, self.options
        )

    def is_deterministic(self) -> bool:
        return self.deterministic and super().is_deterministic()

    def option(self, name: str) -> str | None:
        return dict(self.options).get(name)


@dataclass(frozen=True)
class Cast(Expression):
    """A conversion. `attempt` is TRY_CAST: NULL where the value does not fit."""

    child: Expression
    data_type: DataType
    attempt: bool = False

    @property
    def type(self) -> DataType:
        return self.data_type

    @property
    def nullable(self) -> bool:
        return True

    def children(self) -> tuple[Expression, ...]:
        return (self.child,)

    def rebuilt(self, children: tuple[Expression, ...]) -> Expression:
        return replace(self, child=children[0])


@dataclass(frozen=True)
class Case(Expression):
    """CASE WHEN: conditions and values alternate in `branches`; `default` is NULL when left out."""

    branches: tuple[tuple[Expression, Expression], ...]
    default: Expression | None

    def __post_init__(self) -> None:
        if not self.branches:
            raise PlanIntegrityError("a CASE without branches")

    @property
    def type(self) -> DataType:
        return self.branches[0][1].type

    def children(self) -> tuple[Expression, ...]:
        flat = [part for branch in self.branches for part in branch]
        return tuple(flat if self.default is None else [*flat, self.default])

    def rebuilt(self, children: tuple[Expression, ...]) -> Expression:
        count = len(self.branches)
        pairs = tuple((children[2 * i], children[2 * i + 1]) for i in range(count))
        return Case(pairs, children[2 * count] if len(children) > 2 * count else None)


@dataclass(frozen=True)
class LambdaVariable(Expression):
    """A parameter of a lambda of a higher-order function."""

    id: ColumnId
    name: str = field(compare=False)
    data_type: DataType = field(compare=False)

    @property
    def type(self) -> DataType:
        return self.data_type


@dataclass(frozen=True)
class Lambda(Expression):
    """`(x, y) -> body`, the argument of a higher-order function."""

    parameters: tuple[LambdaVariable, ...]
    body: Expression

    @property
    def type(self) -> DataType:
        return self.body.type

    def children(self) -> tuple[Expression, ...]:
        return (self.body,)

    def rebuilt(self, children: tuple[Expression, ...]) -> Expression:
        return replace(self, body=children[0])


@dataclass(frozen=True)
class UserCall(Expression):
    """A Python function of the user's, called per row. The function itself lives with the front end.

    `meaning` is what it returns, as far as that was found out: see `symbolic.python`; `gaps` says what was not.
    """

    function: str
    name: str
    arguments: tuple[Expression, ...]
    data_type: DataType
    deterministic: bool = True
    meaning: Lambda | None = field(default=None, compare=False, repr=False)
    gaps: tuple[str, ...] = field(default=(), compare=False, repr=False)

    @property
    def type(self) -> DataType:
        return self.data_type

    def children(self) -> tuple[Expression, ...]:
        return self.arguments

    def rebuilt(self, children: tuple[Expression, ...]) -> Expression:
        return replace(self, arguments=children)

    def is_deterministic(self) -> bool:
        return self.deterministic and super().is_deterministic()


@dataclass(frozen=True)
class SortKey:
    expression: Expression
    ascending: bool = True
    nulls_first: bool = True


ONE_ROW_AGGREGATES = frozenset({"min", "max", "min_by", "max_by", "first", "last", "any_value"})
"""The aggregates that return one row's value (semantics.md, GroupBy)."""


@dataclass(frozen=True)
class AggregateCall(Expression):
    """An aggregate function. `user_function` names a Python one."""

    needs_one_row = False

    function: str
    arguments: tuple[Expression, ...]
    data_type: DataType
    distinct: bool = False
    condition: Expression | None = None
    options: Options = ()
    user_function: str | None = None

    @property
    def type(self) -> DataType:
        return self.data_type

    def children(self) -> tuple[Expression, ...]:
        return self.arguments if self.condition is None else (*self.arguments, self.condition)

    def rebuilt(self, children: tuple[Expression, ...]) -> Expression:
        count = len(self.arguments)
        condition = None if self.condition is None else children[count]
        return replace(self, arguments=children[:count], condition=condition)

    def returns_one_row(self) -> bool:
        return self.function in ONE_ROW_AGGREGATES

    def option(self, name: str) -> str | None:
        return dict(self.options).get(name)


class FrameKind(Enum):
    ROWS = "rows"
    RANGE = "range"


@dataclass(frozen=True)
class Frame:
    """A window frame; a bound is `unbounded`, `current` or an expression (negative: preceding)."""

    kind: FrameKind
    lower: Expression | str
    upper: Expression | str


@dataclass(frozen=True)
class WindowCall(Expression):
    """A window function over its partition, order and frame."""

    needs_one_row = False

    function: Expression
    partition: tuple[Expression, ...]
    order: tuple[SortKey, ...]
    frame: Frame

    @property
    def type(self) -> DataType:
        return self.function.type

    def children(self) -> tuple[Expression, ...]:
        return (self.function, *self.partition, *(key.expression for key in self.order))

    def rebuilt(self, children: tuple[Expression, ...]) -> Expression:
        split = 1 + len(self.partition)
        order = tuple(
            replace(key, expression=child) for key, child in zip(self.order, children[split:], strict=True)
        )
        return replace(self, function=children[0], partition=children[1:split], order=order)


@dataclass(frozen=True)
class Subquery(Expression):
    """Base of the expressions that hold a plan. Inside it, `OuterColumn` refers to the row around it."""

    needs_one_row = False

    plan: Operator

    def _own_columns(self) -> frozenset[Column]:
        return frozenset(self.plan.outer_columns())

    def is_deterministic(self) -> bool:
        return super().is_deterministic() and self.plan.evaluates_deterministically()


@dataclass(frozen=True)
class ScalarSubquery(Subquery):
    """The one value of a plan with one column and at most one row; NULL if it has none."""

    @property
    def type(self) -> DataType:
        return self.plan.output[0].type


@dataclass(frozen=True)
class Exists(Subquery):
    """Whether a plan has a row."""

    @property
    def type(self) -> DataType:
        return BOOLEAN

    @property
    def nullable(self) -> bool:
        return False


@dataclass(frozen=True)
class InSubquery(Subquery):
    """Whether a tuple of values is among a plan's rows (three-valued)."""

    values: tuple[Expression, ...]

    @property
    def type(self) -> DataType:
        return BOOLEAN

    def children(self) -> tuple[Expression, ...]:
        return self.values

    def rebuilt(self, children: tuple[Expression, ...]) -> Expression:
        return replace(self, values=children)
