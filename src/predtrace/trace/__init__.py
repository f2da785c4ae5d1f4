"""Tracing: turns what was inferred and the rows to trace into the lineage, on any engine."""
