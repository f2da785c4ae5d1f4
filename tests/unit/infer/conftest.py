"""What tests of inference share."""

from __future__ import annotations

import pytest

from predtrace.infer import verify


@pytest.fixture
def proved_one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have each predicate proved by itself, also where rows stand alone and any predicate will do."""
    monkeypatch.setattr(verify, "pushed_row_by_row", lambda *asked: None)
