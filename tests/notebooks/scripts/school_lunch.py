import pandas as pd

lunches = pd.read_csv("data/lunches.csv")
children = pd.read_csv("data/children.csv", keep_default_na=False)

lunches["finished"] = lunches["finished"].str.lower() == "yes"
full = lunches.merge(children, on="child", how="outer", indicator=True)
print(full["_merge"].value_counts())

risky = full[
    ((full["meal"] == "fish") & (full["allergy"] == "fish"))
    | ((full["extra_milk"] > 0) & (full["allergy"] == "milk"))
]
print("check at once:", sorted(risky["child"].unique()))

eaten = full[(full["_merge"] == "both") & ~full["child"].isin(risky["child"])].copy()
# the outer merge made it a mixed column
eaten["finished"] = eaten["finished"].astype(bool)
by_class = eaten.groupby(["class", "meal"]).agg(
    served=("child", "size"), finished=("finished", "mean"), milk=("extra_milk", "sum")
)
by_class = by_class[by_class["served"] >= 2].reset_index()
by_class["finished"] = by_class["finished"].round(2)
by_class["popular"] = by_class["finished"] > 0.5
print(by_class)
