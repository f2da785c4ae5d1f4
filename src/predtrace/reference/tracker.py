"""The reference tracker: eager tracking on Spark, straight from the definition of lineage.

It runs the operators as written, subqueries included, with the addresses of the source rows carried along each
row. It is slow and obviously right, shares no code with inference, and every other way of tracing is
tested against it. One module per family of operators holds the rules; this one only dispatches.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from pyspark.errors import AnalysisException
from pyspark.sql import functions as F

from predtrace.errors import UnsupportedOperator
from predtrace.frontends.spark.capture import Captured
from predtrace.ir.operators import Operator, Source
from predtrace.reference import groups, joins, python_functions, rows, sets, windows
from predtrace.reference.addresses import AddressBook
from predtrace.reference.enclosing import Enclosing, Rules, bound
from predtrace.reference.frames import Tracked, column_name, lineage_column


@dataclass
class Tracker:
    """Tracks the plans of one pipeline."""

    captured: Captured
    addresses: AddressBook = field(init=False)

    def __post_init__(self) -> None:
        self.addresses = AddressBook(self.captured)
        python_functions.register(self.captured)

    def track(self, operator: Operator) -> Tracked:
        """The rows of a whole plan, each with its lineage in every reference."""
        run = _Run(self.captured, self.addresses)
        return _united(run.track(operator), run.places)


@dataclass
class _Run:
    """One run of a plan. `track` may be called with a plan inside a subquery and the rows around it.

    A rewriting may copy a subquery, so that the plan reads one reference in several places. Only the first carries
    its addresses under the reference's own number, so that the rows of two places can be joined.
    """

    captured: Captured
    addresses: AddressBook
    numbering: bool = False
    places: dict[int, int] = field(default_factory=dict)
    """The reference that is read in each place, by the number that its addresses are carried under."""

    def track(self, operator: Operator, enclosing: Enclosing | None = None) -> Tracked:
        if isinstance(operator, Source):
            return self._source(operator)
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

    def _source(self, source: Source) -> Tracked:
        if source.reference is None:
            return self.addresses.untracked(source)
        further = len(self.captured.descriptors) + len(self.places)
        place = further if source.reference in self.places else source.reference
        self.places[place] = source.reference
        return self.addresses.track(source, source.reference, place)


def _united(tracked: Tracked, places: dict[int, int]) -> Tracked:
    """One set of addresses for each reference, from all places where it is read."""
    cells: dict[int, list[str]] = {}
    for place in sorted(tracked.references):
        cells.setdefault(places[place], []).append(f"`{column_name(lineage_column(place))}`")
    if cells.keys() == tracked.references:
        return tracked
    united = [
        F.array_distinct(F.concat(*names)).alias(column_name(lineage_column(reference)))
        for reference, names in cells.items()
    ]
    others = replace(tracked, references=frozenset()).everything()
    return replace(tracked, rows=tracked.rows.select(*others, *united), references=frozenset(cells))


RULES: Rules = {
    **rows.RULES,
    **joins.RULES,
    **groups.RULES,
    **windows.RULES,
    **sets.RULES,
    **python_functions.RULES,
}
