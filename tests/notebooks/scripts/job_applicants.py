from pandas import read_csv

DEGREES = {"BSc": 1, "MSc": 2, "PhD": 3}


def years(text):
    if not isinstance(text, str) or text == "none":
        return 0
    return int(text.split()[0].rstrip("+"))


def salary(text):
    text = text.replace(",", "")
    if text.endswith("k"):
        return float(text[:-1]) * 1000
    return float(text) if text.isdigit() else None


def score(row, wanted):
    points = min(row["years"], 8) + DEGREES.get(row["degree"], 0) * 2
    for skill in row["skills"].split("|"):
        if skill in wanted:
            points += 3
    if row["source"] == "referral":
        points = points + 1
    return points


applicants = read_csv("data/applicants.csv")
applicants["role"] = applicants["role"].str.strip().str.lower()
applicants["years"] = applicants["experience"].apply(years)
applicants["salary"] = applicants["salary"].apply(salary)
applicants["skills"] = applicants["skills"].fillna("")
applicants["score"] = applicants.apply(score, axis=1, wanted=["sql", "python", "react"])

# unknown salary wishes: what others for the role ask
applicants["salary"] = applicants.groupby("role")["salary"].transform(lambda s: s.fillna(s.mean())).round(0)

shortlist = applicants.sort_values(["role", "score", "id"], ascending=[True, False, True]).groupby("role").head(3)
shortlist = shortlist[["role", "id", "years", "degree", "score", "salary"]].reset_index(drop=True)
print(shortlist)
