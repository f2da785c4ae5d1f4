"""Predicates over tuples of relations as text: `o_orderkey = needed_1.o_orderkey`.

The short form is for people: a null-safe comparison with a value of a relation is written `=` with the value on the
right, and the comparison of many columns with the values of their namesakes is summed up. The precise form writes
every conjunct as it is, and no column id.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from predtrace.ir.describing import describe
from predtrace.ir.expressions import Call, Column, ColumnId, Expression
from predtrace.ir.parts import transform
from predtrace.ir.predicates import Parameter
from predtrace.ir.types import BOOLEAN
from predtrace.operators import Selection
from predtrace.operators.pushing import NOTHING, parts_of
from predtrace.plan.wording import column_names, listed, numbered_names

_WRITTEN_OUT = 4
"""As many comparisons of columns with their namesakes are written out in the short form."""

Columns = tuple[Column, ...]


@dataclass(frozen=True)
class PredicateText:
    """Writes predicates whose parameters are values of these relations."""

    relations: Mapping[str, Columns]
    precise: bool = False

    def names(self, columns: Columns) -> Mapping[ColumnId, str]:
        """How columns are called that appear together."""
        return numbered_names(columns) if self.precise else column_names(columns)

    def text(self, predicate: Selection, columns: Columns) -> str:
        """The predicate on one line; `columns` are those of the rows it speaks of."""
        return " and ".join(self.conjuncts(predicate, columns))

    def conjuncts(self, predicate: Selection, columns: Columns) -> list[str]:
        """One text per conjunct, fewer where they are summed up."""
        if predicate is None:
            return ["every row"]
        if predicate == NOTHING:
            return ["no row"]
        parts = parts_of(predicate)
        if self.precise:
            return [self._conjunct(part, columns) for part in parts]
        parts = [_value_on_the_right(part) for part in parts]
        namesakes = {part: relation for part in parts if (relation := self._namesake(part)) is not None}
        texts = []
        for part in parts:
            relation = namesakes.get(part)
            alike = [other for other, its_relation in namesakes.items() if its_relation == relation]
            if relation is not None and len(alike) > _WRITTEN_OUT:
                texts.append(self._summed_up(relation, alike, columns))
            else:
                texts.append(self._conjunct(part, columns))
        return list(dict.fromkeys(texts))

    def _namesake(self, part: Expression) -> str | None:
        """The relation, where a column is compared with the relation's column of the same name."""
        match part:
            case Call(function="=", arguments=(Column() as column, Parameter() as parameter)):
                relation, value = self._value(parameter)
                return relation if value.name == column.name else None
        return None

    def _summed_up(self, relation: str, parts: list[Expression], columns: Columns) -> str:
        compared = [part.children()[0] for part in parts]
        if set(compared) == set(columns):
            return f"all {len(columns)} columns = those of {relation}"
        names = self.names(columns)
        shown = listed([names[c.id] for c in compared if isinstance(c, Column)], _WRITTEN_OUT)
        return f"({shown}) = those of {relation}"

    def _value(self, parameter: Parameter) -> tuple[str, Column]:
        relation, _, identifier = parameter.name.partition(".")
        return relation, next(column for column in self.relations[relation] if column.id == identifier)

    def _conjunct(self, part: Expression, columns: Columns) -> str:
        names = dict(self.names(columns))

        def as_column(node: Expression) -> Expression:
            if not isinstance(node, Parameter):
                return node
            relation, value = self._value(node)
            stand_in = Column(ColumnId(f"{relation}.{value.id}"), value.name, value.type)
            names[stand_in.id] = f"{relation}.{self.names(self.relations[relation])[value.id]}"
            return stand_in

        text = describe(transform(part, as_column), lambda column: names[column.id])
        return f"({text})" if isinstance(part, Call) and part.function == "or" else text


def _value_on_the_right(part: Expression) -> Expression:
    """Every comparison with a value of a relation as `=`, that value last."""

    def change(node: Expression) -> Expression:
        match node:
            case Call(function="=" | "<=>", arguments=(Parameter() as value, other)):
                return Call("=", (other, value), BOOLEAN)
            case Call(function="<=>", arguments=(other, Parameter() as value)):
                return Call("=", (other, value), BOOLEAN)
        return node

    return transform(part, change)
