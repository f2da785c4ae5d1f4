# Works with Python 3.10+ (with venv) and make alone: no Java, no uv, nothing activated.
.DEFAULT_GOAL := help
.PHONY: help setup demo test lint format types layers pytest soak kill bench-stored bench-unsaved lock clean

PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
STAMP  := $(VENV)/.installed

# The same on every machine: order of sets and the meaning of a time without a zone.
export PYTHONHASHSEED := 0
export TZ := UTC

help: ## Show this help
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /|/' | awk -F'|' '{printf "  make %-13s %s\n", $$1, $$2}'

setup: $(STAMP) ## Create .venv with the locked dependencies and predtrace itself

# pip's own version comes with Python's venv, so that nothing outside the lock is needed.
$(STAMP): requirements.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 10))' \
		|| { echo "Python 3.10 or newer is needed; say which: make PYTHON=python3.11 setup"; exit 1; }
	@echo "== setup: $(VENV) with the locked dependencies (about 1.3 GB, a few minutes the first time)"
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-build-isolation --no-deps -e .
	@touch $@

demo: setup ## Trace one row of TPC-H query 4, on data generated here
	@$(BIN)/predtrace demo

test: setup lint layers types pytest ## Everything that must hold: lint, layers, types, tests
	@echo "== all good"

lint: setup ## Check style and formatting
	@echo "== lint: ruff"
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .

format: setup ## Rewrite the files in the agreed style
	@$(BIN)/ruff check --fix .
	@$(BIN)/ruff format .

layers: setup ## Check that imports go down the house only
	@echo "== layers: import-linter"
	@$(BIN)/lint-imports

types: setup ## Check types strictly
	@echo "== types: mypy --strict"
	@$(BIN)/mypy

pytest: setup ## Run all tests and docstring examples (arguments: make pytest ARGS='-k session')
	@echo "== tests: pytest"
	@$(BIN)/python -m pytest -n 2 --dist worksteal $(ARGS)

soak: setup ## Check every TPC-H row, the whole corpus and generated pipelines (make soak ROUNDS=25 SEED=1)
	@echo "== soak: every TPC-H row, the whole corpus and generated pipelines"
	@PREDTRACE_FULL=1 PREDTRACE_ROUNDS=$(or $(ROUNDS),25) PREDTRACE_SEED=$(or $(SEED),$(shell date +%s)) \
		$(BIN)/python -m pytest -n 2 --dist worksteal -rP $(ARGS) \
		$(addprefix tests/spark/test_,reference_tpch.py reference_corpus.py predicate_corpus.py refinement.py) \
		$(addprefix tests/spark/test_,duckdb_traces.py golden_plans.py jobs.py) tests/properties

kill: setup ## Kill processes that run into a store, at random moments (make kill KILLS=50)
	@echo "== kill: runs into a store"
	@PREDTRACE_KILLS=$(or $(KILLS),50) $(BIN)/python -m pytest tests/soak/kill_runs.py -rP $(ARGS)

bench-stored: setup ## What stored runs cost and what their traces take (make bench-stored SF=1)
	@$(BIN)/python benchmarks/stored_traces.py --sf $(or $(SF),1) $(ARGS)

bench-unsaved: setup ## What traces take when nothing was saved (make bench-unsaved SF=1)
	@$(BIN)/python benchmarks/unsaved_traces.py --sf $(or $(SF),1) $(ARGS)

lock: setup ## Write requirements.lock anew from pyproject.toml
	@$(BIN)/uv pip compile pyproject.toml --extra dev --universal --python-version 3.10 --quiet \
		--no-header --no-annotate --no-emit-index-url --no-emit-find-links --upgrade -o requirements.lock
	@! grep -nE 'https?:|file:|--|/' requirements.lock

clean: ## Remove .venv and everything the tools left behind (not the data cache)
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache \
		build dist spark-warehouse metastore_db derby.log
	find src tests -name __pycache__ -type d -prune -exec rm -rf {} +
