"""Weekly payroll of the canteen: wages from timesheets, tax and net pay per employee."""

import pandas as pd


def parse_rate(text):
    """'$21.50' is per hour, '$980.00/wk' is for a week of 40 hours."""
    if not isinstance(text, str):
        return None
    text = text.strip().replace("$", "").replace(",", "")
    if text.endswith("/wk"):
        return float(text[:-3]) / 40
    return float(text)


def gross_pay(row):
    regular = min(row["hours"], 40)
    overtime = max(row["hours"] - 40, 0)
    return round(regular * row["rate"] + overtime * row["rate"] * 1.5, 2)


def tax(gross):
    if gross <= 600:
        return 0.0
    elif gross <= 2000:
        return (gross - 600) * 0.1
    elif gross <= 3500:
        return 140 + (gross - 2000) * 0.2
    else:
        return 440 + (gross - 3500) * 0.3


def main():
    employees = pd.read_csv("data/employees.csv", parse_dates=["start"])
    sheets = pd.read_csv("data/timesheets.csv")

    employees["rate"] = employees["rate"].apply(parse_rate)
    employees = employees[employees["rate"].notna()]

    # the terminal sends a sheet again when the network was down
    sheets = sheets.dropna(subset=["hours"]).drop_duplicates(subset=["emp_id", "week"])

    pay = sheets.merge(employees, on="emp_id", how="inner")
    pay["gross"] = pay.apply(gross_pay, axis=1)

    total = pay.groupby(["emp_id", "name", "dept"], as_index=False)[["hours", "gross"]].sum()
    total["tax"] = total["gross"].apply(tax).round(2)
    total["net"] = total["gross"] - total["tax"]
    total = total.sort_values(["dept", "net"], ascending=[True, False]).reset_index(drop=True)
    return total


if __name__ == "__main__":
    payroll = main()
    print(payroll.to_string(index=False))
