"""Runs a program's own code with our pandas in place of pandas, and with stand-ins for drawings and models.

Only the program's own code is redirected: the script or notebook, and the modules beside it. Their code finds
`__import__` in built-in names of its own; every other module, pyspark among them, has the pandas it was made for.
"""

from __future__ import annotations

import builtins
import importlib
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from pathlib import Path
from types import ModuleType
from typing import Any

from pyspark import cloudpickle

from predtrace.frontends.pandas.core.steps import refused
from predtrace.frontends.pandas.standing_in import Skipped

_DRAWING_AND_TRAINING = (
    "matplotlib mpl_toolkits pylab seaborn plotly bokeh altair folium wordcloud missingno cufflinks plotnine "
    "sklearn xgboost lightgbm catboost statsmodels tensorflow keras torch torchvision transformers imblearn "
    "yellowbrick shap lime eli5 optuna hyperopt prophet fbprophet pmdarima mlxtend tpot "
    "pandas_profiling ydata_profiling sweetviz autoviz graphviz IPython ipywidgets streamlit"
)
_SKIPPED = frozenset(_DRAWING_AND_TRAINING.split())
_OWN_PARTS = ("pandas.api", "pandas.errors", "pandas.tseries", "pandas.testing", "pandas.core.dtypes")
"""The parts of pandas that hold no rows."""


def is_skipped(module: str) -> bool:
    """Whether a module draws, trains or shows, so that programs are run without it.

    >>> is_skipped("sklearn.linear_model"), is_skipped("numpy"), is_skipped("google.colab")
    (True, False, True)
    """
    return module.partition(".")[0] in _SKIPPED or module.startswith("google.colab")


class Redirection:
    """The built-in names for a program's own code. `pandas`: what it gets for pandas; `names`: more of them."""

    def __init__(self, pandas: ModuleType, names: Mapping[str, Any]) -> None:
        self._pandas = pandas
        self._import: Callable[..., Any] = builtins.__import__
        self.skipped: set[str] = set()
        """The modules that were asked for and are stood in for."""
        self.builtins: dict[str, Any] = {**vars(builtins), **names, "__import__": self._imported}
        self._shown = names.get("display")

    def _imported(
        self,
        name: str,
        globals: Mapping[str, Any] | None = None,
        locals: Mapping[str, Any] | None = None,
        fromlist: Sequence[str] | None = (),
        level: int = 0,
    ) -> Any:
        if level == 0 and is_skipped(name):
            top = name.partition(".")[0]
            self.skipped.add(top)
            found = Skipped(name if fromlist else top)
            if name == "IPython.display" and self._shown is not None:
                found.__dict__["display"] = self._shown
            return found
        if level == 0 and name.partition(".")[0] == "pandas":
            return self._part_of_pandas(name, globals, locals, fromlist)
        return self._import(name, globals, locals, fromlist, level)

    def _part_of_pandas(self, name: str, globals: Any, locals: Any, fromlist: Sequence[str] | None) -> Any:
        if name == "pandas.plotting" and fromlist:
            return Skipped(name)
        if name != "pandas" and not name.startswith(_OWN_PARTS):
            raise refused(f"import {name}", "that part of pandas is not made for Spark")
        if name == "pandas" or not fromlist:
            return self._pandas
        return self._import(name, globals, locals, fromlist, 0)

    @contextmanager
    def modules_beside(self, folder: Path) -> Iterator[None]:
        """Redirect the modules in a folder, too, until this ends; then nobody has them any more."""
        finder = _Beside(folder.resolve(), self.builtins)
        sys.meta_path.insert(0, finder)
        importlib.invalidate_caches()
        try:
            yield
        finally:
            sys.meta_path.remove(finder)
            for name in finder.found:
                module = sys.modules.pop(name, None)
                if module is not None:
                    cloudpickle.unregister_pickle_by_value(module)  # type: ignore[no-untyped-call]


class _Beside:
    """Finds the modules of a folder, and those within them, for the program."""

    def __init__(self, folder: Path, names: dict[str, Any]) -> None:
        self._folder = str(folder)
        self._names = names
        self.found: list[str] = []

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        if path is not None and name.partition(".")[0] not in self.found:
            return None
        spec = PathFinder.find_spec(name, [self._folder] if path is None else path)
        if spec is None or type(spec.loader) is not SourceFileLoader:
            return None
        spec.loader = _Loader(spec.loader.name, spec.loader.path, self._names)
        self.found.append(name)
        return spec


class _Loader(SourceFileLoader):
    def __init__(self, name: str, path: str, names: dict[str, Any]) -> None:
        super().__init__(name, path)
        self._names = names

    def exec_module(self, module: ModuleType) -> None:
        module.__dict__["__builtins__"] = self._names
        # Spark's workers do not know the folder: functions of these modules are sent as they are.
        cloudpickle.register_pickle_by_value(module)  # type: ignore[no-untyped-call]
        super().exec_module(module)
