"""The tiny tables of the corpus, small enough to work out lineage by hand.

Every table has a unique key except the bags, which hold equal rows on purpose.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime, timezone
from decimal import Decimal
from typing import Any

NAN = float("nan")


@dataclass(frozen=True)
class Table:
    """A source: schema as Spark DDL, unique key column (None for a bag), rows as tuples, storage format."""

    name: str
    schema: str
    key: str | None
    rows: tuple[tuple[Any, ...], ...]
    format: str = "parquet"


def _at(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=timezone.utc)


_SMALL_ROWS = ((1, "a", 10), (2, "a", 20), (3, "b", 10), (4, "b", None), (5, "c", 30), (6, None, 40))

TABLES: dict[str, Table] = {
    table.name: table
    for table in (
        # t1 and t2 share all column names and some ids; the ids of one say nothing about the other.
        Table("t1", "id int, k string, v int", "id", (*_SMALL_ROWS, (7, "d", None), (8, None, 10))),
        Table(
            "t2",
            "id int, k string, v int",
            "id",
            (
                (1, "a", 10),
                (2, "a", 15),
                (3, "b", 10),
                (4, "c", None),
                (5, None, 40),
                (6, "e", 50),
                (7, "b", 25),
            ),
        ),
        Table("nothing", "id int, k string, v int", "id", ()),
        Table(
            "people",
            "pid int, name string, city string, team string, score int",
            "pid",
            (
                (1, "Ann", "Rome", "red", 70),
                (2, "Bob", "Oslo", "red", 85),
                (3, "Cid", "Rome", "blue", 85),
                (4, "Dee", None, "blue", None),
                (5, "Eve", "Oslo", None, 60),
                (6, "O'Neil", "Lima", "green", None),
                (7, "Zoë", "Rome", "blue", 90),
                (8, "Ann", "Oslo", "red", 70),
            ),
        ),
        # pid: NULL (106) and without a person (107); people 4, 6 and 8 have no sale.
        Table(
            "sales",
            "sid int, pid int, item string, qty int, price decimal(10,2), day date",
            "sid",
            (
                (101, 1, "pen", 3, Decimal("1.50"), date(2024, 1, 5)),
                (102, 1, "ink", 1, Decimal("7.25"), date(2024, 1, 20)),
                (103, 2, "pen", 10, Decimal("1.50"), date(2024, 2, 1)),
                (104, 2, "pen", None, Decimal("1.40"), date(2024, 2, 10)),
                (105, 3, "cup", 2, Decimal("4.00"), date(2024, 2, 10)),
                (106, None, "pen", 5, Decimal("1.50"), date(2024, 3, 1)),
                (107, 9, "cup", 1, Decimal("4.00"), date(2024, 3, 2)),
                (108, 3, None, 4, Decimal("2.00"), None),
                (109, 7, "ink", 2, Decimal("7.25"), date(2024, 3, 15)),
                (110, 5, "map", 1, None, date(2024, 1, 31)),
                (111, 1, "pen", 3, Decimal("1.60"), date(2024, 3, 15)),
            ),
        ),
        # Shares item and price with sales; two rows for pen, one for no item at all.
        Table(
            "items",
            "item_no int, item string, kind string, price decimal(10,2)",
            "item_no",
            (
                (1, "pen", "office", Decimal("1.50")),
                (2, "ink", "office", Decimal("7.00")),
                (3, "cup", "home", Decimal("4.00")),
                (4, "hat", "wear", Decimal("15.00")),
                (5, None, "lost", None),
                (6, "pen", "gift", Decimal("2.50")),
            ),
        ),
        Table(
            "emp",
            "id int, name string, boss int, dept string, pay int",
            "id",
            (
                (1, "Max", None, "top", 900),
                (2, "Una", 1, "it", 500),
                (3, "Tom", 1, "hr", 450),
                (4, "Kim", 2, "it", 300),
                (5, "Lou", 2, "it", 550),
                (6, "Sue", 3, "hr", 450),
                (7, "Jon", 3, None, None),
            ),
        ),
        Table(
            "bag",
            "k string, v int",
            None,
            (
                ("a", 1),
                ("a", 1),
                ("a", 2),
                ("b", 1),
                (None, 1),
                (None, 1),
                ("c", None),
                ("c", None),
            ),
        ),
        Table(
            "bag2",
            "k string, v int",
            None,
            (("a", 1), ("b", 1), ("b", 1), (None, 1), ("c", None), ("d", 4)),
        ),
        Table(
            "measures",
            "id int, g string, x double, f float",
            "id",
            (
                (1, "p", NAN, 1.5),
                (2, "p", 1.5, NAN),
                (3, "q", -0.0, 0.0),
                (4, "q", 0.0, -0.0),
                (5, "r", NAN, None),
                (6, "r", NAN, 2.5),
                (7, "s", None, 0.5),
                (8, "s", -1.25, None),
            ),
        ),
        Table(
            "events",
            "id int, who string, at timestamp, amount decimal(12,4), payload string",
            "id",
            (
                (1, "ann", _at("2024-02-28T23:59:59"), Decimal("10.1250"), '{"kind":"buy","n":2}'),
                (2, "ann", _at("2024-02-29T00:00:01"), Decimal("0.0001"), '{"kind":"buy","n":null}'),
                (3, "bob", _at("2024-02-29T12:00:00"), Decimal("-5.5000"), '{"kind":"back","n":1}'),
                (4, "bob", None, None, None),
                (5, None, _at("2024-12-31T23:00:00"), Decimal("99999999.9999"), '{"kind":"buy","n":7}'),
                (6, "Ann ", _at("2024-02-29T12:00:00"), Decimal("10.1250"), "not json"),
            ),
        ),
        Table(
            "nested",
            "id int, tags array<string>, props map<string,int>, "
            "address struct<street:string,zip:string,geo:struct<lat:double,lon:double>>, "
            "lines array<struct<sku:string,n:int>>",
            "id",
            (
                (1, ["x", "y"], {"a": 1, "b": 2}, ("Main", "00100", (1.0, 2.0)), [("s1", 2), ("s2", 1)]),
                (2, [], {}, ("Side", None, None), []),
                (3, None, None, None, None),
                (4, ["y", None, "y"], {"a": None}, ("Main", "00200", (0.5, 0.5)), [("s1", 5)]),
                (5, ["z"], {"c": 3}, (None, "00100", (1.0, 2.0)), [("s3", None), ("s1", 2)]),
            ),
        ),
        Table(
            "texts",
            "id int, s string",
            "id",
            (
                (1, "it's"),
                (2, "100%"),
                (3, "100 percent"),
                (4, "a_b"),
                (5, "axb"),
                (6, "back\\slash"),
                (7, "naïve café ☕"),
                (8, ""),
                (9, None),
                (10, "  padded  "),
                (11, "a,b;c"),
                (12, '"quoted"'),
            ),
        ),
        Table(
            "quarterly",
            "id int, region string, q1 int, q2 int, q3 int",
            "id",
            (
                (1, "north", 10, 20, None),
                (2, "south", None, 5, 5),
                (3, "north", 10, None, None),
                (4, None, 7, 7, 7),
            ),
        ),
        # C has no row for x or y; E has x and z only; B's y cell holds NULLs only; A has a tie in y.
        Table(
            "cells",
            "id int, idx string, p string, v int",
            "id",
            (
                (1, "A", "x", 5),
                (2, "A", "x", 9),
                (3, "A", "y", 4),
                (4, "A", "z", 100),
                (5, "B", "y", None),
                (6, "B", "y", None),
                (7, "B", "x", 3),
                (8, "C", "z", 8),
                (9, "C", None, 8),
                (10, "A", "y", 4),
                (11, "E", "x", 1),
                (12, "E", "z", 2),
            ),
        ),
        # Rows 4 and 5 are peers in ord; a NULL partition; gaps in ord for RANGE frames.
        Table(
            "series",
            "id int, part string, ord int, v int",
            "id",
            (
                (1, "A", 1, 10),
                (2, "A", 2, 20),
                (3, "A", 3, None),
                (4, "A", 4, 5),
                (5, "A", 4, 40),
                (6, "B", 1, 7),
                (7, "B", 3, None),
                (8, "B", 6, 9),
                (9, None, 1, 100),
                (10, None, 2, None),
                (11, "C", 1, 1),
            ),
        ),
        # The same small rows in every other kind of source.
        Table("small_csv", "id int, k string, v int", "id", _SMALL_ROWS, "csv"),
        Table("small_json", "id int, k string, v int", "id", _SMALL_ROWS, "json"),
        Table("small_orc", "id int, k string, v int", "id", _SMALL_ROWS, "orc"),
        Table("lines_text", "value string", "value", (("ann 3",), ("bob 5",), ("",), ("zoë 7 ☕",)), "text"),
        Table("small_catalog", "id int, k string, v int", "id", _SMALL_ROWS, "catalog"),
        Table("local_1", "id int, k string, v int", "id", _SMALL_ROWS, "memory"),
    )
}
