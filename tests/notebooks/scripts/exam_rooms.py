"""Give every exam the smallest room that fits."""

import pandas as pd

rooms = pd.read_csv("data/rooms.csv")
exams = pd.read_csv("data/exams.csv", keep_default_na=False)

rooms["computers"] = rooms["computers"] == "yes"
exams["needs_computers"] = exams["needs"].eq("computers")
exams["wheelchair"] = exams["wheelchair"].map(lambda mark: mark.strip() == "x")
exams = exams.drop(columns=["needs"])


def fits(pair):
    if pair["students"] > 0.8 * pair["seats"] and pair["students"] > 20:
        return False
    if pair["students"] > pair["seats"]:
        return False
    if pair["needs_computers"] and not pair["computers"]:
        return False
    return not (pair["wheelchair"] and pair["floor"] > 0)


possible = pd.merge(exams, rooms, how="cross")
possible = possible[possible.apply(fits, axis=1)]
possible["empty_seats"] = possible["seats"] - possible["students"]

best = possible.sort_values(["exam", "empty_seats", "room"]).drop_duplicates("exam", keep="first")
plan = exams.merge(best[["exam", "room", "empty_seats"]], on="exam", how="left")
plan["room"] = plan["room"].fillna("none fits")
print(plan)
