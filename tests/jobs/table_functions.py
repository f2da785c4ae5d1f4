"""Python table functions that are declared to treat each row by itself."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, timedelta
from typing import Any

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from predtrace import rowwise

from .registry import job, table

BOOKINGS = table(
    "bookings",
    "booking int, room string, arrives date, nights int",
    [
        (1, "r1", date(2024, 5, 1), 2),
        (2, "r1", date(2024, 5, 2), 1),
        (3, "r2", date(2024, 5, 1), 3),
        (4, "r2", None, 2),
        (5, "r1", date(2024, 5, 2), 0),
        (6, None, date(2024, 5, 2), 1),
        (7, "r1", date(2024, 5, 2), None),
    ],
)
HOTEL_ROOMS = table("hotel_rooms", "room string, beds int", [("r1", 2), ("r2", 1), ("r3", 1)])


def _register_nights(spark: SparkSession) -> None:
    class Nights:
        def eval(self, arrives: date | None, nights: int | None) -> Iterator[tuple[date, bool]]:
            if arrives is not None:
                for number in range(nights or 0):
                    yield arrives + timedelta(days=number), number == 0

    nights: Any = rowwise(F.udtf(Nights, returnType="night date, is_first boolean"))
    spark.udtf.register("nights_of", nights)


@job(
    covers=("python_udtf", "group_by", "inner_join", "filter"),
    # The guests of that night; who never arrives, or leaves at once, is no guest of any.
    expected=[
        ({"room": "r1", "night": date(2024, 5, 2)}, {"bookings": {1, 2}, "hotel_rooms": {"r1"}}),
        ({"room": "r2", "night": date(2024, 5, 3)}, {"bookings": {3}, "hotel_rooms": {"r2"}}),
    ],
)
def full_rooms(spark: SparkSession) -> DataFrame:
    _register_nights(spark)
    BOOKINGS.view(spark)
    guests = spark.sql(
        """
        SELECT room, night, count(*) AS guests
        FROM bookings, LATERAL nights_of(arrives, nights)
        WHERE room IS NOT NULL
        GROUP BY room, night
        """
    )
    return guests.join(HOTEL_ROOMS.read(spark), "room").where("guests >= beds").select("room", "night")


@job(
    covers=("left_lateral_udtf", "udf_in_group_key", "group_by"),
    # Without a second night, and without any: the booking is kept all the same.
    expected=[
        ({"stay": "long"}, {"bookings": {1, 3}}),
        ({"stay": "short"}, {"bookings": {2, 4, 5, 6, 7}}),
    ],
)
def length_of_stays(spark: SparkSession) -> DataFrame:
    _register_nights(spark)
    BOOKINGS.view(spark)
    more = spark.sql(
        """
        SELECT b.booking, n.night
        FROM bookings b LEFT JOIN LATERAL nights_of(b.arrives, b.nights) n ON NOT n.is_first
        """
    )
    stay = F.udf(lambda night: "short" if night is None else "long", "string", useArrow=False)
    return more.groupBy(stay("night").alias("stay")).agg(F.countDistinct("booking").alias("bookings"))
