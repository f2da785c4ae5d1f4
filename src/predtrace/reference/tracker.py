"""The reference tracker: eager tracking on Spark, straight from the definition of lineage.

It runs the operators as written, subqueries included, with the addresses of the source rows carried along each
row. It is slow and obviously right, shares no code with inference, and every other way of tracing is
tested against it. One module per family of operators holds the rules; this one only dispatches.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from pyspark.errors import AnalysisException

from predtrace.errors import UnsupportedOperator
from predtrace.frontends.spark.capture import Captured
from predtrace.ir.operators import Operator, Source
from predtrace.reference import groups, joins, python_functions, rows, sets, windows
from predtrace.reference.addresses import AddressBook
from predtrace.reference.enclosing import Enclosing, Rules, bound
from predtrace.reference.frames import Tracked


@dataclass
class Tracker:
    """Tracks one pipeline. `track` may be called with a plan inside a subquery and the rows around it."""

    captured: Captured
    addresses: AddressBook = field(init=False)
    numbering: bool = False

    def __post_init__(self) -> None:
        self.addresses = AddressBook(self.captured)
        python_functions.register(self.captured)

    def track(self, operator: Operator, enclosing: Enclosing | None = None) -> Tracked:
        if isinstance(operator, Source):
            return self.addresses.track(operator)
        rule = next((RULES[kind] for kind in type(operator).__mro__ if kind in RULES), None)
        if rule is None:
            raise UnsupportedOperator(
                f"the reference tracker has no rule for {operator.title()}",
                operator.origin,
                "report the query",
            )
        try:
            return rule(operator, self, enclosing)
        except AnalysisException as problem:
            first_line = str(problem).strip().split("\n")[0]
            raise UnsupportedOperator(
                f"the reference tracker cannot run {operator.title()}: {first_line}".rstrip("."),
                operator.origin,
                "leave out columns of types that cannot be compared (maps, variants) before this step",
            ) from None

    def input_of(self, operator: Operator, enclosing: Enclosing | None, at: int = 0) -> Tracked:
        """An input's tracked rows, once per enclosing row if this operator reads enclosing columns."""
        below = self.track(operator.inputs[at], enclosing)
        return bound(below, enclosing) if operator.own_outer_columns() else below


RULES: Rules = {
    **rows.RULES,
    **joins.RULES,
    **groups.RULES,
    **windows.RULES,
    **sets.RULES,
    **python_functions.RULES,
}
