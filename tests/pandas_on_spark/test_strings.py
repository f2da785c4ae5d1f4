"""`Series.str`, compared with plain pandas."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from typing import Any

import pandas
import pytest
from tests.pandas_on_spark.same import same

import predtrace.pandas as ours
from predtrace.frontends.pandas.core.steps import Unfaithful
from predtrace.frontends.pandas.texts.patterns import alternatives

nan = float("nan")
TEXTS = [
    "Braund, Mr. Owen Harris",
    nan,
    "",
    "  \t spaced\u00a0 \n",
    "ÄÖÜ straße İstanbul ΣΑΣ",
    "123",
    "٣½²",
    "-42",
    "a.b.c",
    "x|y|x",
    "TITLE Case",
    "emoji 🐍 text",
]


@pytest.fixture
def texts() -> Any:
    return pandas.DataFrame({"s": TEXTS, "k": range(len(TEXTS))})


def test_cases_and_strips(spark: Any, texts: Any) -> None:
    def program(pd: Any, df: Any) -> Any:
        for name in (
            "lower",
            "upper",
            "title",
            "capitalize",
            "swapcase",
            "casefold",
            "strip",
            "lstrip",
            "rstrip",
        ):
            df[name] = getattr(df.s.str, name)()
        df["chars"] = df.s.str.strip("Br. 3aä🐍")
        df["left"] = df.s.str.lstrip("xB")
        df["right"] = df.s.str.rstrip("sxy\n")
        df["nothing"] = df.s.str.strip("")
        df["fill"] = df.s.str.zfill(6)
        df["pad"] = df.s.str.pad(8, side="both", fillchar="*")
        df["l"] = df.s.str.ljust(6, "-")
        df["r"] = df.s.str.rjust(6)
        df["c"] = df.s.str.center(7)
        df["n"] = df.s.str.normalize("NFKD")
        df["twice"] = df.s.str.repeat(2)
        df["prefix"] = df.s.str.removeprefix("a.")
        df["suffix"] = df.s.str.removesuffix("x")
        df["table"] = df.s.str.translate({ord("a"): "A", ord("b"): None})
        df["wrapped"] = df.s.str.wrap(8)
        df["join"] = df.s.str.join("-")
        return df

    same(program, df=texts)


def test_tests_and_numbers(spark: Any, texts: Any) -> None:
    def program(pd: Any, df: Any) -> Any:
        for name in ["alnum", "alpha", "decimal", "digit", "lower", "numeric", "space", "title", "upper"]:
            df[name] = getattr(df.s.str, f"is{name}")()
        df["len"] = df.s.str.len()
        df["count"] = df.s.str.count("[aeiou]")
        df["find"] = df.s.str.find("a")
        df["find2"] = df.s.str.find("a", 2, 9)
        df["rfind"] = df.s.str.rfind("x")
        return df

    same(program, df=texts)
    same(lambda pd, df: program(pd, df.dropna().copy()), df=texts)
    same(lambda pd, df: program(pd, df[df.k > 99].copy()), df=texts)


def test_searching(spark: Any, texts: Any) -> None:
    def program(pd: Any, df: Any) -> Any:
        s = df.s.str
        df["a"] = s.contains("Mr|a")
        df["b"] = s.contains("x|y", regex=False)
        df["c"] = s.contains(r"\d+", na=False)
        df["d"] = s.contains("TITLE", case=False, na=True)
        df["e"] = s.contains("title", case=False, regex=False)
        df["f"] = s.contains(".", regex=False, na=False)
        df["g"] = s.contains("MR", flags=re.IGNORECASE)
        df["h"] = s.contains(re.compile("^[A-Z]"))
        df["i"] = s.match("a|x")
        df["j"] = s.match(r"\w+,", na=False)
        df["k"] = s.fullmatch(r"-?\d+")
        df["l"] = s.startswith("a")
        df["m"] = s.startswith(("a", "x"), na=False)
        df["n"] = s.endswith(("c", "x"))
        df["o"] = s.startswith((), na=False)
        df["p"] = s.contains("")
        df["q"] = s.contains(r"a\.b")
        df["r"] = s.startswith(())
        return df

    same(program, df=texts)
    same(lambda pd, df: program(pd, df.dropna().copy()), df=texts)
    same(lambda pd, df: df[df.s.str.contains("a", na=False)], df=texts)


def test_replacing(spark: Any, texts: Any) -> None:
    def program(pd: Any, df: Any) -> Any:
        s = df.s.str
        df["a"] = s.replace("x", "")
        df["b"] = s.replace(".", "!")
        df["c"] = s.replace("x", "z", n=1)
        df["d"] = s.replace(r"\s+", " ", regex=True)
        df["e"] = s.replace(r"(\w+), (\w+)", r"\2 \1", regex=True)
        df["f"] = s.replace("title", "t", case=False)
        df["g"] = s.replace("[a-c]", lambda found: found.group().upper(), regex=True)
        df["h"] = s.replace("", "-")
        df["i"] = s.replace(re.compile("A", re.IGNORECASE), "4", regex=True)
        df["j"] = s.replace(r"a\.b", "q", regex=True)
        df["k"] = s.replace("a|x", "q", regex=True)
        df["l"] = s.replace("a", r"\\", regex=True)
        df["m"] = s.slice_replace(1, 3, "__")
        return df

    same(program, df=texts)


def test_parts(spark: Any, texts: Any) -> None:
    def program(pd: Any, df: Any) -> Any:
        s = df.s.str
        ends = [None, 0, 1, 3, -1, -3, 50, -50]
        for start in ends:
            for stop in ends:
                df[f"{start}:{stop}"] = s[start:stop]
        for at in (0, 2, -1, -4, 20, -20):
            df[f"at {at}"] = s[at]
        df["get"] = s.get(1)
        df["step"] = s[::2]
        df["slice"] = s.slice(1, 5)
        return df

    same(program, df=texts)


def test_splitting(spark: Any, texts: Any) -> None:
    def program(pd: Any, df: Any) -> Any:
        s = df.s.str
        df["a"] = s.split()
        df["b"] = s.split(",")
        df["c"] = s.split(".")
        df["d"] = s.split("|", n=1)
        df["e"] = s.split(r"[,.]\s*")
        df["f"] = s.split(", ")
        df["g"] = s.rsplit(".", n=1)
        df["h"] = s.split(".b", regex=False)
        df["i"] = s.split(",").str[0]
        df["j"] = s.split().str[-1]
        df["k"] = s.split(",").str.get(1)
        df["l"] = s.split().str.len()
        df["m"] = s.split().str.join("_")
        df["n"] = s.split(".").str[1:]
        df["o"] = s.findall("[a-z]+")
        df["p"] = s.split(",").str[1].str.split(".").str[0].str.strip()
        df["q"] = s.split("")
        return df

    same(program, df=texts)


@pytest.mark.parametrize(
    "program",
    [
        lambda pd, df: df.s.str.split(expand=True),
        lambda pd, df: df.s.str.split(",", expand=True),
        lambda pd, df: df.s.str.split("|", n=1, expand=True),
        lambda pd, df: df.s.str.rsplit(".", n=1, expand=True),
        lambda pd, df: df.s.dropna().str.split("x", expand=True),
        lambda pd, df: df[df.k == 1].s.str.split(",", expand=True),
        lambda pd, df: df.s.str.partition("."),
        lambda pd, df: df.s.str.rpartition("."),
        lambda pd, df: df.s.str.extract(r" ([A-Za-z]+)\."),
        lambda pd, df: df.s.str.extract(r" ([A-Za-z]+)\.", expand=False),
        lambda pd, df: df.s.str.extract(r"(?P<last>\w+), (?P<title>\w+)"),
        lambda pd, df: df.s.str.extract(r"(?P<digits>\d+)", expand=False),
        lambda pd, df: df.s.str.extract(r"(\d)?(x)?"),
        lambda pd, df: df.s.str.get_dummies(),
        lambda pd, df: df.s.str.get_dummies(sep="."),
    ],
)
def test_frames_of_parts(spark: Any, texts: Any, program: Any) -> None:
    same(program, df=texts)


def test_columns_of_a_split(spark: Any, texts: Any) -> None:
    def program(pd: Any, df: Any) -> Any:
        df = df[df.s.notnull()].copy()
        df[["one", "two"]] = df.s.str.split(".", n=1, expand=True)
        return df

    same(program, df=texts[texts.k != 99])


def test_cat(spark: Any, texts: Any) -> None:
    texts["t"] = ["1", "2", nan, *texts.s[3:]]

    def program(pd: Any, df: Any) -> Any:
        df["a"] = df.s.str.cat(df.t)
        df["b"] = df.s.str.cat(df.t, sep="-", na_rep="?")
        df["c"] = df.s.str.cat([df.t, df.t], sep=",")
        df["d"] = df.s.str.cat(["x"] * 12, sep=" ")
        df["e"] = df.s.str.cat(df[["t"]], sep="")
        return df

    same(program, df=texts)
    same(lambda pd, df: df.s.str.cat(df.t[df.k > 3], sep="+"), df=texts)
    same(lambda pd, df: df.s.str.cat(sep=";"), df=texts)
    same(lambda pd, df: df.s.str.cat(df.k), df=texts)
    same(lambda pd, df: df.s.str.cat("x"), df=texts)
    same(lambda pd, df: df.s.str.cat(["x"]), df=texts)


@pytest.mark.parametrize(
    "program",
    [
        lambda pd, df: df.k.str.lower(),
        lambda pd, df: df.s.str.contains("("),
        lambda pd, df: df.s.str.extract("a"),
        lambda pd, df: df.s.str.index("a"),
        lambda pd, df: df.s[df.k >= 8].str.index("x", 0, 1),
        lambda pd, df: df.s.str.pad(3, fillchar="ab"),
        lambda pd, df: df.s.str.zfill("3"),
        lambda pd, df: df.s.str.startswith(1),
        lambda pd, df: df.s.str.replace("a", 1),
        lambda pd, df: df.s.str.replace("a", len),
        lambda pd, df: df.s.str.find(1),
        lambda pd, df: df.s.str.nothing(),
        lambda pd, df: list(df.s.str),
    ],
)
def test_what_pandas_raises(spark: Any, texts: Any, program: Any) -> None:
    same(program, df=texts)


def test_index_where_it_is_found(spark: Any) -> None:
    frame = pandas.DataFrame({"s": ["a-b", "--", nan]})
    same(lambda pd, df: df.assign(i=df.s.str.index("-"), r=df.s.str.rindex("-")), df=frame)


def test_categories_are_texts(spark: Any, texts: Any) -> None:
    texts["s"] = texts.s.astype("category")
    same(lambda pd, df: df.s.str.upper(), df=texts)
    same(lambda pd, df: df.s.str.contains("a"), df=texts)


def test_refusals_name_the_call_and_the_line(spark: Any, texts: Any) -> None:
    frame = ours.DataFrame(texts)
    programs: list[tuple[Callable[[], Any], str]] = [
        (lambda: frame.s.str.extractall("(a)"), "extractall"),
        (lambda: frame.s.str.partition(expand=False), "partition"),
        (lambda: frame.s.str.findall("(a)(b)"), "findall"),
        (lambda: frame.s.str.encode("utf8").str.len(), "encode"),
        (lambda: frame.s.str.split().str.lower(), "lower"),
        (lambda: frame.s.str.repeat([1] * 12), "repeat"),
    ]
    for program, name in programs:
        with pytest.raises(Unfaithful, match=rf"str\.{name}.* line \d+ of test_strings"):
            program()


def test_patterns_that_are_texts() -> None:
    """Whatever is taken for a text finds the same as the pattern."""
    pieces = ["a", "|", "\\.", ".", "b|", "\\|", "\\", "+", "é", "\\é", "\\n", " ", "#", "\\#", "(", "[x]"]
    samples = ["", "a", "a.b", "|", "ab", "é", "n", "#", " ", "x\n", unicodedata.normalize("NFD", "é")]
    for one in pieces:
        for two in pieces:
            found = alternatives(one + two)
            if found is None:
                continue
            pattern = re.compile(one + two)
            for sample in samples:
                assert any(text in sample for text in found) == bool(pattern.search(sample)), (
                    one + two,
                    sample,
                )
                assert any(map(sample.startswith, found)) == bool(pattern.match(sample)), (one + two, sample)
