"""pandas for notebooks, worked out by Spark: `import predtrace.pandas as pd`.

Every frame can be traced: `predtrace.capture(df).trace(...)` gives the rows of the files that a row was made of.
"""

from __future__ import annotations

import sys

from predtrace.frontends.pandas.frame import DataFrame
from predtrace.frontends.pandas.names import Pandas
from predtrace.frontends.pandas.names import attribute as __getattr__  # noqa: F401 - Python itself calls it
from predtrace.frontends.pandas.series import Series

__all__ = ["DataFrame", "Series"]

sys.modules[__name__].__class__ = Pandas
