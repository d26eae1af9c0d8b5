#!/usr/bin/env python3
"""Case C35: Ctrl-C in a traced run leaves a wave that opens.

usage: interrupt_test.py BUILD_DIR
"""
import os
import pathlib
import signal
import subprocess
import sys
import time

LOOP = """.config mini
  add rc=r1 imm=0x7fffffff
loop:
  dbnz rc=r1 target=loop
  halt
"""


def interrupt(command, wave, environment=None):
    """Run, press Ctrl-C once the wave is being written, and count the value changes in it."""
    wave.unlink(missing_ok=True)
    process = subprocess.Popen([str(c) for c in command], stdout=subprocess.PIPE,
                               stderr=subprocess.STDOUT, text=True,
                               env=dict(os.environ, **(environment or {})))
    deadline = time.time() + 30
    while not wave.exists() and process.poll() is None and time.time() < deadline:
        time.sleep(0.1)
    time.sleep(1.0)
    running = process.poll() is None
    process.send_signal(signal.SIGINT)
    try:
        output, _ = process.communicate(timeout=30)
    except subprocess.TimeoutExpired:
        process.kill()
        output, _ = process.communicate()
        return False, f"did not end after Ctrl-C\n{output}"
    vcd = subprocess.run(["fst2vcd", str(wave)], capture_output=True, text=True, errors="replace",
                         timeout=60).stdout
    times = [line for line in vcd.splitlines() if line.startswith("#")]
    good = running and process.returncode != 0 and len(times) > 100
    return good, (f"was running: {running}, exit {process.returncode}, {len(times)} times in the wave\n"
                  f"{output}")


def main():
    build = pathlib.Path(sys.argv[1]).resolve()
    folder = build / "flow"
    folder.mkdir(exist_ok=True)
    source, image = folder / "loop.s", folder / "loop.ttpu"
    source.write_text(LOOP, "utf-8")
    subprocess.run([build / "bin/ttpu", "asm", source, "-o", image], check=True, timeout=60)
    chip, bench = folder / "chip.fst", folder / "bench.fst"
    runs = {
        "chip (ttpu run --trace)": ([build / "bin/ttpu", "run", image, "--device", "rtl", "--trace",
                                     chip], chip, None),
        "bench (a traced test)": ([build / "tests/tb_test_trace", "--gtest_also_run_disabled_tests",
                                   "--gtest_filter=*RunsUntilInterrupted"], bench,
                                  {"TTPU_TRACE": str(bench)}),
    }
    failed = 0
    for name, run in runs.items():
        good, report = interrupt(*run)
        print(f"{'ok  ' if good else 'FAIL'} {name}" + ("" if good else f": {report}"))
        failed += not good
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
