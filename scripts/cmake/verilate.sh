#!/bin/sh
# Run Verilator and leave <prefix>.h, <prefix>__fast.cpp, <prefix>__slow.cpp in DIR.
# usage: verilate.sh DIR PREFIX TOP FLAGS_AND_SOURCES...
# Files whose text did not change keep their time, so that nothing is compiled for nothing.
set -eu
dir=$1 prefix=$2 top=$3
shift 3
# Verilator loses file names with a space: it gets names from the root, and works in a folder of ours.
# So the generated code is also the same in every checkout, and ccache knows it again.
root=$(cd "$(dirname "$0")/../.." && pwd)
cd "$root"
count=$#
while [ "$count" -gt 0 ]; do
  argument=$1
  shift
  set -- "$@" "${argument#"$root"/}"
  count=$((count - 1))
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$dir"
verilator --cc -Wall --unroll-count 4 -O3 --x-assign unique --x-initial unique \
  --prefix "$prefix" --top-module "$top" --Mdir "$work" scripts/lint/waivers.vlt "$@"
cd "$work"
for f in *.cpp; do
  case $f in
    *Slow*|*__Syms*|*__ConstPool*) echo "#include \"$f\"" >>slow.list ;;
    *) echo "#include \"$f\"" >>fast.list ;;
  esac
done
mv fast.list "${prefix}__fast.cpp"
touch slow.list
mv slow.list "${prefix}__slow.cpp"
# The included parts count for the two units: a changed part must change the unit's own text.
sum() { cat "$@" | cksum | tr ' ' '-'; }
for unit in fast slow; do
  # shellcheck disable=SC2046
  echo "// contents $(sum *.h $(sed 's/.*"\(.*\)"/\1/' "${prefix}__$unit.cpp"))" >>"${prefix}__$unit.cpp"
done
rm -f ./*.mk ./*.d ./*.dat
for f in *; do
  cmp -s "$f" "$dir/$f" || cp "$f" "$dir/$f"
done
cd "$dir"
for f in *; do
  [ -e "$work/$f" ] || rm -rf "$f"
done
