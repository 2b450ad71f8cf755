# Linnet. `make run` needs python3 (3.11 or newer) with venv and pip; everything else goes into .venv. What the tests ask
# about pages needs node (18.20 or newer) with npm, and java: it goes into tests/tools, or is left out where they are not.

PYTHON ?= python3
# The site is several processes, and the tests start hundreds: each reads what the first has compiled.
unexport PYTHONDONTWRITEBYTECODE
BIN := .venv/bin
TOOLS := tests/tools/node_modules
# Groups of tests that share a site stay together, in the order that they are collected in.
GROUPED := --dist loadgroup --no-loadscope-reorder
# Many tests wait for processes and time-outs: four workers keep two cores busy.
PARALLEL := -n 4 $(GROUPED)
# A check draws its random examples from the commit, so that it can be repeated. `make test` draws others each time.
SEED := $(shell git rev-parse --verify --quiet HEAD)
INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check
# The two hashed locks hold everything, so the project itself is put in place without asking for anything more.
PROJECT := --no-deps --no-build-isolation --editable .
COMPILE := env PIP_CONFIG_FILE=/dev/null PIP_FIND_LINKS= PIP_EXTRA_INDEX_URL= CUSTOM_COMPILE_COMMAND="make lock" \
	$(BIN)/pip-compile --quiet --generate-hashes --strip-extras --allow-unsafe --all-build-deps \
	--no-emit-index-url --no-emit-find-links --no-emit-trusted-host --no-emit-options $(UPGRADE)

.DEFAULT_GOAL := help
.PHONY: help run demo test test-fast test-tables test-engines test-long clients lint check check-all audit auditors bench bench-chat bench-peers bench-stream lighthouse screenshots words tools lock clean

help:  ## list the targets
	@sed -n 's/^\([a-z-]*\):.*  ## \(.*\)/make \1	\2/p' $(MAKEFILE_LIST)

run: .venv/run.stamp  ## run the site on this machine; ARGS="--port 9000" passes options
	MAIL_FOLDER="$${MAIL_FOLDER-var/mail}" $(BIN)/linnet run $(ARGS)

demo: .venv/run.stamp  ## fill an empty store with a community to look at; ARGS="--seed 2" passes options
	$(BIN)/linnet demo $(ARGS)

test: .venv/compiled.stamp tools  ## run the tests but the long ones; ARGS="-k name" passes options to pytest
	$(BIN)/python -m pytest -rfEs $(PARALLEL) -m "not long" $(ARGS)

test-fast: .venv/compiled.stamp  ## run the quick tests: no pages, browser, cluster or whole site, nothing slow
	$(BIN)/python -m pytest -n 3 $(GROUPED) -m "not pages and not browser and not cluster and not kill and not slow and not long" $(ARGS)

test-tables: .venv/compiled.stamp  ## run the tests that name the tables and pages that a change has forgotten
	$(BIN)/python -m pytest -n 2 $(GROUPED) -m tables $(ARGS)

test-engines: .venv/dev.stamp  ## run the store tests and open every page on the Redis of the PATH and a Cluster of it
	STORE_ENGINE=redis $(BIN)/python -m pytest -rfEs -n 2 $(GROUPED) -m store $(ARGS)

lint: .venv/dev.stamp tools  ## lint, format and types of Python, templates, styles and scripts
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy --strict webapp
	$(BIN)/djlint templates --lint --quiet
	@if [ -x $(TOOLS)/.bin/biome ]; then $(TOOLS)/.bin/biome check static; \
	else echo "No npm here: styles and scripts of pages are not linted."; fi

check:  ## everything that must hold before a change lands: lint, types, tests
	$(MAKE) --no-print-directory --jobs 2 lint .venv/compiled.stamp
	$(BIN)/python -m pytest -rfEs $(PARALLEL) $(SEED:%=--hypothesis-seed=%) -m "not long" $(ARGS)

test-long: .venv/compiled.stamp tools clients auditors  ## run the tests that take long to show what others show in part
	$(BIN)/python -m pytest -rfEs $(PARALLEL) -m long $(ARGS)

check-all: check audit test-long test-engines  ## the same, the audit, the long tests, the store tests on Redis, and streams under load for a minute
	SOAK_SECONDS=60 $(BIN)/python -m bench soak

audit: auditors  ## look for known weaknesses, licences that may not be used, and secrets in the source
	@if [ -e .venv-audit/stamp ]; then .venv-audit/bin/python -m audit; \
	else echo "Nothing was audited."; fi

bench: .venv/dev.stamp  ## run the measurements; ARGS=name picks one
	$(BIN)/python -m bench $(ARGS)

bench-stream: .venv/dev.stamp  ## measure the streaming API; ARGS=soak does so for ten minutes, SOAK_SECONDS=60 for one
	$(BIN)/python -m bench $(or $(ARGS),stream)

bench-chat: .venv/dev.stamp  ## measure chat beside the one of Redis in Action, and from a POST to 500 screens
	$(BIN)/python -m bench chat

bench-peers: .venv/dev.stamp .venv-peers/stamp  ## measure the site beside its peers, in minutes; ARGS=quick only tries it
	$(BIN)/python -m bench.peers $(ARGS)

lighthouse: .venv/dev.stamp tools  ## print what Lighthouse thinks of three pages of a demo community
	$(BIN)/python -m bench.showcase.lighthouse

screenshots: .venv/dev.stamp  ## take the pictures of the README again
	$(BIN)/python -m bench.showcase.screenshots

words: .venv/dev.stamp  ## gather the words of the site into its catalogues, where they wait to be translated
	mkdir -p build
	$(BIN)/pybabel --quiet extract --mapping-file pyproject.toml --project Linnet --add-location file --sort-by-file \
		--output-file build/messages.pot .
	$(BIN)/pybabel --quiet update --no-fuzzy-matching --ignore-obsolete --ignore-pot-creation-date --width 120 \
		--input-file build/messages.pot --output-dir webapp/core/i18n/translations

lock: .venv/dev.stamp  ## write the locks from pyproject.toml again; UPGRADE=--upgrade takes the newest versions
	$(COMPILE) --output-file requirements.lock pyproject.toml
	$(COMPILE) --extra dev --constraint requirements.lock --output-file requirements-dev.lock pyproject.toml
	$(filter-out --all-build-deps,$(COMPILE)) --output-file bench/peers/requirements.txt bench/peers/requirements.in
	$(filter-out --all-build-deps,$(COMPILE)) --output-file tests/client_api/clients/requirements.txt \
		tests/client_api/clients/requirements.in
	$(filter-out --all-build-deps,$(COMPILE)) --output-file audit/requirements.txt audit/requirements.in

clean:  ## remove what was built, never the data under var/
	rm -rf .venv .venv-peers .venv-clients .venv-audit $(TOOLS) build dist *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis test-results

.venv/run.stamp: requirements.lock pyproject.toml
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(INSTALL) --require-hashes --requirement requirements.lock
	$(INSTALL) $(PROJECT)
	touch $@

.venv/dev.stamp: requirements-dev.lock .venv/run.stamp
	$(INSTALL) --require-hashes --requirement requirements-dev.lock
	touch $@

# On a fresh clone each process of a run would compile all tests for itself. What is wrong in them, the run tells.
.venv/compiled.stamp: .venv/dev.stamp
	-@$(BIN)/python -m pytest --collect-only -qq >/dev/null
	touch $@

# The peers have an environment of their own, and the site needs nothing of it.
.venv-peers/stamp: bench/peers/requirements.txt
	test -x .venv-peers/bin/python || $(PYTHON) -m venv .venv-peers
	.venv-peers/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes --requirement $<
	touch $@

# As the peers. Where these clients cannot be had, the tests that drive them are skipped.
clients: .venv/dev.stamp  ## install the clients that tests sign in with: toot and schemathesis
	@$(MAKE) --no-print-directory .venv-clients/stamp || echo "pip could not fetch the clients that tests sign in with."

.venv-clients/stamp: tests/client_api/clients/requirements.txt
	test -x .venv-clients/bin/python || $(PYTHON) -m venv .venv-clients
	.venv-clients/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes --requirement $<
	touch $@

# As the peers.
auditors: .venv/dev.stamp  ## install what audits the packages and the source
	@$(MAKE) --no-print-directory .venv-audit/stamp || echo "pip could not fetch the tools of the audit."

.venv-audit/stamp: audit/requirements.txt
	test -x .venv-audit/bin/python || $(PYTHON) -m venv .venv-audit
	.venv-audit/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes --requirement $<
	touch $@

# Not a stamp itself: where these tools cannot be had, the tests that ask them are skipped.
tools:  ## install the HTML validator, Lighthouse and biome
	@if ! command -v npm >/dev/null; then echo "No npm here: pages are not validated, linted or measured by Lighthouse."; \
	elif ! $(MAKE) --no-print-directory $(TOOLS)/stamp; then echo "npm could not fetch the tools that look at pages."; fi

$(TOOLS)/stamp: tests/tools/package-lock.json tests/tools/package.json
	npm ci --ignore-scripts --no-audit --no-fund --prefix tests/tools
	touch $@
