# Two commands on a fresh machine: `make demo` and `make test`. Both set up .venv first; again only what changed.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
export PIP_DISABLE_PIP_VERSION_CHECK := 1
# else every program that a test starts compiles this package anew
unexport PYTHONDONTWRITEBYTECODE
SETUP := pyproject.toml constraints.txt hatch_build.py REPOSITORY harness_ext_autoload.pth $(wildcard locks/*.txt)
LOCK_demo := --extra demo
LOCK_docker := --extra lm --extra static
LOCK_test := --extra test

ABOUT_BOARD := Is a model's meaning compositional where language is, and holistic where language is not? Seven real \
encoders, from a bag of word vectors to a language model.

.PHONY: demo test test-slow lint docs site leaderboard bench lock release-check clean

demo: $(VENV)/.installed-demo ## run the small tasks on a real encoder, offline, show the results, and write a report
	$(BIN)/harness-ext demo

test: $(VENV)/.installed-test lint ## lint, types and the quick tests
	$(BIN)/python -m pytest -n 2 --dist worksteal -m "not slow"

test-slow: $(VENV)/.installed-test-slow ## the tests that take longer than a few seconds each; installs TensorFlow too
	$(BIN)/python -m pytest -n 2 --dist worksteal -m slow

lint: $(VENV)/.installed-test ## ruff, mypy, and the order of the packages; both read the package as a wheel lays it out
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	rm -rf build/typed
	$(BIN)/python -m pip install --quiet --no-compile --no-deps --no-build-isolation --target build/typed .
	cd build/typed && ../../$(BIN)/mypy --config-file ../../pyproject.toml --cache-dir ../../.mypy_cache -p harness_ext
	cd build/typed && PYTHONPATH=. ../../$(BIN)/lint-imports --no-logo --no-cache ../../pyproject.toml

docs: $(VENV)/.installed-test ## write the pages and tables that are made from the code, and the pictures
	$(BIN)/python docs/pages.py
	$(BIN)/python docs/model_table.py
	$(BIN)/python docs/draw_epsilon.py
	$(BIN)/python docs/findings.py
	$(BIN)/python docs/claims.py
	$(BIN)/python docs/pictures.py
	$(BIN)/python docs/first_picture.py

site: $(VENV)/.installed-site ## these pages as a site with search, with the board and a report, into build/site
	$(BIN)/python docs/build_site.py

leaderboard: $(VENV)/.installed-demo ## the board of this project's own baselines, from leaderboard/ into build/leaderboard-site
	$(BIN)/harness-ext leaderboard build leaderboard -o build/leaderboard-site --strict \
	  --title "Compositionality baselines" --about "$(ABOUT_BOARD)"

bench: $(VENV)/.installed-test ## what this package costs, into build/bench.md and .json; BENCH="--quick" or "--help"
	$(BIN)/python -m benchmarks.bench $(BENCH)

lock: $(BIN)/python ## write locks/, with hashes: what demo, test and Dockerfile install; LOCK=--upgrade takes newer versions
	$(BIN)/python -m pip install --quiet uv
	$(foreach name,demo docker test,$(BIN)/python -m uv pip compile pyproject.toml $(LOCK_$(name)) --universal --quiet \
	  --constraint constraints.txt --override locks/not_locked.txt --no-emit-package torch --generate-hashes \
	  --no-annotate --custom-compile-command "make lock" --output-file locks/$(name).txt $(LOCK) &&) true

release-check: $(BIN)/python ## build what would be released, and try it without extras, and on every Python here
	$(BIN)/python -m pip install --quiet nox uv
	$(BIN)/nox --session build plain release $(if $(PYTEST),-- $(PYTEST))

clean: ## remove what the other targets made, except results/
	rm -rf $(VENV) .cache build dist .mypy_cache .pytest_cache .ruff_cache

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or newer is needed, this is " + sys.version + ". Name another: make PYTHON=python3.12")'
	$(PYTHON) -m venv $(VENV)

# --no-compile: pip compiles on one processor, compileall on all. In an environment that is not compiled at all, the
# first command imports for more than twice as long. Tests of packages, and files for a later Python, are left out.
$(VENV)/.installed-%: $(BIN)/python $(SETUP)
	@echo "Installing into $(VENV) what \"$*\" needs; a few minutes the first time."
	@if [ -f locks/$*.txt ]; then \
	  $(BIN)/python -m pip install --quiet --no-compile --no-deps --require-hashes --requirement locks/$*.txt; fi
	@$(BIN)/python -m pip install --quiet --no-compile --constraint constraints.txt --editable ".[$*]"
	@$(BIN)/python -m compileall -qq -j 0 -x '/tests?/' $(VENV)/lib || true
	@touch $@
