"""What is said to mean the same in DuckDB and Spark, as Spark SQL over the columns of `duckdb_values`."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from decimal import Decimal
from typing import Any

from pyspark.sql import Row
from tests.unit.engines.duckdb_values import EDGES, NAN, TYPES

_WHOLE = ("byte", "short", "int", "long")
_DECIMALS = (
    "money",
    "short_decimal",
    "tiny_decimal",
    "half_decimal",
    "large_decimal",
    "wide_decimal",
    "huge_decimal",
)
_ALL = tuple(name for name in TYPES if name != "k")


def _each(form: str, names: Sequence[str]) -> list[str]:
    """The form for each type; `X` and `Y` are its columns."""
    return [form.replace("X", f"{name}1").replace("Y", f"{name}2") for name in names]


_NUMBERS = (*_WHOLE, "float", "double")

FUNCTION_SAMPLES: dict[str, list[str]] = {
    **{sign: _each(f"X {sign} Y", _ALL) for sign in ("=", "<=>", "<", "<=", ">", ">=")},
    "equal_null": _each("equal_null(X, Y)", _ALL),
    "and": ["boolean1 and boolean2", "boolean1 and int1 + int2 > 0"],
    "or": ["boolean1 or boolean2"],
    "not": ["not boolean1", "not (int1 > int2)"],
    "isnull": _each("X is null", _ALL),
    "isnotnull": _each("X is not null", _ALL),
    "in": [
        *_each("X in (Y, X)", _ALL),
        "int1 in (1, 7, null)",
        "string1 in ('a', 'é', '')",
        "money1 in (0.05, 1.5, 7)",
    ],
    "between": [
        *_each("X between Y and X", _ALL),
        "money1 between 0.05 - 0.01 and 1.5",
        "money1 between 1 and 3",
        "date1 between '1970-01-01' and '2020-02-29'",
        "long1 between int1 and byte1",
    ],
    "if": _each("if(boolean1, X, Y)", _ALL),
    "coalesce": _each("coalesce(X, Y)", _ALL),
    "nvl": [*_each("nvl(X, Y)", _ALL), "nvl(long1, 0)"],
    "nullif": _each("nullif(X, Y)", _ALL),
    "greatest": _each("greatest(X, Y)", _ALL),
    "least": _each("least(X, Y)", _ALL),
    "like": [
        *(
            f"string1 like '{pattern}'"
            for pattern in ("a%", "%b", "%b%", "_", "__", "", "%", "a\\\\_b", "%\\\\\\\\%", "é")
        ),
        "string1 like '%\\\\%%'",
        "string1 like 'a!%b' escape '!'",
        "string1 not like '%special%'",
        "string1 like '%45'",
    ],
    "startswith": ["startswith(string1, string2)"],
    "endswith": ["endswith(string1, string2)"],
    "contains": ["contains(string1, string2)"],
    "replace": ["replace(string1, string2, 'x')", "replace(string1, 'a', string2)"],
    "length": ["length(string1)"],
    "trim": ["trim(string1)"],
    "ltrim": ["ltrim(string1)"],
    "rtrim": ["rtrim(string1)"],
    "concat": ["string1 || string2", "concat(string1, '-', string2)"],
    "substring": [f"substring(string1, {at})" for at in ("1, 2", "0, 2", "2", "3, 0", "2, 1000")],
    "left": ["left(string1, 2)", "left(string1, 0)"],
    "right": ["right(string1, 2)", "right(string1, 0)"],
    **{sign: _each(f"X {sign} Y", _NUMBERS) for sign in ("+", "-", "*", "%")},
    "try_add": _each("try_add(X, Y)", _WHOLE),
    "try_subtract": _each("try_subtract(X, Y)", _WHOLE),
    "try_multiply": _each("try_multiply(X, Y)", _WHOLE),
    "/": ["double1 / double2", "int1 / int2"],
    "try_divide": ["try_divide(double1, double2)"],
    "try_mod": ["try_mod(int1, int2)"],
    "div": ["long1 div long2", "int1 div int2"],
    **{name: _each(f"{name}(X)", (*_NUMBERS, *_DECIMALS[:4])) for name in ("negative", "positive", "abs")},
    "ceil": _each("ceil(X)", _DECIMALS),
    "floor": _each("floor(X)", _DECIMALS),
    "round": [*_each("round(X, 1)", _DECIMALS), *_each("round(X)", _DECIMALS), "round(money1, 5)"],
    **{sign: _each(f"X {sign} Y", _WHOLE) for sign in ("&", "|", "^")},
    "~": _each("~X", _WHOLE),
    "sqrt": ["sqrt(double1)", "sqrt(int1)"],
    "isnan": ["isnan(double1)", "isnan(float1)"],
    "nanvl": ["nanvl(double1, double2)"],
    **{
        part: [f"{part}(date1)"]
        for part in (
            "year",
            "quarter",
            "month",
            "dayofmonth",
            "dayofyear",
            "weekofyear",
            "dayofweek",
            "weekday",
        )
    },
    "date_part": [f"extract({part} from date1)" for part in ("year", "quarter", "month", "day", "week")],
    "date_add": [
        "date_add(date1, k1)",
        "date1 + 30",
        "date1 + interval '90' day",
        "date1 - interval '90' day",
    ],
    "date_sub": ["date_sub(date1, k1)", "date1 - 1"],
    "add_months": ["add_months(date1, k1)", "add_months(date1, -1)"],
    "datediff": ["datediff(date1, date2)"],
    "last_day": ["last_day(date1)"],
}
FUNCTION_SAMPLES["+"] += ["date1 + interval '1' month", "date1 + interval '2' year"]
FUNCTION_SAMPLES["-"] += ["date1 - interval '13' month"]
for _sign in ("+", "-"):
    FUNCTION_SAMPLES[_sign] += [
        f"X {_sign} Y".replace("X", f"{a}1").replace("Y", f"{b}2")
        for a in _DECIMALS[:5]
        for b in _DECIMALS[:5]
        if {a, b} != {"large_decimal"}
    ]
FUNCTION_SAMPLES["*"] += [
    "money1 * money2",
    "money1 * short_decimal2",
    "half_decimal1 * half_decimal2",
    "money1 * (1 - tiny_decimal1)",
]

CASE_SAMPLES = [
    "case when boolean1 then int1 when int1 > 1 then int2 else 3 end",
    "case when int1 = 0 then null else 7 / int1 end",
    "case string1 when 'a' then date1 end",
]

READ_AS_DATES_AND_NUMBERS = [
    "date1 = '2020-02-29'",
    "date1 >= '0001-01-01'",
    "long1 = '100000000000000000'",
    "int1 < '-7'",
    "byte1 = '127'",
]
"""Constant strings that Spark casts."""

_SPARK_NAMES = {"byte": "tinyint", "short": "smallint", "int": "int", "long": "bigint"}


def _casts(sources: Sequence[str], targets: Sequence[str]) -> list[str]:
    return [f"cast({source}1 as {target})" for source in sources for target in targets]


_WHOLE_TARGETS = tuple(_SPARK_NAMES.values())
CAST_SAMPLES: list[str] = [
    *_casts(
        _WHOLE,
        (*_WHOLE_TARGETS, "decimal(12,2)", "decimal(3,0)", "decimal(38,10)", "float", "double", "string"),
    ),
    *_casts(_WHOLE, ("boolean",)),
    *_casts(("boolean",), (*_WHOLE_TARGETS, "string")),
    *_casts(_DECIMALS, ("decimal(12,2)", "decimal(38,10)", "decimal(4,3)", "decimal(38,0)", *_WHOLE_TARGETS)),
    *_casts(("money", "short_decimal", "tiny_decimal"), ("double",)),
    *_casts(("float",), ("double",)),
    *_casts(("float", "double"), ("tinyint", "smallint", "int")),
    *_casts(("date",), ("timestamp_ntz",)),
    *_casts(("timestamp_ntz",), ("date",)),
    "try_cast(int1 as tinyint)",
]

REFUSED = [
    *("upper(string1)", "lower(string1)", "string1 ilike 'A'", "reverse(string1)", "string1 rlike 'a'"),
    *(
        "cast(double1 as string)",
        "cast(string1 as int)",
        "cast(double1 as bigint)",
        "cast(wide_decimal1 as double)",
    ),
    *(
        "cast(double1 as decimal(10,2))",
        "cast(date1 as timestamp)",
        "cast(timestamp1 as date)",
        "cast(date1 as string)",
    ),
    *(
        "year(timestamp1)",
        "hour(timestamp1)",
        "money1 / 3",
        "wide_decimal1 * wide_decimal2",
        "wide_decimal1 + 1",
        "-wide_decimal1",
    ),
    *(
        "round(double1, 1)",
        "ceil(double1)",
        "substring(string1, -1, 1)",
        "substring(string1, k1, 1)",
        "left(string1, k1)",
    ),
    *("string1 like string2", "date1 - date2 > interval '1' day", "rand() > 0.5", "array(int1) = array(1)"),
    *("timestamp1 > '2020-01-01'", "string1 = collate('a', 'UTF8_LCASE')"),
]
"""What one could think is the same, and is not, or was not shown to be."""

CONDITIONS: list[Any] = [
    *("int1 = 7", "int1 <> 7", "7 < int1", "byte1 >= -129", "byte1 = 300", "long1 = 1", "int1 = 7e0"),
    *("short1 in (7, 40000, null)", "int1 > 3000000000", "int1 = 1.5", "int1 between -7.5 and 2"),
    *("long1 <= 9223372036854775807", "long1 = -9223372036854775808", "int1 not in (1, 2)"),
    *("int1 not between 1 and 7", "not int1 = 1", "int1 is distinct from int2", "INT1 = int2", "`int1` == 1"),
    *("money1 = 1.5", "money1 = 1", "money1 > 0.0499", "money1 in (1, 2.55)", "money1 <= 2.55e0"),
    *("wide_decimal1 = 0.5", "double1 = 1", "double1 = 0.1", "double1 > 1e300", "double1 = .5"),
    *("double1 <> 0", "float1 <=> null", "float1 > 1e0", "binary1 = binary2", "int1 = 1 -- one"),
    *("string1 = 'a'", 'string1 = "it\'s"', "string1 like 'a%'", "string1 not like '%b'"),
    *("string1 like 'a!%b' escape '!'", "string1 not like 'a!_b' escape '!'", "string1 in ('a', 'é')"),
    *("string1 is null", "string1 is not null", "date1 = '2020-02-29'", "date1 < date'2000-01-01'"),
    *("date1 between '1970-01-01' and '2020-12-31'", "boolean1", "not boolean1", "boolean1 = true"),
    *("boolean1 or null", "boolean1 <=> null", "1 = 1", "not (int1 > 1 and not string1 = 'a')"),
    *("int1 = 1 or int1 = 2 and boolean1", "(int1 = 1 or int1 = 2) and boolean1"),
    *({"int1": 1}, {"INT1": None, "string1": "a\\b"}, {"double1": NAN}, {"double1": 0.0}, {"float1": 0.5}),
    *(
        {"money1": Decimal("1.50")},
        {"wide_decimal1": Decimal("1E-10")},
        {"byte1": 300},
        {"date1": "2020-02-29"},
    ),
    *(
        {"date1": date(1999, 12, 31)},
        {"timestamp1": EDGES["timestamp"][1]},
        {"binary1": b"a"},
        {"boolean1": False},
    ),
    *({"long1": 2**63 - 1}, [{"int1": 1}, "int1 = 2"], Row(int1=1, int2=-1)),
]
"""Target rows as users describe them."""
