"""What every room of pandas on Spark builds on: spaces of rows, tables, dtypes, alignment, scalars, errors."""
