"""The values on which DuckDB and Spark are compared, by type.

The columns of a type are named after it with `1` and `2`; together they hold every pair of the type's edge values.
The `k` columns are small numbers: of days, months, digits.
"""

from __future__ import annotations

import struct
from datetime import date, datetime, timedelta, timezone
from decimal import Context, Decimal
from itertools import product
from random import Random
from typing import Any

from predtrace.ir.types import DataType, DecimalType

D = Decimal
EXACT = Context(prec=38)
NAN, INFINITY = float("nan"), float("inf")
_FLOATS = [0.0, -0.0, 1.0, -1.5, 2.5, 0.1, 1e-45, 3.4028234663852886e38, NAN, INFINITY, -INFINITY, 16777217.0]

TYPES: dict[str, DataType] = {
    **{name: DataType(name) for name in ("boolean", "byte", "short", "long", "float", "double")},
    **{name: DataType(name) for name in ("string", "binary", "date", "timestamp", "timestamp_ntz")},
    "int": DataType("integer"),
    "k": DataType("integer"),
    "money": DecimalType("decimal", 12, 2),
    "short_decimal": DecimalType("decimal", 15, 6),
    "tiny_decimal": DecimalType("decimal", 5, 5),
    "half_decimal": DecimalType("decimal", 18, 3),
    "large_decimal": DecimalType("decimal", 36, 6),
    "wide_decimal": DecimalType("decimal", 38, 10),
    "huge_decimal": DecimalType("decimal", 38, 0),
}


def _whole(bits: int) -> list[int]:
    largest = 2 ** (bits - 1) - 1
    return [0, 1, -1, 2, 7, -7, largest, -largest - 1, largest - 1, -largest]


def _moments(zone: timezone | None) -> list[datetime]:
    return [
        datetime(1970, 1, 1, tzinfo=zone),
        datetime(2020, 2, 29, 23, 59, 59, 999999, tzinfo=zone),
        datetime(1969, 12, 31, 23, 59, 59, 999999, tzinfo=zone),
        datetime(1, 1, 1, tzinfo=zone),
        datetime(1582, 10, 10, 12, tzinfo=zone),
        datetime(9999, 12, 31, 23, 59, 59, 999999, tzinfo=zone),
    ]


EDGES: dict[str, list[Any]] = {
    "boolean": [True, False],
    "byte": _whole(8),
    "short": _whole(16),
    "int": [*_whole(32), 2147483646, 16777217],
    "long": [*_whole(64), 2**53 + 1, 10**18, -(2**31)],
    "k": [0, 1, -1, 12, 13, 400],
    "float": _FLOATS,
    "double": [
        *_FLOATS,
        5e-324,
        1.7976931348623157e308,
        2147483647.9,
        -2147483648.9,
        9.2e18,
        127.9,
        0.285,
        1 / 3,
    ],
    "money": [
        D("0.00"),
        D("0.05"),
        D("-0.05"),
        D("1.50"),
        D("9999999999.99"),
        D("-9999999999.99"),
        D("2.55"),
        D("1"),
    ],
    "short_decimal": [
        D(0),
        D("999999999.999999"),
        D("-999999999.999999"),
        D("0.000001"),
        D("1.5"),
        D("-2.5"),
        D("0.1"),
    ],
    "tiny_decimal": [D(0), D("0.99999"), D("-0.99999"), D("0.00001"), D("0.5")],
    "half_decimal": [D(0), D("9" * 15 + ".999"), D("-" + "9" * 15 + ".999"), D("0.001"), D("0.5"), D("-1.5")],
    "large_decimal": [
        D(0),
        D("9" * 30 + "." + "9" * 6),
        D("-" + "9" * 30 + "." + "9" * 6),
        D("0.000001"),
        D("-7"),
    ],
    "wide_decimal": [
        D(0),
        D("9" * 28 + "." + "9" * 10),
        D("-" + "9" * 28 + "." + "9" * 10),
        D("1E-10"),
        D("0.5"),
        D("-1.5"),
    ],
    "huge_decimal": [D(0), D("9" * 38), D("-" + "9" * 38), D(2**63), D(2**53 + 1), D(-1)],
    "string": [
        *(
            "",
            " ",
            "a",
            "A",
            "ab",
            "abc",
            "  ab ",
            "a%b",
            "a_b",
            "a\\b",
            "%",
            "é",
            "e\u0301",
            "ß",
            "İ",
            "\U0001f600b",
        ),
        *("\u00a0a\t", "a\0b", "\n", "Brand#45", "it's", "\uffff", "10-x", "aa"),
    ],
    "binary": [b"", b"\0", b"a", b"\xff\xfe", b"a\\x41"],
    "date": [
        *(
            date(1970, 1, 1),
            date(2020, 2, 29),
            date(2020, 1, 31),
            date(1, 1, 1),
            date(9999, 12, 31),
            date(2021, 1, 3),
        ),
        *(date(1582, 10, 4), date(1900, 3, 1), date(1999, 12, 31), date(2020, 12, 28)),
    ],
    "timestamp": _moments(timezone.utc),
    "timestamp_ntz": _moments(None),
}


GENERATED = 200


def rows() -> list[dict[str, Any]]:
    """Rows in which every pair of edge values of every type stands side by side, and then generated ones."""
    pairs = {name: list(product([*values, None], repeat=2)) for name, values in EDGES.items()}
    number = max(len(found) for found in pairs.values())
    chosen = [{name: found[at % len(found)] for name, found in pairs.items()} for at in range(number)]
    random = Random(7)
    chosen += [{name: _generated_pair(name, random) for name in EDGES} for _ in range(GENERATED)]
    return [
        {"id": at, **{f"{name}{side + 1}": pair[side] for name, pair in row.items() for side in (0, 1)}}
        for at, row in enumerate(chosen)
    ]


def _generated_pair(name: str, random: Random) -> tuple[Any, Any]:
    one = _generated(name, random)
    return one, one if random.random() < 0.3 else _generated(name, random)


def _generated(name: str, random: Random) -> Any:
    type_ = TYPES[name]
    if isinstance(type_, DecimalType):
        digits = random.randint(1, type_.precision)
        return Decimal(random.randint(-(10**digits) + 1, 10**digits - 1)).scaleb(-type_.scale, EXACT)
    match name:
        case "byte" | "short" | "int" | "long":
            bits = random.randint(1, 2 ** (3 + ("byte", "short", "int", "long").index(name)) - 1)
            return random.randint(-(2**bits), 2**bits - 1)
        case "float":
            return struct.unpack(
                "f", struct.pack("f", random.uniform(-1, 1) * 10 ** random.randint(-30, 30))
            )[0]
        case "double":
            return random.uniform(-1, 1) * 10 ** random.randint(-300, 300)
        case "string":
            return "".join(random.choice("aAbB %_-éß\U0001f600") for _ in range(random.randint(0, 6)))
        case "binary":
            return random.randbytes(random.randint(0, 4))
        case "date":
            return date(1, 1, 1) + timedelta(days=random.randrange(3_652_059))
        case "timestamp" | "timestamp_ntz":
            zone = timezone.utc if name == "timestamp" else None
            moment = datetime(1, 1, 1, tzinfo=zone) + timedelta(seconds=random.randrange(315_537_897_599))
            return moment + timedelta(microseconds=random.randrange(1_000_000))
    return random.choice(EDGES[name])
