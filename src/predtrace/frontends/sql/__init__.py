"""Target rows as a user describes them, read without Spark."""

from predtrace.frontends.sql.coercion import AskSpark
from predtrace.frontends.sql.conditions import target_condition

__all__ = ["AskSpark", "target_condition"]
