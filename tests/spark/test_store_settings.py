"""The session that a stored run is traced in: what is kept for it, and what it cannot do."""

from __future__ import annotations

import pytest
from pyspark.sql import SparkSession
from tests.properties.settings import configured

from predtrace.store.settings import session_like, settings_of


def test_a_store_cannot_run_code(spark: SparkSession) -> None:
    session = session_like(spark, settings_of(spark))
    call = "reflect('java.lang.System', 'getProperty', 'java.version')"
    assert spark.sql(f"select {call}").count() == 1
    for function in (call, f"java_{'method'}{call.removeprefix('reflect')}", f"try_{call}"):
        with pytest.raises(Exception, match="UNRESOLVED_ROUTINE"):
            session.sql(f"select {function}")


def test_settings_have_no_secrets_and_no_catalogs(spark: SparkSession) -> None:
    secrets = {"spark.sql.catalog.x.password": "1", "spark.sql.my.secret": "1"}
    with configured(spark, {**secrets, "spark.sql.legacy.timeParserPolicy": "LEGACY"}):
        kept = dict(settings_of(spark))
    assert kept["spark.sql.session.timeZone"] == "UTC"
    assert not {*secrets, "spark.sql.warehouse.dir"} & set(kept)
    assert kept["spark.sql.legacy.timeParserPolicy"] == "LEGACY"
