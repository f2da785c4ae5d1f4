"""Running a script as the program, without Spark."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from predtrace.cli.scripts import run_script, session_kept
from predtrace.errors import InputError


def script(folder: Path, text: str) -> Path:
    path = folder / "job.py"
    path.write_text(text)
    return path


def test_a_script_is_the_program(tmp_path: Path) -> None:
    (tmp_path / "beside.py").write_text("value = 7")
    text = (
        "import sys, beside, __main__\nmine = 1\nseen = (__name__, sys.argv[1:], beside.value, __main__.mine)"
    )
    before = sys.modules["__main__"], list(sys.argv), list(sys.path)
    found = run_script(script(tmp_path, text), ["a", "--b"], quiet=False)
    assert found["seen"] == ("__main__", ["a", "--b"], 7, 1)
    assert (sys.modules["__main__"], sys.argv, sys.path) == before


def test_what_a_script_leaves_survives_its_exit(tmp_path: Path) -> None:
    assert run_script(script(tmp_path, "import sys\nx = 1\nsys.exit()"), [], quiet=False)["x"] == 1


@pytest.mark.parametrize(
    ("text", "words"),
    [("raise SystemExit(3)", "exit code 3"), ("exit('why')", "exit code 1"), ("x =", "raised SyntaxError")],
)
def test_a_script_that_fails(tmp_path: Path, text: str, words: str) -> None:
    with pytest.raises(InputError, match=words):
        run_script(script(tmp_path, text), [], quiet=False)


def test_what_a_script_prints_can_be_kept_off_stdout(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run_script(script(tmp_path, "print('hello')"), [], quiet=True)
    assert tuple(capsys.readouterr()) == ("", "hello\n")


def test_a_session_is_stopped_once_its_frames_were_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    stopped: list[SparkSession] = []
    monkeypatch.setattr(SparkSession, "stop", lambda session: stopped.append(session))
    session = object.__new__(SparkSession)
    with session_kept():
        session.stop()
        session.stop()
        assert stopped == []
    assert stopped == [session]
