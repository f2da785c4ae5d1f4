"""`Series.dt`, and texts read as moments."""
