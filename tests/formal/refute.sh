#!/bin/sh
# A proof that nothing can break proves nothing: each planted fault must be found.
# usage: refute.sh SOURCE TOP WORK_DIR DEPTH INDUCTION PARAMETER=VALUE 'SED EXPRESSION'...
set -eu
source=$1 top=$2 work=$3 depth=$4 induction=$5 parameter=$6
shift 6
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$work"
number=0
for fault in "$@"; do
  number=$((number + 1))
  sed "$fault" "$source" >"$work/fault$number.sv"
  if cmp -s "$source" "$work/fault$number.sv"; then
    echo "refute.sh: '$fault' changes nothing in $source" >&2
    exit 1
  fi
  if "$here/prove.sh" "$work/fault$number.sv" "$top" "$work/fault$number" "$depth" "$induction" \
    "$parameter" >"$work/fault$number.log" 2>&1; then
    echo "$top: the proof does not notice '$fault'" >&2
    exit 1
  fi
  grep -q FAILED "$work/fault$number.log" || {
    cat "$work/fault$number.log" >&2
    exit 1
  }
  echo "$top: '$fault' refuted"
done
