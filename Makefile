# `make run` starts reviewdeck and `make test` tests it. All other targets are for its developers.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
PIP    := python -m pip --disable-pip-version-check install --quiet --quiet
LOCKED := --require-hashes --requirement
# The project itself has no hash, and its build fetches nothing.
HERE   := --no-deps --no-build-isolation --editable .

.PHONY: run test pytest explore check contract contract-hermes contract-claude contract-qwen contract-codex contract-gemini contract-opencode contract-openclaw format bench growth soak soak-short screenshots recording clean \
	dist smoke uvx sdist-test inventory docs lock newest lowest

run: $(VENV)/.run
	@$(BIN)/python -m reviewdeck.cli.first_run

test: check pytest

pytest: $(VENV)/.test
	@$(BIN)/python -m pytest -n logical --dist worksteal

# Looks for examples that break a law elsewhere than `make test`, which tries the same ones each time.
explore: $(VENV)/.test
	@$(BIN)/python -m pytest -n logical --dist worksteal --hypothesis-profile=explore

check: $(VENV)/.test
	@$(BIN)/ruff format --check .
	@$(BIN)/ruff check .
	@$(BIN)/codespell *.md docs findings core tui release
	@$(BIN)/mypy
	@PYTHONPATH=core:tui $(BIN)/lint-imports --no-cache

# The contract tests use a real agent in an environment of its own: `make contract AGENT=claude VERSION=2.1.330`.
AGENT ?= hermes

contract: contract-$(AGENT)

# Hermes in the version VERSION, or whatever the Python that REVIEWDECK_HERMES_PYTHON names has installed.
HERMES_VERSION := $(or $(VERSION),0.19.0)
HERMES := $(or $(REVIEWDECK_HERMES_PYTHON),$(CURDIR)/.venv-contract-$(HERMES_VERSION)/bin/python)

contract-hermes: $(VENV)/.test $(HERMES)
	@REVIEWDECK_HERMES_PYTHON=$(HERMES) $(BIN)/python -m pytest tests/contract tests/reviewer $(wildcard tests/mcp)

# The hash holds for Hermes itself, which pins what it needs.
HERMES_PINNED := tests/contract/hermes-$(HERMES_VERSION).txt
$(CURDIR)/.venv-contract-$(HERMES_VERSION)/bin/python: | $(HERMES_PINNED)
	@echo "reviewdeck: setting up .venv-contract-$(HERMES_VERSION) with Hermes; this takes minutes, once" >&2
	@$(PYTHON) -m venv .venv-contract-$(HERMES_VERSION)
	@$@ -m pip --disable-pip-version-check install --quiet --no-deps $(LOCKED) $(HERMES_PINNED) \
		&& $@ -m pip --disable-pip-version-check install --quiet "$$(sed -n 's/==\([^ ]*\) .*/[mcp]==\1/p' $(HERMES_PINNED))" \
		|| { rm -rf .venv-contract-$(HERMES_VERSION); exit 1; }

# Claude Code from npm in the version VERSION, or the one that REVIEWDECK_CLAUDE names. It is proprietary.
CLAUDE_VERSION := $(or $(VERSION),2.1.332)
CLAUDE := $(or $(REVIEWDECK_CLAUDE),$(CURDIR)/.claude-contract/$(CLAUDE_VERSION)/package/claude)

contract-claude: $(VENV)/.test $(CLAUDE)
	@REVIEWDECK_CLAUDE=$(CLAUDE) $(BIN)/python -m pytest $(wildcard tests/contract/test_claude_*.py) tests/contract/test_reading.py

$(CURDIR)/.claude-contract/$(CLAUDE_VERSION)/package/claude:
	@mkdir -p .claude-contract/$(CLAUDE_VERSION)
	@cd .claude-contract/$(CLAUDE_VERSION) && npm pack --silent @anthropic-ai/claude-code-linux-x64@$(CLAUDE_VERSION) >/dev/null
	@tar -xzf .claude-contract/$(CLAUDE_VERSION)/*.tgz -C .claude-contract/$(CLAUDE_VERSION)

# Qwen Code from npm in the version VERSION, with a Node that is new enough for it.
QWEN_VERSION := $(or $(VERSION),0.24.4)
QWEN := $(or $(REVIEWDECK_QWEN),$(CURDIR)/.agents-contract/qwen/node_modules/.bin/qwen)

contract-qwen: $(VENV)/.test
	@npm install --silent --no-audit --no-fund --prefix .agents-contract/qwen node@24 @qwen-code/qwen-code@$(QWEN_VERSION)
	@REVIEWDECK_QWEN=$(QWEN) $(BIN)/python -m pytest $(wildcard tests/contract/test_qwen*.py)

# Agents of which mostly the reading of skills is checked. Some need a newer Node than the
# system has, already to be installed.
CODEX_VERSION ?= 0.171.0
GEMINI_VERSION ?= 0.61.0
OPENCODE_VERSION ?= 1.18.33
OPENCLAW_VERSION ?= 2026.9.6
contract-codex: PACKAGE := @openai/codex@$(CODEX_VERSION)
contract-gemini: PACKAGE := @google/gemini-cli@$(GEMINI_VERSION)
contract-opencode: PACKAGE := opencode-ai@$(OPENCODE_VERSION)
contract-openclaw: PACKAGE := node@24 openclaw@$(OPENCLAW_VERSION)
contract-codex contract-gemini contract-opencode contract-openclaw: contract-%: $(VENV)/.test
	@for each in $(PACKAGE); do \
		PATH=$(CURDIR)/.agents-contract/$*/node_modules/.bin:$$PATH \
			npm install --silent --no-audit --no-fund --prefix .agents-contract/$* $$each || exit 1; done
	@PATH=$(CURDIR)/.agents-contract/$*/node_modules/.bin:$$PATH \
		REVIEWDECK_$(shell echo $* | tr a-z A-Z)=$(CURDIR)/.agents-contract/$*/node_modules/.bin/$* \
		$(BIN)/python -m pytest tests/contract/test_reading.py $(wildcard tests/contract/test_$*_*.py)

# Of what letta-code needs, npm does not have these three; it runs without them.
LETTA_VERSION ?= 0.32.18
LETTA := .agents-contract/letta
LETTA_MISSING := @janhapke/sharp-electron @letta-ai/letta-agent-sdk @letta-ai/trajectory
contract-letta: $(VENV)/.test
	@mkdir -p $(LETTA)/none
	@echo '{"name": "none", "version": "0.0.0"}' > $(LETTA)/none/package.json
	@echo '{"overrides": {$(patsubst %,"%": "file:none"$(COMMA),$(LETTA_MISSING)) "none": "0.0.0"}}' > $(LETTA)/package.json
	@npm install --silent --no-audit --no-fund --prefix $(LETTA) @letta-ai/letta-code@$(LETTA_VERSION)
	@REVIEWDECK_LETTA=$(CURDIR)/$(LETTA)/node_modules/.bin/letta $(BIN)/python -m pytest tests/contract/test_reading.py
COMMA := ,

format: $(VENV)/.test
	@$(BIN)/ruff format .
	@$(BIN)/ruff check --fix .

bench: $(VENV)/.test
	@$(BIN)/python benchmarks/engine_bench.py --write

# Whether any pattern takes more than in proportion to its text.
growth: $(VENV)/.test
	@$(BIN)/python -m benchmarks.growth

# Runs a watch beside writers, operators and kills, for an hour or five minutes. See docs/internals/reliability.md.
soak: $(VENV)/.test
	@$(BIN)/python benchmarks/soak.py --seconds 3600 --write

soak-short: $(VENV)/.test
	@$(BIN)/python benchmarks/soak.py --seconds 300

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
		|| { echo "reviewdeck needs Python 3.11 or newer: make PYTHON=python3.12 $(MAKECMDGOALS)" >&2; exit 1; }
	@echo "reviewdeck: 1 of 3: an environment of its own, $(VENV)" >&2
	@$(PYTHON) -m venv $(VENV)

# --no-compile saves a third of the time: Python compiles each module on its first import, and many are never imported.
$(VENV)/.run: $(BIN)/python pyproject.toml constraints-run.txt
	@echo "reviewdeck: 2 of 3: what it needs goes into $(VENV); half a minute, once" >&2
	@$(BIN)/$(PIP) --no-compile $(LOCKED) constraints-run.txt
	@echo "reviewdeck: 3 of 3: reviewdeck itself" >&2
	@$(BIN)/$(PIP) $(HERE)
	@touch $@

$(VENV)/.test: $(BIN)/python pyproject.toml constraints.txt
	@echo "reviewdeck: setting up $(VENV) with the test tools" >&2
	@$(BIN)/$(PIP) $(LOCKED) constraints.txt
	@$(BIN)/$(PIP) $(HERE)
	@touch $@ $(VENV)/.run

# Builds the release twice, compares the bytes, and checks that the wheel is too small to hold test data.
dist: $(VENV)/.test
	@rm -rf dist build/again
	@$(BIN)/python -m hatchling build -d dist >/dev/null
	@$(BIN)/python -m hatchling build -d build/again >/dev/null
	@diff -r dist build/again
	@test "$$(wc -c < $$(ls dist/*.whl))" -lt 2000000
	@ls -l dist

# Installs the wheel and its locked dependencies into a clean environment, and tests it there.
smoke: dist
	@rm -rf build/clean
	@$(PYTHON) -m venv build/clean
	@build/clean/bin/$(PIP) $(LOCKED) constraints-run.txt
	@build/clean/bin/$(PIP) --no-deps dist/*.whl
	@build/clean/bin/python release/smoke.py

# Runs the wheel through uvx, with the newest dependencies.
uvx: dist $(BIN)/uv
	@rm -rf build/uvx
	@$(BIN)/uvx --isolated --from "$$(ls dist/*.whl)" reviewdeck demo build/uvx

sdist-test: dist
	@rm -rf build/sdist && mkdir -p build/sdist
	@tar -xzf dist/*.tar.gz -C build/sdist --strip-components 1
	@cd build/sdist && PYTHONPATH=core:tui ../../$(BIN)/python -m pytest -q $(TESTS)

# Lists all installed packages in dist/sbom.cdx.json, with each licence.
inventory: smoke
	@build/clean/bin/python release/inventory.py dist/sbom.cdx.json

docs: $(VENV)/.test
	@$(BIN)/zensical build --clean --strict
	@$(BIN)/python release/links.py site

$(BIN)/uv: $(BIN)/python release/uv.txt
	@$(BIN)/$(PIP) $(LOCKED) release/uv.txt
	@touch $@

# Locks versions that work together, with the hash of every file.
LOCK := $(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes \
	--no-annotate --no-header --no-emit-index-url
lock: $(BIN)/uv
	@$(LOCK) pyproject.toml build-requires.txt --output-file constraints-run.txt
	@$(LOCK) pyproject.toml build-requires.txt --all-extras --output-file constraints.txt
	@echo uv | $(LOCK) - --output-file release/uv.txt

# The newest and the oldest versions that pyproject.toml allows: `make newest test`, `make lowest pytest`.
# The annotations match the newest libraries: with the oldest ones the tests run, but mypy fails.
newest lowest: $(BIN)/uv
	@$(BIN)/uv pip install --quiet --python $(BIN)/python --upgrade \
		--resolution $(subst lowest,lowest-direct,$(subst newest,highest,$@)) --editable '.[test,docs]'
	@touch $(VENV)/.run $(VENV)/.test

recording: $(VENV)/.test
	@$(BIN)/python screenshots/record.py

screenshots: $(VENV)/.test
	@$(BIN)/python screenshots/take.py

clean:
	@rm -rf $(VENV) .venv-contract* .claude-contract .pytest_cache .mypy_cache .ruff_cache dist build site
