"""`groupby`: aggregates, values for each row, and the user's functions by group."""
