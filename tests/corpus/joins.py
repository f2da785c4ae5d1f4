"""Inner, cross, semi, anti, natural, null-safe, self and lateral joins."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark.sql import functions as sf

from .registry import pipeline, sql_pipeline

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

sql_pipeline(
    "inner_join_keys_dropped",
    "SELECT t1.k FROM t1 JOIN t2 ON t1.k = t2.k",
    covers=("inner_join", "note_null_join_key", "note_equal_rows"),
    expected=[
        # Only k is left, so all pairs with this k are one row value.
        ({"k": "b"}, {"t1": {3, 4}, "t2": {3, 7}}),
        # The NULL-keyed rows of both tables stay out; a matched NULL value (t2 4) stays in.
        ({"k": "c"}, {"t1": {5}, "t2": {4}}),
    ],
)

sql_pipeline(
    "inner_join_one_pair",
    "SELECT t1.id AS a, t2.id AS b FROM t1 JOIN t2 ON t1.k = t2.k",
    covers=("inner_join",),
    # Not the other pairs with the same key.
    expected=[({"a": 1, "b": 2}, {"t1": {1}, "t2": {2}})],
)

sql_pipeline(
    "cross_join",
    "SELECT a.k, b.region FROM t1 a CROSS JOIN quarterly b",
    covers=("cross_join", "note_equal_rows"),
    expected=[
        ({"k": None, "region": "north"}, {"t1": {6, 8}, "quarterly": {1, 3}}),
        ({"k": "d", "region": None}, {"t1": {7}, "quarterly": {4}}),
    ],
)

sql_pipeline(
    "comma_join_three_tables",
    """SELECT p.name, i.kind, s.qty FROM people p, sales s, items i
       WHERE p.pid = s.pid AND s.item = i.item AND s.price = i.price""",
    covers=("inner_join", "cross_join", "filter", "note_written_plan"),
    expected=[
        # pen at 1.50 is item 1 only, although item 6 is a pen too.
        ({"name": "Ann", "kind": "office", "qty": 3}, {"people": {1}, "sales": {101}, "items": {1}}),
    ],
)

sql_pipeline(
    "semi_join",
    "SELECT * FROM t1 LEFT SEMI JOIN t2 ON t1.k = t2.k",
    covers=("semi_join",),
    # Every matching inner row, not one witness.
    expected=[
        ({"id": 1}, {"t1": {1}, "t2": {1, 2}}),
        ({"id": 4}, {"t1": {4}, "t2": {3, 7}}),
    ],
)

sql_pipeline(
    "anti_join",
    "SELECT * FROM t1 LEFT ANTI JOIN t2 ON t1.k = t2.k",
    covers=("anti_join", "note_failed_to_match"),
    # A NULL key matches nothing, so it survives the anti join; nothing of t2 is lineage.
    expected=[({"id": 6}, {"t1": {6}}), ({"id": 7}, {"t1": {7}})],
)

sql_pipeline(
    "semi_join_non_equi",
    "SELECT id, v FROM t1 LEFT SEMI JOIN t2 ON t2.v > t1.v AND t2.k <> t1.k",
    covers=("semi_join",),
    # t2 5 has the larger v but its NULL k makes the comparison unknown.
    expected=[({"id": 5}, {"t1": {5}, "t2": {6}}), ({"id": 2}, {"t1": {2}, "t2": {6, 7}})],
)

sql_pipeline(
    "natural_join",
    "SELECT id, k, v FROM t1 NATURAL JOIN t2",
    covers=("inner_join", "natural"),
    # id, k and v must all be equal; row 6 agrees in neither k nor v.
    expected=[({"id": 3}, {"t1": {3}, "t2": {3}})],
    expected_rows=2,
)

sql_pipeline(
    "using_join_two_columns",
    "SELECT item, price, sid, item_no FROM sales JOIN items USING (item, price)",
    covers=("inner_join", "using"),
    expected=[({"sid": 106}, {"sales": {106}, "items": {1}})],
)

sql_pipeline(
    "non_equi_join",
    "SELECT t1.v, t2.k FROM t1 JOIN t2 ON t1.v < t2.v",
    covers=("inner_join", "non_equi"),
    # All t1 rows with v = 10 pair up; of the two b rows only 25 exceeds 10.
    expected=[({"v": 10, "k": "b"}, {"t1": {1, 3, 8}, "t2": {7}})],
)

sql_pipeline(
    "null_safe_join",
    "SELECT t1.k, t2.v FROM t1 JOIN t2 ON t1.k <=> t2.k",
    covers=("inner_join", "null_safe"),
    # Under <=> the NULL keys do match.
    expected=[({"k": None, "v": 40}, {"t1": {6, 8}, "t2": {5}})],
)

sql_pipeline(
    "join_on_expressions",
    "SELECT t1.id AS a, t2.id AS b FROM t1 JOIN t2 ON upper(t1.k) = upper(t2.k) AND t1.v + 5 = t2.v",
    covers=("inner_join", "join_on_expression"),
    expected=[({"a": 1, "b": 2}, {"t1": {1}, "t2": {2}})],
    expected_rows=1,
)

sql_pipeline(
    "join_on_nan",
    "SELECT a.id AS left_id, b.id AS right_id FROM measures a JOIN measures b ON a.x = b.x",
    covers=("inner_join", "note_nan_and_zero", "note_references"),
    # Spark's = holds for NaN and NaN, and for -0.0 and 0.0.
    expected=[
        ({"left_id": 1, "right_id": 5}, {"measures": {1, 5}}),
        ({"left_id": 3, "right_id": 4}, {"measures": {3, 4}}),
    ],
)

sql_pipeline(
    "join_of_bags",
    "SELECT bag.k, bag.v FROM bag JOIN bag2 ON bag.k = bag2.k AND bag.v = bag2.v",
    covers=("inner_join", "note_equal_rows"),
    expected=[({"k": "b"}, {"bag": {("b", 1)}, "bag2": {("b", 1)}})],
)

sql_pipeline(
    "range_join_on_dates",
    """SELECT a.sid AS first, b.sid AS later FROM sales a JOIN sales b
       ON b.day BETWEEN a.day AND date_add(a.day, 10) AND a.sid < b.sid""",
    covers=("inner_join", "non_equi", "note_references"),
    expected=[({"first": 104, "later": 105}, {"sales": {104, 105}})],
)

sql_pipeline(
    "join_with_broadcast_hint",
    "SELECT /*+ BROADCAST(i) */ s.sid, i.kind FROM sales s JOIN items i ON s.item = i.item",
    covers=("inner_join", "hint"),
    expected=[({"sid": 101, "kind": "gift"}, {"sales": {101}, "items": {6}})],
)

sql_pipeline(
    "lateral_join_rows",
    "SELECT t1.id, l.v FROM t1, LATERAL (SELECT t2.v FROM t2 WHERE t2.k = t1.k) l",
    covers=("inner_join", "lateral"),
    expected=[({"id": 2, "v": 15}, {"t1": {2}, "t2": {2}}), ({"id": 5}, {"t1": {5}, "t2": {4}})],
)

sql_pipeline(
    "lateral_join_aggregate",
    "SELECT t1.id, l.m FROM t1, LATERAL (SELECT max(t2.v) AS m FROM t2 WHERE t2.k = t1.k) l",
    covers=("inner_join", "lateral", "global_aggregate", "note_nothing_reached", "note_rewriting"),
    expected=[
        ({"id": 1}, {"t1": {1}, "t2": {2}}),  # the row attaining max, not both a rows
        ({"id": 5}, {"t1": {5}, "t2": {4}}),  # NULL because the only input is NULL
        ({"id": 7}, {"t1": {7}}),  # NULL because there was no input
        ({"id": 6}, {"t1": {6}}),  # a NULL key reaches nothing
    ],
)

sql_pipeline(
    "lateral_join_non_equality",
    """SELECT t1.id, l.n FROM t1,
       LATERAL (SELECT count(*) AS n FROM t2 WHERE t2.v < t1.v) l""",
    covers=("lateral", "note_rewriting"),
    expected=[({"id": 2}, {"t1": {2}, "t2": {1, 2, 3}}), ({"id": 4}, {"t1": {4}})],
)

sql_pipeline(
    "join_filter_aggregate_star",
    """SELECT i.kind, count(*) AS n, sum(s.qty) AS total
       FROM sales s JOIN items i ON s.item = i.item JOIN people p ON p.pid = s.pid
       WHERE p.city = 'Rome' GROUP BY i.kind""",
    covers=("inner_join", "group_by", "note_whole_group"),
    # Rome: people 1, 3, 7. Their office sales are pens 101 and 111 and ink 102 and 109.
    expected=[
        ({"kind": "office"}, {"people": {1, 7}, "sales": {101, 102, 109, 111}, "items": {1, 2}}),
        ({"kind": "gift"}, {"people": {1}, "sales": {101, 111}, "items": {6}}),
    ],
)

sql_pipeline(
    "self_join_siblings",
    "SELECT a.name AS one, b.name AS other FROM emp a JOIN emp b ON a.boss = b.boss AND a.id < b.id",
    covers=("inner_join", "self_join", "note_references"),
    # Max has a NULL boss and no siblings; the boss itself is no lineage.
    expected=[({"one": "Kim", "other": "Lou"}, {"emp": {4, 5}})],
)

sql_pipeline(
    "join_with_own_maximum",
    """SELECT t1.id, t1.v FROM t1 JOIN (SELECT k, max(v) AS m FROM t1 GROUP BY k) g
       ON t1.k = g.k AND t1.v = g.m""",
    covers=("inner_join", "self_join", "group_by_one_row", "note_references"),
    expected=[({"id": 2}, {"t1": {2}})],
)

sql_pipeline(
    "join_with_own_average",
    """SELECT t1.id, g.a FROM t1 JOIN (SELECT k, avg(v) AS a FROM t1 GROUP BY k) g
       ON t1.k = g.k WHERE t1.v >= g.a""",
    covers=("inner_join", "self_join", "group_by", "note_references"),
    # avg takes the whole group, also row 4 whose v is NULL.
    expected=[({"id": 2}, {"t1": {1, 2}}), ({"id": 3}, {"t1": {3, 4}})],
)


@pipeline(
    "api_join_same_names",
    covers=("inner_join", "same_names"),
    # Columns are id, k, v, id, k, v: told apart by position only.
    expected=[({0: 2, 3: 1}, {"t1": {2}, "t2": {1}})],
)
def api_join_same_names(spark: SparkSession) -> DataFrame:
    left, right = spark.table("t1"), spark.table("t2")
    return left.join(right, left["k"] == right["k"])


@pipeline(
    "api_self_join_aliased",
    covers=("inner_join", "self_join", "note_references"),
    expected=[({"worker": "Sue", "boss_pay": 450}, {"emp": {6, 3}})],
)
def api_self_join_aliased(spark: SparkSession) -> DataFrame:
    workers, bosses = spark.table("emp").alias("w"), spark.table("emp").alias("b")
    joined = workers.join(bosses, sf.col("w.boss") == sf.col("b.id"))
    return joined.select(sf.col("w.name").alias("worker"), sf.col("b.pay").alias("boss_pay"))


@pipeline(
    "api_semi_then_anti",
    covers=("semi_join", "anti_join", "note_failed_to_match"),
    # Whoever sold something but never a cup: every match of the semi join, nothing from the anti join.
    expected=[
        ({"pid": 2}, {"people": {2}, "sales": {103, 104}}),
        ({"pid": 5}, {"people": {5}, "sales": {110}}),
    ],
)
def api_semi_then_anti(spark: SparkSession) -> DataFrame:
    people, sales = spark.table("people"), spark.table("sales")
    cups = sales.where("item = 'cup'").select(sf.col("pid").alias("cup_pid"))
    sold = people.join(sales, "pid", "left_semi")
    return sold.join(cups, sold["pid"] == cups["cup_pid"], "left_anti")


@pipeline(
    "api_lateral_join",
    covers=("inner_join", "lateral"),
    expected=[({"id": 3, "w": 25}, {"t1": {3}, "t2": {7}})],
)
def api_lateral_join(spark: SparkSession) -> DataFrame:
    inner = spark.table("t2").alias("i").where(sf.col("i.k") == sf.col("o.k").outer())
    joined = spark.table("t1").alias("o").lateralJoin(inner.select(sf.col("i.v").alias("w")))
    return joined.select(sf.col("o.id").alias("id"), "w")
