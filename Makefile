# Every target sets up what it needs. `make demo` and `make test` work from a clean clone.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
STAMP  := $(VENV)/.ready

.PHONY: setup demo test test-all lint bench clean

setup: $(STAMP)

$(STAMP): requirements.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit("graphgauge needs Python 3.11 or newer, this is " + sys.version) if sys.version_info < (3, 11) else None'
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	touch $(STAMP)

demo: setup
	$(BIN)/graphgauge align --out runs/demo

test: setup
	$(BIN)/python -m pytest -n 2 -m "not slow"

test-all: setup
	$(BIN)/python -m pytest -n 2

lint: setup
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

bench: setup
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --ignore-requires-python --no-deps -r benchmarks/requirements.txt
	$(BIN)/python benchmarks/run.py

clean:
	rm -rf $(VENV) runs/demo
