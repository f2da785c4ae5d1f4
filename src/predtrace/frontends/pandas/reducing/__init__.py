"""One value from many: aggregates, `describe`, `value_counts`."""
