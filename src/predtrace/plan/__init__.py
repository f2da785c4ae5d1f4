"""The plan of all traces of a pipeline: what to look up, what to select, in which order. Pure data."""
