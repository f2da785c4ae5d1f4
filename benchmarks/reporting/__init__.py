"""From the JSON of benchmark runs to pictures, a page and the README's table: `python -m benchmarks.reporting`."""
