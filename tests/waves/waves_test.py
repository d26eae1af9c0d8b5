#!/usr/bin/env python3
"""Open every saved view in GTKWave on a wave; all that it names must be there.

usage: waves_test.py BUILD_DIR [VIEW...]

A small program runs on mini with waves, for the chip and its blocks; for each block of the network
one case of one of its tests, whose wave must get the block's view without being asked. Each view
becomes a save file (an error if a signal is missing), which GTKWave opens under Xvfb: it must display
as many signals as the view names, and show opcodes, directions and states by name.
"""
import os
import pathlib
import re
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path.insert(0, str(ROOT / "scripts" / "waves"))
import waves  # noqa: E402

# View of a block of the network: traced test, case, cycle to look at.
NETWORK = {
    "node": ("node_test_trace", "Node.ZeroLoadLatency", 330),
    "router": ("router_ring_test_trace", "RouterRing.C28EveryBufferFullAllSendClockwise", 250),
    "link": ("link_fault_test_trace", "LinkFault.OldFramesDoNoHarm", 160),
    "phy": ("phy_link_test_trace", "Phy/2.FullRate", 100),
    "async_fifo": ("phy_fifo_test_trace", "AsyncFifoRate.OneWordACycle", 100),
    "nic": ("nic_native_test_trace", "NicNative.AllPairsOfRings", 100),
}

SCRIPT = """
foreach s [gtkwave::getDisplayedSignals] { puts "shown $s" }
gtkwave::setMarker MARKER
foreach s {NAMED} { puts "value $s [gtkwave::getTraceValueAtMarkerFromName $s]" }
flush stdout
gtkwave::/File/Quit
"""


def run(command, limit=120, **kwargs):
    r = subprocess.run([str(c) for c in command], capture_output=True, text=True, timeout=limit, **kwargs)
    if r.returncode:
        sys.exit(f"{command}: exit {r.returncode}\n{r.stdout}{r.stderr}")
    return r.stdout


def start_xvfb():
    """A display of our own, on a number that Xvfb picks."""
    read, write = os.pipe()
    server = subprocess.Popen(["Xvfb", "-displayfd", str(write), "-screen", "0", "1600x1200x24",
                               "-nolisten", "tcp"], pass_fds=[write], stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL)
    os.close(write)
    number = b""
    deadline = time.time() + 30
    while not number.endswith(b"\n") and time.time() < deadline:
        chunk = os.read(read, 16)
        if not chunk:
            sys.exit("Xvfb did not start")
        number += chunk
    os.close(read)
    return server, f":{number.decode().strip()}"


def open_view(display, folder, wave, save, named, marker):
    """What GTKWave says of the view: signals shown, values by name; and all that it wrote."""
    script = folder / "report.tcl"
    script.write_text(SCRIPT.replace("NAMED", " ".join(f"{{{n}}}" for n in named))
                      .replace("MARKER", str(marker)), "utf-8")
    out = subprocess.run(["timeout", "20", "gtkwave", "--nomenus", "--rcvar", "splash_disable on",
                          "-S", script, wave, save], capture_output=True, text=True,
                         env=dict(os.environ, DISPLAY=display, HOME=str(folder)))
    log = re.sub(r"^shown .*\n", "", out.stdout, flags=re.M) + out.stderr
    return re.findall(r"^shown (\S+)", out.stdout, re.M), out.stdout, log


def wrong_fields():
    """Parts of flits and frames that stand elsewhere in the RTL's package than the views take them."""
    text = (ROOT / "rtl/pkg/ttpu_ici_pkg.sv").read_text("utf-8")
    rtl = {n: int(v) for n, v in re.findall(r"localparam int unsigned (\w+) = (\d+);", text)}
    camel = lambda name: "".join(w.capitalize() for w in re.split(r"[._]", name))  # noqa: E731
    wrong = []
    for name, place in waves.fields().items():
        n = camel(name)
        if name.startswith("flit."):
            expected = rtl[n] - rtl["FlitExtraW"], rtl["VcW"] if name == "flit.vc" else 1
        elif name.startswith("leg."):
            # The first field of a packed struct is the highest.
            body = re.search(r"typedef struct packed \{([^}]*)\} leg_t;", text).group(1)
            bits = [(f, int(h) + 1) for h, f in re.findall(r"logic \[(\d+):0\] (\w+);", body)][::-1]
            at = [f for f, _ in bits].index(name[4:])
            expected = rtl["HeaderRouteLsb"] + sum(b for _, b in bits[:at]), bits[at][1]
        else:
            expected = rtl[f"{n}Lsb"], rtl[f"{n}W"]
        if place != expected:
            wrong.append(f"{name}: lowest bit and bits {place}, expected {expected}")
    return wrong


def chip_wave(build, folder):
    image, wave = folder / "matmul.ttpu", folder / "matmul.fst"
    run([build / "bin/ttpu", "asm", HERE / "matmul.s", "-o", image])
    run([build / "bin/ttpu", "run", image, "--device", "rtl", "--input", "x=random:1", "--check",
         "golden", "--trace", wave])
    return wave


def test_wave(build, folder, view):
    """The wave that a failure of that case would leave, of its first controller."""
    test, case, _ = NETWORK[view]
    wave = folder / f"{view}.fst"
    wave.unlink(missing_ok=True)
    out = run([build / "tests" / test, f"--gtest_filter={case}"],
              env=dict(os.environ, TTPU_TRACE=str(wave), TTPU_TRACE_ONLY="1", TTPU_SEED="1"))
    if "[  PASSED  ] 1 test." not in out or not wave.exists():
        sys.exit(f"{test} {case}: no wave, or no such case\n{out}")
    return wave


def check(display, folder, wave, view, at):
    """Problems of a view on a wave, and what there is to say of it."""
    names, steps = waves.read(wave)
    problems = []
    if at is not None:
        chosen = {name for name, _, _ in waves.views_for(names)}
        if chosen != {view}:
            problems.append(f"without a name the wave gets {chosen or 'no view'}, expected {view}")
    save = folder / f"{view}.gtkw"
    # save() exits with the names of the signals that are not there.
    count = waves.save(wave, save, view, at)
    text = save.read_text("utf-8")
    known = set(names)
    signals = [s for s in text.splitlines() if s in known or s.startswith("#{")]
    expected = []  # as GTKWave names them: of a part of a vector, each bit
    for s in signals:
        if s in known:
            expected.append(s)
        for at_left, vector, high in re.findall(r"\((\d+)\)(\S+)\[(\d+):0\]", s):
            expected.append(f"{vector}[{int(high) - int(at_left)}]")
    # What is shown by name: all that is of an enumeration, and values that a table has.
    # Closed groups have no values.
    text = re.sub(r"^@c00200\n(?:.*\n)*?@1401200\n", "", text, flags=re.M)
    named = dict.fromkeys(re.findall(r"^@100000028\n(.*)", text, re.M))
    for file, line in re.findall(r"^\^\d+ (.*)\n(.*)", text, re.M):
        label = re.match(r"#\{(\S+)\}", line)
        named[label.group(1) if label else line] = pathlib.Path(file).read_text("utf-8")
    asked = list(named)[:: max(1, len(named) // 8)]
    shown, report, log = open_view(display, folder, wave, save, asked,
                                   1 if at is None else int((at + 0.5) * steps))
    if len(signals) != count:
        problems.append(f"save file names {len(signals)} signals, expected {count}")
    if shown != expected:
        first = next((p for p in zip(shown, expected) if p[0] != p[1]), "what is left over")
        problems.append(f"GTKWave shows {len(shown)} signals and bits, expected {len(expected)}; "
                        f"shown and expected differ first in {first}")
    values = re.findall(r"^value (\S+) (.*)$", report, re.M)
    by_name = [v for _, v in values if re.match(r"[A-Za-z_]{3}", v)]
    unnamed = [f"{n} = {v}" for n, v in values if not re.match(r"[A-Za-z_]{3}", v)
               and (named[n] is None or re.search(rf"^0*{v} ", named[n], re.M | re.I))]
    if len(values) != len(asked) or unnamed or (asked and not by_name):
        problems.append(f"{len(asked)} values asked for, {len(values)} read, without a name: {unnamed}")
    return problems, f"{count} signals, {len(by_name)} of {len(values)} values by name", log


def main():
    build = pathlib.Path(sys.argv[1]).resolve()
    folder = build / "waves" / "views"
    folder.mkdir(parents=True, exist_ok=True)
    only = sys.argv[2:]
    views = [v for v in waves.load_views() if not only or v in only]
    chip = None if set(views) <= set(NETWORK) else chip_wave(build, folder)
    server, display = start_xvfb()
    failed = 0
    for line in wrong_fields():
        failed += 1
        print(f"FAIL {line}")
    try:
        for view in views:
            wave, at = chip, None
            if view in NETWORK:
                wave, at = test_wave(build, folder, view), NETWORK[view][2]
            problems, summary, log = check(display, folder, wave, view, at)
            if problems:
                failed += 1
                print(f"FAIL {view}: " + "; ".join(problems))
                print(log)
            else:
                print(f"ok   {view}: {summary}")
    finally:
        server.terminate()
        server.wait(10)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
