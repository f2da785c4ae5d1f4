"""What every car still owes, with reminders and late fees."""

import pandas as pd

TODAY = pd.Timestamp("2023-06-01")

fines = pd.read_csv("data/fines.csv", sep=";")
codes = pd.read_csv("data/fine_codes.csv", sep=";")

fines["plate"] = fines["plate"].str.upper().str.replace(" ", "")
fines["issued"] = pd.to_datetime(fines["issued"], dayfirst=True, format="%d.%m.%Y")
fines["paid"] = pd.to_datetime(fines["paid"], dayfirst=True, format="%d.%m.%Y")

rows = []
for _, fine in fines.iterrows():
    fee = codes.loc[codes["code"] == fine["code"], "fee"].iloc[0]
    until = TODAY if pd.isna(fine["paid"]) else fine["paid"]
    days = (until - fine["issued"]).days
    if days <= 14:
        due = fee * 0.5
    elif days <= 60:
        due = float(fee)
    else:
        due = fee * 1.5 + 10
    # who has been here before pays more
    earlier = fines[(fines["plate"] == fine["plate"]) & (fines["issued"] < fine["issued"])]
    if len(earlier) >= 3:
        due += 25
    rows.append([fine["notice"], fine["plate"], days, len(earlier), due, pd.isna(fine["paid"])])

detail = pd.DataFrame(rows, columns=["notice", "plate", "days", "earlier", "due", "open"])
owed = detail[detail["open"]].sort_values(["plate", "notice"], ignore_index=True)
print(owed.groupby("plate")["due"].sum())
