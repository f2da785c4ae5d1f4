"""Readers for the functions that parse and write JSON, CSV, XML and variants.

Their schema and their options are constants of the Catalyst class, not children; in SQL they are arguments.
"""

from __future__ import annotations

from predtrace.frontends.spark.expressions.nodes import Node
from predtrace.frontends.spark.expressions.reader import Reader, special_reader
from predtrace.ir import expressions as ir
from predtrace.ir.expressions import Expression
from predtrace.ir.types import STRING, MapType, from_json

_WITH_OPTIONS = {
    "StructsToJson": "to_json",
    "StructsToCsv": "to_csv",
    "StructsToXml": "to_xml",
    "SchemaOfJson": "schema_of_json",
    "SchemaOfCsv": "schema_of_csv",
    "SchemaOfXml": "schema_of_xml",
}
_WITH_SCHEMA = {"JsonToStructs": "from_json", "CsvToStructs": "from_csv", "XmlToStructs": "from_xml"}


@special_reader(*_WITH_OPTIONS)
def _with_options(reader: Reader, node: Node) -> Expression:
    arguments = (*reader.all(node.children), *_options(node))
    return reader.call(node, _WITH_OPTIONS[node.kind], arguments)


@special_reader(*_WITH_SCHEMA)
def _with_schema(reader: Reader, node: Node) -> Expression:
    schema = ir.Literal(from_json(node.fields["schema"]).sql(), STRING)
    arguments = (reader.read(node.children[0]), schema, *_options(node))
    return reader.call(node, _WITH_SCHEMA[node.kind], arguments)


@special_reader("VariantGet")
def _variant_get(reader: Reader, node: Node) -> Expression:
    name = "variant_get" if node.fields["failOnError"] else "try_variant_get"
    target = ir.Literal(from_json(node.fields["targetType"]).sql(), STRING)
    return reader.call(node, name, (*reader.all(node.children), target))


def _options(node: Node) -> tuple[Expression, ...]:
    pairs = node.java().options().toSeq()
    texts = [text for i in range(pairs.size()) for text in (pairs.apply(i)._1(), pairs.apply(i)._2())]
    if not texts:
        return ()
    literals = tuple(ir.Literal(str(text), STRING) for text in texts)
    return (ir.Call("map", literals, MapType("map", STRING, STRING, False), False),)
