"""Rows to columns and back: pivots, `melt`, `stack`, `get_dummies`, `explode`."""
