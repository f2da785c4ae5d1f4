"""Loops over the rows of a frame, done by Spark: for each row a function, as `apply(axis=1)` has one."""
