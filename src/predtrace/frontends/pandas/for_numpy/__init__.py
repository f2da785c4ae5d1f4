"""numpy's functions over series and frames."""
