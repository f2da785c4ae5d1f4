"""Loops over rows are steps on Spark, where each turn is a function of the row; others run as they are."""

from __future__ import annotations

import ast
import json
from pathlib import Path
from typing import Any

import pytest
from tests.pandas_on_spark.same import assert_same, settled

import predtrace
from predtrace.cli.programs import Ran, run_program
from predtrace.frontends.pandas.looping.recognising import recognised

HOMES = "id,area,rooms,m2,rent\n1,N,2,50.5,700\n2,S,1,,\n3,N,3,70,\n4,E,2,41,500\n5,S,4,90,1200\n"
AREAS = "area,median,floor\nN,710,1\nS,640,2\nE,555,3\nW,1,4\n"
START = 'import pandas as pd\nhomes = pd.read_csv("homes.csv")\nareas = pd.read_csv("areas.csv")\n'

FILLED = """
for i, home in homes.iterrows():
    if pd.isnull(home["rent"]):
        homes.at[i, "rent"] = areas[areas["area"] == home["area"]]["median"].values[0]
"""
FILLED_WITH_LOC = """
for i, home in homes.iterrows():
    known = areas.loc[areas["area"] == home["area"], "median"]
    if pd.isna(home["m2"]):
        homes.loc[i, "m2"] = home["rooms"] * 20
        continue
    homes.loc[i, "level"] = known.iloc[0]
"""
BUILT = """
lines = []
for _, home in homes.iterrows():
    limit = areas.loc[areas["area"] == home["area"], "median"].iloc[0]
    if home["rent"] > limit:
        lines.append({"id": home["id"], "area": home["area"], "over": home["rent"] - limit})
homes = pd.DataFrame(lines)
"""
BUILT_OF_LISTS = """
lines = []
for i, home in homes.iterrows():
    lines.append([i, home["area"].lower(), len(areas[areas["median"] > home["rooms"] * 300])])
homes = pd.DataFrame(lines, columns=["at", "area", "dearer"])
"""
COLUMN = """
big = []
for home in homes.itertuples(index=False):
    big.append("big" if home.rooms >= 3 and home.id > 0 else "small")
homes["size"] = big
"""
TUPLES = """
for home in homes.itertuples():
    if home.rooms > 1:
        homes.at[home.Index, "per_room"] = home.m2 / home.rooms
"""
TWO_LISTS = """
ids, rents = [], []
for _, home in homes[homes["rooms"] > 1].iterrows():
    if home["area"] != "E":
        ids.append(home["id"])
        rents.append(home["rent"] * 2)
homes = pd.DataFrame({"id": ids, "rent": rents})
"""
NESTED = """
found = []
for i, home in homes.iterrows():
    best = None
    for area in ["N", "S"]:
        if area == home["area"]:
            best = area
            continue
    found.append(best)
homes["best"] = found
"""
DONE = {
    "filled": (FILLED, "id = 2", {"homes": 1, "areas": 4}),
    "filled with loc": (FILLED_WITH_LOC, "id = 4", {"homes": 1, "areas": 4}),
    "built": (BUILT, "id = 5", {"homes": 1, "areas": 4}),
    "built of lists": (BUILT_OF_LISTS, "area = 'e'", {"homes": 1, "areas": 4}),
    "a column": (COLUMN, "id = 3", {"homes": 1}),
    "tuples": (TUPLES, "id = 3", {"homes": 1}),
    "two lists": (TWO_LISTS, "id = 5", {"homes": 1}),
    "nested": (NESTED, "id = 3", {"homes": 1}),
}


def ran(folder: Path, monkeypatch: pytest.MonkeyPatch, loop: str) -> tuple[Ran, Any]:
    """What a program with a loop gives on Spark, and with plain pandas."""
    monkeypatch.setenv("PREDTRACE_CACHE", str(folder / "cache"))
    monkeypatch.chdir(folder)
    (folder / "homes.csv").write_text(HOMES)
    (folder / "areas.csv").write_text(AREAS)
    program = folder / "program.py"
    program.write_text(START + loop)
    names: dict[str, Any] = {}
    exec(program.read_text(), names)
    return run_program(program, [], "homes", quiet=True, lets_write=False), names["homes"]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("loop", "row", "counts"), DONE.values(), ids=list(DONE))
def test_a_loop_that_is_a_function_of_the_row(
    spark: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, loop: str, row: str, counts: dict[str, int]
) -> None:
    on_spark, expected = ran(tmp_path, monkeypatch, loop)
    assert_same(settled(on_spark.frame), expected, True)
    assert on_spark.left == []
    lineage = predtrace.capture(on_spark.frame).trace(row)
    assert (lineage.exact, lineage.counts()) == (True, counts), lineage.why_not_exact


CARRIED = """
total, sums = 0, []
for i, home in homes.iterrows():
    total = total + home["rooms"]
    sums.append(total)
homes["sum"] = sums
"""
PRINTED = """
lines = []
for i, home in homes.iterrows():
    print(home["id"])
    lines.append(home["id"])
homes = pd.DataFrame({"id": lines})
"""
COUNTED = """
seen, lines = {}, []
def count(area):
    seen[area] = seen.get(area, 0) + 1
    return seen[area]
for i, home in homes.iterrows():
    lines.append(count(home["area"]))
homes["nth"] = lines
"""
CHANGED = """
lines = []
for i, home in homes.iterrows():
    lines.append(home["rooms"])
lines[0] = 100
homes["n"] = lines
"""
TWICE = """
lines = []
for i, home in homes.iterrows():
    lines.append(home["rooms"])
    lines.append(home["id"])
homes = pd.DataFrame({"n": lines})
"""
LOOKED_UP = """
floors = dict(zip(areas["area"].tolist(), areas["floor"].tolist()))
lines = []
for i, home in homes.iterrows():
    lines.append(floors[home["area"]])
homes["floor"] = lines
"""


@pytest.mark.parametrize("loop", [CARRIED, PRINTED, COUNTED, CHANGED, TWICE, LOOKED_UP])
def test_other_loops_run_as_they_are(
    spark: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, loop: str
) -> None:
    on_spark, expected = ran(tmp_path, monkeypatch, loop)
    assert_same(settled(on_spark.frame), expected, True)
    assert any("iterrows" in place for place in on_spark.left)
    lineage = predtrace.capture(on_spark.frame).trace(f"{expected.columns[0]} is not null")
    assert (lineage.exact, lineage.counts()["homes"]) == (False, 5)


def test_what_a_loop_leaves(spark: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    more = """
import json
with open("left.json", "w") as file:
    json.dump([str(i), int(home["id"]), double, len(doubles), int(doubles[2])], file)
"""
    loop = """
doubles = []
for i, home in homes.iterrows():
    if home["rooms"] > 1:
        double = float(home["rooms"] * 2)
    doubles.append(home["id"] * 2)
homes["double"] = doubles
"""
    on_spark, expected = ran(tmp_path, monkeypatch, loop + more)
    assert json.loads((tmp_path / "left.json").read_text()) == ["4", 5, 8.0, 5, 6]
    assert_same(settled(on_spark.frame), expected, True)


@pytest.mark.parametrize(
    "text",
    [
        "for i, row in df.iterrows(): pass",
        "for i, row in df.iterrows():\n  try:\n    x.append(1)\n  except KeyError: pass",
        "for i, row in df.iterrows():\n  x.append(row)\n  break",
        "for i, row in df.iterrows():\n  x.append(len(x))",
        "for i, row in df.iterrows():\n  df.at[i + 1, 'a'] = 1",
        "for i, row in df.iterrows():\n  df.at[i, 'a'] = df['a'].max()",
        "for i, row in df.iterrows():\n  df.at[i, 'a'] = 1\n  df.at[i, 'b'] = row['a']",
        "for i, row in df.iterrows():\n  df.at[i, 'a'] = stack.pop()",
        "for i, row in df.iterrows():\n  row['a'] = 1\n  x.append(1)",
        "for i, row in df.iterrows():\n  counts[row['a']] += 1",
        "for row in df.itertuples():\n  x.append(row)",
        "for row in df.itertuples():\n  x.append(row[1])",
        "for row in df.itertuples(name=None):\n  x.append(row.a)",
        "for i, row in df.items():\n  x.append(row)",
        "while True: pass",
    ],
)
def test_what_is_not_recognised(text: str) -> None:
    assert recognised(ast.parse(text).body[0]) is None
