# Needs python3 (>= 3.11, with venv) and make, nothing else. `make run` and `make test` install once into .venv.
#   make run ARGS="experiment=plain seed=3"      PYTHON=python3.13 make test
#   make test                     without the tests that are marked slow: whole experiments, processes that are killed
#   make test ALL=yes             all tests, in one go, as they share the smallest runs of each kind
#   make test TESTS=tests/lab     all tests of a folder, slow ones too
PYTHON ?= python3
VENV ?= .venv
ARGS ?=
TESTS ?=
ALL ?=
# As many processes of tests as there are processors, up to four: each takes some 2 GB. Bytecode of the tests is kept, as
# each process would compile it again (5 seconds).
PYTEST = PYTHONDONTWRITEBYTECODE= $(VENV)/bin/python -m pytest -n logical --maxprocesses 4 --dist worksteal
# uv, where it is there and finds the packages, takes a quarter of pip's time. Bytecode of what is imported is written by
# the first run; that of all packages would take as long as the rest of the installation.
INSTALL = echo "installing into $(VENV)"; install() { uv pip install --quiet --python $(VENV)/bin/python "$$@" 2>/dev/null || \
	$(VENV)/bin/python -m pip install --quiet --disable-pip-version-check --no-compile "$$@"; }; install -c constraints.txt

.PHONY: run test lint findings docs clean

run: $(VENV)/installed
	PYTHONDONTWRITEBYTECODE= $(VENV)/bin/python run.py $(if $(findstring experiment=,$(ARGS)),,experiment=rag_dot) $(ARGS)

test: $(VENV)/dev-installed
	$(PYTEST) $(if $(ALL)$(TESTS),$(TESTS),-m "not slow")

lint: $(VENV)/dev-installed
	$(VENV)/bin/ruff check .
	$(VENV)/bin/ruff format --check .
	$(VENV)/bin/python -m tests.english
	$(VENV)/bin/python -m tests.type_errors

# The pages of docs/findings, their pictures and the table of README.md, from the kept tables; nothing is trained.
findings: $(VENV)/installed
	$(VENV)/bin/python -m experiments.publish docs/results
	$(VENV)/bin/python -m experiments.findings docs

# The documentation site, in build/site: opens from a disk, without network. Links that lead nowhere are errors.
docs: $(VENV)/docs-installed
	$(VENV)/bin/python -m experiments.site build/site-source
	NO_MKDOCS_2_WARNING=1 $(VENV)/bin/mkdocs build --quiet --strict

$(VENV)/docs-installed: $(VENV)/installed
	@$(INSTALL) -e '.[docs]'
	touch $@

$(VENV)/installed: pyproject.toml constraints.txt
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or newer is needed, this is " + sys.version)'
	$(PYTHON) -m venv $(VENV)
	@$(INSTALL) -e .
	touch $@

# Tests, checks and the extras take half a gigabyte more, which `make run` does without.
$(VENV)/dev-installed: $(VENV)/installed
	@$(INSTALL) -e '.[dev]'
	touch $@

clean:
	rm -rf $(VENV) build *.egg-info .pytest_cache .hypothesis .ruff_cache
