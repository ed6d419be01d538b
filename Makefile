# Two commands matter: `make demo` shows patchkit at work, `make test` passes its tests.
# Both set up their own environment in .venv; nothing but Python, pip, git and make is needed.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

SDKS := .venv-sdks
SDK_TESTS = $(shell grep -lE "importorskip|NEEDS_SDK" tests/runtimes/test_*.py)
RAY := .venv-ray

# What is compiled once is not compiled again by every process of the tests.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: demo test quick check lint check-full check-sdks check-sdks-full bench format grammar man docs clean

demo: $(VENV)/installed
	@$(BIN)/python docs/demo.py $(BIN)/apply_patch

test: $(VENV)/ready
	$(BIN)/python -m pytest

# Guards, pages and one package: what a change most often breaks, in less than a minute.
PACKAGE ?= core/matching
quick: $(VENV)/ready
	$(BIN)/python -m pytest tests/test_guards.py tests/docs tests/$(PACKAGE)

check: lint test

lint: $(VENV)/ready
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/python grammar/compile.py --check

check-full: $(VENV)/ready $(RAY)/ready
	PATCHKIT_TESTS=full PATCHKIT_RAY=$(abspath $(RAY)/bin/python) $(BIN)/python -m pytest --timeout 3600
	$(MAKE) check-sdks-full

# Ray, in an environment of its own: it is 600 MB.
$(RAY)/ready: pyproject.toml
	$(PYTHON) -m venv $(RAY)
	$(RAY)/bin/pip install --quiet --editable '.[ray]'
	@touch $@

# The adapters with the real SDKs, in an environment of their own: they are large, and pin each other.
check-sdks: $(SDKS)/ready
	$(SDKS)/bin/python -m pytest $(SDK_TESTS)

check-sdks-full: $(SDKS)/ready
	$(SDKS)/bin/pip install --quiet 'claude-agent-sdk==0.2.182' 'deepagents==0.7.32'
	$(SDKS)/bin/python -m pytest $(SDK_TESTS)

$(SDKS)/ready: requirements-sdks.txt pyproject.toml
	$(PYTHON) -m venv $(SDKS)
	$(SDKS)/bin/pip install --quiet --editable . --requirement requirements-sdks.txt
	@touch $@

# A few minutes; `python -m benchmarks.speed` measures all of it.
bench: $(VENV)/created
	$(BIN)/python -m benchmarks.speed --short

format: $(VENV)/ready
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

grammar: $(VENV)/ready
	$(BIN)/python grammar/compile.py

# Manual pages for packagers, in dist/man.
man: $(VENV)/installed
	$(BIN)/python docs/man_pages.py dist/man

# The documentation site, in dist/site; a broken link is an error.
docs: $(VENV)/installed
	$(BIN)/python .ci/dev_packages.py docs > $(VENV)/docs-packages.txt
	$(BIN)/pip install --quiet --requirement $(VENV)/docs-packages.txt
	$(BIN)/python docs/make_site.py dist

clean:
	rm -rf $(VENV) $(SDKS) $(RAY) dist .pytest_cache .mypy_cache .ruff_cache .hypothesis

$(VENV)/created:
	$(PYTHON) -m venv $(VENV)
	@touch $@

# The demo wants the command alone; the tests want it editable, with the development tools.
$(VENV)/installed: $(VENV)/created pyproject.toml
	$(BIN)/pip install --quiet --editable .
	@touch $@

$(VENV)/ready: $(VENV)/installed
	$(BIN)/python .ci/dev_packages.py > $(VENV)/dev-packages.txt
	$(BIN)/pip install --quiet --requirement $(VENV)/dev-packages.txt
	@touch $@
