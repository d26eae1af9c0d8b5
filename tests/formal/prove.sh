#!/bin/sh
# Prove the properties of one small module with yosys-smtbmc and z3, and reach its covers.
# usage: prove.sh SOURCE TOP WORK_DIR DEPTH INDUCTION [PARAMETER=VALUE...]
# The induction shows that the properties hold for ever, the bounded run that they hold from reset.
# The properties stand beside this script in TOP_props.svh; they are put before the module's
# endmodule, so that they see its registers and the RTL stays free of them.
# FORMAL_EXTRA: a second source, of a module that the properties instantiate.
# FORMAL_SED: a change of the RTL before it is proved (two clocks into one with enables).
set -eu
source=$1 top=$2 work=$3 depth=$4 induction=$5
shift 5
here=$(cd "$(dirname "$0")" && pwd)
for tool in yosys yosys-smtbmc z3; do
  command -v $tool >/dev/null || {
    echo "prove.sh: $tool is missing: apt install yosys z3" >&2
    exit 1
  }
done
rm -rf "$work"
mkdir -p "$work"
sed -e "${FORMAL_SED-}" -e "/^endmodule/e cat '$here/${top}_props.svh'" "$source" >"$work/$top.sv"
[ -z "${FORMAL_EXTRA-}" ] || cat "$FORMAL_EXTRA" >>"$work/$top.sv"
params=
for p in "$@"; do params="$params -set ${p%=*} ${p#*=}"; done
cd "$work"  # a path with a space would confuse yosys
yosys -q -l yosys.log -p "read_verilog -formal -sv -DSYNTHESIS $top.sv
  chparam $params $top
  prep -flatten -top $top; memory_nordff; memory_map; async2sync; chformal -assume -early; opt_clean
  write_smt2 -wires $top.smt2"
run() { # name, arguments
  name=$1
  shift
  if timeout 200 yosys-smtbmc -s z3 --dump-vcd "$name.vcd" "$@" "$top.smt2" >"$name.log" 2>&1 &&
    grep -q "Status: PASSED" "$name.log"; then
    echo "$top $params: $name passed"
  else
    echo "$top $params: $name FAILED, trace in $work/$name.vcd" >&2
    tail -n 20 "$name.log" >&2
    exit 1
  fi
}
run bounded -t "$depth"
run induction -i -t "$induction"
run cover -c -t "$depth"
