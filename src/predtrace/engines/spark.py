"""The Spark engine: predicates as semi joins, needed results from where they were saved or from Spark's own plan.

Columns are named by their ids, so no two columns of a pipeline ever share a name. A predicate over the tuples of a
relation is a semi join with it: Spark broadcasts or shuffles as sizes demand, and nothing is collected.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from predtrace.errors import StoreProblem
from predtrace.ir.attempts import attempted
from predtrace.ir.expressions import Call, Cast, Column, ColumnId, Expression, Literal, UserCall
from predtrace.ir.parts import cannot_fail, columns_of, transform, walk
from predtrace.ir.predicates import Parameter
from predtrace.ir.spark_sql import column_name, to_sql
from predtrace.ir.types import BOOLEAN, STRING, DataType, is_comparable
from predtrace.operators import Selection
from predtrace.operators.pushing import NOTHING, all_of, any_of, askable, parameters_of, parts_of, with_values
from predtrace.plan.lineage_plan import NodeCut, ResultPlan, SourcePlan
from predtrace.symbolic.sorts import equality_is_identity

_PARAMETER = "parameter."


class NodeRows(Protocol):
    """Runs nodes of the captured plan (see the front end)."""

    def rows(
        self,
        number: int,
        columns: Sequence[Column],
        cut: Callable[[int, DataFrame], DataFrame] | None = None,
        where: Collection[int] = (),
    ) -> DataFrame:
        """Columns of a node's rows, computed with the nodes in `where` cut down."""


@dataclass(frozen=True)
class SparkEngine:
    """Runs on the session that the sources are read with. `saved` has the results that a run left, by plan node."""

    session: SparkSession
    nodes: NodeRows | None
    """The plan, to compute rows of its nodes with; None in a process that has only what was saved."""
    rows_of_reference: Callable[[int], DataFrame]
    saved: Mapping[int, DataFrame] = field(default_factory=dict)
    known: Mapping[str, Expression] = field(default_factory=dict)
    """Parameters that have one value in all tuples: Spark can skip partitions and files by it."""

    def result(self, result: ResultPlan) -> DataFrame:
        if result.plan_node not in self.saved:
            raise StoreProblem(
                f"{result.operator} was not saved by the run", todo="trace with predtrace.capture(df) instead"
            )
        return self.saved[result.plan_node].select(*_names(result.columns))

    def computed(
        self, plan_node: int, columns: Sequence[Column], cuts: Sequence[NodeCut], given: DataFrame
    ) -> DataFrame:
        assert self.nodes is not None  # whoever asks for it has the plan
        selections = {cut.plan_node: cut.selection for cut in cuts}

        def cut(number: int, rows: DataFrame) -> DataFrame:
            return self.cut_down(rows, selections[number], given)

        return self.nodes.rows(plan_node, columns, cut, selections)

    def cut_down(self, rows: DataFrame, selection: Selection, given: DataFrame) -> DataFrame:
        """The rows that must stay to compute what is asked for."""
        told = askable(selection)
        return rows if told is None else self.where(rows, [(told, given)])

    def where(self, rows: DataFrame, selections: Sequence[tuple[Selection, DataFrame]]) -> DataFrame:
        wanted = [
            (self._attempted(predicate), relation)
            for predicate, relation in selections
            if predicate != NOTHING
        ]
        if not wanted:
            return rows.limit(0)
        rows = rows.filter(sql(beyond_statistics(any_of(map(self._bound, (p for p, _ in wanted))))))
        wanted = [_in_pairs(rows, predicate, relation, self.known) for predicate, relation in wanted]
        if len(wanted) == 1:
            (predicate, relation), *_ = wanted
            return rows.join(relation, F.expr(sql(predicate)), "left_semi")
        tests = (f"EXISTS (SELECT 1 FROM {{r{at}}} WHERE {sql(p)})" for at, (p, _) in enumerate(wanted))
        relations: dict[str, Any] = {f"r{at}": relation for at, (_, relation) in enumerate(wanted)}
        return self.session.sql(f"SELECT * FROM {{rows}} WHERE {' OR '.join(tests)}", rows=rows, **relations)

    def _attempted(self, predicate: Selection) -> Selection:
        """A predicate that does not fail for rows that were kept from what it computes."""
        if predicate is None or cannot_fail(predicate):
            return predicate
        return (
            attempted(predicate) if self.session.conf.get("spark.sql.ansi.enabled") == "true" else predicate
        )

    def _bound(self, predicate: Selection) -> Selection:
        """What a predicate says of known values alone, and can be asked of every row."""
        compared = (part for part in parts_of(predicate) if parameters_of(part))
        told = (part for part in compared if parameters_of(part) <= self.known.keys())
        return askable(with_values(all_of(told), self.known))

    def relation(self, name: str, columns: Sequence[Column], rows: DataFrame) -> DataFrame:
        # Used by several semi joins: computed once. (Not persisted: Spark's cache loses NaN under a filter.)
        return self.parameters(name, columns, rows).distinct().localCheckpoint()

    def parameters(
        self, name: str, columns: Sequence[Column], rows: DataFrame, besides: Sequence[str] = ()
    ) -> DataFrame:
        """The rows with their columns named as the parameters `name.column`, and other columns as they are."""
        names = [column_name(_parameter_column(Parameter(f"{name}.{c.id}", c.type))) for c in columns]
        return rows.select(*_names(columns), *besides).toDF(*names, *besides)

    def source(self, source: SourcePlan) -> DataFrame:
        return self.rows_of_reference(source.reference).toDF(*map(column_name, source.columns))

    def constants(self, columns: Sequence[Column], rows: Sequence[Sequence[Expression]]) -> DataFrame:
        """Rows of constants."""
        selected = []
        for row in rows:
            values = zip(columns, row, strict=True)
            named = (f"CAST({sql(value)} AS {c.type.sql()}) AS `{column_name(c)}`" for c, value in values)
            selected.append(f"SELECT {', '.join(named) or '1 AS one'}")
        return self.session.sql(" UNION ALL ".join(selected))

    def is_empty(self, rows: DataFrame) -> bool:
        return rows.isEmpty()

    def without(self, rows: DataFrame, predicate: Selection, relation: DataFrame) -> DataFrame:
        predicate, relation = _in_pairs(rows, self._attempted(predicate), relation, self.known)
        return rows.join(relation, F.expr(sql(predicate)), "left_anti")

    def kept(self, relation: DataFrame) -> DataFrame:
        return relation.localCheckpoint()

    def count(self, rows: DataFrame) -> int:
        return int(rows.count())


def _in_pairs(
    rows: DataFrame, predicate: Selection, relation: DataFrame, known: Mapping[str, Expression]
) -> tuple[Selection, DataFrame]:
    """A predicate and a relation that select the same rows, and call Python functions less often.

    What calls them is asked of the distinct values that it reads, each in a pair with the tuples of the relation; the
    rows are then selected by their values in these pairs. That is how a function is called once for each of its
    inputs; and it is the only way to ask a function of both sides, which Spark calls for the pairs of an inner join
    and not in a semi join. Where few rows are left by what a function tells of its inputs, it is called for each.
    """
    of_rows = set(rows.columns)
    apart = all_of(part for part in parts_of(predicate) if _is_asked_in_pairs(part, of_rows, known))
    if apart is None:
        return predicate, relation
    own = _read(apart, of_rows)
    inputs = rows.select(*(f"`{name}`" for name in own))
    if all(_is_itself_in_distinct(value.type) for value in own.values()):
        inputs = inputs.distinct()
    parameters = {name: Parameter(f"pair.{at}", value.type) for at, (name, value) in enumerate(own.items())}
    names = [column_name(_parameter_column(parameter)) for parameter in parameters.values()]
    pairs = inputs.join(relation, F.expr(sql(apart)), "inner").toDF(*names, *relation.columns)
    found = [same for name, parameter in parameters.items() for same in _identical(own[name], parameter)]
    return all_of((*found, *(part for part in parts_of(predicate) if part not in parts_of(apart)))), pairs


def _is_asked_in_pairs(part: Expression, of_rows: Container[str], known: Mapping[str, Expression]) -> bool:
    calls = [call for call in walk(part) if isinstance(call, UserCall) and _read(call, of_rows)]
    if any(len(_read(call, of_rows)) < len(_read(call)) for call in calls):
        return True
    values = _read(part, of_rows).values()
    once = bool(calls) and all(_is_itself_in_distinct(value.type) for value in values)
    return once and askable(with_values(part, known)) is None


def _is_itself_in_distinct(type_: DataType) -> bool:
    """Whether DISTINCT keeps values of a type as they are: it makes 0.0 of -0.0, and functions see the difference."""
    return is_comparable(type_) and equality_is_identity(type_)


def _identical(one: Expression, other: Expression) -> Iterator[Expression]:
    """That two values are the same to a function, too."""
    yield Call("<=>", (one, other), BOOLEAN)
    if not equality_is_identity(one.type):
        yield Call("<=>", (Cast(one, STRING), Cast(other, STRING)), BOOLEAN)


def _read(expression: Expression, among: Container[str] | None = None) -> dict[str, Expression]:
    """The columns and parameters that an expression reads, by the names that they have in rows."""
    leaves = (part for part in walk(expression) if isinstance(part, (Column, Parameter)))
    named = {
        column_name(leaf if isinstance(leaf, Column) else _parameter_column(leaf)): leaf for leaf in leaves
    }
    return {name: leaf for name, leaf in named.items() if among is None or name in among}


def filtered(rows: DataFrame, condition: Selection, may_fail: Collection[ColumnId]) -> DataFrame:
    """The rows that satisfy a condition.

    What reads columns that may fail is asked where they are computed: Spark would push it further down, to rows that
    a join leaves out before.
    """
    plain, held = divided(condition, may_fail)
    if plain is not None:
        rows = rows.filter(sql(beyond_statistics(plain)))
    # Nothing that depends on the partition is pushed through a join.
    return rows if held is None else rows.filter(f"IF(spark_partition_id() >= 0, {sql(held)}, false)")


def divided(selection: Selection, read: Collection[ColumnId]) -> tuple[Selection, Selection]:
    """What a selection says without reading certain columns, and the rest of it."""
    parts = [(part, any(column.id in read for column in columns_of(part))) for part in parts_of(selection)]
    return all_of(part for part, reads in parts if not reads), all_of(part for part, reads in parts if reads)


def beyond_statistics(condition: Selection) -> Selection:
    """A condition that Spark cannot skip parts of a file by where their statistics leave NaN out, as those of some
    writers do: rows with it would not be found. (What the pipeline's own filters skip is left as it is.)"""

    def unchanged_by_value(part: Expression) -> Expression:
        if part.type.name not in ("float", "double") or isinstance(part, Literal):
            return part
        return Call("nanvl", (part, Literal(float("nan"), part.type)), part.type)

    return None if condition is None else transform(condition, unchanged_by_value)


def sql(predicate: Selection) -> str:
    """Spark SQL over our column names; parameters are columns of the relation they range over."""
    if predicate is None:
        return "true"

    def bind(part: Expression) -> Expression:
        return _parameter_column(part) if isinstance(part, Parameter) else part

    return to_sql(transform(predicate, bind), lambda column: f"`{column_name(column)}`")


def _parameter_column(parameter: Parameter) -> Column:
    return Column(ColumnId(_PARAMETER + parameter.name), parameter.name, parameter.type)


def _names(columns: Sequence[Column]) -> list[str]:
    return [f"`{column_name(column)}`" for column in columns]
