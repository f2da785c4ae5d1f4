"""Frames put together: `merge`, `join`, `concat`, `append`."""
