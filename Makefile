# make demo · make test · make lowest · make lock · make check · make fuzz · make torture · make bench · make reproduce · make docs
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP_INSTALL := pip install --quiet --disable-pip-version-check
RECENT := import sys; sys.exit(sys.version_info < (3, 11))
# What is imported is kept compiled, also where the surroundings say otherwise: the tests start the command often.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: demo test suite check browser kernels lowest lock bench fuzz torture reproduce docs format clean

# An environment that does not run, is older than Python 3.11 or was moved here is removed: every command below makes it anew.
$(foreach venv,$(VENV) .venv-lowest,$(shell \
	{ [ ! -e $(venv) ] || $(venv)/bin/python -c '$(RECENT)' && { [ ! -e $(venv)/bin/pip ] || grep -qF '$(CURDIR)/$(venv)/bin/' $(venv)/bin/pip; }; } 2>/dev/null \
	|| { echo "$(venv) does not work here and is made anew" >&2; rm -rf $(venv); }))

# $(call make_venv,folder): an environment, unless there is one.
define make_venv
@[ -x $(1)/bin/pip ] || $(PYTHON) -c '$(RECENT)' || { echo "sidelight needs Python 3.11 or newer, and $(PYTHON) is not: name one that is, as in  make demo PYTHON=python3.12" >&2; exit 1; }
[ -x $(1)/bin/pip ] || $(PYTHON) -m venv $(1)
endef

# A marker is newer than pyproject.toml exactly when the environment is complete. Python compiles a module when it is first
# imported, so that pip need not compile all of them.
$(VENV)/.dev: EXTRAS := [dev]
$(VENV)/.bench: EXTRAS := [bench]
$(VENV)/.demo $(VENV)/.dev $(VENV)/.bench: pyproject.toml
	$(call make_venv,$(VENV))
	$(BIN)/$(PIP_INSTALL) --no-compile -e '.$(EXTRAS)'
	touch $@ $(VENV)/.demo

demo: $(VENV)/.demo
	$(BIN)/sidelight check src/sidelight/examples/penguins.csv --types year=ordinal --missing drop
	$(BIN)/sidelight learn src/sidelight/examples/penguins.csv --types year=ordinal --missing drop

check: $(VENV)/.dev
	$(BIN)/ruff check src tests benchmarks studies tools
	$(BIN)/ruff format --check src tests benchmarks studies tools
	$(BIN)/mypy
	$(BIN)/lint-imports

# There is one process more than cores, since some tests wait for what they start. Tests of a file share what they
# start; files come in their order, since the slowest ones have few tests, and would come last otherwise.
test: $(VENV)/.dev
	$(MAKE) --no-print-directory -j 2 --output-sync check browser kernels
	$(MAKE) --no-print-directory suite

suite: $(VENV)/.dev
	$(BIN)/pytest -n $$(($$($(BIN)/python -c 'import os; print(os.cpu_count() or 1)') + 1)) --dist loadfile --no-loadscope-reorder

# Compiled once, and not by every process that runs tests.
kernels: $(VENV)/.dev
	$(BIN)/python tools/kernels.py

# What pyproject.toml says of the lowest versions is true: with exactly those, every format is read and written, tables of
# every kind are learned from, and the command runs. In one process, so that kernels are compiled once. The versions with
# which this passed are kept in a file, and `make test` fails where they are not those of pyproject.toml: it is no part of
# `make test`, but whoever changes a dependency runs it, and so does the workflow.
LOWEST := .venv-lowest
LOWEST_TESTS := tests/sources/test_read.py tests/kinds/test_types.py tests/tables/test_dates.py tests/sources/test_sources.py \
	tests/test_learn_tables.py::test_every_kind_of_source_gives_the_same_network \
	tests/test_learn_kinds.py::test_a_discrete_table_is_learned_with_a_discrete_test \
	tests/test_learn_kinds.py::test_a_mixed_table_is_learned_with_blocks \
	tests/output/formats/test_round_trips.py tests/cli/test_cli.py
ifeq ($(shell $(PYTHON) -c 'import sys; print(*sys.version_info[:2])' 2>/dev/null),3 11)
lowest: $(LOWEST)/.complete
	NUMBA_CACHE_DIR=$(LOWEST)/kernels $(LOWEST)/bin/pytest -p no:cacheprovider $(LOWEST_TESTS) \
		-k "not terminal and not ctrl_c and not survive_json"
	$(LOWEST)/bin/python tools/lowest_versions.py > tools/lowest_versions.txt
else
lowest:
	@echo "The lowest versions are not tested: they have wheels for Python 3.11 only, and $(PYTHON) is another"
endif

$(LOWEST)/.complete: pyproject.toml
	$(call make_venv,$(LOWEST))
	$(LOWEST)/bin/$(PIP_INSTALL) --no-compile --only-binary :all: -e . $$($(LOWEST)/bin/python tools/lowest_versions.py) \
		hypothesis matplotlib pandas polars pytest
	touch $@

# The report is tested in a real browser; where none can be had, those tests say that they are left out.
APT := $(shell [ "$$(id -u)" = 0 ] || echo sudo) DEBIAN_FRONTEND=noninteractive apt-get
browser:
	command -v chromium >/dev/null \
		|| { $(APT) update -q && $(APT) install -qy --no-install-recommends chromium; } \
		|| echo "Chromium could not be installed"

# What `make test` passed with, each package with the hash of its file: run it after that.
lock: $(VENV)/.dev
	$(BIN)/python tools/lock.py

# 10,000 damaged files over all readers, then two minutes for each reader of text, with files that are changed so that
# they reach more and more of it: no crash, no hang over five seconds, no error but a clear one.
$(VENV)/.fuzz: EXTRAS := [fuzz]
$(VENV)/.fuzz: $(VENV)/.dev
	$(BIN)/$(PIP_INSTALL) --no-compile -e '.$(EXTRAS)'
	touch $@

fuzz: $(VENV)/.fuzz
	$(BIN)/python tools/fuzz.py 10000
	$(BIN)/python tools/fuzz_coverage.py 120

bench: $(VENV)/.bench
	$(BIN)/python benchmarks/speed.py

# Signals at random moments, so many for each of six commands and two signals: no file half written, none lost, none
# left, no process alive (some twenty minutes; with KILLS=60 two hours).
KILLS := 12
torture: $(VENV)/.dev
	$(BIN)/python tools/torture.py --kills $(KILLS)

format: $(VENV)/.dev
	$(BIN)/ruff check --fix src tests benchmarks studies tools
	$(BIN)/ruff format src tests benchmarks studies tools

# The documentation site, in site/: it opens from there, without a server.
docs: $(VENV)/.dev
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --clean

clean:
	rm -rf $(VENV) .venv-lowest build dist site .mypy_cache .pytest_cache .ruff_cache .hypothesis .import_linter_cache

# The paper's figures and tables: build/reproduction holds the records, so that an interrupted run goes on.
reproduce: $(VENV)/.dev
	$(BIN)/python -m studies.reproduction --out build/reproduction
	mkdir -p docs/figures docs/tables docs/times
	cat tools/reproduction.md build/reproduction/reproduction.md > docs/reproduction.md
	cp build/reproduction/figures/*.svg docs/figures/
	cp build/reproduction/tables/*.csv docs/tables/
	cp build/reproduction/times/*.csv docs/times/
