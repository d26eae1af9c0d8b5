#!/bin/sh
# Configure if need be, then build targets; quiet unless something goes wrong or takes long.
# usage: build.sh BUILD_DIR JOBS TARGET... | --configure
set -eu
build=$1 jobs=$2
shift 2
mkdir -p "$build"
cmake -S . -B "$build" -G Ninja >"$build/configure.log" 2>&1 || {
  cat "$build/configure.log"
  exit 1
}
[ "$1" = --configure ] && exit 0
echo "building $* ..."
# One line that counts, where somebody watches.
[ -t 1 ] || set -- --quiet "$@"
NINJA_STATUS='  [%f/%t] ' ninja -C "$build" -j "$jobs" "$@" 2>&1
