"""The notebooks: what each one's result is called, and what it has for those who trace it.

They are written as people write them, for these tests alone; so is their data, which is dirty on purpose.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Flag, auto


class Kind(Flag):
    """Where pipelines of data science have functions, as the paper counts them (its table of UDFs)."""

    NONE = 0
    SELECT = auto()
    """Selection predicate: rows are filtered, incomplete ones dropped."""
    JOIN = auto()
    """Join predicate: tables are merged."""
    TRANSFORM = auto()
    """Row transform: columns assigned, converted, split, mapped, renamed."""
    AGGREGATE = auto()
    """Aggregation: groups, pivots, a mean that is used."""
    SORT = auto()
    """Compare: rows are sorted, or the first of them taken."""
    SUBQUERY = auto()
    """Row-iterating subquery: for each row of a table, another is looked into."""
    GROUPED_MAP = auto()
    """Grouped map: each group is transformed by itself."""


SELECT, JOIN, TRANSFORM, AGGREGATE = Kind.SELECT, Kind.JOIN, Kind.TRANSFORM, Kind.AGGREGATE
SORT, SUBQUERY, GROUPED_MAP = Kind.SORT, Kind.SUBQUERY, Kind.GROUPED_MAP


@dataclass(frozen=True)
class Notebook:
    """A notebook or script of this folder."""

    file: str
    result: str
    """The variable that has the last frame."""

    kinds: Kind
    """What its result is made with. Cells that only look do not count."""

    own: Kind = Kind.NONE
    """Those of the kinds that Python code of the notebook's own decides: a function, a lambda, the body of a loop."""

    saved: bool = False
    """Whether a row of the result does not tell by itself what it was made of, so that a result in the middle is
    saved, or looked up in another run: a window (its neighbours are not in the row), a group over a join by another
    column than the join's, a key that was dropped.
    """

    unstable: bool = False
    """Whether a step may come out otherwise when it runs again, so that traces are exact only with saved results."""

    slow: bool = False
    """Whether it takes more than a second to infer the lineage: one in ten may."""

    ordered: bool = True
    """Whether the order of the result's rows is defined: nothing was left to a sort that may swap equal keys."""

    widened: frozenset[str] = frozenset()
    """Columns of whole numbers that have 64 bits on Spark where pandas has 32: they were labels of columns."""

    warns: frozenset[str] = frozenset()
    """What pandas 2.3 warns of, in ways of writing that are too common to leave out."""


FUTURE = frozenset({"FutureWarning"})
COPY = frozenset({"SettingWithCopyWarning"})

NOTEBOOKS = (
    Notebook("ab_checkout.ipynb", "result", SELECT | JOIN | TRANSFORM | AGGREGATE, saved=True),
    Notebook("air_quality.ipynb", "daily", TRANSFORM | AGGREGATE, saved=True),
    Notebook(
        "allergen_menu.ipynb", "cheapest", SELECT | TRANSFORM | AGGREGATE | SORT, own=TRANSFORM, saved=True
    ),
    Notebook("bike_counters.ipynb", "average", TRANSFORM | AGGREGATE, saved=True),
    Notebook("blood_donors.ipynb", "calls", SELECT | TRANSFORM | SORT, own=SELECT | SORT, warns=COPY),
    Notebook(
        "budget_variance.ipynb",
        "surprises",
        JOIN | TRANSFORM | AGGREGATE | SORT,
        own=TRANSFORM | SORT,
        saved=True,
    ),
    Notebook(
        "bus_delays.ipynb",
        "bad",
        SELECT | TRANSFORM | GROUPED_MAP,
        own=TRANSFORM | GROUPED_MAP,
        warns=FUTURE,
        saved=True,
    ),
    Notebook(
        "chess_upsets.ipynb",
        "upsets",
        SELECT | TRANSFORM | SORT | SUBQUERY,
        own=TRANSFORM | SUBQUERY,
        ordered=False,
    ),
    Notebook("churn_features.ipynb", "table", JOIN | TRANSFORM | AGGREGATE, own=AGGREGATE, saved=True),
    Notebook(
        "clinic_visits.ipynb",
        "visits",
        SELECT | JOIN | TRANSFORM | GROUPED_MAP,
        own=TRANSFORM | GROUPED_MAP,
        warns=FUTURE,
        saved=True,
    ),
    Notebook(
        "code_owners.ipynb",
        "per_team",
        SELECT | JOIN | TRANSFORM | AGGREGATE | SORT | GROUPED_MAP,
        own=JOIN,
        saved=True,
    ),
    Notebook(
        "coffee_scores.ipynb",
        "result",
        JOIN | TRANSFORM | AGGREGATE | SORT | GROUPED_MAP,
        own=AGGREGATE | GROUPED_MAP,
        saved=True,
    ),
    Notebook("cohort_retention.ipynb", "retention", TRANSFORM | AGGREGATE | GROUPED_MAP, saved=True),
    Notebook(
        "election_night.ipynb",
        "board",
        SELECT | JOIN | TRANSFORM | AGGREGATE | SORT | GROUPED_MAP,
        saved=True,
    ),
    Notebook(
        "feedback_words.ipynb", "common", SELECT | TRANSFORM | AGGREGATE | SORT, own=TRANSFORM, saved=True
    ),
    Notebook(
        "ferry_load.ipynb",
        "by_sailing",
        JOIN | TRANSFORM | AGGREGATE | SORT,
        own=TRANSFORM,
        ordered=False,
        saved=True,
    ),
    Notebook("fish_catch.ipynb", "season", TRANSFORM | AGGREGATE, saved=True),
    Notebook("fundraising.ipynb", "book", JOIN | TRANSFORM | AGGREGATE, own=TRANSFORM, saved=True),
    Notebook(
        "grant_scores.ipynb", "funded", TRANSFORM | AGGREGATE | SORT, own=TRANSFORM, saved=True, slow=True
    ),
    Notebook("gym_members.ipynb", "shares", TRANSFORM | AGGREGATE, warns=FUTURE, saved=True, slow=True),
    Notebook("hotel_chain.ipynb", "summary", SELECT | TRANSFORM | AGGREGATE | SORT, own=TRANSFORM),
    Notebook("house_prices.ipynb", "ready", SELECT | TRANSFORM | AGGREGATE, saved=True, slow=True),
    Notebook(
        "household_energy.ipynb",
        "top",
        SELECT | JOIN | TRANSFORM | AGGREGATE | SORT | GROUPED_MAP,
        saved=True,
    ),
    Notebook(
        "insurance_claims.ipynb", "holders", JOIN | TRANSFORM | AGGREGATE, own=JOIN | AGGREGATE, saved=True
    ),
    Notebook(
        "lab_results.ipynb",
        "wide",
        SELECT | TRANSFORM | AGGREGATE | SORT | GROUPED_MAP,
        own=TRANSFORM | GROUPED_MAP,
        saved=True,
    ),
    Notebook("league_table.ipynb", "standings", SELECT | TRANSFORM | AGGREGATE | SORT),
    Notebook(
        "library_loans.ipynb", "by_branch", SELECT | TRANSFORM | AGGREGATE | SORT, own=AGGREGATE, saved=True
    ),
    Notebook("marathon_finishers.ipynb", "features", TRANSFORM | GROUPED_MAP, own=TRANSFORM, saved=True),
    Notebook("museum_visitors.ipynb", "week", SELECT | TRANSFORM | AGGREGATE | SORT, own=SORT, saved=True),
    Notebook(
        "newsletter_opens.ipynb", "loyal", SELECT | TRANSFORM | AGGREGATE | SORT, own=TRANSFORM, saved=True
    ),
    Notebook("open_invoices.ipynb", "ageing", TRANSFORM | AGGREGATE, warns=FUTURE, saved=True, slow=True),
    Notebook("orchard_harvest.ipynb", "yearly", TRANSFORM | AGGREGATE | GROUPED_MAP, saved=True),
    Notebook("org_chart.ipynb", "chart", JOIN | TRANSFORM | AGGREGATE, own=TRANSFORM, saved=True),
    Notebook(
        "paper_decisions.ipynb",
        "decision",
        JOIN | TRANSFORM | AGGREGATE | SORT | GROUPED_MAP,
        own=TRANSFORM | AGGREGATE | GROUPED_MAP,
        saved=True,
    ),
    Notebook("phone_bill.ipynb", "month", TRANSFORM | AGGREGATE, saved=True),
    Notebook("plant_nursery.ipynb", "busy", SELECT | TRANSFORM | AGGREGATE | SORT, unstable=True, saved=True),
    Notebook(
        "podcast_guests.ipynb",
        "board",
        SELECT | JOIN | TRANSFORM | AGGREGATE | SORT | GROUPED_MAP,
        saved=True,
    ),
    Notebook("quick_look.ipynb", "stations", Kind.NONE),
    Notebook("recipe_costs.ipynb", "menu", JOIN | TRANSFORM | AGGREGATE | SORT, own=AGGREGATE, saved=True),
    Notebook(
        "rent_arrears.ipynb",
        "worst",
        SELECT | TRANSFORM | AGGREGATE | SORT,
        widened=frozenset({"since"}),
        saved=True,
        slow=True,
    ),
    Notebook("rent_imputation.ipynb", "cheap", SELECT | TRANSFORM | AGGREGATE | SUBQUERY, own=SUBQUERY),
    Notebook(
        "report_cards.ipynb",
        "final",
        JOIN | TRANSFORM | AGGREGATE | SORT,
        own=TRANSFORM,
        unstable=True,
        saved=True,
    ),
    Notebook(
        "restaurant_tags.ipynb", "table", SELECT | TRANSFORM | AGGREGATE, own=SELECT | TRANSFORM, saved=True
    ),
    Notebook("scooter_rides.ipynb", "rides", SELECT | TRANSFORM | AGGREGATE | SORT, saved=True),
    Notebook("seed_bank.ipynb", "bank", JOIN | TRANSFORM | AGGREGATE | SORT, own=TRANSFORM, saved=True),
    Notebook(
        "sensor_alarms.ipynb", "alarms", SELECT | TRANSFORM | SORT | GROUPED_MAP, own=GROUPED_MAP, saved=True
    ),
    Notebook(
        "shipping_delays.ipynb", "late", SELECT | JOIN | TRANSFORM | AGGREGATE, own=TRANSFORM, saved=True
    ),
    Notebook("shop_rfm.ipynb", "rfm", SELECT | TRANSFORM | AGGREGATE, own=TRANSFORM | AGGREGATE, saved=True),
    Notebook("solar_daily.ipynb", "total", TRANSFORM | AGGREGATE, saved=True),
    Notebook(
        "staff_survey.ipynb", "summary", SELECT | TRANSFORM | AGGREGATE, own=TRANSFORM, saved=True, slow=True
    ),
    Notebook(
        "swim_times.ipynb",
        "progress",
        SELECT | TRANSFORM | AGGREGATE | SORT | GROUPED_MAP,
        own=TRANSFORM | AGGREGATE | GROUPED_MAP,
        saved=True,
    ),
    Notebook(
        "taxi_zones.ipynb",
        "zone_stats",
        SELECT | TRANSFORM | AGGREGATE | SUBQUERY,
        own=TRANSFORM | SUBQUERY,
        saved=True,
    ),
    Notebook("textbook_orders.ipynb", "bill", JOIN | TRANSFORM | AGGREGATE, saved=True),
    Notebook("theatre_tickets.ipynb", "stats", SELECT | TRANSFORM | AGGREGATE),
    Notebook("ticket_triage.ipynb", "queue", SELECT | TRANSFORM | SORT, own=TRANSFORM | SORT),
    Notebook(
        "tree_census.ipynb",
        "census",
        SELECT | TRANSFORM | AGGREGATE | GROUPED_MAP,
        own=AGGREGATE,
        unstable=True,
        saved=True,
        slow=True,
    ),
    Notebook("vet_weights.ipynb", "pets", SELECT | TRANSFORM | SORT | SUBQUERY, own=SUBQUERY, ordered=False),
    Notebook("warehouse_restock.ipynb", "to_order", SELECT | TRANSFORM | SUBQUERY, own=SUBQUERY, saved=True),
    Notebook("water_quality.ipynb", "sites", SELECT | JOIN | TRANSFORM | GROUPED_MAP, own=GROUPED_MAP),
    Notebook("weather_months.ipynb", "temps", TRANSFORM | AGGREGATE | GROUPED_MAP, own=TRANSFORM, saved=True),
    Notebook("scripts/bakery_week.py", "report", TRANSFORM | AGGREGATE | SORT, saved=True),
    Notebook(
        "scripts/call_center.py", "agents", SELECT | TRANSFORM | AGGREGATE | SORT, own=AGGREGATE, saved=True
    ),
    Notebook(
        "scripts/crop_yields.py",
        "summary",
        SELECT | TRANSFORM | AGGREGATE | GROUPED_MAP,
        own=GROUPED_MAP,
        saved=True,
    ),
    Notebook("scripts/exam_rooms.py", "plan", JOIN | TRANSFORM | SORT, own=JOIN | TRANSFORM, saved=True),
    Notebook(
        "scripts/factory_shifts.py",
        "summary",
        TRANSFORM | AGGREGATE | SUBQUERY,
        own=TRANSFORM | AGGREGATE | SUBQUERY,
    ),
    Notebook(
        "scripts/job_applicants.py",
        "shortlist",
        TRANSFORM | SORT | GROUPED_MAP,
        own=TRANSFORM | GROUPED_MAP,
        saved=True,
    ),
    Notebook(
        "scripts/parking_fines.py", "owed", SELECT | TRANSFORM | SORT | SUBQUERY, own=SUBQUERY, saved=True
    ),
    Notebook(
        "scripts/payroll.py",
        "payroll",
        SELECT | JOIN | TRANSFORM | AGGREGATE | SORT,
        own=TRANSFORM,
        saved=True,
    ),
    Notebook("scripts/school_lunch.py", "by_class", SELECT | JOIN | TRANSFORM | AGGREGATE, saved=True),
    Notebook("scripts/server_errors.py", "hourly", SELECT | TRANSFORM | AGGREGATE, own=SELECT, saved=True),
)
