"""What a trace has to look through, before it runs: sources, files and bytes. Starts no job, reads no rows.

Known beforehand are the values of the target rows that the user's condition fixes, and the constants of the
pipeline's own conditions. Files and row groups that cannot hold a row with them are left out (`engines.pruning`).
Values of intermediate results are not known, so fewer files may hold the rows than the quote says, never others.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from predtrace.api.asking import source_names
from predtrace.api.cost import Cost, SourceCost
from predtrace.engines.extents import Comparison, comparison
from predtrace.engines.footers import Footers
from predtrace.engines.pruning import DataFile, Left, Way, left_of
from predtrace.infer.selections import TARGET
from predtrace.ir.constants import constant
from predtrace.ir.expressions import Call, Column, Expression
from predtrace.ir.operators import SourceDescriptor
from predtrace.operators.pushing import askable, parts_of, with_values
from predtrace.plan.reads import SourceRead
from predtrace.store.files import is_local, local_path
from predtrace.trace.known_targets import KnownTargets, known_targets

_FLIPPED = {"=": "=", "<=>": "<=>", "<": ">", "<=": ">=", ">": "<", ">=": "<="}
_WITHOUT_FILES = {"memory": "in memory", "constant": "computed, not read"}


def cost_of(
    reads: Iterable[SourceRead],
    condition: Expression,
    descriptors: Mapping[int, SourceDescriptor],
    last: float | None = None,
) -> Cost:
    """The cost of a trace that makes these passes over the sources; the condition is over the plan's target.

    >>> from predtrace import capture
    >>> from predtrace.ir.expressions import Literal
    >>> from predtrace.ir.types import BOOLEAN
    >>> spark.range(10).createOrReplaceTempView("ids")
    >>> pipeline = capture(spark.sql("select id from ids where id > 4"))
    >>> read = SourceRead("ids", pipeline.plan.sources[0].columns, None)
    >>> print(cost_of([read], Literal(True, BOOLEAN), pipeline.captured.descriptors))
    ids: range, computed, not read
    in all: 0 of 0 files, 0 bytes of 0 bytes may hold the rows, and what is in ids
    no similar trace has been read yet
    """
    by_source: dict[str, list[SourceRead]] = {name: [] for name in source_names(descriptors)}
    for read in reads:
        by_source[read.source].append(read)
    described = {descriptor.name: descriptor for descriptor in descriptors.values()}
    targets, footers = known_targets(condition), Footers()
    found = (_of_source(described[name], of, targets, footers) for name, of in by_source.items())
    return Cost(tuple(found), last)


def _of_source(
    descriptor: SourceDescriptor, reads: list[SourceRead], targets: KnownTargets, footers: Footers
) -> SourceCost:
    name, format_, scanned = descriptor.name, descriptor.format, bool(reads)
    kind = descriptor.fingerprint.kind
    if kind != "files":
        left = None if scanned else 0
        note = _WITHOUT_FILES.get(kind, "nobody knows its size before it is read")
        return SourceCost(name, format_, scanned, None, None, left, left, note)
    states = descriptor.fingerprint.files
    ways = dict.fromkeys(way for read in reads for way in _ways(read, descriptor, targets))
    left_over = left_of(_data_files(descriptor), list(ways), footers)
    in_all = len(states), sum(state.size for state in states)
    note = _not_looked_into(descriptor, left_over)
    return SourceCost(name, format_, scanned, *in_all, left_over.files, left_over.bytes, note)


def _not_looked_into(descriptor: SourceDescriptor, left: Left) -> str:
    if left.files and not all(is_local(state.path) for state in descriptor.fingerprint.files):
        return "not on this machine: pruned by folders only"
    return f"{left.unopened:,} files were not looked into" if left.unopened else ""


def _data_files(descriptor: SourceDescriptor) -> Iterator[DataFile]:
    options = {key.lower(): value.lower() for key, value in descriptor.options}
    has_partitions = options.get("recursivefilelookup") != "true"
    roots = [_plain(location) for location in descriptor.locations]
    for state in descriptor.fingerprint.files:
        path = _plain(state.path)
        above = max((root for root in roots if path.startswith(f"{root}/")), key=len, default=path)
        folders = path[len(above) :].split("/")[1:-1] if has_partitions else []
        is_open = descriptor.format == "parquet" and is_local(state.path)
        yield DataFile(state.size, tuple(folders), local_path(state.path) if is_open else None)


def _plain(location: str) -> str:
    return (str(local_path(location)) if is_local(location) else location).rstrip("/")


def _ways(read: SourceRead, descriptor: SourceDescriptor, targets: KnownTargets) -> Iterator[Way]:
    """The ways in which a pass selects rows: one for each target row."""
    fields = zip(read.columns, descriptor.schema.fields, strict=True)
    names = {column: field.name for column, field in fields}
    parameters = [f"{TARGET}.{column.id}" for column in targets.columns]
    for row in targets.rows:
        selection = with_values(read.predicate, dict(zip(parameters, row, strict=True)))
        found = (_compared(part, names) for part in (*parts_of(selection), *parts_of(askable(selection))))
        yield tuple(dict.fromkeys(one for one in found if one is not None))


def _compared(part: Expression, names: Mapping[Column, str]) -> Comparison | None:
    """The comparison of a column with constants that a condition is; None if it is another one."""
    match part:
        case Call(function=operator, arguments=(Column() as column, *others)):
            pass
        case Call(function=operator, arguments=(other, Column() as column)):
            operator, others = _FLIPPED.get(operator, ""), [other]
        case _:
            return None
    literals = [literal for other in others if (literal := constant(other)) and literal.type == column.type]
    if column not in names or len(literals) < len(others):
        return None
    return comparison(names[column], column.type, operator, tuple(literal.value for literal in literals))
