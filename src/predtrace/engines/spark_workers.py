"""The Python processes in which Spark calls functions, so that others can call them in processes alike."""

from __future__ import annotations

import os
import sys
from functools import lru_cache
from pathlib import Path
from typing import Any

import pyspark
from pyspark import SparkContext, cloudpickle

from predtrace.engines.python_functions import Place

_SEED, _PATH = "PYTHONHASHSEED", "PYTHONPATH"


class NoSuchWorker(Exception):
    """Functions run where, or with what, only Spark can run them. The message says what that is."""


def worker() -> Place:
    """How the running Spark starts processes here; if there is none, how one would that is started now."""
    context = SparkContext._active_spark_context
    environment = dict(os.environ)
    python, folder, own = os.environ.get("PYSPARK_PYTHON", sys.executable), os.getcwd(), {}
    if context is None:
        own = {_SEED: os.environ.get(_SEED, "0")}
    else:
        master = str(context.master)
        if master != "local" and not master.startswith("local["):
            raise NoSuchWorker("other machines")
        if context._python_includes:
            raise NoSuchWorker("files that were sent to its workers")
        folder, found = _of_java(context)
        environment = dict(found)
        python, own = context.pythonExec, context.environment
    path = [place[_PATH] for place in (own, environment) if place.get(_PATH)]
    environment |= {**own, **({_PATH: os.pathsep.join(path)} if path else {})}
    packages = str(Path(pyspark.__file__).parents[1])
    return Place(python, folder, tuple(sorted(environment.items())), packages)


@lru_cache(maxsize=1)
def _of_java(context: SparkContext) -> tuple[str, dict[str, str]]:
    """The folder and the environment that Spark started in. It hands them on; they do not change."""
    system: Any = context._jvm.java.lang.System  # type: ignore[union-attr]
    environment = {str(name): str(value) for name, value in dict(system.getenv()).items()}
    return str(system.getProperty("user.dir")), environment


def pickled(function: Any) -> bytes:
    """A function for such a process, pickled as Spark does."""
    code = bytes(cloudpickle.dumps(function))  # type: ignore[no-untyped-call]
    context = SparkContext._active_spark_context
    if context is not None and list(context._pickled_broadcast_vars):
        context._pickled_broadcast_vars.clear()
        raise NoSuchWorker("a broadcast variable")
    return code
