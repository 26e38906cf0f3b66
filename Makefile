# Two commands on a fresh machine: `make demo` and `make test`. Each sets up everything it needs first.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
RUN := $(or $(RUN),demo-$(shell date +%Y%m%d-%H%M%S))

# Two threads at most for torch in every process: more only starves the others on a small machine.
export OMP_NUM_THREADS ?= 2
export TOKENIZERS_PARALLELISM ?= false
export HF_HUB_OFFLINE ?= 1

.PHONY: demo test check setup pocket bench nightly clean

setup: $(STAMP)

# torch first and exactly pinned: a loose range may pull gigabytes of CUDA packages.
$(STAMP): pyproject.toml constraints.txt
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt torch
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[dev]'
	touch $(STAMP)

# Self-play on three games, a tournament of its snapshots, the last of them against the base model in enough pairs to
# tell, their evaluation. A new run each time.
demo: setup
	$(BIN)/arena selfplay demo --run $(RUN)
	$(BIN)/arena tournament run demo --run $(RUN)-tournament 'players=["base", "$(RUN)@all", "random", "solver"]' pairs=50
	$(BIN)/arena tournament run demo --run $(RUN)-final 'players=["base", "$(RUN)@latest"]' pairs=300
	$(BIN)/arena eval base $(RUN)@all random solver --benchmark nashconv:kuhn_poker --run $(RUN)
	$(BIN)/arena eval base $(RUN)@latest --benchmark reasoning --run $(RUN)
	@echo "Wrote runs/$(RUN), runs/$(RUN)-tournament and runs/$(RUN)-final. Look again with:"
	@echo "  $(BIN)/arena watch $(RUN) --once"
	@echo "  $(BIN)/arena tournament report $(RUN)-tournament"

test: check
	$(BIN)/python -m pytest -n 2 --cov --cov-report=term:skip-covered

check: setup
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

# Rebuild the embedded model from scratch (half an hour on two slow cores).
pocket: setup
	$(BIN)/python -m arena.models.build_pocket --out arena/models/pocket

bench: setup
	$(BIN)/python -m pytest -m benchmark -s tests/benchmarks

# Every written game at full size (10,000 random games each), and a million hostile replies: about ten minutes.
nightly: setup
	$(BIN)/arena games check --written --nightly
	$(BIN)/python tests/games/hostile.py

clean:
	rm -rf $(VENV) runs build dist *.egg-info
