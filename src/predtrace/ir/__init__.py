"""The operator model: what a pipeline is, independent of the engine that runs it.

Everything here is immutable data that checks itself when built. No module of this package imports
Spark, DuckDB, Z3 or pandas.
"""
