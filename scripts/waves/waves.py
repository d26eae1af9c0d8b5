#!/usr/bin/env python3
"""Saved wave views for GTKWave.

usage: waves.py open TEST [--build DIR] [--seed N] [--jobs N]   build, trace and show a test
       waves.py save WAVE.fst OUT.gtkw [--view NAME] [--at CYCLE [--steps N]]
                                             write the save file of a wave; N steps of time a cycle
       waves.py list

`open` shows the wave that a failed run left; if there is none, it makes one of the test's first case.
"""
import argparse
import math
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


def load_ici():
    with open(ROOT / "sw/isa/ici.yaml", encoding="utf-8") as f:
        return yaml.safe_load(f)


def read(wave):
    """Names of signals in an FST, with their ranges, in the order of the file; steps of time a cycle."""
    names, scopes, clock, time, rises = [], [], None, 0, []
    process = subprocess.Popen(["fst2vcd", str(wave)], stdout=subprocess.PIPE,
                               stderr=subprocess.DEVNULL, text=True, errors="replace")
    ended = False
    for line in process.stdout:
        if ended:
            if line.startswith("#"):
                time = int(line[1:])
            elif line.rstrip() == f"1{clock}":
                rises.append(time)
            if len(rises) > 16:
                break
        elif line.startswith("$enddefinitions"):
            ended = True
        elif m := re.match(r"\$scope \w+ (\S+)", line):
            scopes.append(m.group(1))
        elif line.startswith("$upscope"):
            scopes.pop()
        elif m := re.match(r"\$var \w+ \d+ (\S+) (\S+)(?: (\[\S+\]))? \$end", line):
            # GTKWave calls a vector of one bit [0].
            names.append(".".join(scopes + [m.group(2)]) + (m.group(3) or "").replace("[0:0]", "[0]"))
            if clock is None and m.group(2).endswith("clk_i"):
                clock = m.group(1)
    process.kill()
    process.wait()
    if not names:
        sys.exit(f"{wave}: not a wave, or an empty one")
    return names, (rises[-1] - rises[0]) / (len(rises) - 1) if len(rises) > 1 else 2


def signals_of(wave):
    return read(wave)[0]


# ---- values by name -----------------------------------------------------------------------------
def filters():
    """{kind: (names by value, bits)}: what the wave itself does not name."""
    with open(ROOT / "sw/isa/isa.yaml", encoding="utf-8") as f:
        isa = yaml.safe_load(f)
    ici = load_ici()
    return {"opcode": ({i["opcode"]: i["name"] for i in isa["instructions"]}, 8),
            "dir": ({x["value"]: x["name"] for x in ici["directions"]}, 3),
            "packet": ({x["value"]: x["name"] for x in ici["kinds"]}, 4),
            "frame": ({x["value"]: x["name"] for x in ici["frame_kinds"]}, 2)}


def write_filter(folder, name, values, bits):
    folder.mkdir(parents=True, exist_ok=True)
    digits = (bits + 3) // 4
    file = folder / f"{name}.txt"
    file.write_text("".join(f"{v:0{digits}X} {n}\n" for v, n in sorted(values.items())), "utf-8")
    return file


# ---- parts of flits and frames --------------------------------------------------------------------
def fields():
    """{"header.dest": (lowest bit, bits)}; of flit.*, which stand above the payload, the lowest bit is
    counted from the flit's end and negative."""
    ici, result = load_ici(), {}
    for part in ("header", "flit", "frame", "leg"):
        low = 0
        if part == "flit":
            low = -sum(f["bits"] for f in ici[part])
        elif part == "leg":  # the current one is the lowest of the route
            low = result["header.route"][0]
        for f in ici[part]:
            result[f"{part}.{f['name']}"] = (low, f["bits"])
            low += f["bits"]
    return result


def width_of(signal):
    """Bits of a vector, 0 if it is none."""
    m = re.search(r"\[(\d+):0\]$", signal)
    return int(m.group(1)) + 1 if m else 0


def part_of(signal, low, bits, name):
    """Line of a save file: `bits` bits of a vector from bit `low` of it, called `name`."""
    first = width_of(signal) - low - bits  # GTKWave counts from the left
    label = f"{name}[{bits - 1}:0]" if bits > 1 else name
    return f"#{{{label}}} " + " ".join(f"({first + i}){signal}" for i in range(bits))


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


def lines_of(pattern, scope, names, parts):
    """Lines of a save file for one entry of a view: signals, bits of them, parts of flits."""
    base, _, field = pattern.removesuffix("}").partition("{")
    found = expand(base, scope, names)
    if field:
        if field not in parts:
            return []
        low, bits = parts[field]
        return [part_of(n, low if low >= 0 else width_of(n) + low, bits,
                        f"{n.rsplit('[', 1)[0]}.{field.split('.')[1]}") for n in found]
    bit = re.fullmatch(r"(.*)\[(\d+)\]", base)
    if not found and bit:  # an index of a packed vector
        found = [part_of(n, int(bit.group(2)), 1, f"{scope}.{base}")
                 for n in expand(bit.group(1), scope, names) if int(bit.group(2)) < width_of(n)]
    return found


def groups_of(view, scope, names):
    """(title, closed, entries) of a view; a group with `[*]` in its title once for each index."""
    directions = {d["value"]: d["name"] for d in load_ici()["directions"]}
    for title, entries in view["groups"].items():
        closed = title in view.get("closed", [])
        if "[*]" not in title:
            yield title, closed, entries
            continue
        arrays = [re.sub(r"[:{].*", "", e).replace("[#]", "[*]") for e in entries if "[#]" in e]
        count = min((len(found) for a in arrays if (found := expand(a, scope, names))), default=0)
        if not count:
            yield title, closed, arrays  # not one is there: say so
        for i in range(count):
            port = "local" if i == count - 1 else directions.get(i, "")
            yield (title.replace("[*]", str(i)).replace("{port}", port), closed,
                   [e.replace("[#]", f"[{i}]") for e in entries])


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
    """[(view name, view, scope)] that fit a wave: of a chip or node its own, else the blocks'."""
    views = load_views()
    if wanted:
        return [(wanted, views[wanted], s) for s in scopes_of(views[wanted], names)]
    for k, v in views.items():
        if v.get("whole") and scopes_of(v, names):
            return [(k, v, s) for s in scopes_of(v, names)]
    return [(k, v, s) for k, v in views.items() for s in scopes_of(v, names)]


def plain_view(names):
    """Any other model: the ports of its top."""
    return [n for n in names if n.count(".") == 1]


def save(wave, out, wanted=None, at=None, steps=None):
    """Write a save file; returns the number of signals. Exits if a signal of a view is missing."""
    wave, out = pathlib.Path(wave), pathlib.Path(out)
    names, cycle = read(wave)
    parts = fields()
    lines, count, missing = ["[*] Written by scripts/waves/waves.py from scripts/waves/views.yaml"], 0, []
    numbers, table = {}, filters()
    chosen = views_for(names, wanted)
    if wanted and not chosen:
        sys.exit(f"{wave}: has no {' or '.join(load_views()[wanted]['scope'])}, which view {wanted} shows")
    # 30 to 50 cycles in a window; those before the marker's fit into a small one.
    cycle = steps or cycle
    zoom = -4 - math.log2(cycle / 2)
    lines.append("[signals_width] 330")
    if at is not None:
        lines += [f"[timestart] {int(max(0, (at - 20) * cycle))}",
                  f"*{zoom:.6f} {int((at + 0.5) * cycle)}"]
    else:
        lines.append(f"*{zoom:.6f} -1")
    kinds = len({name for name, _, _ in chosen})
    for name, view, scope in chosen:
        first = scope == next(s for n, _, s in chosen if n == name)
        for group, closed, entries in groups_of(view, scope, names):
            title = group
            if len(chosen) > 1:  # of one kind: no need to say which
                where = scope.removeprefix("top.")
                title = f"{where.rsplit('.', 1)[0] if kinds == 1 else where}: {group}"
            # Of several instances only the first is open.
            lines += ["@c00200" if closed or not first else "@800200", f"-{title}"]
            for entry in entries:
                pattern, _, kind = entry.partition(":")
                found = lines_of(pattern, scope, names, parts)
                if not found:
                    missing.append(f"{name}: {scope}.{pattern}")
                for signal in found:
                    wide = re.search(r"\[\d+:\d+\]}? *", signal.split(" ")[0])
                    if kind in table:
                        file = write_filter(out.parent / "filters", kind, *table[kind])
                        # GTKWave keeps filters by number: one for each file.
                        number = numbers.setdefault(file, len(numbers) + 1)
                        lines += [f"@{HEX | FILTER:x}", f"^{number} {file.resolve()}"]
                    else:
                        flags = {"dec": DECIMAL, "sdec": SIGNED, "enum": ENUM}
                        lines.append(f"@{flags.get(kind, HEX if wide else BINARY):x}")
                    lines.append(signal)
                    count += 1
            lines += ["@1401200" if closed or not first else "@1000200", f"-{title}"]
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
    p.add_argument("--steps", type=int, help="steps of time in a cycle, if not those of its clock")
    sub.add_parser("list", help="names of the views")
    args = parser.parse_args()
    if args.job == "open":
        open_test(args.test, args.build, args.seed, args.jobs)
    elif args.job == "save":
        count = save(args.wave, args.out, args.view, args.at, args.steps)
        print(f"{args.out}: {count} signals")
    else:
        print("\n".join(load_views()))


if __name__ == "__main__":
    main()
