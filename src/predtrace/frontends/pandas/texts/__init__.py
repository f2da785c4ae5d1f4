"""`Series.str`."""
