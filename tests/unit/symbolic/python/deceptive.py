"""Functions that are easily misread: each was once, or might have been."""

# ruff: noqa: B023, C416, C419, F841, N806, SIM, PLW
# mypy: ignore-errors

from __future__ import annotations

CACHE = None
RATE = 7
WORDS = [f"word{n}" for n in range(400)]
TABLE = {"a": 1, "b": 2}


def fill_cache(value):
    global CACHE
    CACHE = value


def same(a: int, b: int):
    return "same" if len({a, b}) == 1 else "diff"


def counted_from_one(n: int):
    for i, v in enumerate((5, 6, 7), 1):
        if n == v:
            return i
    return -1


def cached(n: int):
    if CACHE is None:
        return "none"
    return "some"


def overwritten(x: int):
    t = any([x == 3 for x in (1, 2)])
    return x


def shadowed_global(n: int):
    t = [RATE for RATE in (1, 2)]
    return n + RATE if n is not None else None


def inner_name(n: int):
    def inner(y):
        RATE = 2
        return y * RATE

    return inner(n) + RATE if n is not None else None


def by_truth(n: int):
    return (n, -1)[n is None]


def not_nan(x: float):
    return "ok" if x != float("nan") else "nan"


def bound_late(n: int):
    if n is None:
        return None
    k = 1
    g = (k * i + n for i in (1, 2))
    k = 5
    return max(g)


def used_twice(n: int):
    g = (i == n for i in (1, 2))
    if any(g):
        return "a"
    return "b" if all(g) else "c"


def a_generator_is_true(n: int):
    return "t" if (i for i in (1, 2) if i == n) else "f"


def among_itself(x: float):
    return x in (x, 0.0)


def of_none(n: int):
    return n.__class__.__name__ if n is None else "int"


def late_lambdas(n: int):
    fs = [lambda: i for i in (1, 2)]
    return fs[0]() + n if n is not None else None


def text_of_a_set(n: int):
    return str({1}) if n == 1 else "other"


def signs_of_zero(x: float):
    if x is None:
        return None
    if str(x * 0.0) == "0.0":
        return "same" if str(x * -0.0) == "0.0" else "diff"
    return "neither"


def yielding(n: int):
    def g():
        return 5
        yield

    return "number" if g() == 5 else "generator"


def many_words(s: str):
    return s in WORDS


def newton(x: float):
    if x is None or not 0.1 < x < 100:
        return None
    g = 1.0
    for _ in range(30):
        g = (g + x / g) / 2
    return g


def many_steps(n: int):
    if n is None:
        return None
    for _ in range(1000):
        n = n + 1
    return n


def far(n: int):
    for i in range(10**20):
        if i == n:
            return i
    return -1


def unhashable(n: int):
    return {[1]: "a"}[n] if n == 1 else "b"


def many_digits(n: int):
    return round(5, -(10**7)) if n == 1 else 2


def walrus(n: int):
    return m if (m := n) is not None else -1


def default(n: int, table={"a": 1}):  # noqa: B006
    return table["a"] if n == 1 else 0
