"""lag, lead, first_value, last_value, nth_value: the row itself and the fetched row."""

from __future__ import annotations

from .registry import sql_pipeline

# Part A by (ord, id): 1 (10), 2 (20), 3 (NULL), 4 (5), 5 (40). NULL part: 9 (100), 10 (NULL).

sql_pipeline(
    "lag",
    "SELECT id, lag(v) OVER (PARTITION BY part ORDER BY ord, id) AS before FROM series",
    covers=("window_fetch",),
    expected=[
        ({"id": 4}, {"series": {3, 4}}),  # the fetched value is NULL, the row was fetched
        ({"id": 1}, {"series": {1}}),
        ({"id": 6}, {"series": {6}}),
    ],
)
sql_pipeline(
    "lag_two_with_default",
    "SELECT id, lag(v, 2, -1) OVER (PARTITION BY part ORDER BY ord, id) AS before FROM series",
    covers=("window_fetch", "note_not_closed"),
    reexecutable=False,
    # Not the row in between.
    expected=[({"id": 3}, {"series": {1, 3}}), ({"id": 2}, {"series": {2}})],
)
sql_pipeline(
    "lead",
    "SELECT id, lead(v) OVER (PARTITION BY part ORDER BY ord, id) AS next FROM series",
    covers=("window_fetch",),
    expected=[({"id": 3}, {"series": {3, 4}}), ({"id": 5}, {"series": {5}})],
)
sql_pipeline(
    "lag_ignoring_nulls",
    "SELECT id, lag(v) IGNORE NULLS OVER (PARTITION BY part ORDER BY ord, id) AS before FROM series",
    covers=("window_fetch",),
    # The NULL of row 3 is skipped.
    expected=[({"id": 4}, {"series": {2, 4}}), ({"id": 10}, {"series": {9, 10}})],
)
sql_pipeline(
    "first_value",
    "SELECT id, first_value(v) OVER (PARTITION BY part ORDER BY ord, id) AS f FROM series",
    covers=("window_fetch",),
    expected=[({"id": 5}, {"series": {1, 5}}), ({"id": 10}, {"series": {9, 10}})],
)
sql_pipeline(
    "first_value_ignoring_nulls",
    "SELECT id, first_value(v) IGNORE NULLS OVER (PARTITION BY part ORDER BY ord DESC, id) AS f FROM series",
    covers=("window_fetch",),
    expected=[
        ({"id": 1}, {"series": {1, 4}}),
        ({"id": 10}, {"series": {10}}),  # its frame holds NULLs only: nothing fetched
    ],
)
sql_pipeline(
    "last_value_whole_partition",
    "SELECT id, last_value(v) OVER (PARTITION BY part ORDER BY ord, id "
    "ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS l FROM series",
    covers=("window_fetch",),
    expected=[({"id": 1}, {"series": {1, 5}}), ({"id": 9}, {"series": {9, 10}})],
)
sql_pipeline(
    "last_value_default_frame",
    "SELECT id, last_value(v) OVER (PARTITION BY part ORDER BY ord, id) AS l FROM series",
    covers=("window_fetch",),
    # The default frame ends at the row itself.
    expected=[({"id": 4}, {"series": {4}})],
)
sql_pipeline(
    "last_value_ignoring_nulls",
    "SELECT id, last_value(v) IGNORE NULLS OVER (PARTITION BY part ORDER BY ord, id) AS l FROM series",
    covers=("window_fetch",),
    expected=[({"id": 3}, {"series": {2, 3}}), ({"id": 7}, {"series": {6, 7}})],
)
sql_pipeline(
    "nth_value",
    "SELECT id, nth_value(v, 2) OVER (PARTITION BY part ORDER BY ord, id) AS s FROM series",
    covers=("window_fetch", "note_not_closed"),
    reexecutable=False,
    expected=[({"id": 5}, {"series": {2, 5}}), ({"id": 1}, {"series": {1}})],
)
sql_pipeline(
    "nth_value_ignoring_nulls",
    "SELECT id, nth_value(v, 3) IGNORE NULLS OVER (PARTITION BY part ORDER BY ord, id) AS s FROM series",
    covers=("window_fetch", "note_not_closed"),
    reexecutable=False,
    # Third value that is not NULL: row 4.
    expected=[({"id": 5}, {"series": {4, 5}}), ({"id": 3}, {"series": {3}})],
)
sql_pipeline(
    "fetch_and_frame_together",
    "SELECT id, lag(v) OVER (PARTITION BY part ORDER BY ord, id) AS before, "
    "sum(v) OVER (PARTITION BY ord) AS same FROM series",
    covers=("window_fetch", "window_frame", "note_windows_one_select"),
    expected=[({"id": 2}, {"series": {1, 2, 10}}), ({"id": 8}, {"series": {7, 8}})],
)
sql_pipeline(
    "difference_to_previous",
    "SELECT sid, qty - coalesce(lag(qty) OVER (PARTITION BY item ORDER BY day, sid), 0) AS growth FROM sales",
    covers=("window_fetch", "project"),
    expected=[({"sid": 106}, {"sales": {104, 106}}), ({"sid": 108}, {"sales": {108}})],
)
