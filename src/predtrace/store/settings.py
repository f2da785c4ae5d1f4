"""The session in which a stored run is traced: it gives expressions and sources the meaning they had in the run.

What `hour(t)`, a cast, or a line of CSV means depends on the session: on its time zone, on ANSI mode, on many more.
A predicate read in another session could miss rows. So a run keeps what its session was set to, and a trace gets a
session of its own, set the same.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
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
    chosen: Mapping[str, str] = session.conf.getAll
    wanted = [key for key in chosen if key.startswith(_MEANING) and not _NOT_KEPT.search(key)]
    keys = {*_ALWAYS, *(key for key in wanted if session.conf.isModifiable(key))}
    return tuple(sorted((key, str(session.conf.get(key))) for key in keys))


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
