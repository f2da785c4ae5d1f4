"""The notebooks do what they should with plain pandas, so that what another pandas gives can be compared with it."""

from __future__ import annotations

import ast
import json
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from pandas.core.sorting import nargsort
from tests.notebooks.catalogue import NOTEBOOKS, Kind, Notebook
from tests.notebooks.long_notebook import RESULT, long_notebook
from tests.notebooks.running import FOLDER, cells, run

each = pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda notebook: Path(notebook.file).stem)

Table = Any  # a frame or a series: pandas has no types
Sort = Callable[..., Any]

MADE_BY = {
    Kind.JOIN: {"merge", "join", "combine_first"},
    Kind.AGGREGATE: {
        "groupby",
        "pivot",
        "crosstab",
        "value_counts",
        "resample",
        "mean",
        "median",
        "quantile",
    },
    Kind.SORT: {"sort_values", "sort_index", "nlargest"},
    Kind.SUBQUERY: {"iterrows", "itertuples", "apply"},
    Kind.GROUPED_MAP: {"transform", "apply", "filter"},
}
"""The calls of pandas that a kind comes from."""


def test_every_notebook_is_in_the_catalogue() -> None:
    found = {path.name for path in FOLDER.glob("*.ipynb")} | {
        f"scripts/{path.name}" for path in (FOLDER / "scripts").glob("*.py")
    }
    assert [notebook.file for notebook in NOTEBOOKS] == sorted(found, key=lambda file: ("/" in file, file))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the notebooks run."""
    return tmp_path_factory.mktemp("notebooks")


@each
def test_runs_with_its_result_and_its_warnings(notebook: Notebook, folder: Path) -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        found = run(notebook.file, folder, display=repr)[notebook.result]
    assert {one.category.__name__ for one in caught} == notebook.warns
    assert isinstance(found, (pd.DataFrame, pd.Series))
    assert len(found)
    for label, column in columns_of(found).items():
        assert is_plain(column), f"{label}: {column.dtype} {column.tolist()[:5]}"


@each
@pytest.mark.filterwarnings("ignore")
def test_order_is_defined_or_is_said_not_to_be(
    notebook: Notebook, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept, swapped = (result_with(sort, notebook, folder, monkeypatch) for sort in (equal_kept, equal_swapped))
    assert kept.equals(swapped) == notebook.ordered
    if not notebook.ordered:
        # Only the order may differ, not the rows.
        kept, swapped = (one.sort_values(list(one.columns), ignore_index=True) for one in (kept, swapped))
        assert kept.equals(swapped)


@each
def test_kinds_are_in_the_code(notebook: Notebook) -> None:
    tree = ast.parse("\n".join(cells(notebook.file)))
    called = {name for node in ast.walk(tree) for name in methods_called(node)}
    for kind, names in MADE_BY.items():
        assert not notebook.kinds & kind or called & names, kind
    assert notebook.own in notebook.kinds
    own_code = (ast.Lambda, ast.FunctionDef, ast.For)
    assert not notebook.own or any(isinstance(node, own_code) for node in ast.walk(tree))


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.ipynb")), ids=lambda path: path.stem)
def test_is_a_notebook_that_jupyter_opens(path: Path) -> None:
    book = json.loads(path.read_text(encoding="utf-8"))
    assert set(book) == {"cells", "metadata", "nbformat", "nbformat_minor"}
    assert book["nbformat"] == 4
    for cell in book["cells"]:
        expected = {"cell_type", "metadata", "source"}
        if cell["cell_type"] == "code":
            expected |= {"execution_count", "outputs"}
        if book["nbformat_minor"] >= 5:
            expected |= {"id"}
        assert set(cell) == expected


def test_few_need_a_saved_result_or_much_time() -> None:
    """What `test_on_spark` finds of each notebook; the paper saves results for 5 of 70."""
    assert 12 * sum(notebook.unstable for notebook in NOTEBOOKS) <= len(NOTEBOOKS)
    assert 10 * sum(notebook.slow for notebook in NOTEBOOKS) <= len(NOTEBOOKS)


IN_THE_PAPER = {
    Kind.SELECT: ("selection", 42),
    Kind.JOIN: ("join", 22),
    Kind.TRANSFORM: ("row transform", 59),
    Kind.AGGREGATE: ("aggregation", 38),
    Kind.SORT: ("compare (sort)", 22),
    Kind.SUBQUERY: ("row-iterating subquery", 8),
    Kind.GROUPED_MAP: ("grouped map", 9),
}


def test_the_table_of_kinds_is_that_of_the_catalogue() -> None:
    page = (FOLDER.parents[1] / "docs" / "pandas.md").read_text(encoding="utf-8")
    for kind, (name, in_paper) in IN_THE_PAPER.items():
        ours = sum(kind in notebook.kinds for notebook in NOTEBOOKS)
        own = sum(kind in notebook.own for notebook in NOTEBOOKS)
        assert f"| {name} | {in_paper} | {ours} | {own} |" in page


@pytest.mark.parametrize("operators", [1, 20, 200])
def test_long_notebook_runs(operators: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(FOLDER)
    code = long_notebook(operators)
    variables: dict[str, Any] = {}
    exec(code, variables)
    assert len(variables[RESULT]) > 30
    assert len(ast.parse(code).body) == len(ast.parse(long_notebook(0)).body) + operators


def result_with(sort: Sort, notebook: Notebook, folder: Path, monkeypatch: pytest.MonkeyPatch) -> Table:
    """What a notebook gives where pandas sorts by one key in this way."""
    for module in ("frame", "series"):
        monkeypatch.setattr(f"pandas.core.{module}.nargsort", sort)
    return run(notebook.file, folder)[notebook.result]


def equal_kept(items: Any, kind: str = "quicksort", *args: Any, **kwargs: Any) -> Any:
    """A sort that keeps rows of equal keys as they are."""
    return nargsort(items, "stable" if kind == "quicksort" else kind, *args, **kwargs)


def equal_swapped(items: Any, kind: str = "quicksort", *args: Any, **kwargs: Any) -> Any:
    """A sort that puts the last row of equal keys first, which numpy's default sort may do."""
    if kind != "quicksort":
        return nargsort(items, kind, *args, **kwargs)
    return len(items) - 1 - nargsort(items[::-1], "stable", *args, **kwargs)


def columns_of(table: Table) -> dict[Any, pd.Series]:
    """The columns of a result, and the levels of its index."""
    levels = {
        f"index {at}": table.index.get_level_values(at).to_series() for at in range(table.index.nlevels)
    }
    return {**levels, **(dict(table.items()) if isinstance(table, pd.DataFrame) else {table.name: table})}


def is_plain(column: pd.Series) -> bool:
    """Whether a column has numbers, bools, texts, moments or categories of texts, and nothing else."""
    if isinstance(column.dtype, pd.CategoricalDtype):
        column = column.cat.categories.to_series()
    if column.dtype == object:
        return all(isinstance(value, str) for value in column.dropna())
    return column.dtype.kind in "biufM"


def methods_called(node: ast.AST) -> Iterator[str]:
    """The name of the method that a node calls, if it is not one of a text."""
    match node:
        case ast.Call(func=ast.Attribute(value=of, attr=name)) if not isinstance(of, ast.Constant):
            yield name
