"""Efficiency of the machines, shift by shift."""

import pandas as pd

shifts = pd.read_csv("data/shifts.csv", parse_dates=["day"])
shifts["shift"] = shifts["shift"].str.lower()
shifts["stops"] = shifts["stops"].fillna("none 0")


def split_stop(row):
    reason, minutes = row["stops"].split()
    return reason, int(minutes)


shifts[["reason", "lost_min"]] = shifts.apply(split_stop, axis=1, result_type="expand")
shifts["good"] = shifts.eval("made - scrap")

targets = {"press": 400, "lathe": 300, "paint": 350}
met = []
for shift in shifts.itertuples(index=False):
    goal = targets[shift.machine] * (480 - shift.lost_min) / 480
    met.append("yes" if shift.good >= goal else "no")
shifts["met"] = met

summary = shifts.groupby(["machine", "shift"]).agg(
    shifts=pd.NamedAgg(column="day", aggfunc="count"),
    good=pd.NamedAgg(column="good", aggfunc="sum"),
    scrap_rate=pd.NamedAgg(column="scrap", aggfunc="sum"),
    met=pd.NamedAgg(column="met", aggfunc=lambda m: (m == "yes").mean()),
)
summary["scrap_rate"] = (summary["scrap_rate"] / (summary["good"] + summary["scrap_rate"])).round(4)
summary["met"] = summary["met"].round(2)
print(summary)
