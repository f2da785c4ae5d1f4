"""Readers for the row-wise expression classes that are not simply a function of their children."""

from __future__ import annotations

import json
from functools import reduce

from predtrace.errors import PlanIntegrityError
from predtrace.frontends.spark.expressions import functions
from predtrace.frontends.spark.expressions.literals import read_literal
from predtrace.frontends.spark.expressions.modes import check_mode, is_attempt
from predtrace.frontends.spark.expressions.nodes import Node, Tree, session_is_ansi
from predtrace.frontends.spark.expressions.reader import Reader, expr_id, special_reader, unsupported
from predtrace.ir import expressions as ir
from predtrace.ir.expressions import ColumnId, Expression
from predtrace.ir.types import BOOLEAN, INTEGER, STRING, ArrayType, StructType, from_json


@special_reader("AttributeReference")
def _column(reader: Reader, node: Node) -> Expression:
    return reader.scope.column(expr_id(node), node.fields["name"])


@special_reader("OuterReference", "OuterScopeReference")
def _outer_reference(reader: Reader, node: Node) -> Expression:
    inner = node.nested("e") if isinstance(node.fields.get("e"), list) else node.children[0]
    while inner.kind in {"OuterReference", "OuterScopeReference"}:
        inner = inner.nested("e")
    if inner.kind != "AttributeReference":
        raise unsupported(inner, "an expression of the enclosing query is computed inside a subquery")
    return ir.OuterColumn(reader.scope.outer_column(expr_id(inner), inner.fields["name"]))


@special_reader(*functions.TRANSPARENT)
def _child(reader: Reader, node: Node) -> Expression:
    return reader.read(node.children[0])


@special_reader("Literal")
def _literal(reader: Reader, node: Node) -> Expression:
    return read_literal(node)


@special_reader("Cast")
def _cast(reader: Reader, node: Node) -> Expression:
    child = reader.read(node.children[0])
    check_mode(node, child.type)
    return ir.Cast(child, from_json(node.fields["dataType"]), is_attempt(node))


@special_reader("CaseWhen")
def _case(reader: Reader, node: Node) -> Expression:
    parts = reader.all(node.children)
    pairs = tuple((parts[i], parts[i + 1]) for i in range(0, len(parts) - 1, 2))
    return ir.Case(pairs, parts[-1] if len(parts) % 2 else None)


@special_reader("AtLeastNNonNulls")
def _at_least(reader: Reader, node: Node) -> Expression:
    """`dropna`: at least n of the values are neither NULL nor NaN. SQL has no name for it, so it is counted."""
    wanted = int(node.fields["n"])
    present = [_is_present(value) for value in reader.all(node.children)]
    if wanted == len(present) and present:
        return reduce(lambda one, other: ir.Call("and", (one, other), BOOLEAN, False), present)
    one, none = ir.Literal(1, INTEGER), ir.Literal(0, INTEGER)
    counted: list[Expression] = [ir.Call("if", (value, one, none), INTEGER, False) for value in present]
    total = reduce(lambda left, right: ir.Call("+", (left, right), INTEGER, False), counted)
    return ir.Call(">=", (total, ir.Literal(wanted, INTEGER)), BOOLEAN, False)


def _is_present(value: Expression) -> Expression:
    known: Expression = ir.Call("isnotnull", (value,), BOOLEAN, False)
    if value.type.name not in {"double", "float"}:
        return known
    number = ir.Call("not", (ir.Call("isnan", (value,), BOOLEAN, False),), BOOLEAN, False)
    return ir.Call("and", (known, number), BOOLEAN, False)


@special_reader("Like", "ILike")
def _like(reader: Reader, node: Node) -> Expression:
    escape = str(node.java().escapeChar())
    options = () if escape == "\\" else (("escape", escape),)
    arguments = reader.all(node.children)
    name = {"Like": "like", "ILike": "ilike"}[node.kind]
    return ir.Call(name, arguments, BOOLEAN, any(a.nullable for a in arguments), True, options)


@special_reader("LikeAll", "LikeAny", "NotLikeAll", "NotLikeAny")
def _like_many(reader: Reader, node: Node) -> Expression:
    patterns = node.java().patterns()
    texts = [patterns.apply(i) for i in range(patterns.size())]
    literals = tuple(ir.Literal(None if text is None else text.toString(), STRING) for text in texts)
    name = {"LikeAll": "like_all", "LikeAny": "like_any", "NotLikeAll": "not_like_all"}.get(
        node.kind, "not_like_any"
    )
    return ir.Call(name, (reader.read(node.children[0]), *literals), BOOLEAN, True)


@special_reader("GetStructField", "GetArrayStructFields")
def _get_field(reader: Reader, node: Node) -> Expression:
    child = reader.read(node.children[0])
    name = node.fields.get("name")
    if node.kind == "GetArrayStructFields":
        name = node.fields["field"]["name"]
    elif name is None or isinstance(child.type, StructType):
        struct = child.type
        if not isinstance(struct, StructType):
            raise PlanIntegrityError(f"{node.kind} on {struct}, which is no struct")
        name = struct.fields[int(node.fields["ordinal"])].name
    return ir.Call("getfield", (child,), node.type(), node.nullable(), True, (("field", str(name)),))


@special_reader("LambdaFunction")
def _lambda(reader: Reader, node: Node) -> Expression:
    parameters = tuple(_variable(reader, child) for child in node.children[1:])
    return ir.Lambda(parameters, reader.read(node.children[0]))  # type: ignore[arg-type]


@special_reader("ArraySort")
def _sorted(reader: Reader, node: Node) -> Expression:
    """Where the user gives no comparator, Spark's plans have one that compares the values."""
    listed, comparator = reader.all(node.children)
    assert isinstance(comparator, ir.Lambda)
    is_by_value = comparator.body == _compared(*comparator.parameters)
    arguments = (listed,) if is_by_value else (listed, comparator)
    return ir.Call("array_sort", arguments, node.type(), node.nullable())


def _compared(left: Expression, right: Expression) -> Expression:
    """What Spark compares values by, NULLs last."""
    no_left, no_right = (ir.Call("isnull", (one,), BOOLEAN, False) for one in (left, right))
    less, same, more = (ir.Literal(value, INTEGER) for value in (-1, 0, 1))
    found: Expression = same
    for condition, value in (
        (ir.Call(">", (left, right), BOOLEAN), more),
        (ir.Call("<", (left, right), BOOLEAN), less),
        (no_right, less),
        (no_left, more),
        (ir.Call("and", (no_left, no_right), BOOLEAN, False), same),
    ):
        found = ir.Call("if", (condition, value, found), INTEGER, False)
    return found


@special_reader("NamedLambdaVariable")
def _variable(reader: Reader, node: Node) -> Expression:
    type_ = from_json(node.fields["dataType"])
    return ir.LambdaVariable(ColumnId(str(expr_id(node))), node.fields["name"], type_)


@special_reader("With")
def _with(reader: Reader, node: Node) -> Expression:
    """Common expressions are written out where they are used; only Java knows which one is meant where.

    BETWEEN and NULLIF are read back as such, so that a subquery in them is not counted twice.
    """
    body, *definitions = node.children
    if len(definitions) == 1:
        value, bounds = definitions[0].children[0], _compared_with_common(body)
        if bounds:
            name = "nullif" if body.kind == "NullIfResult" else "between"
            return ir.Call(name, reader.all([value, *bounds]), node.type(), node.nullable())
    for definition in definitions:
        reader.common[int(definition.java().id().id())] = reader.read(definition.children[0])
    return reader.read(body)


def _compared_with_common(body: Node) -> list[Node]:
    """What the common expression is compared with, in the shapes that BETWEEN and NULLIF become."""
    comparisons = body.children if body.kind == "And" else body.children[:1]
    wanted = {"And": ["GreaterThanOrEqual", "LessThanOrEqual"], "NullIfResult": ["EqualTo"]}.get(body.kind)
    if [comparison.kind for comparison in comparisons] != wanted:
        return []
    if any(comparison.children[0].kind != "CommonExpressionRef" for comparison in comparisons):
        return []
    return [comparison.children[1] for comparison in comparisons]


@special_reader("CommonExpressionRef")
def _common(reader: Reader, node: Node) -> Expression:
    return reader.common[int(node.java().id().id())]


@special_reader("NullIfResult")
def _null_if_result(reader: Reader, node: Node) -> Expression:
    """What is left of NULLIF after rewriting: NULL if the predicate holds, else the value."""
    predicate, value = reader.all(node.children)
    arguments = (predicate, ir.Literal(None, value.type), value)
    return ir.Call("if", arguments, value.type, True)


@special_reader("UpdateFields")
def _update_fields(reader: Reader, node: Node) -> Expression:
    """`withField` and `dropFields`: Spark itself says which struct they build."""
    built = node.java().evalExpr()
    return reader.read(Tree(json.loads(built.toJSON()), lambda: built).root)


@special_reader("StringTrim", "StringTrimLeft", "StringTrimRight")
def _trim(reader: Reader, node: Node) -> Expression:
    name = {"StringTrim": "trim", "StringTrimLeft": "ltrim", "StringTrimRight": "rtrim"}[node.kind]
    return reader.call(node, name, reader.all(node.children))


@special_reader("TimestampAdd", "TimestampDiff")
def _timestamp_units(reader: Reader, node: Node) -> Expression:
    options = (("unit", str(node.fields["unit"])),)
    return reader.call(node, node.kind.lower(), reader.all(node.children), options)


_NAMED_BY_FIELDS = ("BinaryPad", "BinaryPredicate", "ElementAt", "MakeTimestamp", "ParseToDate")


@special_reader(*_NAMED_BY_FIELDS, "ParseToTimestamp", *functions.SHARED)
def _shared_class(reader: Reader, node: Node) -> Expression:
    name = functions.name_by_fields(node.kind, node.fields, session_is_ansi())
    return reader.call(node, name, reader.all(node.children))


@special_reader(*functions.DATE_PARTS)
def _date_part(reader: Reader, node: Node) -> Expression:
    part = ir.Literal(functions.DATE_PARTS[node.kind], STRING)
    return reader.call(node, "date_part", (part, *reader.all(node.children)))


@special_reader("PreciseTimestampConversion")
def _precise_conversion(reader: Reader, node: Node) -> Expression:
    """Between a timestamp and its microseconds, in the arithmetic of time windows."""
    name = {("timestamp", "long"): "unix_micros", ("long", "timestamp"): "timestamp_micros"}.get(
        (node.fields["fromType"], node.fields["toType"])
    )
    if name is None:
        raise unsupported(node, "a time window over timestamps without time zone")
    return reader.call(node, name, reader.all(node.children))


@special_reader("RaiseError")
def _raise_error(reader: Reader, node: Node) -> Expression:
    kind, parameters = (reader.read(child) for child in node.children)
    own = isinstance(kind, ir.Literal) and kind.value == "USER_RAISED_EXCEPTION"
    if not own or not isinstance(parameters, ir.Call) or len(parameters.arguments) != 2:
        raise unsupported(node, "it raises an error class of its own")
    return reader.call(node, "raise_error", parameters.arguments[1:])


@special_reader("Collate")
def _collate(reader: Reader, node: Node) -> Expression:
    collation = ir.Literal(str(node.children[1].fields["collationName"]), STRING)
    return reader.call(node, "collate", (reader.read(node.children[0]), collation))


@special_reader("PythonUDF", "ScalaUDF")
def _user_call(reader: Reader, node: Node) -> Expression:
    function = reader.scope.user_function(node.fields, node.java)
    name = node.fields.get("name") or node.fields.get("udfName") or "udf"
    deterministic = bool(node.fields.get("udfDeterministic", True))
    type_ = from_json(node.fields["dataType"])
    call = ir.UserCall(function, str(name), reader.all(node.children), type_, deterministic)
    return reader.scope.understood(call)


@special_reader("PythonUDTF")
def _table_call(reader: Reader, node: Node) -> Expression:
    """Only a table function whose rows depend on its arguments alone gets here: declared so by the user.

    Spark takes table functions for not deterministic unless it is told otherwise; the declaration tells more.
    """
    function = reader.scope.user_function(node.fields, node.java)
    arguments = [c.children[0] if c.kind == "NamedArgumentExpression" else c for c in node.children]
    rows = ArrayType("array", from_json(node.fields["elementSchema"]))
    name = str(node.fields.get("name") or "udtf")
    return ir.UserCall(function, name, reader.all(arguments), rows, gaps=("a table function",))
