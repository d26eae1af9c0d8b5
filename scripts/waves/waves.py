#!/usr/bin/env python3
"""Saved wave views for GTKWave.

usage: waves.py open TEST [--build DIR] [--seed N] [--jobs N]   build, trace and show a test
       waves.py save WAVE.fst OUT.gtkw [--view NAME] [--at CYCLE]  write the save file of a wave
       waves.py list

`open` shows the wave that a failed run left; if there is none, it makes one of the test's first case.
"""
import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys

import yaml

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
HERE = pathlib.Path(__file__).resolve().parent

# GTKWave's flags of a trace.
HEX, DECIMAL, SIGNED, BINARY, FILTER, ENUM = 0x22, 0x24, 0x420, 0x28, 0x2000, 0x100000028


def load_views():
    with open(HERE / "views.yaml", encoding="utf-8") as f:
        return yaml.safe_load(f)["views"]


def signals_of(wave):
    """Full names in an FST, with their ranges, in the order of the file."""
    names, scopes = [], []
    process = subprocess.Popen(["fst2vcd", str(wave)], stdout=subprocess.PIPE,
                               stderr=subprocess.DEVNULL, text=True, errors="replace")
    for line in process.stdout:
        if line.startswith("$enddefinitions"):
            break
        if m := re.match(r"\$scope \w+ (\S+)", line):
            scopes.append(m.group(1))
        elif line.startswith("$upscope"):
            scopes.pop()
        elif m := re.match(r"\$var \w+ \d+ \S+ (\S+)(?: (\[\S+\]))? \$end", line):
            names.append(".".join(scopes + [m.group(1)]) + (m.group(2) or ""))
    process.kill()
    process.wait()
    if not names:
        sys.exit(f"{wave}: not a wave, or an empty one")
    return names


# ---- values by name -----------------------------------------------------------------------------
def filters():
    """{kind: (names by value, bits)}: what the wave itself does not name."""
    with open(ROOT / "sw/isa/isa.yaml", encoding="utf-8") as f:
        isa = yaml.safe_load(f)
    return {"opcode": ({i["opcode"]: i["name"] for i in isa["instructions"]}, 8)}


def write_filter(folder, name, values, bits):
    folder.mkdir(parents=True, exist_ok=True)
    digits = (bits + 3) // 4
    file = folder / f"{name}.txt"
    file.write_text("".join(f"{v:0{digits}X} {n}\n" for v, n in sorted(values.items())), "utf-8")
    return file


# ---- save files ---------------------------------------------------------------------------------
def expand(pattern, scope, names):
    """Full names for one entry of a view; `[*]` is every index."""
    regex = re.escape(f"{scope}.{pattern}").replace(re.escape("[*]"), r"\[(\d+)\]")
    found = []
    for n in names:
        m = re.fullmatch(regex + r"(\[[-\d:]+\])?", n)
        if m:
            found.append(([int(x) for x in m.groups()[:-1]], n))
    return [n for _, n in sorted(found, key=lambda x: x[0])]


def scopes_of(view, names):
    """Scopes of a wave that the view describes, shortest names first, without repetition."""
    found = []
    for n in names:
        parts = n.split(".")
        for i, part in enumerate(parts[:-1]):
            if part in view["scope"]:
                scope = ".".join(parts[: i + 1])
                if scope not in found:
                    found.append(scope)
                break
    return found


def views_for(names, wanted=None):
    """[(view name, view, scope)] that fit a wave: the chip's if it is a chip, else the block's."""
    views = load_views()
    if wanted:
        return [(wanted, views[wanted], s) for s in scopes_of(views[wanted], names)]
    if any(".i_core." in n for n in names):
        return [("chip", views["chip"], s) for s in scopes_of(views["chip"], names)]
    return [(k, v, s) for k, v in views.items() if k != "chip" for s in scopes_of(v, names)]


def plain_view(names):
    """Any other model: the ports of its top."""
    return [n for n in names if n.count(".") == 1]


def save(wave, out, wanted=None, at=None):
    """Write a save file; returns the number of signals. Exits if a signal of a view is missing."""
    wave, out = pathlib.Path(wave), pathlib.Path(out)
    names = signals_of(wave)
    lines, count, missing = ["[*] Written by scripts/waves/waves.py from scripts/waves/views.yaml"], 0, []
    numbers, table = {}, filters()
    chosen = views_for(names, wanted)
    if wanted and not chosen:
        sys.exit(f"{wave}: has no {' or '.join(load_views()[wanted]['scope'])}, which view {wanted} shows")
    if at is not None:
        # Two steps of time a cycle; the marker stands on the cycle, a third from the right.
        lines += [f"[timestart] {max(0, 2 * at - 120)}", f"*-2.000000 {2 * at + 1}"]
    for name, view, scope in chosen:
        for group, entries in view["groups"].items():
            title = group if len(chosen) == 1 else f"{scope.removeprefix('top.')}: {group}"
            lines += ["@800200", f"-{title}"]
            for entry in entries:
                pattern, _, kind = entry.partition(":")
                found = expand(pattern, scope, names)
                if not found:
                    missing.append(f"{name}: {scope}.{pattern}")
                for signal in found:
                    wide = re.search(r"\[\d+:\d+\]$", signal)
                    if kind in table:
                        file = write_filter(out.parent / "filters", kind, *table[kind])
                        # GTKWave keeps filters by number: one for each file.
                        number = numbers.setdefault(file, len(numbers) + 1)
                        lines += [f"@{HEX | FILTER:x}", f"^{number} {file.resolve()}"]
                    else:
                        flag = {"dec": DECIMAL, "sdec": SIGNED, "enum": ENUM}.get(kind, HEX if wide else BINARY)
                        lines.append(f"@{flag:x}")
                    lines.append(signal)
                    count += 1
            lines += ["@1000200", f"-{title}"]
    if not chosen:
        for signal in plain_view(names):
            lines += [f"@{HEX if signal.endswith(']') else BINARY:x}", signal]
            count += 1
    if missing:
        sys.exit("signals of the saved view that the wave does not have:\n  " + "\n  ".join(missing))
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_text("\n".join(lines) + "\n", "utf-8")
    return count


def open_test(test, build, seed, jobs):
    build = pathlib.Path(build).resolve()
    wave = build / "waves" / f"{test}.fst"
    view = wave.with_suffix(".gtkw")
    if not wave.exists():
        print(f"no wave of {test} yet: making one")
        made = subprocess.run([str(ROOT / "scripts/run_test.sh"), str(build), test, "0", "1"],
                              env=dict(os.environ, TTPU_SEED=seed, TTPU_WAVE_ALWAYS="1"))
        if not wave.exists():
            sys.exit(f"no wave of {test} (exit {made.returncode}); is it a test of RTL? `make list` "
                     "shows all tests")
    if not view.exists():
        save(wave, view)
    print(f"{wave}\n{view}")
    if not os.environ.get("DISPLAY") and not os.environ.get("WAYLAND_DISPLAY"):
        sys.exit(f"no display here. Where there is one: gtkwave '{wave}' '{view}'")
    if not shutil.which("gtkwave"):
        sys.exit("gtkwave is missing: scripts/setup.sh waves")
    os.execvp("gtkwave", ["gtkwave", str(wave), str(view)])


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    sub = parser.add_subparsers(dest="job", required=True)
    p = sub.add_parser("open", help="show a test in GTKWave")
    p.add_argument("test")
    p.add_argument("--build", default=str(ROOT / "build"))
    p.add_argument("--seed", default=os.environ.get("TTPU_SEED") or "1")
    p.add_argument("--jobs", default="1")
    p = sub.add_parser("save", help="write the save file of a wave")
    p.add_argument("wave")
    p.add_argument("out")
    p.add_argument("--view", choices=sorted(load_views()))
    p.add_argument("--at", type=int, help="cycle to show")
    sub.add_parser("list", help="names of the views")
    args = parser.parse_args()
    if args.job == "open":
        open_test(args.test, args.build, args.seed, args.jobs)
    elif args.job == "save":
        count = save(args.wave, args.out, args.view, args.at)
        print(f"{args.out}: {count} signals")
    else:
        print("\n".join(load_views()))


if __name__ == "__main__":
    main()
