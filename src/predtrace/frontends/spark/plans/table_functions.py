"""Python table functions (UDTFs): which of them are row expansions, and which are refused.

Spark calls `eval` of one object for one row after the other, and `terminate` at the end of a partition. What a row
yields may so depend on the rows before it, and what `terminate` yields belongs to no row. A class that is declared
with `predtrace.rowwise` has no `terminate`, and its `eval` yields rows of its arguments alone: it is a generator
like `explode`. The function itself is never called by predicates: a kept row tells the row that it came from.
"""

from __future__ import annotations

from pyspark.util import PythonEvalType

from predtrace.errors import UnsupportedOperator
from predtrace.frontends.spark.origins import origin_of
from predtrace.frontends.spark.plans.tree import PlanNode, short_name
from predtrace.frontends.spark.udfs import is_declared_rowwise

_TAKES_BATCHES = getattr(PythonEvalType, "SQL_ARROW_UDTF", None)  # of Spark 4.1 and later

_DECLARE = (
    "it may combine any rows of a partition; if each call of its eval yields rows of its arguments alone, declare"
    " that with predtrace.rowwise, or else save the rows that it returns and trace from those"
)
_ONE_ROW = (
    "give eval the values of one row: a pyspark.sql.functions.udtf, or a Python UDF whose array is exploded"
)
_NO_PARTITIONS = (
    "rows of a partition are not treated each by itself; leave out PARTITION BY if they are, or else write it as a"
    " function for applyInPandas, grouped by the same columns"
)


def check_table_function(node: PlanNode) -> None:
    """Refuse a Generate by a Python table function unless each row is treated by itself."""
    generator = node.field("generator")[0]
    kind = short_name(generator["class"])
    if not kind.endswith("PythonUDTF"):
        return
    what = f"the Python table function {generator.get('name') or ''} ({kind})"
    live = node.handle().generator()
    if kind != "PythonUDTF" or not is_declared_rowwise(live):
        raise UnsupportedOperator(what, origin_of(node), _DECLARE)
    if live.evalType() == _TAKES_BATCHES:
        raise UnsupportedOperator(f"{what} over Arrow batches", origin_of(node), _ONE_ROW)
    if live.pythonUDTFPartitionColumnIndexes().isDefined():
        raise UnsupportedOperator(f"{what} of a table with PARTITION BY", origin_of(node), _NO_PARTITIONS)
