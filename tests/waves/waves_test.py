#!/usr/bin/env python3
"""Open every saved view in GTKWave on a wave of the chip; all that it names must be there.

usage: waves_test.py BUILD_DIR

A small program runs on nano with waves. Each view becomes a save file (an error if a signal is
missing), which GTKWave opens under Xvfb: it must display as many signals as the view names, and show
opcodes and states by name.
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

SCRIPT = """
set shown [gtkwave::getDisplayedSignals]
puts "shown [llength $shown]"
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
    """What GTKWave says of the view: number of signals shown, values by name."""
    script = folder / "report.tcl"
    script.write_text(SCRIPT.replace("NAMED", " ".join(f"{{{n}}}" for n in named))
                      .replace("MARKER", str(marker)), "utf-8")
    out = subprocess.run(["timeout", "20", "gtkwave", "--nomenus", "--rcvar", "splash_disable on",
                          "-S", script, wave, save], capture_output=True, text=True,
                         env=dict(os.environ, DISPLAY=display, HOME=str(folder)))
    shown = re.search(r"^shown (\d+)", out.stdout, re.M)
    return int(shown.group(1)) if shown else -1, out.stdout, out.stdout + out.stderr


def main():
    build = pathlib.Path(sys.argv[1]).resolve()
    folder = build / "waves" / "views"
    folder.mkdir(parents=True, exist_ok=True)
    image, wave = folder / "matmul.ttpu", folder / "matmul.fst"
    run([build / "bin/ttpu", "asm", HERE / "matmul.s", "-o", image])
    run([build / "bin/ttpu", "run", image, "--device", "rtl", "--input", "x=random:1", "--check",
         "golden", "--trace", wave])
    names = waves.signals_of(wave)
    server, display = start_xvfb()
    failed = 0
    try:
        for view in waves.load_views():
            save = folder / f"{view}.gtkw"
            # save() exits with the names of the signals that are not there.
            count = waves.save(wave, save, view)
            text = save.read_text("utf-8")
            signals = [line for line in text.splitlines() if line in set(names)]
            filtered = re.findall(r"(?:\^\d+ .*|^@100000028)\n(.*)", text, re.M)
            shown, report, log = open_view(display, folder, wave, save, filtered[:8], 1)
            problems = []
            if len(signals) != count:
                problems.append(f"save file names {len(signals)} signals, expected {count}")
            if shown != count:
                problems.append(f"GTKWave shows {shown} signals, expected {count}")
            values = re.findall(r"^value (\S+) (.*)$", report, re.M)
            unnamed = [f"{n} = {v}" for n, v in values if not re.match(r"[A-Za-z]", v)]
            if filtered and (not values or unnamed):
                problems.append(f"values without a name: {unnamed or 'none was read'}")
            if problems:
                failed += 1
                print(f"FAIL {view}: " + "; ".join(problems))
                print(log)
            else:
                print(f"ok   {view}: {count} signals, {len(values)} shown by name")
    finally:
        server.terminate()
        server.wait(10)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
