#!/bin/sh
# Run one GoogleTest for ctest: seed, results in a file, and waves of a failure.
# usage: run_test.sh BUILD_DIR TEST SHARD SHARDS [ARGUMENTS...]
#
# When a test of the RTL fails it is run again, the failing case only, in the build with waves; the
# wave of the last cycles before the failure stays in BUILD_DIR/waves/TEST.fst.
set -u
build=$1 test=$2 shard=$3 shards=$4
shift 4
root=$(cd "$(dirname "$0")/.." && pwd)
name=$test
if [ "$shards" -gt 1 ]; then
  GTEST_TOTAL_SHARDS=$shards GTEST_SHARD_INDEX=$shard
  export GTEST_TOTAL_SHARDS GTEST_SHARD_INDEX
  name=$test.$shard
fi
mkdir -p "$build/results" "$build/waves"
log=$build/results/$name.log
xml=$build/results/$name.xml
rm -f "$xml" "$build/waves/$name.fst"
"$build/tests/$test" "--gtest_output=xml:$xml" "$@" >"$log" 2>&1 &
child=$!
trap 'kill -INT $child 2>/dev/null; wait $child; exit 130' INT TERM
wait $child
status=$?
trap - INT TERM
cat "$log"
[ $status -eq 0 ] && exit 0

seed=${TTPU_SEED:-1}
echo
echo "FAILED $name (exit $status)"
echo "  to repeat: make test TEST=$test SEED=$seed"
# No traced build of a test without RTL, and none asked for with TTPU_WAVES=0.
[ "${TTPU_WAVES:-1}" = 0 ] && exit 1
case_name=$(sed -n 's/^\[  FAILED  \] \([A-Za-z0-9_/.]*\).*/\1/p' "$log" | head -n 1)
# A crash leaves no summary: the last case that started is the one.
[ -n "$case_name" ] || case_name=$(sed -n 's/^\[ RUN      \] //p' "$log" | tail -n 1)
[ -n "$case_name" ] || exit 1
# One ninja at a time: the tests run in parallel.
if (cd "$build" && ninja -t query "${test}_trace" >/dev/null 2>&1); then
  (
    flock 9
    cd "$build" && ninja "${test}_trace" >"$build/results/$name.trace-build.log" 2>&1
  ) 9>"$build/waves/.lock" || {
    echo "  no wave: the traced build failed, see $build/results/$name.trace-build.log"
    exit 1
  }
  where=$(sed -n 's/^\[ttpu\] failed in controller \([0-9]*\) at cycle \([0-9]*\)$/\1 \2/p' "$log" | head -n 1)
  only=${where% *}
  cycle=${where#* }
  from=0
  [ "${cycle:-0}" -gt "${TTPU_WAVE_CYCLES:-20000}" ] && from=$((cycle - ${TTPU_WAVE_CYCLES:-20000}))
  unset GTEST_TOTAL_SHARDS GTEST_SHARD_INDEX
  TTPU_TRACE="$build/waves/$name.fst" TTPU_TRACE_ONLY=${only:-1} TTPU_TRACE_FROM=$from \
    timeout 240 "$build/tests/${test}_trace" "--gtest_filter=$case_name" "$@" \
    >"$build/results/$name.trace.log" 2>&1
  if [ -s "$build/waves/$name.fst" ]; then
    echo "  wave of $case_name: $build/waves/$name.fst"
    echo "  to see it: make waves TEST=$name"
  fi
fi
exit 1
