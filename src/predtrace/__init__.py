"""predtrace: which input rows made this output row of a Spark pipeline?

>>> import predtrace
>>> bills = spark.createDataFrame([(1, "ann", 20), (2, "bob", 5), (3, "ann", 1)], "id int, who string, sum int")
>>> bills.createOrReplaceTempView("bills")
>>> pipeline = predtrace.capture(spark.sql("select who, max(sum) as top from bills group by who"))
>>> pipeline.trace({"who": "ann"})["bills"].to_pandas().values.tolist()
[[1, 'ann', 20]]
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from predtrace.api import Cost, Lineage, SourceRows, StoredRun
from predtrace.api import open_run as open
from predtrace.errors import PredtraceError

if TYPE_CHECKING:
    from predtrace.api import Pipeline, capture, rowwise

__all__ = [
    "Cost",
    "Lineage",
    "Pipeline",
    "PredtraceError",
    "SourceRows",
    "StoredRun",
    "capture",
    "open",
    "rowwise",
]
__version__ = "0.1.0"


def __getattr__(name: str) -> Any:
    from predtrace import api

    if name in __all__:
        return getattr(api, name)  # imports Spark's Python modules
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
