# Weekly report for the two bakeries. Run it on Monday morning.
import pandas as pd

frames = []
for shop in ["north", "south"]:
    sales = pd.read_csv(f"data/bakery_{shop}.csv", parse_dates=["date"])
    sales["shop"] = shop
    frames.append(sales)
sales = pd.concat(frames, ignore_index=True)
sales = sales.drop_duplicates()
print(sales.shape)

sales["product"] = sales["product"].str.capitalize()

# a missing price is the usual price of that product
usual = sales.groupby("product")["price"].max()
sales["price"] = sales["price"].fillna(sales["product"].map(usual))
sales["revenue"] = sales["qty"] * sales["price"]

report = sales.pivot_table(index="product", columns="shop", values="revenue", aggfunc="sum", fill_value=0)
report["total"] = report["north"] + report["south"]
report["north_share"] = (report["north"] / report["total"]).round(3)
report = report.sort_values("total", ascending=False)
report.columns.name = None

report.to_csv("bakery_report.csv")
print(report)
