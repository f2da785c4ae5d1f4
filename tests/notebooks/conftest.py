"""Scripts that are data: pytest would import them to look for examples in them, and so run them."""

collect_ignore = ["scripts"]
