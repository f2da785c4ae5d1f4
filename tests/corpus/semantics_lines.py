"""A tag for every line of the lineage definition: its operator rows and its notes.

`covers` of a pipeline uses these tags (and free ones); a test demands that each tag here has a pipeline with
hand-written lineage, so that no line of the definition goes untested.
"""

from __future__ import annotations

OPERATOR_LINES: dict[str, str] = {
    "filter": "Filter: the same row",
    "project": "Project: the rows that transform into the output row",
    "drop_rename_cast": "DropColumn, Rename, Cast: the rows that project to the output row",
    "sort": "Sort: the same row",
    "limit": "Limit, offset: the same row",
    "topk": "TopK: the same row",
    "sample": "Sample: the same row",
    "inner_join": "InnerJoin: the rows that pair up",
    "cross_join": "CrossJoin: the rows that pair up",
    "left_outer_join": "LeftOuterJoin: matched rows, none where null-extended",
    "right_outer_join": "RightOuterJoin, by symmetry",
    "full_outer_join": "FullOuterJoin, by symmetry",
    "semi_join": "SemiJoin: every inner row that matches",
    "existence_flag": "Existence flag: every inner row that matches, none where none does",
    "anti_join": "AntiJoin: inner none",
    "scalar_subquery": "Scalar subquery: the rows its value was computed from",
    "group_by": "GroupBy: every row of the group",
    "group_by_one_row": "GroupBy with one-row aggregates only: the rows attaining a returned value",
    "group_by_max_by": "max_by / min_by: the rows with that value and the extreme",
    "group_by_all_null": "a one-row aggregate that is NULL for want of inputs: every row of the group",
    "group_by_first_null": "first / last that is NULL beside other values: the rows where it is NULL",
    "grouping_sets": "ROLLUP, CUBE, GROUPING SETS: the group at the row's own level",
    "distinct": "Distinct, drop_duplicates, UNION: every row equal on the deduplication columns",
    "global_aggregate": "Global aggregate: the group is the whole input",
    "union_all": "Union all: the equal rows of each branch",
    "intersect": "Intersect: the equal rows of both sides",
    "except": "Except: left the equal rows, right none",
    "pivot": "Pivot: the rows of the index group whose pivot value is a column",
    "pivot_one_row": "Pivot with one-row aggregates: the exception holds per cell",
    "pivot_empty": "Pivot where no row has a pivoted value: every row of the index group",
    "pivot_by_hand": "An Aggregate of agg(if(p <=> literal, e, null)) is a Pivot",
    "unpivot": "Unpivot: the row that held the value",
    "row_expand": "RowExpand: the row that expanded",
    "window_frame": "WindowOp: the row itself and its declared frame",
    "window_ranking": "WindowOp: ranking functions, from the partition's start to the row",
    "window_partition": "WindowOp: ntile, percent_rank, cume_dist, the whole partition",
    "window_fetch": "WindowOp: lag, lead, first_value, nth_value, the fetched row",
    "grouped_map": "GroupedMap: every row of the group",
    "cogrouped_map": "CoGroupedMap: every row of both groups",
    "opaque": "Opaque: every input row",
}

NOTE_LINES: dict[str, str] = {
    "note_references": "one lineage set per reference; the table's lineage is their union",
    "note_equal_rows": "rows equal in every column share their lineage, at every operator",
    "note_nan_and_zero": "NaN equals NaN and -0.0 equals 0.0 when a row is matched to its own values",
    "note_null_group": "NULL equals NULL when a row is matched to its own values",
    "note_null_join_key": "a NULL key matches nothing under =",
    "note_whole_group": "sum, count, avg use the whole group, also rows that added 0 or NULL",
    "note_all_aggregates": "aggregates used only by HAVING or ORDER BY count",
    "note_group_by_no_aggregate": "GROUP BY without aggregates is a Distinct",
    "note_filter_clause": "FILTER: whole group; one-row aggregate: attaining rows among those let in",
    "note_windows_one_select": "window functions of one SELECT are one operator",
    "note_window_over_window": "a window over another window's result composes",
    "note_written_plan": "the plan is the analyzed one",
    "note_equal_rows_below_limit": "equal rows below LIMIT, row_number, INTERSECT or EXCEPT ALL: all",
    "note_case_branch": "a scalar subquery in a CASE branch counts, taken or not",
    "note_rewriting": "domain joins and invented row_numbers of decorrelation add no reference",
    "note_nothing_reached": "a global aggregate's row that nothing reached has empty lineage below",
    "note_scalar_composes": "a scalar subquery composes like any operator",
    "note_not_closed": "cases where even right lineage need not reproduce the row",
    "note_having": "HAVING is a Filter above the GroupBy; its scalar subquery adds rows",
    "note_count_distinct": "count(distinct): the whole group",
    "note_failed_to_match": "a row that merely failed to match is never in the lineage",
    "note_determinism": "order, ties, sampling: lineage is that of the run whose output is held",
}

SEMANTICS_LINES: dict[str, str] = {**OPERATOR_LINES, **NOTE_LINES}
