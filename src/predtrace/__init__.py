"""predtrace: which input rows made this output row of a Spark pipeline?

>>> import predtrace
>>> bills = spark.createDataFrame([(1, "ann", 20), (2, "bob", 5), (3, "ann", 1)], "id int, who string, sum int")
>>> bills.createOrReplaceTempView("bills")
>>> pipeline = predtrace.capture(spark.sql("select who, max(sum) as top from bills group by who"))
>>> pipeline.trace({"who": "ann"})["bills"].to_pandas().values.tolist()
[[1, 'ann', 20]]
"""

from predtrace.api import Lineage, Pipeline, SourceRows, StoredRun, capture
from predtrace.api import open_run as open
from predtrace.errors import PredtraceError

__all__ = ["Lineage", "Pipeline", "PredtraceError", "SourceRows", "StoredRun", "capture", "open"]
__version__ = "0.1.0"
