#!/bin/sh
# Run one GoogleTest for ctest: seed, results in a file, and waves of a failure.
# usage: run_test.sh BUILD_DIR TEST SHARD SHARDS [ARGUMENTS...]
#
# When a test of the RTL fails, the failing case is run again with waves; the last cycles before the
# failure stay in BUILD_DIR/waves/TEST.fst, with a GTKWave view beside it. TTPU_WAVES=0: no waves.
# TTPU_WAVE_ALWAYS=1: no run, only waves, of the first case (make waves).
set -u
build=$1 test=$2 shard=$3 shards=$4
shift 4
root=$(cd "$(dirname "$0")/.." && pwd)
python=/usr/bin/python3
[ -x "$python" ] || python=python3
name=$test
if [ "$shards" -gt 1 ]; then
  GTEST_TOTAL_SHARDS=$shards GTEST_SHARD_INDEX=$shard
  export GTEST_TOTAL_SHARDS GTEST_SHARD_INDEX
  name=$test.$shard
fi
mkdir -p "$build/results" "$build/waves"
log=$build/results/$name.log
xml=$build/results/$name.xml
wave=$build/waves/$name.fst
rm -f "$xml" "$wave" "$build/waves/$name.gtkw"

ninja_one() { # TARGET...: one ninja at a time, the tests run in parallel
  (
    flock 9
    cd "$build" && ninja "$@" >"$build/results/$name.trace-build.log" 2>&1
  ) 9>"$build/waves/.lock"
}
has_target() { (cd "$build" && ninja -t query "$1" >/dev/null 2>&1); }

# Make $wave of the case $1; $2: number of the controller, $3: cycle of the failure ("" if unknown),
# $4: steps of a cycle in the wave ("": 2).
trace_case() {
  unset GTEST_TOTAL_SHARDS GTEST_SHARD_INDEX
  if has_target "${test}_trace"; then
    program=$build/tests/${test}_trace
    ninja_one "${test}_trace" || {
      echo "  no wave: the traced build failed, see $build/results/$name.trace-build.log"
      return 1
    }
  else
    # A test of the device API: the rtl back end traces itself. Its first failure ends the run.
    program=$build/tests/$test
    set -- "$1" "" "" ""
    thrown=--gtest_throw_on_failure
  fi
  from=0
  [ "${3:-0}" -gt "${TTPU_WAVE_CYCLES:-20000}" ] && from=$(($3 - ${TTPU_WAVE_CYCLES:-20000}))
  for attempt in 1 2 3; do
    TTPU_TRACE=$wave TTPU_TRACE_ONLY=${2:-1} TTPU_TRACE_FROM=$from \
      timeout 240 "$program" "--gtest_filter=$1" ${thrown:-} \
      >"$build/results/$name.trace.log" 2>&1
    # The back end with waves of that configuration may have to be built first.
    config=$(sed -n 's/.*`make rtl CONFIG=\([a-z0-9]*\) WAVES=1`.*/\1/p' "$build/results/$name.trace.log" | head -n 1)
    [ -n "$config" ] && [ "$attempt" -lt 3 ] && ninja_one "ttpu_rtl_${config}_trace" || break
  done
  [ -s "$wave" ] || return 1
  "$python" "$root/scripts/waves/waves.py" save "$wave" "$build/waves/$name.gtkw" ${3:+--at "$3"} \
    ${4:+--steps "$4"} >>"$build/results/$name.trace.log" 2>&1
  echo "  wave of $1: $wave"
  echo "  to see it: make waves TEST=$name"
}

if [ "${TTPU_WAVE_ALWAYS:-0}" = 1 ]; then
  ninja_one "tests/$test" || { tail -n 30 "$build/results/$name.trace-build.log"; exit 1; }
  first=$("$build/tests/$test" --gtest_list_tests | awk '
    /^[^ \[]/ { suite = $1 } /^  / { print suite $1; exit }')
  trace_case "$first" 1 "" ""
  exit
fi

"$build/tests/$test" "--gtest_output=xml:$xml" "$@" >"$log" 2>&1 &
child=$!
trap 'kill -INT $child 2>/dev/null; wait $child; exit 130' INT TERM
wait $child
status=$?
trap - INT TERM
cat "$log"
[ $status -eq 0 ] && exit 0

echo
echo "FAILED $name (exit $status)"
echo "  to repeat: make test TEST=$test SEED=${TTPU_SEED:-1}"
[ "${TTPU_WAVES:-1}" = 0 ] && exit 1
case_name=$(sed -n 's/^\[  FAILED  \] \([A-Za-z0-9_/.]*\).*/\1/p' "$log" | head -n 1)
# A crash leaves no summary: the last case that started is the one.
[ -n "$case_name" ] || case_name=$(sed -n 's/^\[ RUN      \] //p' "$log" | tail -n 1)
[ -n "$case_name" ] || exit 1
# Where it failed, as the bench said: the line before the end of that case.
where=$(awk -v run="[ RUN      ] $case_name" '$0 == run { on = 1 } on && /^\[ (  FAILED  |      OK )\]/ { exit }
  on && /^\[ttpu\] failed in controller/ { print $5, $8, $10; exit }' "$log")
# shellcheck disable=SC2086 # up to three words
set -- $where
trace_case "$case_name" "${1:-}" "${2:-}" "${3:-}"
exit 1
