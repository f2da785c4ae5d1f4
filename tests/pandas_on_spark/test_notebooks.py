"""Notebooks and scripts that use pandas, run as they are."""

from __future__ import annotations

import ast
import json
import os
import sys
from pathlib import Path
from typing import Any

import pandas
import pytest
from click.testing import Result
from typer.testing import CliRunner

import predtrace
from predtrace.cli.app import app
from predtrace.cli.imports import libraries_of, uses_pandas
from predtrace.cli.looking import only_shows
from predtrace.cli.notebooks import pieces_of
from predtrace.cli.programs import stored_names
from predtrace.cli.reporting import ExitCode
from predtrace.errors import InputError
from predtrace.frontends.pandas.redirecting import Redirection
from predtrace.frontends.pandas.standing_in import NeedsSkipped, Skipped

RUNNER = CliRunner(env={"COLUMNS": "200"})


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PREDTRACE_CACHE", str(tmp_path / "cache"))


def notebook(folder: Path, *cells: str, name: str = "report.ipynb") -> Path:
    (folder / "orders.csv").write_text("id,who,price\n1,ann,10\n2,bob,\n3,ann,7\n4,cy,3\n")
    path = folder / name
    code = [{"cell_type": "code", "source": cell.splitlines(keepends=True)} for cell in cells]
    path.write_text(json.dumps({"cells": [{"cell_type": "markdown", "source": "text"}, *code]}))
    return path


def invoke(*arguments: object) -> Result:
    answer: Any = RUNNER.invoke(app, [str(argument) for argument in arguments])
    assert answer.exit_code != ExitCode.BUG, answer.output
    return answer  # type: ignore[no-any-return]


def said(answer: Result) -> str:
    return " ".join(answer.stderr.split())


READ = "import pandas as pd\ndf = pd.read_csv('orders.csv')"


def test_lines_for_ipython_are_left_out(tmp_path: Path) -> None:
    path = notebook(
        tmp_path,
        "%matplotlib inline\nimport os\n!pip install x\nfiles = !ls\ndf?\n?df\nif os:\n    %pip list\n",
        "%%time\nx = 1\n%time y = 2",
        "%%bash\nrm -rf /",
        'text = """\n%not a magic\n!\n"""\nz = (7\n % 4)',
        "",
    )
    first, second, third, fourth, fifth = pieces_of(path)
    assert first.file.endswith("report.ipynb[1]")
    assert first.skipped == ("%matplotlib inline", "!pip install x", "files = !ls", "df?", "?df", "%pip list")
    assert first.source.split("\n")[1:4] == ["import os", "pass", "files = get_ipython()"]
    assert (second.source, second.skipped) == ("\nx = 1\ny = 2", ("%%time", "%time y = 2"))
    assert (third.source, third.skipped) == ("", ("%%bash",))
    assert fourth.skipped == fifth.skipped == ()


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("[]", "is no notebook"),
        ("no json", "is no notebook"),
        ('{"cells": [], "metadata": {"language_info": {"name": "R"}}}', "is a notebook in R"),
    ],
)
def test_what_is_no_notebook(tmp_path: Path, content: str, words: str) -> None:
    path = tmp_path / "a.ipynb"
    path.write_text(content)
    with pytest.raises(InputError, match=words):
        pieces_of(path)


def test_an_old_notebook(tmp_path: Path) -> None:
    path = tmp_path / "old.ipynb"
    cells = [{"cell_type": "code", "input": ["x = 1\n", "y = 2"]}]
    path.write_text(json.dumps({"worksheets": [{"cells": cells}]}))
    assert [piece.source for piece in pieces_of(path)] == ["x = 1\ny = 2"]


def test_what_a_program_uses(tmp_path: Path) -> None:
    def program(text: str) -> Path:
        path = tmp_path / "job.py"
        path.write_text(text)
        return path

    (tmp_path / "helper").mkdir()
    (tmp_path / "helper" / "__init__.py").write_text("")
    (tmp_path / "helper" / "spark.py").write_text("def f():\n    from pyspark.sql import SparkSession")
    assert uses_pandas(program("from pandas import DataFrame"))
    assert uses_pandas(program("import os, predtrace.pandas as pd"))
    assert not uses_pandas(program("import pandas\nfrom pyspark.sql import SparkSession"))
    assert not uses_pandas(program("import pandas\nfrom helper import spark"))
    assert not uses_pandas(program("import numpy\nimport predtrace"))
    assert libraries_of(program("def")) == set()


@pytest.mark.parametrize(
    ("statement", "names"),
    [
        ("a, (b, *c) = d", ["a", "b", "c"]),
        ("df['x'].y[0] = df2", ["df"]),
        ("with f() as a: b += 1", ["a", "b"]),
        ("def f():\n    a = 1", []),
        ("if x:\n    y = lambda: (z := 1)", ["y"]),
    ],
)
def test_what_a_statement_sets(statement: str, names: list[str]) -> None:
    assert stored_names(ast.parse(statement).body[0], with_parts=True) == names


def test_what_stands_in_absorbs_everything() -> None:
    plt: Any = Skipped("plt")
    figure, axes = plt.subplots(2, 2)
    first, *_, last = plt.some.values()
    with plt.style.context("x") as style:
        axes[0, 0].plot(1)[0] = 3
    for _ in axes.flat:
        raise AssertionError
    assert all(isinstance(one, Skipped) for one in (figure, first, last, style, plt + 1, 2 * plt, plt > 3))
    assert (f"{plt:.2f}", str(plt), len(plt), bool(plt == 1), [*plt]) == (
        "(skipped)",
        "(skipped)",
        0,
        False,
        [],
    )

    class Model(plt.Module, plt.Mixin):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.own = 1

    assert Model().own == 1
    assert isinstance(Model().fit(3), Skipped)
    import numpy as np
    from pyspark import cloudpickle

    for needs in (lambda: np.array(plt), lambda: cloudpickle.dumps(lambda: plt)):  # type: ignore[no-untyped-call]
        with pytest.raises(NeedsSkipped, match="needs plt"):
            needs()


def test_only_the_program_is_redirected(tmp_path: Path) -> None:
    import predtrace.pandas as ours

    (tmp_path / "beside_the_program.py").write_text("import pandas as pd\nimport statistics")
    redirection = Redirection(ours, {})
    names: dict[str, Any] = {"__builtins__": redirection.builtins}
    program = """
import pandas, numpy as np
import pandas as pd
from pandas import DataFrame, read_csv
from pandas.api.types import is_numeric_dtype
import matplotlib.pyplot as plt
from sklearn.linear_model import *
import beside_the_program
def inside():
    import pandas
    return pandas
"""
    with redirection.modules_beside(tmp_path):
        exec(program, names)
        assert "beside_the_program" in sys.modules
    assert "beside_the_program" not in sys.modules
    assert names["pd"] is names["pandas"] is names["inside"]() is names["beside_the_program"].pd is ours
    assert names["DataFrame"] is ours.DataFrame
    assert names["is_numeric_dtype"] is pandas.api.types.is_numeric_dtype
    assert isinstance(names["plt"], Skipped)
    assert redirection.skipped == {"matplotlib", "sklearn"}
    assert sys.modules["pandas"] is pandas
    with pytest.raises(predtrace.PredtraceError, match=r"import pandas\.io\.json is not supported"):
        exec("from pandas.io.json import json_normalize", names)


def test_a_notebook_is_run_and_traced(spark: Any, tmp_path: Path) -> None:
    path = notebook(
        tmp_path,
        f"%matplotlib inline\n{READ}\nimport matplotlib.pyplot as plt\nfrom sklearn.x import train, LinearModel",
        "df['net'] = df['price'] / 2\ndf.plot()\nplt.figure()\nplt.show()",
        "X, y = train(df)\nmodel = LinearModel().fit(X)\nprint('score: %.1f' % model.score(y))",
        "dear = df[df['net'] > 2]\ndear",
        "dear.columns = list('abcd')  # it was shown before",
        "dear['guess'] = model.predict(dear)\nother = pd.DataFrame({'a': y})\nother",
    )
    folder = Path.cwd()
    answer = invoke("run", path, "--store", tmp_path / "store", "--json")
    assert answer.exit_code == ExitCode.OK, answer.output
    assert Path.cwd() == folder
    document = json.loads(answer.stdout)
    assert [(run["target"], run["rows"], run["exact"]) for run in document["runs"]] == [("dear", 2, True)]
    program = document["program"]
    assert (program["result"], program["chosen"]) == ("dear", "shown in line 2 of report.ipynb[4]")
    skipped = {one["what"]: (one["calls"], one["where"]) for one in program["skipped"]}
    assert skipped["%matplotlib inline"] == (1, "report.ipynb[1]")
    assert skipped["DataFrame.plot"] == (1, "line 2 of report.ipynb[2]")
    assert skipped["matplotlib"] == (2, "line 3 of report.ipynb[2]")
    assert skipped["dear['guess'] = model.predict(dear)"] == (1, "line 1 of report.ipynb[6]")
    assert skipped["other = pd.DataFrame({'a': y})"] == (1, "line 2 of report.ipynb[6]")
    assert "orders" in answer.stderr or "ann" in answer.stderr  # what the notebook shows is not on stdout
    traced = invoke("trace", tmp_path / "store", "--where", "price = 7", "--json")
    assert traced.exit_code == ExitCode.OK, traced.output
    (source,) = json.loads(traced.stdout)["sources"]
    assert (source["name"], [row["row"] for row in source["rows"]]) == ("orders", [2])


def test_what_people_are_told(spark: Any, tmp_path: Path) -> None:
    path = notebook(tmp_path, f"{READ}\nimport seaborn as sns", "sns.barplot(df)\ndf.head()")
    answer = invoke("run", path, "--store", tmp_path / "store")
    assert answer.exit_code == ExitCode.OK, answer.output
    assert "The result is df: a part of it is shown in line 2 of report.ipynb[2]." in answer.stdout
    assert "seaborn" in answer.stdout
    assert "ann" in answer.stdout  # the notebook's own output


@pytest.mark.parametrize(
    ("last", "options", "name", "rows"),
    [
        ("a = df[df['price'] > 5]\nb = df", [], "b", 4),
        ("a = df[df['price'] > 5]\nb = df", ["--result", "a"], "a", 2),
        ("a = df[df['price'] > 5]\nprint(a)\nb = df", [], "a", 2),
        ("a = df[df['price'] > 5]\na.to_csv('out.csv')\nb = df", [], "out.csv", 2),
        ("a = df[df['price'] > 5]\ndisplay(a)\nb = df", [], "a", 2),
        ("a = df[df['price'] > 5]\nfrom IPython.display import display\ndisplay(a);", [], "a", 2),
        ("df['price']", [], "result", 4),
        ("df", ["--result", "df[df['id'] == 1]"], "df[df['id'] == 1]", 1),
    ],
)
def test_which_frame_is_meant(
    spark: Any, tmp_path: Path, last: str, options: list[str], name: str, rows: int
) -> None:
    path = notebook(tmp_path, READ, last)
    answer = invoke("run", path, "--store", tmp_path / "store", "--json", *options)
    assert answer.exit_code == ExitCode.OK, answer.output
    (run,) = json.loads(answer.stdout)["runs"]
    assert (run["target"], run["rows"]) == (name, rows)


def test_what_only_shows_something_is_left_out_where_it_cannot_be_had(spark: Any, tmp_path: Path) -> None:
    path = notebook(
        tmp_path,
        READ,
        "df.T",
        "print(df.sum(axis=1))\ndear = df[df['price'] > 5]",
        "dear\ndear.compare(dear);",
    )
    named = invoke("run", path, "--store", tmp_path / "store", "--result", "dear", "--json")
    assert named.exit_code == ExitCode.OK, named.output
    document = json.loads(named.stdout)
    assert (document["runs"][0]["target"], document["runs"][0]["rows"]) == ("dear", 2)
    left_out = [(one["what"], one["where"]) for one in document["program"]["skipped"]]
    assert left_out == [
        ("df.T", "line 1 of report.ipynb[2]"),
        ("print(df.sum(axis=1))", "line 1 of report.ipynb[3]"),
        ("dear.compare(dear);", "line 2 of report.ipynb[4]"),
    ]
    assert "(not shown: DataFrame.T is not supported: its values would be objects" in said(named)
    # What would have been shown last might be the result that is meant.
    unnamed = invoke("run", path, "--store", tmp_path / "store")
    assert unnamed.exit_code == ExitCode.WRONG_INPUT
    assert "DataFrame.compare is not supported" in said(unnamed)
    assert "name the frame that is meant with --result" in said(unnamed)


@pytest.mark.parametrize(
    ("statement", "only"),
    [
        ("df[df['x'] > 1].groupby('y')['z'].describe().T", True),
        ("print('rows:', len(df), f'{df.x.sum():.2f}')", True),
        ("df['name'].str.upper().value_counts(bins=3)", True),
        ("df.agg({'x': ['min', 'max']})", True),
        ("df.sort_values('x', inplace=False)", False),  # the argument alone: whoever reads it may not be sure
        ("df.insert(0, 'x', 1)", False),
        ("df.to_excel('out.xlsx')", False),
        ("rows.append(df.T)", False),
        ("seen.add(df.T)", False),
        ("df.apply(lambda row: rows.append(row), axis=1)", False),
        ("df.apply(remember, axis=1)", False),
        ("show(df)", False),
        ("df.drop(**options)", False),
        ("[print(one) for one in df]", False),
        ("(total := df.T)", False),
        ("total = df.T", False),
        ("del df", False),
        ("if x:\n    df.T", False),
    ],
)
def test_which_statements_only_show_something(statement: str, only: bool) -> None:
    assert only_shows(ast.parse(statement).body[0]) is only


@pytest.mark.parametrize(
    ("cells", "options", "words"),
    [
        ([READ, "df.insert(0, 'new', df.T)\ndf"], [], "in line 1 of report.ipynb[2]"),
        ([READ, "df\ndf['nothing'] > 1"], [], "raised KeyError: 'nothing', in cell 2, line 2"),
        (["def f(x):\n    return x[7]", "import pandas\nf([])"], [], "in cell 1, line 2"),
        (["import pandas", "x = (1"], [], "in cell 2, line 1"),
        ([READ + "\nimport pandas as pd\npd.read_sql('x')"], [], "in line 4 of report.ipynb[1]"),
        ([READ], ["--result", "nothing"], "give one of: df"),
        ([READ, "x = 1"], ["--result", "x"], "'x' is no DataFrame"),
        (["import pandas"], [], "shows, writes and assigns no frame"),
        (["import pyspark"], [], "does not use pandas alone"),
        ([READ], ["--data", "."], "--data is for queries"),
        (["import pandas\nraise SystemExit(3)"], [], "ended with exit code 3"),
    ],
)
def test_what_is_wrong_is_one_sentence(
    spark: Any, tmp_path: Path, cells: list[str], options: list[str], words: str
) -> None:
    path = notebook(tmp_path, *cells)
    answer = invoke("run", path, "--store", tmp_path / "store", *options)
    assert answer.exit_code == ExitCode.WRONG_INPUT
    assert words in said(answer)


def test_a_script(spark: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    notebook(tmp_path)
    (tmp_path / "prices.py").write_text(
        "from __future__ import annotations\nimport pandas as pd\n\ndef read(path: str) -> pd.DataFrame:\n"
        "    return pd.read_csv(path)\n"
    )
    script = tmp_path / "job.py"
    script.write_text(
        "import sys\nimport pandas as pd\nfrom prices import read\n\ndef main():\n    df = read(sys.argv[1])\n"
        "    assert isinstance(df, pd.DataFrame)\n    return df[df['price'] > 5]\n\n"
        "if __name__ == '__main__':\n    result = main()\n    result.to_csv('out.csv')\n"
    )
    monkeypatch.chdir(tmp_path)
    explained = invoke("explain", script, "--", "orders.csv")
    assert explained.exit_code == ExitCode.OK, explained.output
    assert "Source orders" in explained.stdout
    assert not (tmp_path / "out.csv").exists()
    answer = invoke("run", script, "--store", tmp_path / "store", "--json", "--", "orders.csv")
    assert answer.exit_code == ExitCode.OK, answer.output
    document = json.loads(answer.stdout)
    assert (document["runs"][0]["target"], document["runs"][0]["rows"]) == ("out.csv", 2)
    assert (tmp_path / "out.csv").read_text() == ",id,who,price\n0,1,ann,10.0\n2,3,ann,7.0\n"
    assert os.getcwd() == str(tmp_path)


def test_values_that_leave_and_come_back(spark: Any, tmp_path: Path) -> None:
    path = notebook(tmp_path, READ, "back = pd.DataFrame({'p': df['price'].values})\nback")
    answer = invoke("run", path, "--store", tmp_path / "store")
    assert answer.exit_code == ExitCode.OK, answer.output
    assert "is an opaque step" in " ".join(answer.stdout.split())
    assert "Values left Spark by Series.values in line 1 of report.ipynb[2]." in " ".join(
        answer.stdout.split()
    )
