# SPDX-License-Identifier: Apache-2.0
# `make demo` sets everything up and runs the main job; `make test` passes the tests. `make help` lists the rest.
PYTHON ?= python3
VENV   ?= .venv
BIN    := $(VENV)/bin
BASE   := $(VENV)/.installed
READY  := $(VENV)/.ready
# Two a core: a third of the tests' time they wait, for testbeds above all. At most 8, of 1 GB each.
WORKERS ?= $(shell nproc | awk '{print ($$1 > 4 ? 8 : 2 * $$1)}')

# pytest keeps the tests as it compiled them (13 s of its start), also where Python is told to keep nothing.
test quick: export PYTHONDONTWRITEBYTECODE :=

.DEFAULT_GOAL := help
.PHONY: help setup demo nightly test quick compare contiki-ng-tests contract bench docs fuzz mutants sizes lint lock wheel clean

help: ## print this list
	@awk -F':.*## ' '/^[a-z-]+:.*## / {printf "  make %-8s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

setup: $(READY) ## create a virtual environment in .venv with everything in it

# What the commands need; the tests need more, Apache Spark with a Java among it.
$(BASE): pyproject.toml requirements.lock
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "Python 3.11 or newer is needed: make PYTHON=/path/to/python3.11 $(MAKECMDGOALS)"; exit 5; }
	@command -v $${CC:-cc} >/dev/null || command -v gcc >/dev/null || command -v clang >/dev/null || \
	  { echo "a C compiler is needed: apt-get install build-essential"; exit 5; }
	@$(PYTHON) -c 'import venv, ensurepip' 2>/dev/null || \
	  { echo "Python's venv module is needed: apt-get install python3-venv"; exit 5; }
	@echo "setting up $(VENV) (once)"
	@$(PYTHON) -m venv $(VENV)
	@PIP_DISABLE_PIP_VERSION_CHECK=1 $(BIN)/pip install --quiet --constraint requirements.lock --editable '.[all]'
	@$(BIN)/python -m compileall -q orchestrator spark/orchestrate_spark
	@touch $@

$(READY): $(BASE)
	@echo "adding what the tests need to $(VENV) (once; a few minutes: Apache Spark is large)"
	@PIP_DISABLE_PIP_VERSION_CHECK=1 $(BIN)/pip install --quiet --constraint requirements.lock --editable '.[test]'
	@touch $@

demo: $(BASE) ## run the aggregation paper's experiments, from scenario file to report
	@$(BIN)/orchestrate paper aggregation --store $(or $(STORE),orchestrate-store)

nightly: $(BASE) ## make a three-minute round of the nightly campaign, give its verdict and show the page: [FILE=nightly.yaml] [STORE=orchestrate-store]
	@$(BIN)/orchestrate nightly $(or $(FILE),nightly-short.yaml) --store $(or $(STORE),orchestrate-store) --no-report --open

test: $(READY) ## run the tests; skipped ones say why [ORCHESTRATE_TESTS=all: also what is left to CI]
	@$(BIN)/python -m pytest -n $(WORKERS) -rs tests

quick: $(READY) ## run the tests that compile nothing and start no Spark (for every save)
	@ORCHESTRATE_QUICK=1 $(BIN)/python -m pytest -n 2 -m 'not spark and not browser and not docker' tests

compare: $(READY) ## compare a real Cooja with the embedded engine, byte for byte: COOJA="[RULES=]PATH ..." CONTIKI_NG=TREE [WRITE=1] [ONLY=TEXT]
	@$(BIN)/python -m tools.compare $(addprefix --cooja ,$(COOJA)) $(addprefix --contiki ,$(CONTIKI_NG)) $(if $(ONLY),--only '$(ONLY)') $(if $(WRITE),--write)

contract: $(READY) ## compare every application on the embedded Contiki and on a Contiki-NG tree: CONTIKI_NG=TREE [STORE=contract-store] [WRITE=1] [ONLY=TEXT]
	@$(BIN)/python -m tools.contract $(addprefix --contiki ,$(CONTIKI_NG)) --store $(or $(STORE),contract-store) $(if $(ONLY),--only '$(ONLY)') $(if $(WRITE),--write)

bench: $(READY) ## measure the speed targets, as ratios taken side by side in one run
	@$(BIN)/python -m tools.bench

contiki-ng-tests: $(READY) ## run Contiki-NG's own tests on both engines (half an hour): COOJA=PATH CONTIKI_NG=TREE
	@$(BIN)/python -m tools.compare --part contiki-ng-tests $(addprefix --cooja ,$(COOJA)) $(addprefix --contiki ,$(CONTIKI_NG)) --write

fuzz: $(READY) ## fuzz scenarios, .csc files and logs, guided by coverage, four minutes each (pip install -e '.[fuzz]' first)
	@$(BIN)/python -m tools.fuzz

mutants: $(READY) ## make small changes in a part, one at a time, and see whether its tests notice: AREA=spark [COUNT=15] [SEED=1] [ONLY=FILE:LINE] (pip install -e '.[mutants]' first)
	@$(BIN)/python -m tools.mutants $(AREA) $(if $(COUNT),--count $(COUNT)) $(if $(SEED),--seed $(SEED)) $(if $(ONLY),--only '$(ONLY)')

docs: $(READY) ## build the documentation site in site/; a broken link ends it
	@$(BIN)/python -c 'import mkdocs, mkdocstrings, material' 2>/dev/null || \
	  PIP_DISABLE_PIP_VERSION_CHECK=1 $(BIN)/pip install --quiet --constraint requirements.lock --editable '.[docs]'
	@$(BIN)/python -m tools.docs

sizes: $(READY) ## print code size and RAM of the middleware on a Cortex-M3, an AVR and an MSP430
	@$(BIN)/orchestrate sizes
	@$(BIN)/orchestrate sizes aggregation

lint: $(READY) ## check the Python sources with ruff: rules and format
	@$(BIN)/ruff check orchestrator spark testbed tests tools
	@$(BIN)/ruff format --check --quiet orchestrator spark testbed tests tools || { echo 'Not in the format of ruff format: run .venv/bin/ruff format orchestrator spark testbed tests tools' >&2; exit 1; }

lock: $(READY) ## renew requirements.lock from what .venv holds
	@$(BIN)/pip freeze --exclude-editable | grep -v '^cooja-orchestrate' > requirements.lock

wheel: $(READY) ## build a wheel in dist/, without network; the same sources make the same bytes
	@$(BIN)/pip wheel --quiet --no-deps --no-build-isolation --wheel-dir dist .
	@ls dist/*.whl

clean: ## remove what was built here (but not the store of runs)
	@rm -rf $(VENV) dist build *.egg-info
