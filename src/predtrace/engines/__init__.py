"""Engines: run predicates and operators on Spark (anything, any size)."""
