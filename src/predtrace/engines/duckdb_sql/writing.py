"""One expression as text, its constants bound."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from predtrace.engines.duckdb_sql.casts import cast
from predtrace.engines.duckdb_sql.functions import FUNCTIONS
from predtrace.engines.duckdb_sql.literals import literal, read_text
from predtrace.engines.duckdb_sql.types import common_type, scalar_type
from predtrace.engines.duckdb_sql.unsupported import NotInDuckDB
from predtrace.ir import expressions as ir
from predtrace.ir.predicates import Parameter
from predtrace.ir.printing import describe
from predtrace.ir.types import DATE, VOID, DataType

Values = dict[str, Any]
"""The bound values of a statement, by name."""

Name = Callable[[ir.Column | Parameter], str]
"""How a column of a row, or a value of the relation that is looked up, is written."""

_numbers = itertools.count()


def new_name() -> str:
    """A name for a value or a table, different in all of the process, so that statements can be put together."""
    return f"v{next(_numbers)}"


def to_duckdb(expression: ir.Expression, name: Name) -> tuple[str, Values]:
    """The text of an expression and the values bound in it; `NotInDuckDB` if it is not certain to mean the same."""
    writer = Writer(name)
    return writer.write(expression), writer.values


@dataclass
class Writer:
    """Writes the parts of one expression, in parentheses where they are operands."""

    name: Name
    values: Values = field(default_factory=dict)

    def write(self, expression: ir.Expression) -> str:
        match expression:
            case ir.Column() | Parameter():
                scalar_type(expression.type)
                return self.name(expression)
            case ir.Literal():
                return literal(expression, self.bind)
            case ir.Cast(ir.Literal() as constant, target):
                return self._constant(constant, target)
            case ir.Cast(child, target):
                return cast(self.write(child), child.type, target)
            case ir.Case(branches, default):
                return self._case(branches, default)
            case ir.Call():
                return self._call(expression)
        raise NotInDuckDB(f"{type(expression).__name__} in {describe(expression)}")

    def bind(self, value: Any) -> str:
        """Bind a value; the text that stands for it."""
        name = new_name()
        self.values[name] = value
        return f"${name}"

    def all(self, expressions: Iterable[ir.Expression]) -> list[str]:
        return [self.write(expression) for expression in expressions]

    def alike(self, expressions: Iterable[ir.Expression], type_: DataType | None = None) -> list[str]:
        """The texts, all made to have one type: the given one, else the one that holds them all."""
        found = _dates_read(list(expressions))
        common = common_type([part.type for part in found])
        if type_ is not None and common != type_:
            raise NotInDuckDB(f"values of type {common} where {type_} is expected")
        return [cast(self.write(part), part.type, common) for part in found]

    def _constant(self, constant: ir.Literal, target: DataType) -> str:
        if constant.value is None and constant.text is None:
            return literal(ir.Literal(None, target), self.bind)
        read = read_text(constant, target)
        return cast(self.write(constant), constant.type, target) if read is None else literal(read, self.bind)

    def _case(
        self, branches: tuple[tuple[ir.Expression, ir.Expression], ...], default: ir.Expression | None
    ) -> str:
        results = [then for _, then in branches] + ([] if default is None else [default])
        texts = self.alike(result for result in results if result.type != VOID)
        written = iter(texts)
        thens = ["NULL" if result.type == VOID else next(written) for result in results]
        whens = [
            f"WHEN {self.write(when)} THEN {then}" for (when, _), then in zip(branches, thens, strict=False)
        ]
        ending = "" if default is None else f" ELSE {thens[-1]}"
        return f"(CASE {' '.join(whens)}{ending} END)"

    def _call(self, call: ir.Call) -> str:
        rule = FUNCTIONS.get(call.function)
        if rule is None or not call.deterministic:
            raise NotInDuckDB(f"the function {call.function}")
        return rule(self, call)


def _dates_read(expressions: list[ir.Expression]) -> list[ir.Expression]:
    """Constant strings beside dates as the dates that Spark reads them as."""
    if DATE not in {part.type for part in expressions}:
        return expressions
    return [(isinstance(part, ir.Literal) and read_text(part, DATE)) or part for part in expressions]
