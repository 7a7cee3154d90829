# Needs Python 3.11 or newer, with its venv module, and make.  Everything else goes into .venv,
# from the lock files.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
DEMO := multiplier-p256 --target ecp5
DEMO_OUT := build/demo
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet

.PHONY: help demo test check conformance verification delivery processors widths mutation proofs faults
.PHONY: exponentiation rsa browser schedules soc registers
.PHONY: lint docs example figures bench dist lock clean

help:
	@echo "make demo   NIST P-256 on an ECP5: Verilog, a million products checked, placed and routed"
	@echo "make test   the tests, two files at a time; python -m pytest: one after the other"
	@echo "make check  ruff, mypy, tests, documentation without warnings, and which measured figures on the"
	@echo "            pages are of other Verilog than today's"
	@echo "make conformance, make verification, make delivery, make processors"
	@echo "            the cases of the tests that are left out by default; hours in all"
	@echo "make widths  the tests of every architecture at 64, 256, 1024, 2048 and 4096 bits; an hour"
	@echo "make mutation  faults injected into every architecture, and who catches them; a quarter of an hour"
	@echo "make proofs  proofs of products, and the table of their times; half an hour"
	@echo "make faults  a million single flips in all designs, and the table of their effects; many hours"
	@echo "make exponentiation  powers on every multiplier, 512 to 4096 bits, injected faults; 20 minutes"
	@echo "make rsa    keys and signatures of CAVP simulated, 1024 to 4096 bits, and 10,000 faults; hours"
	@echo "make browser  the page of a report in a headless Chromium (to be installed before);"
	@echo "            screenshots in build/browser"
	@echo "make schedules  the stored schedules of the engine searched anew, and compared; ten minutes"
	@echo "make soc  designs in systems: PicoRV32, VexRiscv and SERV run the driver, on AXI4-Lite and Wishbone;"
	@echo "            1,000 products each, signatures that OpenSSL accepts, LiteX, FuseSoC; ten minutes"
	@echo "make registers  what PeakRDL makes of the registers, and its own block beside ours in 10,000"
	@echo "            accesses; handshakes of every bus proved by a solver; three minutes"
	@echo "make bench  speed of the tool and figures of the hardware, appended to a history; with"
	@echo "            BENCH=\"--radix2 --arrays\" also the wide designs without DSP blocks, in hours"
	@echo "make docs   the documentation as HTML, in build/docs"
	@echo "make example  an exploration of 15 minutes (BUDGET=\"5 min\") and its report, in build/docs"
	@echo "make dist   the source archive and the wheel of a release, tried, in dist"
	@echo "make lock   the lock files anew, from pyproject.toml"
	@echo "make clean  remove build/ and .venv/"

demo: $(VENV)/run.stamp
	$(BIN)/modmul build $(DEMO) -o $(DEMO_OUT)
	$(BIN)/modmul verify $(DEMO) --products 1000000
	$(BIN)/modmul implement $(DEMO) --seeds 2

TWO := -n 2 --dist worksteal
test: $(VENV)/dev.stamp
	$(BIN)/python -m pytest $(TWO)

check: lint test docs figures

lint: $(VENV)/dev.stamp
	$(BIN)/ruff format --check
	$(BIN)/ruff check
	$(BIN)/mypy

figures: $(VENV)/dev.stamp
	$(BIN)/python -m docs.measured --check

docs: $(VENV)/dev.stamp
	$(BIN)/sphinx-build --fail-on-warning --keep-going --quiet docs build/docs
	$(BIN)/python -m docs.html_check build/docs

example: $(VENV)/run.stamp
	$(BIN)/modmul explore hecc-128 -o build/example/hecc-128 --budget "$(or $(BUDGET),15 min)"
	mkdir -p build/docs/examples
	$(BIN)/modmul report build/example/hecc-128 -o build/docs/examples/hecc-128.html

# The cases that `make test` leaves out, in four runs.  RSA's processor has a run of its own.
LONG := CONFORMANCE=long $(BIN)/python -m pytest $(TWO) --timeout 3600
conformance: $(VENV)/dev.stamp
	$(LONG) tests/conformance tests/multipliers tests/arithmetic tests/blocks tests/papers \
		tests/targets tests/timing_proof tests/arithmetic_proof

verification: $(VENV)/dev.stamp
	$(LONG) tests/verification tests/implementation tests/exploration tests/toolchain \
		tests/reporting

delivery: $(VENV)/dev.stamp
	$(LONG) tests/cli tests/export tests/host tests/system tests/test_*.py

processors: $(VENV)/dev.stamp
	$(LONG) --ignore tests/processors/rsa tests/processors

# All designs of a width are in one simulator, which is compiled by two processes: so one worker.
WIDTHS := 64 256 1024 2048 4096
widths: $(VENV)/dev.stamp
	for width in $(WIDTHS); do \
		WIDTH=$$width $(BIN)/python -m pytest --timeout 3600 \
			tests/conformance/test_conformance.py || exit 1; \
	done
	WIDTH=64 $(BIN)/python -m pytest --timeout 3600 tests/multipliers/test_fips_fields.py

mutation: $(VENV)/dev.stamp
	$(BIN)/python -m benchmarks.mutation

proofs: $(VENV)/dev.stamp
	$(BIN)/python -m docs.measured proofs

faults: $(VENV)/dev.stamp
	$(BIN)/python -m docs.measured faults

exponentiation: $(VENV)/dev.stamp
	EXPONENTIATION=1 $(BIN)/python -m pytest tests/processors

rsa: $(VENV)/dev.stamp
	CONFORMANCE=1 $(BIN)/python -m pytest -s tests/processors/rsa

browser: $(VENV)/dev.stamp
	$(PIP) install --require-hashes -r requirements-browser.lock
	BROWSER=1 $(BIN)/python -m pytest tests/reporting

schedules: $(VENV)/dev.stamp
	$(PIP) install --require-hashes -r requirements-schedules.lock
	$(BIN)/python -m benchmarks.schedules --check

soc: $(VENV)/dev.stamp
	$(PIP) install --require-hashes -r requirements-soc.lock
	PATH="$(CURDIR)/$(BIN):$$PATH" SOC=1 $(BIN)/python -m pytest -rs tests/system \
		tests/host/test_registers.py

registers: $(VENV)/dev.stamp
	$(PIP) install --require-hashes -r requirements-regs.lock
	CONFORMANCE=1 $(BIN)/python -m pytest -rs tests/system/test_exporters.py \
		tests/system/test_regblock.py tests/system/test_handshakes.py

bench: $(VENV)/dev.stamp
	$(BIN)/python -m benchmarks $(BENCH)

# The wheel is tried outside of the sources: it has to bring its own templates and tables.
TRIED := $(CURDIR)/build/wheel
dist: $(VENV)/dev.stamp
	rm -rf dist $(TRIED)
	$(BIN)/hatchling build
	$(PIP) install --no-deps --target $(TRIED) dist/*.whl
	cd $(TRIED) && PYTHONPATH=$(TRIED) $(CURDIR)/$(BIN)/python -m modmul --version
	cd $(TRIED) && PYTHONPATH=$(TRIED) $(CURDIR)/$(BIN)/python -m modmul build x25519 -o tried

# `--no-emit-index-url`: the locks name packages, versions and hashes, and no host.
LOCK := $(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes \
	--no-emit-index-url --no-header --no-annotate pyproject.toml
lock: $(VENV)/dev.stamp
	$(LOCK) --extra build --output-file requirements.lock
	$(LOCK) --extra build --extra dev --output-file requirements-dev.lock
	$(LOCK) --extra build --extra dev --extra browser --output-file requirements-browser.lock
	$(LOCK) --extra build --extra dev --extra schedules --output-file requirements-schedules.lock
	$(LOCK) --extra build --extra dev --extra soc --output-file requirements-soc.lock
	$(LOCK) --extra build --extra dev --extra regs --output-file requirements-regs.lock

clean:
	rm -rf build dist $(VENV)

$(VENV)/run.stamp: requirements.lock pyproject.toml | $(BIN)/python
	$(PIP) install --require-hashes -r requirements.lock
	$(PIP) install --no-deps --no-build-isolation --editable .
	touch $@

$(VENV)/dev.stamp: requirements-dev.lock pyproject.toml | $(BIN)/python
	$(PIP) install --require-hashes -r requirements-dev.lock
	$(PIP) install --no-deps --no-build-isolation --editable .
	touch $@ $(VENV)/run.stamp

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "Python 3.11 or newer is needed: make PYTHON=python3.11"; exit 1; }
	$(PYTHON) -m venv $(VENV)
