"""Sources read again from their descriptors, in a process that has not seen the pipeline."""

from __future__ import annotations

from pyspark.sql import DataFrame, SparkSession

from predtrace.errors import SourceProblem
from predtrace.ir.operators import SourceDescriptor
from predtrace.ir.types import quoted

_FILE_FORMATS = frozenset({"parquet", "orc", "csv", "json", "text", "avro"})


def read_source(session: SparkSession, descriptor: SourceDescriptor) -> DataFrame:
    """The rows of a source, read as the pipeline read them."""
    if descriptor.format not in _FILE_FORMATS:
        raise SourceProblem(
            f"the source {descriptor.name} ({descriptor.format}) cannot be read without the pipeline",
            todo="trace with predtrace.capture(df), where df is the DataFrame of the run",
        )
    fields = (f"{quoted(field.name)} {field.type.sql()}" for field in descriptor.schema.fields)
    reader = session.read.format(descriptor.format).schema(", ".join(fields))
    # Locations are those that Spark found: whatever their names hold is no pattern.
    options = {**dict(descriptor.options), "__globPaths__": "false"}
    return reader.options(**options).load(list(descriptor.locations))
