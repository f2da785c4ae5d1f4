"""Functions as people write them: what each modelled construct is put to the test with."""

# ruff: noqa: SIM401, E712
# mypy: ignore-errors
# Written as users write, not as this project does.

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

RATES = {"EUR": 1.0, "USD": 0.9, "GBP": 1.15}
REGIONS = {"de": "EU", "fr": "EU", "us": "NA", "xx": None}
CODES = ["none", "low", "high"]
LIMIT = 10
_MIXED = {1: "one", 2: None, 3: "three"}
_NESTED = {"a": {"x": 1}, "b": {"x": 2}}


def grade(score: int) -> Any:
    if score is None:
        return None
    if score >= 90:
        return "A"
    elif score >= 75:
        return "B"
    elif 50 <= score < 75:
        return "C"
    return "F"


def fourteen(age: int) -> Any:
    if age is None:
        return "unknown"
    if age < 0:
        return "invalid"
    elif age < 2:
        return "infant"
    elif age < 4:
        return "toddler"
    elif age < 6:
        return "preschool"
    elif age < 10:
        return "child"
    elif age < 13:
        return "preteen"
    elif age < 18:
        return "teen"
    elif age < 25:
        return "young"
    elif age < 35:
        return "adult"
    elif age < 45:
        return "mature"
    elif age < 55:
        return "middle"
    elif age < 65:
        return "senior"
    return "retired"


def cleaned(text: str) -> Any:
    if not text:
        return None
    text = text.strip().lower()
    return text if text else None


def domain(email: str) -> Any:
    if email is None or "@" not in email:
        return ""
    parts = email.split("@")
    return parts[1].lower() if len(parts) == 2 else parts[-1]


def region(code: str) -> Any:
    return REGIONS.get(code, "other")


def rate(code: str) -> Any:
    return RATES[code] if code in RATES else 1.5


def level(n: int) -> Any:
    return CODES[n] if n is not None and 0 <= n < len(CODES) else "?"


def arithmetic(a: int, b: int) -> Any:
    if a is None or b is None or b == 0:
        return None
    q, r = a // b, a % b
    return q * b + r - (a - b) * 2 + -a


def power(a: int) -> Any:
    return a**2 if a else 0


def halves(x: float) -> Any:
    return x / 2 if x == x else -1.0


def compared_floats(x: float, y: float) -> Any:
    if x is None or y is None:
        return None
    return x < y or x >= 2 * y


def not_equal(x: float) -> Any:
    return x != 1.5 and x is not None


def mixed_numbers(n: int, x: float) -> Any:
    if n is None or x is None:
        return False
    return n > 2.5 and x <= 3 and n != 4.0


def chained(a: int, b: int) -> Any:
    return a is not None and b is not None and 0 < a <= b < 100


def membership(code: str) -> Any:
    return code in ("a", "b", "c") or code in {"x", "y"} or code not in ["n", "m", "a", None]


def by_value(a: str, b: str) -> Any:
    return a or b or "nothing"


def truthy(n: int, x: float) -> Any:
    if n and not x:
        return "n only"
    return "x" if x else "none"


def loops(n: int) -> Any:
    total = 0
    for i in range(5):
        if n is None or i > n:
            break
        if i == 2:
            continue
        total += i
    else:
        total += 100
    return total


def while_loop(n: int) -> Any:
    i = 0
    while n is not None and i < 3 and n > i:
        i += 1
    return i


def any_word(text: str) -> Any:
    return any(word in text for word in ("foo", "bar")) if text is not None else None


def comprehension(n: int) -> Any:
    options = [k for k in (1, 2, 3, 4) if n is not None and k > n]
    return len(options)


def sliced(text: str) -> Any:
    return text[:2] + text[-1:] if text else text


def replaced(text: str) -> Any:
    return text.replace("-", "").upper() if text is not None else "NONE"


def starts(text: str) -> Any:
    if text is None:
        return False
    return text.startswith(("a", "b")) or text.endswith("z")


def formatted(n: int, text: str) -> Any:
    return f"{text}-{n}" if n is not None and text is not None else f"{LIMIT:>5}"


def number_format(n: int) -> Any:
    return f"{n:05d}" if n is not None else None


def _tax(amount: float, share: float = 0.19) -> float:
    return amount * share


def nested_calls(x: float) -> Any:
    return _tax(x) + _tax(x, share=0.07) if x is not None else None


def inner_function(n: int) -> Any:
    def doubled(value: int) -> int:
        return value * 2

    twice = lambda v: doubled(doubled(v))  # noqa: E731
    return twice(n) if n is not None else None


def module_math(x: float) -> Any:
    return math.floor(x) if x is not None and abs(x) < 1e6 else 0


def smallest(a: int, b: int) -> Any:
    if a is None or b is None:
        return -1
    return min(a, b, 7) + max(a, b)


def clipped(x: float) -> Any:
    return max(0.0, min(x, 1.0)) if x is not None else None


def rounded(x: float) -> Any:
    return round(x, 1) if x is not None and abs(x) < 1e300 else None


def converted(text: str) -> Any:
    return int(text) if text is not None and text.isdigit() and text.isascii() is not None else -1


def converted_simply(text: str) -> Any:
    return int(text) + 1 if text is not None and text.isdecimal() else -1


def nested_table(code: str) -> Any:
    return _NESTED[code]["x"] if code in _NESTED else 0


def sometimes_none(n: int) -> Any:
    return _MIXED.get(n)


def instance(n: int) -> Any:
    return 1 if isinstance(n, int) else 0


def boolean(flag: bool, n: int) -> Any:
    if flag is None:
        return None
    return flag == True and (n is None or n > 0)


def boolean_sum(flag: bool, n: int) -> Any:
    return flag + n if flag is not None and n is not None else 0


def raises_sometimes(n: int) -> Any:
    if n is not None and n > 5:
        raise ValueError("too large")
    return n


def tries(text: str) -> Any:
    try:
        return float(text)
    except (TypeError, ValueError):
        return None


def partly(n: int) -> Any:
    if n is None:
        return "none"
    if n > 3:
        return hex(n)
    return "small"


def overflows(n: int) -> Any:
    return n * 1_000_000_000_000 if n is not None else None


def closure(limit: int) -> Callable[[int], Any]:
    def above(n: int) -> Any:
        return n is not None and n > limit

    return above


def joined(a: str, b: str) -> Any:
    return "-".join([a, "x", b]) if a is not None and b is not None else None


def unpacked(n: int) -> Any:
    low, high = (1, 5) if n is None else (n, n + 1)
    return high - low


def count_vowels(text: str) -> Any:
    return text.count("a") + text.find("b") if text is not None else 0


above_three = closure(3)
shared, line = lambda n: n is None or n > 1, lambda n: n is not None and n < 1  # fmt: skip
