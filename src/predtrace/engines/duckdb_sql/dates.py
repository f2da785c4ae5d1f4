"""Dates. They are days in both engines.

DuckDB fails on some results beyond the year 290,000, where Spark does not: a refusal.
"""

from __future__ import annotations

from predtrace.engines.duckdb_sql.literals import interval_of
from predtrace.engines.duckdb_sql.rules import Rule, Texts, expect, refused
from predtrace.engines.duckdb_sql.types import WHOLE
from predtrace.ir.expressions import Call, Literal

_PARTS = {
    "year": "year({})",
    "quarter": "quarter({})",
    "month": "month({})",
    "dayofmonth": "day({})",
    "dayofyear": "dayofyear({})",
    "weekofyear": "weekofyear({})",
    "dayofweek": "dayofweek({}) + 1",
    "weekday": "isodow({}) - 1",
}
"""Sunday is 1 for Spark's dayofweek and 0 for DuckDB's; Monday is 0 for Spark's weekday."""

_NAMED_PARTS = {
    "YEAR": "year",
    "QUARTER": "quarter",
    "MONTH": "month",
    "DAY": "dayofmonth",
    "WEEK": "weekofyear",
}


def _part(name: str) -> Rule:
    def rule(write: Texts, call: Call) -> str:
        expect(call, "date", of=call.arguments[-1:])
        return f"CAST({_PARTS[name].format(write.write(call.arguments[-1]))} AS INTEGER)"

    return rule


def _named_part(write: Texts, call: Call) -> str:
    unit, value = call.arguments
    name = unit.value.upper() if isinstance(unit, Literal) and isinstance(unit.value, str) else ""
    if value.type.name.startswith("interval"):
        days = interval_of(value, "DAY") if name == "DAY" else None
        if days is None:
            raise refused(call)
        return f"CAST({write.bind(days)} AS INTEGER)"
    if name not in _NAMED_PARTS:
        raise refused(call, f"the part {name or '?'}")
    return _part(_NAMED_PARTS[name])(write, call)


def plus_months(write: Texts, call: Call) -> str | None:
    """A date plus or minus a constant interval of months; None if the call is about something else."""
    day, interval = call.arguments
    if day.type.name != "date" or not interval.type.name.startswith("interval"):
        return None
    months = interval_of(interval, "MONTH")
    if months is None or call.type.name != "date":
        raise refused(call)
    return f"CAST({write.write(day)} {call.function} to_months({months}) AS DATE)"


def _moved(form: str) -> Rule:
    """A date and a number of days or months."""

    def rule(write: Texts, call: Call) -> str:
        day, number = call.arguments
        expect(call, "date", of=(day,))
        expect(call, *WHOLE[:3], of=(number,))
        return form.format(write.write(day), f"CAST({write.write(number)} AS INTEGER)")

    return rule


def _difference(write: Texts, call: Call) -> str:
    expect(call, "date")
    one, other = write.all(call.arguments)
    return f"CAST({one} - {other} AS INTEGER)"


def _last_day(write: Texts, call: Call) -> str:
    expect(call, "date")
    return f"last_day({write.write(call.arguments[0])})"


DATES: dict[str, Rule] = {
    **{name: _part(name) for name in _PARTS},
    "date_part": _named_part,
    "date_add": _moved("({} + {})"),
    "date_sub": _moved("({} - {})"),
    "add_months": _moved("CAST({} + to_months({}) AS DATE)"),
    "datediff": _difference,
    "last_day": _last_day,
}
