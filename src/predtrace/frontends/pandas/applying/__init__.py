"""The user's Python functions, called for values, rows and columns."""
