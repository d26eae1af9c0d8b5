#!/bin/sh
# The numbers of the network, each with its condition and its goal. usage: bench_net.sh BUILD_DIR
# Measured on RTL unless the line says model. SHORT=1: less warm-up and fewer cycles.
set -u
ttpu=$1/bin/ttpu
python=$(test -x /usr/bin/python3 && echo /usr/bin/python3 || echo python3)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
status=0
warmup=4000 cycles=10000
[ -n "${SHORT:-}" ] && warmup=1500 cycles=2000

# net NAME OPTIONS...: one run, its JSON in $work/NAME
net() {
  name=$1
  shift
  echo "ttpu bench net $*" >&2
  "$ttpu" bench net "$@" --json >"$work/$name" || { cat "$work/$name" >&2; status=1; }
}
# value NAME KEY
value() {
  "$python" -c 'import json,sys; print(json.load(open(sys.argv[1])).get(sys.argv[2]) or 0)' "$work/$1" "$2"
}
# row TEXT VALUE GOAL [max]: a line of the table; MISSED if the value is not at least (at most) the goal
row() {
  "$python" - "$@" <<'P' || status=1
import sys
text, value, goal = sys.argv[1], float(sys.argv[2]), float(sys.argv[3])
most = len(sys.argv) > 4
good = value <= goal if most else value >= goal
print(f"{text:<74} {value:>9.4f}  {'<=' if most else '>='} {goal:<7g} {'' if good else 'MISSED'}")
sys.exit(not good)
P
}
ratio() { "$python" -c 'import sys; print(float(sys.argv[1]) / max(float(sys.argv[2]), 1e-9))' "$1" "$2"; }

full="--load 1 --warmup $warmup --cycles $cycles --drain 0"
cat <<'T'
measure (offered 1.0 flits a node a cycle; accepted, flits a node a cycle)    measured  goal
T
for topology in 8x8 4x4x4; do
  [ $topology = 8x8 ] && goals="0.90 0.80 0.55" || goals="0.97 0.90 0.75"
  # shellcheck disable=SC2086
  set -- $goals
  # shellcheck disable=SC2086
  net a --topology $topology --packet 1 $full
  row "uniform, 1 flit, $topology, 8 VC x 16" "$(value a accepted)" "$1"
  # shellcheck disable=SC2086
  net b --topology $topology --packet 8 $full
  row "uniform, 8 flits, $topology, 8 VC x 16" "$(value b accepted)" "$2"
  # shellcheck disable=SC2086
  net c --topology $topology --packet 1 --router medium $full
  row "uniform, 1 flit, $topology, 2 VC x 16" "$(value c accepted)" "$3"
  [ $topology = 8x8 ] && cp "$work/a" "$work/speed"
done
# shellcheck disable=SC2086
net t --topology 8x8 --traffic tornado $full
row "tornado, 8x8, accepted (bound 0.333)" "$(value t accepted)" 0.30
row "tornado, 8x8, worst node" "$(value t worst_node)" 0.25

# One hop against two in a row of nodes: what a hop adds, less the cable's one cycle.
printf '10 0 1 1\n' >"$work/one.txt"
printf '10 0 2 1\n' >"$work/two.txt"
net h1 --topology 8x8 --traffic trace --trace "$work/one.txt"
net h2 --topology 8x8 --traffic trace --trace "$work/two.txt"
hop=$("$python" -c 'import sys; print(float(sys.argv[1]) - float(sys.argv[2]) - 1)' \
  "$(value h2 latency_mean)" "$(value h1 latency_mean)")
row "cycles of a hop at zero load, without the cable" "$hop" 3 max

# All-to-all: cables at half the local ports' rate, so that the cables and not the one local port
# are what limits (their bounds on the twisted tori are above 1 flit a cycle).
all="--traffic all-to-all --link-period 2 --load 1 --drain 0 --warmup $((warmup * 2)) --cycles $cycles"
for case in "4x4x8 rtl 1.70" "4x8x8 model 1.36"; do
  # shellcheck disable=SC2086
  set -- $case
  # shellcheck disable=SC2086
  net regular --topology "$1" --device "$2" --routes table $all
  # shellcheck disable=SC2086
  net twisted --topology "$1-twisted" --device "$2" $all
  row "all-to-all, $1, $2: twisted over regular" "$(ratio "$(value twisted accepted)" "$(value regular accepted)")" "$3"
  row "  twisted, part of the theta bound" "$(value twisted theta_fraction)" 0.90
  row "  regular, part of the theta bound" "$(value regular theta_fraction)" 0.90
done

# Slices of two cubes, without and with one failed optical cross-connect. Regular 8x4x4: both cables
# of one of its 16 rings go, 2 of 32 that halve it, and no routes can have more than 0.9375 of the
# fault-free load. Twisted, no such cut limits it.
slices() {
  printf 'kind: cubes\ncubes: 2\nslices: [{name: s, %s, cubes: [0, 1]}]\n' "$1" >"$work/whole.yaml"
  cp "$work/whole.yaml" "$work/failed.yaml"
  printf 'failed:\n  cross_connects: [{dimension: %s, position: [1, 2]}]\n' "$2" >>"$work/failed.yaml"
  # shellcheck disable=SC2086
  net whole --topology "$work/whole.yaml" --routes table $all
  # shellcheck disable=SC2086
  net failed --topology "$work/failed.yaml" --routes table $all
  share=$(ratio "$(value failed accepted)" "$(value whole accepted)")
  bound=$(ratio "$(value failed theta_bound)" "$(value whole theta_bound)")
}
slices 'size: [4, 4, 8], twist: standard' z
row "all-to-all, 4x4x8 twisted, one cross-connect failed over fault-free" "$share" 0.988
slices 'size: [8, 4, 4]' y
row "all-to-all, 8x4x4, a cross-connect of y failed over fault-free" "$share" 0.988
slices 'size: [8, 4, 4]' x
before=$status
row "all-to-all, 8x4x4, a cross-connect of x failed over fault-free (bound $(printf %.4f "$bound"))" "$share" 0.988
status=$before  # beyond what any routes can do
row "  the same over what the bounds of the two allow" "$(ratio "$share" "$bound")" 0.988

row "kcycle/s, 64 routers 8x8 on RTL at offered 1.0, 1 thread" "$(value speed kcycles_per_s)" 10
net large --topology 16x16x16 --device model --load 0.4 --warmup 300 --cycles 300 --drain 0
row "cycles/s, 4,096 nodes 16x16x16 on the model at load 0.4, 1 thread" \
  "$("$python" -c 'import sys; print(1000 * float(sys.argv[1]))' "$(value large kcycles_per_s)")" 200
exit $status
