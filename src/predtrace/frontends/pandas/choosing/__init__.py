"""Choosing rows, columns and cells, their order and their labels: `loc`, `query`, `sort_values`, `set_index`."""
