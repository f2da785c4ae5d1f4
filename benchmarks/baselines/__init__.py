"""Other ways to find lineage, after their papers' ideas, on the same Spark and the same data.

| module | idea | from |
|---|---|---|
| `gprom` | rewrite the query so that every row carries the source rows it came from | Perm and GProM |
| `inverse` | an inverse query for each source, level by level ("Trace") | Cui and Widom |
| `panda` | attribute mappings and filters; augmentations saved when the query runs | Panda |
| `eager` | addresses of source rows carried along each row when the query runs | our reference tracker |
| `naive` | push-down alone, nothing looked up: a superset | the paper's own straw man |

They work on captured operators, like predtrace itself; none knows a query. What a method's paper does not have raises
`NotSupported`. Answers follow the definition of lineage that the rest of the project uses, so that all can be
compared row by row; where a method's own definition differs, its module says so.
"""
