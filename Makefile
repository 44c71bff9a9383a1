# make demo · make test · make check · make bench · make reproduce · make docs
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

.PHONY: demo test check browser bench reproduce docs format clean

# The marker is newer than pyproject.toml exactly when the environment is complete.
$(VENV)/.demo: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --disable-pip-version-check -e .
	touch $@

$(VENV)/.dev: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --disable-pip-version-check -e '.[dev]'
	touch $@ $(VENV)/.demo

demo: $(VENV)/.demo
	$(BIN)/sidelight check src/sidelight/data/examples/newborns.csv
	$(BIN)/sidelight learn src/sidelight/data/examples/newborns.csv --side diamond-free

check: $(VENV)/.dev
	$(BIN)/ruff check src tests benchmarks tools
	$(BIN)/ruff format --check src tests benchmarks tools
	$(BIN)/mypy
	$(BIN)/lint-imports

test: check browser
	$(BIN)/pytest -n auto

# The report is tested in a real browser; where none can be had, those tests say that they are left out.
APT := $(shell [ "$$(id -u)" = 0 ] || echo sudo) DEBIAN_FRONTEND=noninteractive apt-get
browser:
	command -v chromium >/dev/null \
		|| { $(APT) update -q && $(APT) install -qy --no-install-recommends chromium; } \
		|| echo "Chromium could not be installed"

bench: $(VENV)/.bench
	$(BIN)/python benchmarks/speed.py

$(VENV)/.bench: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --disable-pip-version-check -e '.[bench]'
	touch $@ $(VENV)/.demo

format: $(VENV)/.dev
	$(BIN)/ruff check --fix src tests benchmarks tools
	$(BIN)/ruff format src tests benchmarks tools

# The documentation site, in site/: it opens from there, without a server.
docs: $(VENV)/.dev
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --clean

clean:
	rm -rf $(VENV) build site .mypy_cache .pytest_cache .ruff_cache .hypothesis .import_linter_cache

# The paper's figures and tables: build/reproduction holds the records, so that an interrupted run goes on.
reproduce: $(VENV)/.dev
	$(BIN)/sidelight reproduce --out build/reproduction
	mkdir -p docs/figures docs/tables docs/times
	cat tools/reproduction.md build/reproduction/reproduction.md > docs/reproduction.md
	cp build/reproduction/figures/*.svg docs/figures/
	cp build/reproduction/tables/*.csv docs/tables/
	cp build/reproduction/times/*.csv docs/times/
