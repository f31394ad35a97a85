# Everything a contributor types. Needs Python 3.11 or newer with pip, and nothing else.
SHELL := bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.SECONDEXPANSION:

# The embedded agent (local) and MOS (mos, which brings torch). `make run EXTRAS=local` leaves torch out.
EXTRAS ?= local,mos
TEST_EXTRAS ?= $(EXTRAS),hub,server,telemetry,webrtc,echo,tau2,mcp,ray,dev
# More for pytest, a benchmark or the run: make test ARGS='--slow -k resume'
ARGS ?=
# Empty: the first of these that is 3.11 or newer. 3.11 leads, since CI runs it; misaki (Mandarin speech) ends at 3.12.
PYTHON ?=
PYTHONS := python3.11 python3.12 python3.13 python3 python3.14

BIN := .venv/bin
RUN := $(BIN)/antiphon run --suite starter --limit 24 --balanced --out runs/first --resume --open

# The environment is .venv whatever surrounds it: another PYTHONPATH, or pip told to install elsewhere.
unexport PYTHONPATH PYTHONHOME PIP_TARGET PIP_PREFIX
export PIP_USER := 0
export PIP_DISABLE_PIP_VERSION_CHECK := 1

# Stamps lie inside .venv: remove it, and the next call builds it again.
STAMPS := .venv/stamps
comma := ,
ready = $(STAMPS)/extras-$(subst $(comma),+,$(1))
TESTING := hypothesis pytest pytest-asyncio pytest-socket pytest-timeout
INSTALL := $(BIN)/python -m pip install --quiet --no-warn-conflicts --constraint constraints.txt

.PHONY: help setup run test check bench bridges conform docs clean
.PHONY: check-format check-lint check-imports check-dependencies check-dead-code check-types check-layout

help:  ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-8s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: $(call ready,$(EXTRAS))  ## set up only: build .venv

run: $(call ready,$(EXTRAS))  ## set up, then measure the embedded voice agent on 24 items and open the report
	$(RUN) $(ARGS)

test: $(call ready,$(TEST_EXTRAS))  ## run the tests (ARGS='--slow --people' for all of them)
	$(BIN)/pytest $(ARGS)

# Each check says what it is and how long it took; `make -k check` goes on after a failure.
check: check-format check-lint check-imports check-dependencies check-dead-code check-types check-layout  ## everything that needs no run: format, lint, imports, dependencies, types, layout

timed = @echo "$(1)"; TIMEFORMAT='  %1R s'; time $(BIN)/$(1)

check-format check-lint check-imports check-dependencies check-dead-code check-types check-layout: $(call ready,$(TEST_EXTRAS))
check-format:
	$(call timed,ruff format --check --quiet .)
check-lint:
	$(call timed,ruff check --quiet .)
check-imports:
	$(call timed,lint-imports)
check-dependencies:
	$(call timed,deptry . --no-ansi)
check-dead-code:
	$(call timed,vulture)
check-types:
	$(call timed,pyright)
check-layout:
	$(call timed,pytest tests/test_layout.py tests/test_contracts.py tests/test_records.py)

# The others take minutes or need more: benchmarks/first_run.py and people.py. Speed of single parts: perturb.py.
BENCHES ?= overhead syllable_error scoring full_run

bench: $(call ready,$(TEST_EXTRAS))  ## measure cost and agreement with published numbers
	@for name in $(BENCHES); do echo "$$name"; $(BIN)/python "benchmarks/$$name.py" $(ARGS); done

# They pin what they stand on, so each has an environment of its own.
BRIDGES := trl verifiers mcp openenv
bridges: $(BRIDGES:%=bridge-%)  ## test each bridge of docs/bridges.md against its real library
# In the tested version, as for .venv; else the newest comes, with gigabytes for a GPU.
bridge-trl: FIRST := torch
bridge-%: $(STAMPS)/venv
	@[ -x .venv-bridges/$*/bin/python ] || $(BIN)/python -m venv .venv-bridges/$*
	@$(if $(FIRST),.venv-bridges/$*/bin/python -m pip install --quiet --constraint constraints.txt $(FIRST))
	@.venv-bridges/$*/bin/python -m pip install --quiet --editable '.[$*]' $(TESTING)
	.venv-bridges/$*/bin/python -m pytest --slow tests/envs/bridges/test_$*_*.py tests/envs/bridges/test_documented_examples.py $(ARGS)

# Real clients of the Realtime protocol, each in an environment of its own, against `antiphon serve`. Needs node and npm.
CONFORM := openai agents agents-js openai-realtime-api pipecat livekit
CLIENTS := tests/conformance/clients
conform: $(CONFORM:%=conform-%)  ## let each client of docs/serve.md talk with a real server
$(CONFORM:%=conform-%): conform-%: $(call ready,server+dev)
	@mkdir -p .venv-conform/$*
	@if [ -e $(CLIENTS)/$*.txt ]; then \
	  [ -x .venv-conform/$*/bin/python ] || $(BIN)/python -m venv .venv-conform/$*; \
	  .venv-conform/$*/bin/python -m pip install --quiet --requirement $(CLIENTS)/$*.txt; \
	else \
	  cp $(CLIENTS)/$*.json .venv-conform/$*/package.json; \
	  npm install --prefix .venv-conform/$* --silent --no-audit --no-fund --no-package-lock; \
	fi
	$(BIN)/python -m pytest tests/conformance --conform $* $(ARGS)

docs: $(call ready,docs)  ## build the documentation into site/, warnings are errors
	$(BIN)/sphinx-build --fail-on-warning --keep-going --quiet docs site
	@echo "site/index.html"

clean:  ## remove what was built: environments, site, dist, caches (runs and weights stay)
	rm -rf .venv .venv-bridges .venv-conform site dist .pytest_cache .ruff_cache .import_linter_cache

$(STAMPS)/venv:
	@python='$(PYTHON)'; \
	for candidate in $(PYTHONS); do \
	  [ -z "$$python" ] || break; \
	  if "$$candidate" -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; \
	  then python=$$candidate; fi; \
	done; \
	[ -n "$$python" ] || { echo "no Python 3.11 or newer with venv and pip; install one (on Debian: apt-get install python3-venv) or name one: make PYTHON=/path/to/python3" >&2; exit 1; }; \
	echo "environment: .venv with $$("$$python" --version)"; \
	umask 022; "$$python" -m venv .venv; mkdir -p $(STAMPS); touch $@

# torch by itself and first, so that a build of it that lies at hand is taken. DistillMOS comes without what it
# declares: only its command line uses torchaudio, and only its training code transformers.
$(STAMPS)/torch: constraints.txt | $(STAMPS)/venv
	@echo "installing torch and DistillMOS"
	@umask 022; $(INSTALL) torch || { echo "torch cannot be had here; EXTRAS=local leaves it out, MOS is then unavailable" >&2; exit 1; }
	@umask 022; $(INSTALL) --no-deps distillmos xls-r-sqa
	@touch $@

$(STAMPS)/extras-%: pyproject.toml constraints.txt | $(STAMPS)/venv $$(if $$(findstring +mos+,+$$*+),$(STAMPS)/torch)
	@echo "installing antiphon[$(subst +,$(comma),$*)]"
	@umask 022; $(INSTALL) --editable '.[$(subst +,$(comma),$*)]'
	@touch $@
