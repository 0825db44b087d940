# make demo   set everything up and run the main job on bundled robots
# make test   the tests (under 8 minutes); make test-all adds the long ones
# make lint   formatting, lint, types, import contract, docs that build strictly
# make docs   the documentation in site/;  make bench  the benchmarks;  make records  the page of operation counts
PYTHON ?= python3
# the tests start many Pythons, which would all compile the package anew
unexport PYTHONDONTWRITEBYTECODE
VENV := .venv
BIN := $(VENV)/bin

.PHONY: demo test test-all lint docs bench records format clean
.DELETE_ON_ERROR:

demo: $(VENV)/.installed
	$(BIN)/tauforge demo

test: $(VENV)/.installed-test
	scripts/install-tools
	$(BIN)/python -m pytest -n auto --dist worksteal -m "not slow"

test-all: $(VENV)/.installed-test $(VENV)/.installed-docs $(VENV)/.installed-languages $(VENV)/.installed-bridges
	scripts/install-tools all
	$(BIN)/python -m pytest -n auto --dist worksteal

lint: $(VENV)/.installed-lint docs
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports

format: $(VENV)/.installed-lint
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

# not --quiet: MkDocs would drop warnings before it counts them, and strictness with them
docs: $(VENV)/.installed-docs
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict

bench: $(VENV)/.installed-bench $(VENV)/.installed-peers
	$(BIN)/python -m benchmarks.startup
	$(BIN)/python -m benchmarks.tracing
	$(BIN)/python -m benchmarks.loading
	$(BIN)/python -m benchmarks.loops
	$(BIN)/python -m benchmarks.speed
	$(BIN)/python -m benchmarks.closed_loops
	$(BIN)/python -m benchmarks.parallel
	$(BIN)/python -m benchmarks.closing
	$(BIN)/python -m benchmarks.inverse_geometry
	$(BIN)/python -m benchmarks.rollout
	$(BIN)/python -m benchmarks.mechanisms
	$(BIN)/python -m benchmarks.simulate
	$(BIN)/python -m benchmarks.sweep
	$(BIN)/python -m benchmarks.peers

records: $(VENV)/.installed
	$(BIN)/python -m benchmarks.records -o docs/records.md

clean:
	rm -rf $(VENV) site build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache

$(VENV)/.installed: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade "pip>=25.1"
	$(BIN)/python -m pip install --quiet --editable .
	touch $@

# the libraries to compare with, as many of them as can be installed here
$(VENV)/.installed-peers: $(VENV)/.installed
	for peer in $$($(BIN)/python -c 'from tauforge.bench.compare import PEERS; print(*(p.install for p in PEERS))'); \
	do $(BIN)/python -m pip install --quiet $$peer || echo "$$peer cannot be installed here"; done
	touch $@

# one group of development dependencies each: test, languages, bridges, lint, docs, bench
$(VENV)/.installed-%: $(VENV)/.installed
	$(BIN)/python -m pip install --quiet --group $*
	touch $@
