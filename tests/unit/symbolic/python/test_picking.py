"""Aggregates written in Python that return one of the values they are given, and those that only seem to."""

# ruff: noqa: F841
# mypy: ignore-errors

from __future__ import annotations

from random import Random

import pandas as pd
import pytest

from predtrace.symbolic.python import picked


def largest(s):
    return s.max()


def largest_by_hand(s):
    best = None
    for value in s:
        if best is None or value > best:
            best = value
    return best


def largest_known(s):
    best = s.iloc[0]
    for value in s.iloc[1:]:
        best = value if value > best else best
    return best


def latest(price, day):
    best = None
    for p, d in zip(price, day):  # noqa: B905
        if best is None or d > best:
            best, found = d, p
    return found


def latest_by_index(price, day):
    return price.loc[day.idxmax()]


def latest_by_position(price, day):
    position = day.values.argmax()
    return price.values[position]


def first_sorted(s):
    return sorted(s)[0]


def last_sorted(s):
    return s.sort_values().iloc[-1]


def most_common(s):
    return s.mode().iloc[0]


def builtin_largest(s):
    """Of all values."""
    return max(s)


def chosen(s):
    if len(s) > 2:
        return s.iloc[1]
    return s.iloc[0]


shortest = lambda s: s.min()  # noqa: E731


def doubled(s):
    return s.max() * 2


def mean(s):
    return s.mean()


def or_none(s):
    if len(s) < 3:
        return None
    return s.max()


def or_zero(s):
    best = 0
    for value in s:
        if value > best:
            best = value
    return best


def or_zero_if_empty(s):
    best = 0
    for value in s.dropna():
        best = value
    return best


def total(s):
    result = 0
    for value in s:
        result += value
    return result


def of_the_other(a, b):
    return b.max()


def of_either(a, b):
    return a.max() if len(a) > 1 else b.max()


def difference(s):
    return s.max() - s.min()


def ends(s):
    for value in s:
        if value > 3:
            return value
    return -1


PICKS = {
    largest: "max",
    largest_by_hand: "any_value",
    largest_known: "any_value",
    latest: "any_value",
    latest_by_index: "any_value",
    latest_by_position: "any_value",
    first_sorted: "any_value",
    last_sorted: "any_value",
    most_common: "any_value",
    builtin_largest: "any_value",
    chosen: "any_value",
    shortest: "min",
}
OTHERS = [
    *(doubled, mean, or_none, or_zero, or_zero_if_empty, total, of_the_other, of_either, difference, ends),
    *(len, print),
]


@pytest.mark.parametrize("function", PICKS, ids=lambda f: f.__name__)
def test_what_is_picked(function):
    found = picked(function)
    assert found is not None
    assert found.how == PICKS[function]


@pytest.mark.parametrize("function", OTHERS, ids=lambda f: f.__name__)
def test_what_is_not(function):
    assert picked(function) is None


@pytest.mark.parametrize("function", PICKS, ids=lambda f: f.__name__)
def test_what_is_said_to_be_picked_is(function):
    random = Random(1)
    for _ in range(200):
        size = random.randint(1, 5)
        columns = [
            pd.Series([random.randint(-3, 6) for _ in range(size)])
            for _ in range(function.__code__.co_argcount)
        ]
        value = function(*columns)
        assert value in set(columns[0])
        if PICKS[function] in {"max", "min"}:
            assert value == getattr(columns[0], PICKS[function])()


def with_an_initial(s):
    return s.values.max(initial=100)


def with_a_type(s):
    return s.to_numpy("int8")[0]


def of_nothing(s):
    return s.iloc[1:].max()


def of_the_unique(s):
    return s.drop_duplicates(keep=False).max()


def changed_in_a_test(s):
    if (s := s + 1).max() > 0:
        return s.iloc[0]
    return s.iloc[0]


def changed_in_place(s):
    x = s.fillna(0, inplace=True)
    return s.iloc[0]


def changed_by_another(s):
    x = or_zero(s)
    return s.iloc[0]


def changed_array(s):
    t = s.values
    u = t.put(0, 50)
    return s.max()


DECEPTIVE = [
    *(with_an_initial, with_a_type, of_nothing, of_the_unique, changed_in_a_test, changed_in_place),
    *(changed_by_another, changed_array),
]


@pytest.mark.parametrize("function", DECEPTIVE, ids=lambda f: f.__name__)
def test_what_seems_to_be_picked(function):
    assert picked(function) is None


def test_numpy_does_not_pass_over_missing_values():
    found = picked(of_values)
    assert found is not None
    assert found.how == "any_value"


def of_values(s):
    return s.values.max()
