"""Source leaves as descriptors: name, format, location, options, schema and a fingerprint.

A source is named as the pipeline names it: the view or table, else the base name of its file or folder, else
`local_1`... Two different sources of one name get `#2`. Credentials in options are left out.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field, replace
from pathlib import PurePosixPath
from typing import Any
from urllib.parse import unquote, urlsplit, urlunsplit

from predtrace.errors import UnsupportedOperator
from predtrace.frontends.spark.catalyst import catalyst
from predtrace.frontends.spark.origins import place_of
from predtrace.ir.expressions import Options
from predtrace.ir.operators import FileState, Fingerprint, SourceDescriptor
from predtrace.ir.operators.sources import ORIGINALS, UNIQUE
from predtrace.ir.types import StructType, from_json

_SECRET = re.compile(r"password|secret|token|credential|access.?key|user", re.IGNORECASE)
_FILE_STATUS = re.compile(
    r"FileStatus\{path=(.*?); isDirectory=false; length=(\d+);.*?modification_time=(\d+);"
)


@dataclass(frozen=True)
class _Leaf:
    """What a leaf says of itself, before it has a name of its own in the pipeline."""

    own_name: str
    format: str
    locations: tuple[str, ...]
    options: Options
    fingerprint: Fingerprint
    identity: str
    """Equal for two references to the same source."""
    is_table: bool = False


@dataclass(frozen=True)
class ViewAbove:
    """The temp view that a leaf stands under; `directly` when nothing but aliases lies between."""

    name: str = ""
    directly: bool = False


@dataclass
class SourceNames:
    """Hands out names: one per source, `#2` where two sources have the same one."""

    by_identity: dict[str, str] = field(default_factory=dict)
    local_count: int = 0

    def name(self, leaf: _Leaf, view: ViewAbove) -> str:
        known = self.by_identity.get(leaf.identity)
        if known is not None:
            return known
        wanted = view.name if view.directly and not leaf.is_table else leaf.own_name or view.name
        if not wanted:
            self.local_count += 1
            wanted = f"local_{self.local_count}"
        taken = set(self.by_identity.values())
        chosen, copy = wanted, 1
        while chosen in taken:
            copy += 1
            chosen = f"{wanted}#{copy}"
        self.by_identity[leaf.identity] = chosen
        return chosen


def describe_source(live: Any, view: ViewAbove, names: SourceNames) -> SourceDescriptor:
    """The descriptor of a leaf."""
    kind = live.getClass().getSimpleName()
    reader = LEAVES.get(kind)
    if reader is None:
        raise UnsupportedOperator(
            f"the source {kind}",
            place_of(live),
            "write it to Parquet first and read that, or report the source kind",
        )
    if bool(live.isStreaming()):
        raise UnsupportedOperator(
            f"a streaming source ({kind})", place_of(live), "trace a batch read of the same data"
        )
    leaf = reader(live)
    text = live.schema().json()
    fields = json.loads(text)
    schema = from_json(fields)
    assert isinstance(schema, StructType)
    # The same files read with another schema are another table to whoever looks at its rows.
    leaf = replace(leaf, identity=f"{leaf.identity} {text}")
    unique = _numbering_columns(leaf, fields["fields"])
    if unique:
        leaf = replace(leaf, options=(*leaf.options, (UNIQUE, json.dumps(unique))))
    return SourceDescriptor(
        names.name(leaf, view), leaf.format, leaf.locations, leaf.options, schema, leaf.fingerprint
    )


def _numbering_columns(leaf: _Leaf, fields: list[dict[str, Any]]) -> list[str]:
    """The columns that number the rows of a source that the pandas front end made.

    Spark hands metadata on to whatever is made of a column, and writes it into files: rows that were appended or
    exploded are no longer told apart by it. But then the column has another name, or the files have no originals.
    """
    is_made_here = leaf.fingerprint.kind != "files" or ORIGINALS in dict(leaf.options)
    return [f["name"] for f in fields if is_made_here and f["metadata"].get(UNIQUE) == f["name"]]


def _relation(live: Any) -> _Leaf:
    relation = live.relation()
    kind = relation.getClass().getSimpleName()
    if kind == "HadoopFsRelation":
        return _files(live, relation)
    if kind == "JDBCRelation":
        return _jdbc(relation)
    name = _table_name(live)
    return _Leaf(name, kind, (), (), Fingerprint("none"), f"{kind} {name} {relation.hashCode()}")


def _files(live: Any, relation: Any) -> _Leaf:
    index = relation.location()
    roots = tuple(sorted(set(index.rootPaths().mkString("\n").split("\n"))))
    options = _options(relation.options())
    files = _file_states(index)
    table = _table_name(live)
    format_name = relation.fileFormat().toString().lower()
    name = table or _base_name(roots[0])
    fingerprint = Fingerprint("files", files)
    identity = f"{format_name} {roots} {options}"
    return _Leaf(name, format_name, roots, options, fingerprint, identity, is_table=bool(table))


def _file_states(index: Any) -> tuple[FileState, ...]:
    """All files of a relation in one call: py4j pays per call, and a table may have many files."""
    nothing = catalyst().sequence([])
    listing: str = index.listFiles(nothing, nothing).mkString("\n")
    found = {
        FileState(path, int(size), int(modified)) for path, size, modified in _FILE_STATUS.findall(listing)
    }
    return tuple(sorted(found, key=lambda state: state.path))


def _base_name(location: str) -> str:
    """The base name of a path without its extension.

    >>> _base_name("file:/data/my%20orders.parquet"), _base_name("s3://bucket/sales/")
    ('my orders', 'sales')
    """
    path = PurePosixPath(unquote(urlsplit(location).path))
    return path.stem if path.suffix else path.name


def _table_name(live: Any) -> str:
    table = live.catalogTable()
    return str(table.get().identifier().table()) if table.isDefined() else ""


def _options(scala_map: Any) -> Options:
    text: str = scala_map.mkString("\n")
    pairs = (line.split(" -> ", 1) for line in text.split("\n") if " -> " in line)
    return tuple(sorted((key, value) for key, value in pairs if key != "path" and not _SECRET.search(key)))


def _jdbc(relation: Any) -> _Leaf:
    options = relation.jdbcOptions()
    url, table = _without_password(str(options.url())), str(options.tableOrQuery())
    plain = (("dbtable", table), ("url", url))
    return _Leaf(_last_part(table), "jdbc", (url,), plain, Fingerprint("none"), f"jdbc {url} {table}")


def _without_password(url: str) -> str:
    """A JDBC url without credentials.

    >>> _without_password("jdbc:postgresql://me:secret@db/x?user=me&ssl=true")
    'jdbc:postgresql://db/x?ssl=true'
    """
    prefix, rest = ("jdbc:", url[5:]) if url.startswith("jdbc:") else ("", url)
    parts = urlsplit(rest)
    query = "&".join(p for p in parts.query.split("&") if p and not _SECRET.search(p.split("=")[0]))
    location = parts.netloc.rsplit("@", 1)[-1]
    clean = urlunsplit((parts.scheme, location, parts.path, query, parts.fragment))
    return prefix + ";".join(p for p in clean.split(";") if not _SECRET.search(p.split("=")[0]))


def _last_part(table: str) -> str:
    plain = re.fullmatch(r"[\w.\"`]+", table.strip())
    return table.strip().replace('"', "").replace("`", "").rsplit(".", 1)[-1] if plain else "query"


def _hive(live: Any) -> _Leaf:
    table = live.tableMeta()
    location = table.location().toString()
    name = str(table.identifier().table())
    return _Leaf(name, "hive", (location,), (), Fingerprint("none"), f"hive {name} {location}", True)


def _version_two(live: Any) -> _Leaf:
    name = str(live.name())
    token = live.table().getClass().getName()
    return _Leaf(_last_part(name), "table", (), (), Fingerprint("none"), f"v2 {token} {name}", True)


def _rdd(live: Any) -> _Leaf:
    identity = f"rdd {live.rdd().id()}"
    return _Leaf("", "memory", (), (), Fingerprint("memory", token=identity), identity)


def _local(live: Any) -> _Leaf:
    data = live.data()
    size = data.size()
    # Two references to one frame share the objects of its rows, if not of their list (a rewritten leaf has another
    # list of them); two frames with equal rows do not.
    addresses = [catalyst().identity_of(data.apply(place)) for place in ((0, size - 1) if size else ())]
    token = f"rows {data.hashCode()}"
    return _Leaf("", "memory", (), (), Fingerprint("memory", token=token), f"local {size} {addresses}")


def _range(live: Any) -> _Leaf:
    text = f"range({live.start()}, {live.end()}, {live.step()})"
    return _Leaf("range", "range", (), (), Fingerprint("constant", token=text), text)


LEAVES = {
    "LogicalRelation": _relation,
    "LogicalRelationWithTable": _relation,
    "HiveTableRelation": _hive,
    "DataSourceV2Relation": _version_two,
    "LogicalRDD": _rdd,
    "ExternalRDD": _rdd,
    "LocalRelation": _local,
    "Range": _range,
}
