# Torus TPU. `make` alone lists what there is to do.
#
# Everything is built by CMake and Ninja in $(BUILD); nothing here names an absolute path, so that a
# checkout may lie in any folder.

SHELL := /bin/sh
.DEFAULT_GOAL := help
MAKEFLAGS += --no-print-directory
BUILD ?= build
JOBS ?= $(shell nproc)
PYTHON ?= $(shell test -x /usr/bin/python3 && echo /usr/bin/python3 || echo python3)
SEED ?= 1
BLOCKS := isa golden timing compiler runtime cli tb common host control dma vmem mxu vpu ici fabric network micro board gates chip perf formal waves flow
SETUP := scripts/setup.sh
SEEDS ?= 3
MODE ?= sram
FPGA := $(PYTHON) fpga/flow/fpga.py --build "$(BUILD)"
SIM := $(PYTHON) scripts/sim.py --build "$(BUILD)" --seed "$(SEED)" --jobs "$(JOBS)"

# Goals run one after the other (each is parallel inside), also under `make -j demo sim`.
.NOTPARALLEL:
.PHONY: help demo sim nightly test list lint check format generate waves bench bench-area bench-cells bench-xc7 bench-net \
        docs rtl net-rtl ttpu fpga flash fpga-docs setup clean

help: ## this list
	@echo "Torus TPU. What there is to do:"
	@awk -F ':.*## ' '/^[a-z0-9%-]+:.*## / { sub("%", "<block>", $$1); printf "  make %-14s %s\n", $$1, $$2 }' Makefile
	@echo "Variables: SEED=$(SEED) JOBS=$(JOBS) BUILD=$(BUILD) TEST= CONFIG= BOARD="
	@echo "Blocks for test-<block>: $(BLOCKS)"

demo: ## a network reads handwritten digits on the simulated chip, every answer checked bit for bit
	@$(SETUP) demo
	@scripts/build.sh "$(BUILD)" "$(JOBS)" ttpu-demo ttpu_rtl_core16
	@scripts/demo.sh "$(BUILD)"

sim: ## the whole regression; ends with `N passed, N failed` (SEED=n repeats another run)
	@$(SETUP) sim
	@$(SIM)

nightly: ## the long random runs and proofs (a million GEMMs, ten million flits a topology), bitstreams of every open flow, Arty's count
	@$(SETUP) sim
	@failed=; $(SIM) --long --timeout 36000 || failed=yes; \
	for board in icebreaker "icebreaker VARIANT=upduino" ulx3s "ulx3s VARIANT=25f" "ulx3s VARIANT=45f" tang_nano_20k arty "arty VARIANT=35t"; do \
	  $(MAKE) fpga BOARD=$$board || failed=yes; done; [ -z "$$failed" ]

test: ## one test: make test TEST=name [SEED=n]
	@test -n "$(TEST)" || { echo "which? make test TEST=name; make list shows all"; exit 2; }
	@$(SETUP) sim
	@$(SIM) --test "$(TEST)"

test-%: ## the tests of one block: make test-mxu
	@$(SETUP) sim
	@$(SIM) --label "$*"

list: ## names of all tests
	@$(SETUP) build
	@scripts/build.sh "$(BUILD)" "$(JOBS)" --configure
	@cd "$(BUILD)" && { ctest --show-only; ctest -C long --show-only | sed 's/$$/  (make nightly)/'; } | \
	  sed -n 's/^  Test.*: /  /p' | awk '!seen[$$1]++'

lint: ## Verilator -Wall, synthesis check, layers, format, generated files
	@$(SETUP) lint
	@$(PYTHON) scripts/lint.py

check: ## lint, then the regression
	@$(MAKE) lint
	@$(MAKE) sim

format: ## format C++ by .clang-format (SV=1: also SystemVerilog by Verible)
	@$(SETUP) lint
	@$(PYTHON) scripts/lint.py --fix-format $(if $(SV),--systemverilog)

generate: ## packages, headers, reference pages from sw/isa/*.yaml; tables of the special functions; microcode
	@$(PYTHON) scripts/generate.py
	@$(PYTHON) scripts/generate_ici.py
	@$(PYTHON) scripts/generate_board.py
	@$(PYTHON) scripts/generate_sfu.py
	@$(PYTHON) scripts/microasm.py

waves: ## GTKWave with the saved view of a test: make waves TEST=mxu_test [SEED=n]
	@test -n "$(TEST)" || { echo "which? make waves TEST=name; make list shows all"; exit 2; }
	@$(SETUP) waves
	@scripts/build.sh "$(BUILD)" "$(JOBS)" --configure
	@$(PYTHON) scripts/waves/waves.py open "$(TEST)" --build "$(BUILD)" --seed "$(SEED)" --jobs "$(JOBS)"

bench: ## the numbers: MXU use, latency, simulation speed
	@$(SETUP) build
	@scripts/build.sh "$(BUILD)" "$(JOBS)" ttpu rtl
	@scripts/bench.sh "$(BUILD)"

bench-area: ## area and speed of one int8 PE on an iCE40 HX8K
	@$(SETUP) bench
	@scripts/bench_area.sh "$(BUILD)"

bench-cells: ## cells of the UART bridge, the network's router and link, the SDRAM controller
	@$(SETUP) bench
	@scripts/bench_cells.sh "$(BUILD)"

bench-digits: ## the digits network on `nano`: cycles by unit, images a second at the iCEBreaker's clock
	@$(SETUP) build
	@scripts/build.sh "$(BUILD)" "$(JOBS)" ttpu ttpu_rtl_nano
	@$(PYTHON) scripts/bench_digits.py "$(BUILD)" $(if $(MHZ),--mhz "$(MHZ)")

bench-xc7: ## the int8 array on Xilinx 7-series: LUT, FF, DSP beside the goals (SHORT=1: no baseline)
	@$(SETUP) bench
	@scripts/bench_xc7.sh "$(BUILD)"

bench-net: ## the network's numbers beside their goals (SHORT=1: fewer cycles)
	@$(SETUP) build
	@scripts/build.sh "$(BUILD)" "$(JOBS)" ttpu net_rtl
	@scripts/bench_net.sh "$(BUILD)"

docs: ## write the generated pages, check every link and timing diagram
	@$(PYTHON) scripts/generate.py
	@$(FPGA) docs
	@$(PYTHON) scripts/check_docs.py

ttpu: ## the command, build/bin/ttpu
	@$(SETUP) build
	@scripts/build.sh "$(BUILD)" "$(JOBS)" ttpu

rtl: ## the simulated chip for `ttpu --device rtl`: every configuration, or CONFIG=name [WAVES=1]
	@$(SETUP) build
	@scripts/build.sh "$(BUILD)" "$(JOBS)" $(if $(CONFIG),ttpu_rtl_$(CONFIG)$(if $(WAVES),_trace),rtl)

net-rtl: ## the simulated routers and links for `ttpu bench net --device rtl`
	@$(SETUP) build
	@scripts/build.sh "$(BUILD)" "$(JOBS)" net_rtl

fpga: ## bitstream for a board: make fpga BOARD=name [VARIANT= SEEDS=3 MHZ= KEEP=1 SITES=1]; without BOARD: the boards
	@$(FPGA) build "$(BOARD)" $(if $(VARIANT),--variant "$(VARIANT)") --seeds "$(SEEDS)" --seed "$(SEED)" \
	  --jobs "$(JOBS)" $(if $(MHZ),--mhz "$(MHZ)") $(if $(KEEP),--keep) $(if $(SITES),--sites)

flash: ## program a board: make flash BOARD=name [VARIANT= MODE=sram|flash PORT=]
	@$(FPGA) flash "$(BOARD)" $(if $(VARIANT),--variant "$(VARIANT)") --mode "$(MODE)" --port "$(PORT)"

fpga-docs: ## the boards' table in docs/reference/fpga.md from the checked-in reports
	@$(FPGA) docs

setup: ## install everything that any target needs
	@$(SETUP) all

clean: ## remove everything built (build/venv stays; remove it by hand)
	@if [ -d "$(BUILD)" ]; then \
	  find "$(BUILD)" -mindepth 1 -maxdepth 1 ! -name venv -exec rm -rf {} + ; fi
