"""Which of the programs a usual run looks at: one in twenty, always the same ones; all with `PREDTRACE_FULL=1`."""

from __future__ import annotations

import os
import zlib
from pathlib import Path

import pytest

ONE_IN = 1 if os.environ.get("PREDTRACE_FULL") else 20
_HERE = Path(__file__).parent


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out programs of this folder, unless they were asked for by name."""
    if ONE_IN == 1 or any("::" in argument for argument in config.args):
        return
    left_out = [item for item in items if _HERE in item.path.parents and not _is_chosen(item)]
    config.hook.pytest_deselected(items=left_out)
    items[:] = [item for item in items if item not in set(left_out)]


def _is_chosen(item: pytest.Item) -> bool:
    return zlib.crc32(item.name.encode()) % ONE_IN == 0
