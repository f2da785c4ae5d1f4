"""GProM: the query, rewritten so that each output row carries the source rows that it was made of.

Faithful to what the papers say of Perm and GProM: at trace time the whole query is rewritten, operator by operator,
into one that also returns the columns of every source ("provenance columns"), a row for each combination of source
rows; a filter then selects the row in question, and only the provenance columns are returned. Optimising that is left
to the database. An aggregate is joined with its rewritten input on the group's keys, a LIMIT on all columns; an inner
join is made of EXISTS and IN; an outer join keeps its kind.

Where it is kinder to the baseline: subqueries are rewritten after Catalyst has decorrelated them. (Perm's general
strategy for correlated ones pairs every row with every combination of source rows; two TPC-H queries took over six
hours with it.) Where it follows our definition, not theirs: `min` and `max` have the rows that attain them, NOT
EXISTS and EXCEPT have none. Left out: how rows were combined (more than lineage), windows, generators, existence
flags.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import reduce

from benchmarks.baselines.answers import Answer, NotSupported, Views, known_values, returns_extremes, same
from benchmarks.baselines.plan_sql import (
    JOINS,
    PlanSQL,
    conjunction,
    names,
    not_supported,
    on_condition,
    selected,
    text,
)
from pyspark.sql import DataFrame, Row
from pyspark.sql import functions as F

from predtrace.frontends.spark.capture import Captured
from predtrace.ir.operators import (
    Distinct,
    Except,
    Filter,
    GroupBy,
    GroupByWithExtremes,
    Intersect,
    Join,
    JoinKind,
    Limit,
    Operator,
    Project,
    SetOperation,
    Sort,
    Source,
    Union,
)
from predtrace.ir.spark_sql import column_name


@dataclass(frozen=True)
class Place:
    """A place where the plan reads a source, and the names of its provenance columns.

    The last one says that there is a source row: beyond an outer join there may be none."""

    reference: int
    names: tuple[str, ...]
    types: tuple[str, ...]

    @property
    def present(self) -> str:
        return self.names[-1]


@dataclass(frozen=True)
class Rewritten:
    """A query that returns an operator's output and the provenance columns of the places below it."""

    sql: str
    places: tuple[Place, ...] = ()

    def provenance(self, of: str = "") -> list[str]:
        return [f"{of}{name}" for place in self.places for name in place.names]


@dataclass
class _Rewriting:
    plain: PlanSQL
    places: int = field(default=0)

    def rewrite(self, operator: Operator) -> Rewritten:
        match operator:
            case Source():
                return self._source(operator)
            case Filter(input=below, condition=condition):
                return self._around(below, lambda sql: f"SELECT * FROM ({sql}) WHERE {text(condition)}")
            case Sort(input=below):
                return self.rewrite(below)
            case Distinct(input=below) if operator.is_full():
                return self.rewrite(below)
            case Project(input=below, columns=columns):
                inner = self.rewrite(below)
                chosen = [f"{text(named.expression)} AS {column_name(named.column)}" for named in columns]
                sql = f"SELECT {selected([*chosen, *inner.provenance()])} FROM ({inner.sql})"
                return Rewritten(sql, inner.places)
            case Limit():
                return self._limit(operator)
            case GroupBy() if not isinstance(operator, GroupByWithExtremes):
                return self._group(operator)
            case Join():
                return self._join(operator)
            case SetOperation():
                return self._set_operation(operator)
        raise not_supported(operator)

    def _around(self, below: Operator, made: Callable[[str], str]) -> Rewritten:
        inner = self.rewrite(below)
        return Rewritten(made(inner.sql), inner.places)

    def _source(self, source: Source) -> Rewritten:
        if source.reference is None:
            return Rewritten(self.plain.of(source))
        self.places += 1
        own = tuple(f"p{self.places}_{at}" for at in range(len(source.columns)))
        place = Place(
            source.reference,
            (*own, f"p{self.places}_present"),
            (*(column.type.sql() for column in source.columns), "boolean"),
        )
        copies = [f"{column} AS {name}" for column, name in zip(names(source.columns), own, strict=True)]
        chosen = [*names(source.columns), *copies, f"true AS {place.present}"]
        return Rewritten(f"SELECT {', '.join(chosen)} FROM ({self.plain.of(source)})", (place,))

    def _limit(self, limit: Limit) -> Rewritten:
        inner = self.rewrite(limit.input)
        equal = (f"q.{name} <=> p.{name}" for name in names(limit.output))
        return self._joined_back(limit, inner.sql, inner, equal, "JOIN")

    def _group(self, group: GroupBy) -> Rewritten:
        inner = self.rewrite(group.input)
        keys = [f"{text(named.expression)} AS k{at}" for at, named in enumerate(group.keys)]
        equal = [f"q.{column_name(n.column)} <=> p.k{at}" for at, n in enumerate(group.keys)]
        if returns_extremes(group):
            if any(call.function not in ("min", "max") or call.condition for call in group.calls()):
                raise not_supported(group)
            keys += [f"{text(call.arguments[0])} AS v{at}" for at, call in enumerate(group.calls())]
            attained = (f"q.{column_name(n.column)} <=> p.v{at}" for at, n in enumerate(group.aggregates))
            equal.append(" OR ".join(attained))
        sql = f"SELECT {selected([*keys, *inner.provenance()])} FROM ({inner.sql})"
        return self._joined_back(group, sql, inner, equal, "JOIN" if group.keys else "LEFT JOIN")

    def _joined_back(
        self, operator: Operator, sql: str, inner: Rewritten, equal: Iterable[str], join: str
    ) -> Rewritten:
        """The operator as it is, joined with its rewritten input."""
        chosen = [*names(operator.output, "q."), *inner.provenance("p.")]
        plain = self.plain.of(operator)
        joined = f"({plain}) AS q {join} ({sql}) AS p ON {conjunction(equal)}"
        return Rewritten(f"SELECT {selected(chosen)} FROM {joined}", inner.places)

    def _join(self, join: Join) -> Rewritten:
        condition = on_condition(join)
        left = self.rewrite(join.left)
        is_anti = join.kind is JoinKind.ANTI
        right = Rewritten(self.plain.of(join.right)) if is_anti else self.rewrite(join.right)
        kind = "JOIN" if join.kind is JoinKind.SEMI else JOINS[join.kind]
        places = (*left.places, *right.places)
        chosen = [*names(join.output), *(name for place in places for name in place.names)]
        joined = f"({left.sql}) {kind} ({right.sql}) ON {condition}"
        return Rewritten(f"SELECT {selected(chosen)} FROM {joined}", places)

    def _set_operation(self, operator: SetOperation) -> Rewritten:
        branches = [self._branch(operator, at) for at in range(len(operator.branches))]
        if isinstance(operator, Union):
            places = tuple(place for branch in branches for place in branch.places)
            parts = (self._padded(operator, branch, places) for branch in branches)
            return Rewritten(" UNION ALL ".join(f"({part})" for part in parts), places)
        left, right = branches
        equal = conjunction(f"q.{name} <=> p.{name}" for name in names(operator.columns))
        if isinstance(operator, Except) and not operator.keep_duplicates:
            sql = f"SELECT * FROM ({left.sql}) AS q LEFT ANTI JOIN ({right.sql}) AS p ON {equal}"
            return Rewritten(sql, left.places)
        if not isinstance(operator, Intersect):
            raise not_supported(operator)
        chosen = [*names(operator.columns, "q."), *left.provenance("q."), *right.provenance("p.")]
        joined = f"({left.sql}) AS q JOIN ({right.sql}) AS p ON {equal}"
        return Rewritten(f"SELECT {selected(chosen)} FROM {joined}", (*left.places, *right.places))

    def _branch(self, operator: SetOperation, at: int) -> Rewritten:
        inner = self.rewrite(operator.branches[at])
        pairs = zip(names(operator.branches[at].output), names(operator.columns), strict=True)
        chosen = [*(f"{theirs} AS {own}" for theirs, own in pairs), *inner.provenance()]
        return Rewritten(f"SELECT {selected(chosen)} FROM ({inner.sql})", inner.places)

    def _padded(self, operator: Union, branch: Rewritten, places: tuple[Place, ...]) -> str:
        chosen = names(operator.columns)
        for place in places:
            pairs = zip(place.names, place.types, strict=True)
            own = place in branch.places
            chosen += [name if own else f"CAST(NULL AS {type_}) AS {name}" for name, type_ in pairs]
        return f"SELECT {selected(chosen)} FROM ({branch.sql})"


class GProM:
    """Traces by one rewritten query, which is run for every trace."""

    def __init__(self, captured: Captured) -> None:
        self.captured = captured
        self.views = Views(captured)
        self.rewritten = _Rewriting(PlanSQL(self.views)).rewrite(captured.operators)
        if not self.rewritten.places:
            raise NotSupported("no source is read")

    def trace(self, row: Row) -> Answer:
        target = known_values(self.captured.operators.output, row)
        condition = conjunction(text(same(column, value)) for column, value in target.items())
        chosen = ", ".join(self.rewritten.provenance())
        found = self.captured.session.sql(f"SELECT {chosen} FROM ({self.rewritten.sql}) WHERE {condition}")
        references = {place.reference for place in self.rewritten.places}
        return Answer((found,), {reference: self._of(reference, found) for reference in references})

    def _of(self, reference: int, found: DataFrame) -> DataFrame:
        """The rows of one reference in the combinations."""
        columns = self.views.source_names(reference)
        parts = [
            found.filter(F.col(place.present)).select(*place.names[:-1]).toDF(*columns)
            for place in self.rewritten.places
            if place.reference == reference
        ]
        return reduce(DataFrame.union, parts).distinct()
