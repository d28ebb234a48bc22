# The two commands are `make run` and `make test`; each makes what it needs first, on a bare Debian
# or a Mac. The recipes only call: what is installed, and how, stands in packaging/setup.sh.
# ARGS goes through to the tool: make test ARGS="tests/core -k chain", make run ARGS=--help.

SHELL = /bin/sh
PY = .venv/bin/python
ARGS =
# A file on one worker: what a file starts, it starts once. A worker that crashes ends the run: xdist
# hangs where it restarts one under loadfile.
WORKERS = --dist loadfile --no-loadscope-reorder --max-worker-restart=0
TWO = -n 2 $(WORKERS)

# With two workers, two cores are idle for a sixth of the time: the tests wait for services.
THREE = -n 3 $(WORKERS)

# The long tests wait a good part of their time, for services that settle.
FOUR = -n 4 $(WORKERS)

# Where Linux has room for files in memory, the tests' many small databases are there.
IN_MEMORY = -p tests.plugins.in_memory

FINDING = Looking for the tests; that takes some twenty seconds, the first time a minute.

# Hardly a test of rules is there, so `make quick` does not read them.
NO_RULES = --ignore=tests/e2e --ignore=tests/ollama --ignore=tests/packaging

# With LULL_NO_SKIP=1 (set by .ci/run) a test that should have run and was skipped fails the run.
ifeq ($(LULL_NO_SKIP),1)
NO_SKIPS = -p tests.plugins.no_skips
endif

# Where `make ollama` puts one for whoever is not root.
export PATH := $(PATH):$(HOME)/.local/bin

# Tests start Lull hundreds of times; compiled anew each time it takes twice as long to be there.
unexport PYTHONDONTWRITEBYTECODE

TEST = $(PY) -m pytest $(THREE) $(IN_MEMORY) $(NO_SKIPS) -m "not full and not soak" $(ARGS)
REST = $(PY) -m pytest $(FOUR) $(IN_MEMORY) $(NO_SKIPS) -m "full and not soak" $(ARGS)

# pytest ends with 5 where no test was chosen.
NONE = None of these tests is in this tier; make full ARGS=... runs those of both.

.PHONY: help setup setup-test run test full rest soak quick check static bench format format-check lint types \
	contracts constraints screenshots ollama clean
.DEFAULT_GOAL = help

help: ## say what there is to make
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-13s %s\n", $$1, $$2 }' Makefile

setup: ## install what Lull needs into .venv; quick when there is nothing to do
	@sh packaging/setup.sh run

setup-test: ## likewise, with what the tests and the checks need
	@sh packaging/setup.sh run test

run: setup ## open Lull; without a display run its service here. Ctrl-C stops it
	@exec sh packaging/run.sh $(ARGS)

test: setup-test ## tests of nearly every part: what a commit must pass
	@echo '$(FINDING)'
	@$(TEST) || { none=$$?; [ $$none != 5 ] || echo '$(NONE)'; exit $$none; }

full: setup-test ## both, so every test but those of `make soak`: what a merge must pass
	@echo '$(FINDING)'
	@found=0; $(TEST) || { found=$$?; [ $$found = 5 ] || exit $$found; }; \
		$(REST) || { more=$$?; [ $$more = 5 ] && [ $$found = 0 ] || exit $$more; }

rest: setup-test ## the tests that `make test` leaves out because they take long
	@echo '$(FINDING)'
	@$(REST) || { none=$$?; [ $$none != 5 ] || echo '$(NONE)'; exit $$none; }

soak: setup-test ## the tests that take minutes, and more cases of what `make full` tries
	@echo '$(FINDING)'
	@$(PY) -m pytest $(TWO) $(NO_SKIPS) -m soak $(ARGS)

quick: setup-test ## the tests of rules: what takes no seconds and no folder
	@$(PY) -m pytest -q $(TWO) -m "not slow and not files and not full and not soak" $(NO_RULES) $(ARGS)

check: static test ## what a commit must pass: format, lint, types, import contracts, tests

static: format-check lint types contracts subject

format: setup-test ## put the code in its one format
	@$(PY) -m ruff format .

format-check: setup-test
	@$(PY) -m ruff format --check .

lint: setup-test ## ruff
	@$(PY) -m ruff check .

types: setup-test ## mypy --strict
	@$(PY) -m mypy

subject: setup-test ## the subjects of a branch's commits: `area: imperative`, 72 characters
	@$(PY) -m bench.subject

contracts: setup-test ## which floor may import which
	@.venv/bin/lint-imports --no-cache

bench: setup-test ## measure: make bench ARGS="wire --quick"
	@$(PY) -m bench $(ARGS)

screenshots: setup-test ## every page of the window from a played week, into docs/screenshots
	@QT_QPA_PLATFORM=offscreen $(PY) -m tests.desktop.screenshots docs/screenshots

ollama: ## a real Ollama for the tests, built from source where there is none
	@sh packaging/ci/install-ollama.sh

constraints: ## pin the Python packages again after pyproject.toml has changed
	@sh packaging/lock.sh $(ARGS)

clean: ## remove the environment and every cache
	rm -rf .venv .mypy_cache .pytest_cache .ruff_cache .import_linter_cache .hypothesis build dist
	find app bench tests -name __pycache__ -type d -prune -exec rm -rf {} +
