"""Expressions as DuckDB SQL: those, and only those, that mean in DuckDB what they mean in Spark.

Each function, cast and type that is let through stands in a table (`FUNCTIONS`, `CASTS`, `SCALARS`), and a test runs
every entry on both engines. Everything else is refused with `NotInDuckDB`; the caller then asks Spark. The law:

1. Where Spark has a value, DuckDB has the same one, or it fails, which is a refusal too; never another, never NULL.
2. Where Spark fails (ANSI mode: overflow, division by zero, a cast that does not fit), DuckDB has NULL. A trace tests
   rows that the pipeline never computed the expression for, and one of those must not end it. On a row that Spark
   did answer for, this NULL stands where Spark did not look (the other side of an AND, a CASE branch not taken),
   so the answer is the same.
"""

from predtrace.engines.duckdb_sql.types import file_type
from predtrace.engines.duckdb_sql.unsupported import NotInDuckDB
from predtrace.engines.duckdb_sql.writing import Values, new_name, to_duckdb

__all__ = ["NotInDuckDB", "Values", "file_type", "new_name", "to_duckdb"]
