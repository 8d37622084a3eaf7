# Two commands for a stranger: `make run` and `make test`. Everything else is for working on it.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
PIP    := $(BIN)/python -m pip --disable-pip-version-check install --quiet --constraint constraints.txt

.PHONY: run test check contract format bench soak soak-short screenshots recording clean

run: $(VENV)/.run
	@$(BIN)/python -m reviewdeck.cli.first_run

test: check
	@$(BIN)/python -m pytest -n 2

check: $(VENV)/.test
	@$(BIN)/ruff format --check .
	@$(BIN)/ruff check .
	@$(BIN)/mypy
	@PYTHONPATH=core:tui $(BIN)/lint-imports --no-cache

# The real Hermes 0.19, in an environment of its own that nothing else uses; or the one that
# REVIEWDECK_HERMES_PYTHON names.
HERMES := $(or $(REVIEWDECK_HERMES_PYTHON),$(CURDIR)/.venv-contract/bin/python)

contract: $(VENV)/.test $(HERMES)
	@REVIEWDECK_HERMES_PYTHON=$(HERMES) $(BIN)/python -m pytest tests/contract tests/reviewer $(wildcard tests/mcp)

$(CURDIR)/.venv-contract/bin/python:
	@echo "reviewdeck: setting up .venv-contract with hermes-agent 0.19.0; this takes minutes, once" >&2
	@$(PYTHON) -m venv .venv-contract
	@$@ -m pip --disable-pip-version-check install --quiet 'hermes-agent[mcp]==0.19.0' \
		|| { rm -rf .venv-contract; exit 1; }

format: $(VENV)/.test
	@$(BIN)/ruff format .
	@$(BIN)/ruff check --fix .

bench: $(VENV)/.test
	@$(BIN)/python benchmarks/engine_bench.py --write

# An hour, and a slice of it: a watch beside writers, operators and kills. See docs/reliability.md.
soak: $(VENV)/.test
	@$(BIN)/python benchmarks/soak.py --seconds 3600 --write

soak-short: $(VENV)/.test
	@$(BIN)/python benchmarks/soak.py --seconds 300

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
		|| { echo "reviewdeck needs Python 3.11 or newer: make PYTHON=python3.12 $(MAKECMDGOALS)" >&2; exit 1; }
	@$(PYTHON) -m venv $(VENV)

$(VENV)/.run: $(BIN)/python pyproject.toml constraints.txt
	@echo "reviewdeck: setting up $(VENV); this takes half a minute, once" >&2
	@$(subst --quiet,,$(PIP)) --editable .
	@touch $@

$(VENV)/.test: $(BIN)/python pyproject.toml constraints.txt
	@echo "reviewdeck: setting up $(VENV) with the test tools" >&2
	@$(PIP) --editable '.[test]'
	@touch $@ $(VENV)/.run

recording: $(VENV)/.test
	@$(BIN)/python screenshots/record.py

screenshots: $(VENV)/.test
	@$(BIN)/python screenshots/take.py

clean:
	@rm -rf $(VENV) .venv-contract .pytest_cache .mypy_cache .ruff_cache dist build
