"""Commands that need no Spark: help, version, completion, clean, doctor, and what is said of a wrong store."""

from __future__ import annotations

import json
import os
import socket
from collections.abc import Callable
from datetime import datetime, timezone
from importlib import metadata
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

import predtrace
from predtrace.cli.app import app
from predtrace.cli.reporting import ExitCode, Report, exit_code, report
from predtrace.errors import (
    EnvironmentProblem,
    NoSuchRow,
    PlanIntegrityError,
    PredtraceError,
    StaleSource,
    StoreProblem,
)

RUNNER = CliRunner(env={"COLUMNS": "200"})
COMMANDS = ("demo", "explain", "run", "trace", "show", "clean", "doctor")


def test_version() -> None:
    assert RUNNER.invoke(app, ["--version"]).stdout.strip() == predtrace.__version__


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help_and_json(command: str) -> None:
    answer = RUNNER.invoke(app, [command, "--help"])
    assert answer.exit_code == 0
    assert "--json" in answer.stdout


def test_the_help_lists_the_exit_codes() -> None:
    said = " ".join(RUNNER.invoke(app, ["--help"]).stdout.split())
    assert all(f"{code.value} " in said.partition("Exit codes:")[2] for code in ExitCode)


def test_the_shell_can_complete() -> None:
    answer = RUNNER.invoke(
        app,
        [],
        prog_name="predtrace",
        env={"_PREDTRACE_COMPLETE": "complete_bash", "COMP_WORDS": "predtrace do", "COMP_CWORD": "1"},
    )
    assert answer.stdout.split() == ["doctor"]


@pytest.mark.parametrize(
    ("problem", "code"),
    [
        (NoSuchRow("x"), ExitCode.NO_SUCH_ROW),
        (StoreProblem("x"), ExitCode.WRONG_INPUT),
        (StaleSource("x"), ExitCode.STALE_SOURCE),
        (EnvironmentProblem("x"), ExitCode.ENVIRONMENT),
        (PlanIntegrityError("x"), ExitCode.BUG),
    ],
)
def test_errors_have_exit_codes(problem: PredtraceError, code: ExitCode) -> None:
    assert exit_code(problem) is code


def failing(problem: Exception) -> Callable[[], Report]:
    def work() -> Report:
        raise problem

    return work


def test_an_unexpected_error_is_a_sentence_too(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(typer.Exit) as ended:
        report(False, failing(ZeroDivisionError("by zero\nmore")))
    assert ended.value.exit_code == ExitCode.BUG
    said = capsys.readouterr().err
    assert "an unexpected ZeroDivisionError: by zero. What to do: please report it" in said
    assert "more" not in said


def test_a_path_that_cannot_be_used_is_wrong_input(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(typer.Exit) as ended:
        report(True, failing(PermissionError(13, "Permission denied", "/nowhere/x")))
    assert ended.value.exit_code == ExitCode.WRONG_INPUT
    assert json.loads(capsys.readouterr().out)["error"]["what"] == "/nowhere/x: Permission denied"


def begun(store: Path, run: str, process: int) -> None:
    (store / run / "results").mkdir(parents=True)
    since = datetime.now(timezone.utc).isoformat()
    started = {"host": socket.gethostname(), "process": process, "since": since}
    (store / run / "started.json").write_text(json.dumps(started))


@pytest.fixture
def store(tmp_path: Path) -> Path:
    """A store with a run that was killed, one that is going on, and a folder that is none of ours."""
    begun(tmp_path, "20260101-000000-dead", 2**22 + 1)  # above the largest process id there is
    begun(tmp_path, "20260101-000000-live", os.getpid())
    (tmp_path / "mine").mkdir()
    return tmp_path


def test_clean_removes_what_killed_runs_left(store: Path) -> None:
    answer = RUNNER.invoke(app, ["clean", str(store)])
    assert answer.exit_code == 0
    assert answer.stdout.splitlines() == [
        "Removed 20260101-000000-dead",
        "Left 20260101-000000-live: it is still running",
    ]
    assert sorted(path.name for path in store.iterdir()) == ["20260101-000000-live", "mine"]


def test_clean_can_only_say_what_it_would_do(store: Path) -> None:
    answer = RUNNER.invoke(app, ["clean", str(store), "--dry-run", "--json"])
    assert json.loads(answer.stdout) == {
        "store": str(store),
        "dry_run": True,
        "removed": [],
        "would_remove": ["20260101-000000-dead"],
        "left_running": ["20260101-000000-live"],
    }
    assert (store / "20260101-000000-dead").exists()


def test_clean_has_nothing_to_do_in_a_clean_store(tmp_path: Path) -> None:
    answer = RUNNER.invoke(app, ["clean", str(tmp_path)])
    assert (answer.exit_code, answer.stdout) == (0, "Nothing to remove: every run is complete.\n")


@pytest.mark.parametrize("command", [["show"], ["clean"], ["trace", "--where", "1 = 1"]])
def test_a_store_that_is_not_there(command: list[str], tmp_path: Path) -> None:
    answer = RUNNER.invoke(app, [*command, str(tmp_path / "none")])
    assert answer.exit_code == 2
    assert "there is no store" in answer.stderr
    assert not (tmp_path / "none").exists()


@pytest.mark.parametrize("command", [["show"], ["trace", "--where", "1 = 1"]])
def test_a_store_without_a_complete_run(command: list[str], store: Path) -> None:
    answer = RUNNER.invoke(app, [*command, str(store)])
    assert answer.exit_code == 2
    assert "holds only runs that were not finished" in answer.stderr


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ('{"predtrace_run": 99}', "the run was saved in format 99"),
        ("{", "the manifest is no JSON"),
        ("[]", "format None"),
        ('{"predtrace_run": 5}', "the manifest is damaged"),
    ],
)
@pytest.mark.parametrize("command", [["show"], ["trace", "--where", "1 = 1"]])
def test_a_store_that_cannot_be_read(command: list[str], content: str, said: str, tmp_path: Path) -> None:
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "manifest.json").write_text(content)
    answer = RUNNER.invoke(app, [*command, str(tmp_path), "--json"])
    assert answer.exit_code == 2
    assert json.loads(answer.stdout)["error"]["kind"] == "StoreProblem"
    assert said in answer.stderr


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["explain", "nowhere.sql"], "there is no file nowhere.sql"),
        (["run", "nowhere.py", "--store", "S"], "there is no file nowhere.py"),
        (["explain", "pyproject.toml"], "neither a query nor a script"),
        (["explain", "query.sql", "--result", "x"], "--result and arguments are for scripts"),
        (["run", "query.sql", "--store", "query.sql"], "query.sql is a file"),
        (["explain", "query.sql", "--data", "nowhere"], "there is no folder nowhere"),
        (["explain", "empty.sql", "--data", "nowhere"], "there is no folder nowhere"),
    ],
)
def test_wrong_input_is_noticed_before_anything_starts(
    arguments: list[str], said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "query.sql").write_text("select 1")
    (tmp_path / "empty.sql").write_text(" \n")
    (tmp_path / "pyproject.toml").touch()
    answer = RUNNER.invoke(app, arguments)
    assert answer.exit_code == 2
    assert said in answer.stderr
    assert sorted(path.name for path in tmp_path.iterdir()) == ["empty.sql", "pyproject.toml", "query.sql"]


def test_doctor_says_which_command_helps(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(metadata, "requires", lambda _: ["no-such-package>=2", "rich<1", "x; extra == 'dev'"])
    answer = RUNNER.invoke(app, ["doctor", "--json"])
    findings = {finding["what"]: finding for finding in json.loads(answer.stdout)["findings"]}
    assert answer.exit_code == 4
    assert findings["no-such-package"]["fix"].endswith("pip install 'no-such-package>=2'")
    assert findings["rich"]["fix"].endswith("pip install 'rich<1'")
    assert "x" not in findings


def test_doctor_finds_this_installation_well() -> None:
    answer = RUNNER.invoke(app, ["doctor"])
    assert answer.exit_code == 0, answer.stdout
    assert "All is well." in answer.stdout
