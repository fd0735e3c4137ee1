# Two commands matter: `make demo` and `make test`. Both do all their own set-up in .venv.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
READY  := $(VENV)/.ready
# What an installation is made of beside Python: the C sources of the kernels and what compiles them.
BUILT  := pyproject.toml hatch_build.py $(wildcard plugin/edgedp/graph/engines/native/kernels/*.[ch]) plugin/edgedp/graph/engines/native/build.py
# Three processes, for tests that wait leave two processors idle; a file of tests each at a time, and those that share a
# server in one of them (tests/support/schedule.py). Each collects all tests: a fourth would cost more than it gives.
PYTEST := $(BIN)/python -m pytest -n 3 --dist loadfile
JAR    := plugin/neo4j/target/.packaged

# The tests start hundreds of processes: each would compile the package anew where bytecode is not to be written.
unexport PYTHONDONTWRITEBYTECODE

# Nine in ten arrays of the tests are small: further threads of BLAS wait on a processor that another process needs.
test test-all test-python test-neo4j coverage: export OPENBLAS_NUM_THREADS ?= 1

# Copies of data sets that are not bundled, in a folder beside the repository: what needs one is skipped without it.
ifneq ($(wildcard ../shared/data),)
export EDGEDP_DATA ?= $(abspath ../shared/data)
endif

.PHONY: demo docs version test test-all venv test-python test-neo4j coverage check style types types-of-tests audit neo4j jdk jar wheel bench \
        mutants reproduction soak clean

demo: $(READY)
	@$(BIN)/edgedp demo

# What every change runs. The Neo4j part needs JDK 17+ and Maven and says so where they are missing; Spark needs the
# JDK alone.
test: jdk $(VENV)/.ready-dev
	@$(MAKE) --no-print-directory --jobs=2 style types jar
	$(PYTEST) -m "not slow and not wide"

# What every version runs, too: the newest Neo4j, the wheels and jars of versions before, the site, what tests the tests.
test-all: jdk $(VENV)/.ready-dev $(VENV)/.ready-opinion
	@$(MAKE) --no-print-directory --jobs=2 check jar
	$(PYTEST) -m "not slow"

# For a version, 15 minutes: 3,000 releases through two gateways and a proxy, one of them ended every minute. MINUTES=2 for less.
soak: $(VENV)/.ready-dev
	$(BIN)/python tests/support/soak.py $(if $(MINUTES),--minutes $(MINUTES))

# For a version: every mutant of the law, sampling, prices and the debit; what a broken run has tried is kept.
# SAMPLE=60 tries so many, of every part, the same ones each time.
mutants: $(VENV)/.ready-dev
	$(BIN)/python tests/support/mutants.py $(if $(SAMPLE),--sample $(SAMPLE))

# The environment of a developer in .venv, and nothing else.
venv: $(VENV)/.ready-dev

# The part that needs no JDK.
test-python: $(VENV)/.ready-dev check
	$(PYTEST) -m "not neo4j and not spark and not slow and not wide"

test-neo4j: $(VENV)/.ready-dev jar
	$(PYTEST) -m "neo4j and not slow and not wide"

# What the tests that need no server run of the package, line by line where some is missed.
coverage: $(VENV)/.ready-dev
	$(PYTEST) -m "not neo4j and not spark and not slow and not wide" --cov=edgedp --cov-branch --cov-report=term-missing:skip-covered

check: style types types-of-tests

style: $(VENV)/.ready-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(VENV)/.ready-dev
	$(BIN)/mypy

types-of-tests: $(VENV)/.ready-dev
	$(BIN)/mypy --config-file tests/mypy.ini

audit: $(READY)
	@$(BIN)/edgedp audit

# A real Neo4j with the plugin on loopback to play with, until Ctrl-C: port 7687 if it is free, else another.
# NEO4J_HOME=FOLDER keeps its data, ledgers and password there; else all is gone with it.
neo4j: $(VENV)/.ready-dev jar
	@$(BIN)/python tests/support/neo4jserver run --with-edgedp $(if $(NEO4J_HOME),--home "$(NEO4J_HOME)")

jdk:
	@command -v mvn >/dev/null && command -v javac >/dev/null || { echo "The Neo4j part needs JDK 17+ and Maven (mvn, javac): \
	install both, or run 'make test-python', which needs neither." >&2; exit 1; }

jar: jdk $(JAR)

# Built where it is older than a source or a statement; `make clean` forgets it.
$(JAR): plugin/neo4j/pom.xml $(shell find plugin/neo4j/src queries -type f)
	mvn -q -B -f plugin/neo4j/pom.xml package
	@touch $@

# The tables of the reference that are made of the code, then the site: build/site/index.html, to be opened from there.
docs: $(VENV)/.ready-dev
	$(BIN)/python docs/tables.py
	$(BIN)/python docs/site/build.py

# The papers' figures, measured again: docs/reproduction.md. What was finished before is taken from build/reproduction.
reproduction: $(VENV)/.ready-dev
	$(BIN)/python docs/reproduction.py

# Sets the version everywhere that it stands; without dev it dates the changelog and the citation.
version:
	$(PYTHON) docs/version.py $(VERSION)

# A wheel that holds the jar.
wheel: $(VENV)/.ready-dev jar
	$(BIN)/python -m build --wheel

# Every row beside its rivals, ten minutes on a machine that does nothing else: bench/RESULTS.md and its plots.
# What a broken run has measured is taken. BENCH="--only 'ebc-*'", BENCH=--quick, BENCH=--list: a part.
bench: $(VENV)/.ready-bench
	$(BIN)/python bench $(BENCH)

$(VENV)/bin/python:
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "edgedp needs Python 3.11 or newer: make PYTHON=python3.12")'
	$(PYTHON) -m venv $(VENV)

$(READY): $(BUILT) | $(VENV)/bin/python
	@echo "installing edgedp and what it needs into $(VENV): once, a minute or two"
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e .
	@touch $@

$(VENV)/.ready-bench: $(VENV)/.ready-dev
	@echo "installing the rivals of the benchmarks into $(VENV): once, a minute"
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[bench]'
	@touch $@

$(VENV)/.ready-dev: $(BUILT) | $(VENV)/bin/python
	@echo "installing edgedp and what its tests need into $(VENV): once, a few minutes"
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[dev]'
	@touch $@ $(READY)

# An auditing tool that is not ours, 150 MB with its compiler: what needs it is skipped without it.
$(VENV)/.ready-opinion: $(VENV)/.ready-dev
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[second-opinion]'
	@touch $@

clean:
	rm -rf $(VENV) dist build plugin/neo4j/target .pytest_cache .mypy_cache .ruff_cache
