#!/bin/sh
# The numbers of the project, one JSON object a line. usage: bench.sh BUILD_DIR
set -u
ttpu=$1/bin/ttpu
status=0
bench() {
  echo "ttpu bench $*" >&2
  "$ttpu" bench "$@" --json || status=1
}
bench gemm --device rtl --config core16 --m 1024 --n 1024 --k 1024 --type int8
bench gemm --device rtl --config core16 --m 16 --n 16 --k 16 --type int8 --cold
bench array --config core128 --type int8
bench gemm --device rtl --config core128 --m 512 --n 512 --k 512 --type int8
exit $status
