#!/usr/bin/env python3
"""Bitstreams for boards. The Makefile's way in:

  fpga.py build  [BOARD] [--variant V] [--seeds N] [--seed FIRST] [--mhz F] [--keep]   make fpga
  fpga.py flash  BOARD [--variant V] [--mode sram|flash] [--port P]                    make flash
  fpga.py docs   [--check]                                                             make fpga-docs
  fpga.py sources BOARD [--variant V]     the top's files, packages first, and its -G options

Exit codes: 1 the build failed (or timing, or fit), 2 wrong use or board.yaml, 3 a tool is missing,
4 the board could not be programmed, 130 interrupted.
"""
import argparse
import pathlib
import re
import signal
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
# pylint: disable=wrong-import-position
import boards
import build
import flash
import pll
import report
import sources
import synth
import work
from errors import FlowError


def arguments():
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--build", type=pathlib.Path, default=boards.ROOT / "build", help="build folder")
    parser.add_argument("--boards", type=pathlib.Path, default=boards.ROOT / "fpga", help="folder of the boards")
    sub = parser.add_subparsers(dest="what", required=True)
    for what in ("build", "flash", "sources"):
        p = sub.add_parser(what)
        p.add_argument("board", nargs="?", default="")
        p.add_argument("--variant", default="")
        if what == "flash":
            p.add_argument("--mode", default="sram")
            p.add_argument("--port", default="")
        elif what == "build":
            p.add_argument("--seeds", default="3", help="how many seeds")
            p.add_argument("--seed", default="1", help="the first one")
            p.add_argument("--mhz", help="another chip clock than the board's")
            p.add_argument("--jobs", default="1", help="seeds at a time")
            p.add_argument("--sites", action="store_true", help="first make the board's file of sites anew")
            p.add_argument("--keep", action="store_true", help="copy the report to the board's folder")
    sub.add_parser("docs").add_argument("--check", action="store_true", help="only compare")
    return parser.parse_args()


def whole(name, text, most=1000):
    """A number of the command line, 1 to `most`; FlowError names its variable."""
    if not re.fullmatch(r"[0-9]{1,9}", text) or not 1 <= int(text) <= most:
        raise FlowError(f"{name}={text}: must be a whole number from 1 to {most}", 2)
    return int(text)


def clock(text):
    """MHz of the command line; None if there are none."""
    if text is None:
        return None
    if not re.fullmatch(r"[0-9]{1,6}(\.[0-9]+)?", text) or float(text) <= 0:
        raise FlowError(f"MHZ={text}: must be a number above 0, as 27 or 62.5", 2)
    return float(text)


def main():
    """Runs one command; gives the exit code."""
    args = arguments()
    boards_dir, build_dir = args.boards.resolve(), args.build.resolve()
    if args.what == "docs":
        current = report.write_page(boards_dir, args.check)
        if args.check and not current:
            print(f"{report.PAGE}: the table does not follow from fpga/*/report*.json: make fpga-docs")
            return 1
        return 0
    if not args.board:
        if args.what != "build":
            raise FlowError(f"which board? BOARD= one of {', '.join(boards.names(boards_dir))}", 2)
        if args.variant:
            raise FlowError(f"VARIANT={args.variant}: of which board? BOARD= one of "
                            f"{', '.join(boards.names(boards_dir))}", 2)
        print(build.overview(boards_dir, build_dir))
        return 0
    board = boards.load(boards_dir, args.board, args.variant)
    if args.what == "sources":
        chosen = synth.parameters(board, pll.clocking(board)[1])
        print("\n".join([str(f) for f in sources.closure(board)] + [f"-G{n}={v}" for n, v in chosen.items()]))
        return 0
    if args.what == "flash":
        flash.run(board, build_dir, args.mode, args.port)
        return 0
    first = whole("SEED", args.seed, 10 ** 9 - 1)
    seeds = range(first, first + whole("SEEDS", args.seeds))
    build.run(board, build_dir, seeds, clock(args.mhz), whole("JOBS", args.jobs), args.keep, args.sites)
    return 0


def interrupt(*_):
    """SIGTERM ends a build as Ctrl-C does."""
    raise KeyboardInterrupt


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, interrupt)
    try:
        sys.exit(main())
    except FlowError as e:
        print(f"fpga: {e}", file=sys.stderr)
        sys.exit(e.status)
    except KeyboardInterrupt:
        work.stop_all()
        print("fpga: interrupted; no bitstream is left from this build", file=sys.stderr)
        sys.exit(130)
    finally:
        work.stop_all()
