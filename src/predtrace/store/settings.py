"""The session in which a stored run is traced: it gives expressions and sources the meaning they had in the run.

What `hour(t)`, a cast, or a line of CSV means depends on the session: on its time zone, on ANSI mode, on many more.
A predicate read in another session could miss rows. So a run keeps what its session was set to, and a trace gets a
session of its own, set the same.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from typing import Any

from pyspark.sql import SparkSession

from predtrace.ir.expressions import Options

_MEANING = "spark.sql."
_ALWAYS = ("spark.sql.session.timeZone", "spark.sql.ansi.enabled", "spark.sql.caseSensitive")
"""Kept even where nobody set them: what they are by default depends on the machine."""
_NOT_KEPT = re.compile(r"\.catalog\.|password|secret|token|credential|access.?key|user", re.IGNORECASE)
_REACHING_OUT = ("reflect", "java_method", "try_reflect")
"""SQL functions that call any Java method. A store is data: none of it may be run."""


def settings_of(session: SparkSession) -> Options:
    """What a session was set to that may give expressions and sources another meaning."""
    chosen = {
        key: value
        for key, value in _all(session).items()
        if key.startswith(_MEANING) and not _NOT_KEPT.search(key) and _is_modifiable(session, key)
    }
    always = {key: str(session.conf.get(key)) for key in _ALWAYS}
    return tuple(sorted({**chosen, **always}.items()))


def _all(session: SparkSession) -> dict[str, str]:
    """Every setting, in one call to Java: each trace asks for them."""
    java: Any = session
    found: dict[str, str] = json.loads(_mapper(java._jvm).writeValueAsString(java.conf._jconf.getAllAsJava()))
    return found


@lru_cache(maxsize=1)
def _mapper(jvm: Any) -> Any:
    """Writes JSON; one for all, for it learns at first how to."""
    return jvm.com.fasterxml.jackson.databind.ObjectMapper()


_MODIFIABLE: dict[str, bool] = {}


def _is_modifiable(session: SparkSession, key: str) -> bool:
    """Whether a session can be given a setting; which is so for all sessions or for none."""
    if key not in _MODIFIABLE:
        _MODIFIABLE[key] = bool(session.conf.isModifiable(key))
    return _MODIFIABLE[key]


def session_like(session: SparkSession, settings: Options) -> SparkSession:
    """A new session beside another one, set as it was in a run, that cannot run code."""
    new = session.newSession()
    for key, value in settings:
        if new.conf.isModifiable(key):
            new.conf.set(key, value)
    registry = new._jsparkSession.sessionState().functionRegistry()
    known = registry.listFunction()
    for position, name in enumerate(known.mkString("\n").split("\n")):
        if name.rsplit(".", 1)[-1] in _REACHING_OUT:
            registry.dropFunction(known.apply(position))
    return new


@contextmanager
def active(session: SparkSession) -> Iterator[None]:
    """Spark reads SQL text by the settings of the active session, whosever rows it is applied to."""
    jvm: Any = session.sparkContext._jvm
    sessions = jvm.org.apache.spark.sql.classic.SparkSession
    before = sessions.getActiveSession()
    sessions.setActiveSession(session._jsparkSession)
    try:
        yield
    finally:
        if before.isDefined():
            sessions.setActiveSession(before.get())
        else:
            sessions.clearActiveSession()
