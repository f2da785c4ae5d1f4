# Works with Python 3.10+ (with venv) and make alone: no Java, no uv, nothing activated.
.DEFAULT_GOAL := help
.PHONY: help setup setup-bench demo test lint format types layers pytest soak kill bench bench-stored bench-unsaved \
	bench-growth bench-report lock clean

PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
STAMP  := $(VENV)/.installed
BENCH_STAMP := $(VENV)/.installed-bench

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

setup-bench: $(BENCH_STAMP) ## The same, and what draws the pictures of the evaluation

$(BENCH_STAMP): requirements-bench.lock $(STAMP)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements-bench.lock
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
		$(addprefix tests/spark/test_,duckdb_traces.py golden_plans.py jobs.py baselines.py) tests/properties \
		tests/pandas_on_spark tests/notebooks

kill: setup ## Kill processes that run into a store, at random moments (make kill KILLS=50)
	@echo "== kill: runs into a store"
	@PREDTRACE_KILLS=$(or $(KILLS),50) $(BIN)/python -m pytest tests/soak/kill_runs.py -rP $(ARGS)

BENCH = $(BIN)/python -m benchmarks --sf $(or $(SF),1) $(if $(QUERIES),--queries $(QUERIES)) $(if $(QUICK),--quick) \
	$(ARGS)

bench: setup-bench ## The whole evaluation, with baselines (make bench SF="0.1 1 10" QUERIES="1 3"; QUICK=1: 5 minutes)
	@$(BENCH)
	@$(BIN)/python -m benchmarks.reporting $(if $(QUICK),--report benchmarks/report/quick)

bench-stored: setup ## Of it: what stored runs cost and what their traces take (make bench-stored SF=1)
	@$(BENCH) --only stored

bench-unsaved: setup ## Of it: what traces take when nothing was saved (make bench-unsaved SF=1)
	@$(BENCH) --only unsaved

bench-growth: setup ## Of it: what larger tables change, without baselines (make bench-growth SF=10 QUERIES="3 4 12")
	@$(BENCH) --only growth

bench-report: setup-bench ## Write pictures, page and the README's table anew from the figures that are there
	@$(BIN)/python -m benchmarks.reporting --readme

COMPILE = $(BIN)/uv pip compile pyproject.toml --universal --python-version 3.10 --quiet \
	--no-header --no-annotate --no-emit-index-url --no-emit-find-links

lock: setup ## Write requirements.lock and requirements-bench.lock anew from pyproject.toml
	@$(COMPILE) --extra dev --upgrade -o requirements.lock
	@$(COMPILE) --extra dev --extra bench --constraint requirements.lock --upgrade -o requirements-bench.lock
	@! grep -nE 'https?:|file:|--|/' requirements.lock requirements-bench.lock

clean: ## Remove .venv and everything the tools left behind (not the data cache)
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache \
		build dist spark-warehouse metastore_db derby.log
	find src tests -name __pycache__ -type d -prune -exec rm -rf {} +
