import numpy as np
import pandas as pd

calls = pd.read_csv("data/calls.csv", na_values="--")
calls["agent"] = calls["agent"].str.title()
calls.dropna(subset=["length"], inplace=True)

parts = calls["length"].str.split(":", expand=True).astype(int)
calls["seconds"] = parts[0] * 60 + parts[1]


def p90(values):
    return np.percentile(values, 90)


def solved(values):
    return (values == "solved").mean()


agents = calls.groupby("agent").agg(
    calls=("call", "count"),
    typical=("seconds", "median"),
    slow=("seconds", p90),
    solved=("outcome", solved),
    rating=("rating", "mean"),
)
agents["rank_solved"] = agents["solved"].rank(ascending=False, method="dense").astype(int)
agents = agents.query("calls > 5").round(2)
agents = agents.sort_index(ascending=False)
print(agents)
