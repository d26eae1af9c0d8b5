#!/bin/sh
# Run the demonstration that `make demo` has built.
# usage: scripts/demo.sh BUILD_DIR [ttpu-demo's options]
set -eu
build=$1
shift
exec "$build/bin/ttpu-demo" --models "$(dirname "$0")/../models" "$@"
