#!/bin/sh
# A proof that nothing can break proves nothing: each planted fault must be found.
# usage: refute.sh SOURCE TOP WORK_DIR DEPTH INDUCTION 'PARAMETER=VALUE...' 'SED EXPRESSION'...
set -eu
source=$1 top=$2 work=$3 depth=$4 induction=$5 parameter=$6
shift 6
extra=${FORMAL_EXTRA-}
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$work"
number=0
for fault in "$@"; do
  number=$((number + 1))
  sed "$fault" "$source" >"$work/fault$number.sv"
  changed=no
  cmp -s "$source" "$work/fault$number.sv" || changed=yes
  if [ -n "$extra" ]; then
    export FORMAL_EXTRA="$work/extra$number.sv"
    sed "$fault" "$extra" >"$FORMAL_EXTRA"
    cmp -s "$extra" "$FORMAL_EXTRA" || changed=yes
  fi
  if [ $changed = no ]; then
    echo "refute.sh: '$fault' changes nothing in $source" >&2
    exit 1
  fi
  # shellcheck disable=SC2086  # several parameters in one word
  if "$here/prove.sh" "$work/fault$number.sv" "$top" "$work/fault$number" "$depth" "$induction" \
    $parameter >"$work/fault$number.log" 2>&1; then
    echo "$top: the proof does not notice '$fault'" >&2
    exit 1
  fi
  grep -q FAILED "$work/fault$number.log" || {
    cat "$work/fault$number.log" >&2
    exit 1
  }
  echo "$top: '$fault' refuted"
done
