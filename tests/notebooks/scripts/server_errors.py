import re

import pandas as pd

LINE = r'^(?P<ip>[\d.]+) - \[(?P<time>[^\]]+)\] "(?P<method>[A-Z]+) (?P<path>\S+) [^"]*" (?P<status>\d{3}) (?P<size>\d+) (?P<agent>.*)$'


def is_person(agent):
    return re.search("bot|curl|checker", agent, re.IGNORECASE) is None


raw = pd.read_csv("data/access_log.tsv", sep="\t", header=None, names=["line"], quoting=3)
log = raw["line"].str.extract(LINE)
log = log.dropna(how="all")
log["time"] = pd.to_datetime(log["time"], format="%d/%b/%Y:%H:%M:%S")
log[["status", "size"]] = log[["status", "size"]].astype(int)
log["path"] = log["path"].str.split("?").str[0]

log = log[log["agent"].map(is_person)]
log["class"] = (log["status"] // 100).astype(str) + "xx"
log["hour"] = log["time"].dt.floor("h")

hourly = log.groupby(["hour", "class"]).size().unstack(fill_value=0)
hourly["requests"] = hourly.sum(axis=1)
hourly["mb"] = (log.groupby("hour")["size"].sum() / 1e6).round(3)
hourly["busy"] = hourly["requests"] > hourly["requests"].mean()
hourly = hourly.reset_index()
print(hourly)
