#!/usr/bin/env python3
"""Build and run the tests; end with a line `N passed, N failed`.

usage: scripts/sim.py [--build DIR] [--seed N] [--label BLOCK] [--test REGEX] [--long] [--jobs N]

Counts GoogleTest cases, and other ctest entries as one each. A test whose program could not be
built counts as failed and is named, as is one that crashed or ran out of time. Exit 1 if anything
failed.
"""
import argparse
import json
import os
import pathlib
import re
import subprocess
import sys
import time
import xml.etree.ElementTree as ET

ROOT = pathlib.Path(__file__).resolve().parent.parent


def say(text):
    print(text, flush=True)


def configure(build, timeout):
    """CMake: a second or two where nothing changed. `timeout`: seconds for every test; 0: each its own."""
    build.mkdir(parents=True, exist_ok=True)
    run = subprocess.run(["cmake", "-S", str(ROOT), "-B", str(build), "-G", "Ninja",
                          f"-DTTPU_TEST_TIMEOUT={timeout}"], capture_output=True, text=True)
    if run.returncode:
        say(run.stdout + run.stderr)
        sys.exit("CMake failed (above)")


def list_tests(build, args):
    """[(name, program or None, labels)] of the tests that were asked for."""
    out = subprocess.run(["ctest", "--show-only=json-v1"] + select(args), cwd=build,
                         capture_output=True, text=True)
    tests = []
    for t in json.loads(out.stdout)["tests"]:
        command = t.get("command", [])
        program = command[2] if command and command[0].endswith("run_test.sh") else None
        tests.append((t["name"], program))
    return tests


def select(args):
    # Tests of configuration "long" are unknown to ctest without this. Who names one wants it.
    chosen = ["-C", "long"] if args.long or args.test else []
    if args.label:
        chosen += ["-L", f"^{args.label}$"]
    if args.test:
        chosen += ["-R", f"^({args.test})(\\.[0-9]+)?$"]
    if args.exclude:
        chosen += ["-E", args.exclude]
    return chosen


def needs(build, tests):
    """What the tests without a program of their own want to have built."""
    known = subprocess.run(["ninja", "-t", "targets", "all"], cwd=build, capture_output=True,
                           text=True).stdout
    known = set(re.findall(r"^([\w.]+_needs): phony", known, re.M))
    return [f"{n}_needs" for n, p in tests if p is None and f"{n}_needs" in known]


def ninja(build, jobs, targets):
    """Build as much as can be built; progress now and then, all of what went wrong. Exit status."""
    process = subprocess.Popen(["ninja", "-k", "0", "-j", str(jobs)] + targets, cwd=build,
                               stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    shown = time.time()
    for line in process.stdout:
        step = re.match(r"\[(\d+)/(\d+)\] ", line)
        if not step:
            sys.stdout.write(line)
        elif time.time() - shown > 15:
            say(f"  built {step.group(1)} of {step.group(2)}")
            shown = time.time()
    return process.wait()


def not_built(build, programs):
    """The programs that ninja cannot make, one by one: a dry run says nothing, since it ends at CMake's check of globs."""
    left = set()
    for program in programs:
        if subprocess.run(["ninja", f"tests/{program}"], cwd=build, capture_output=True).returncode:
            left.add(program)
    return left


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--build", default=str(ROOT / "build"))
    parser.add_argument("--seed", default=os.environ.get("TTPU_SEED") or "1")
    parser.add_argument("--label", help="only the tests of this block")
    parser.add_argument("--test", help="only this test (a regular expression)")
    parser.add_argument("--exclude", help="not these tests (a regular expression)")
    parser.add_argument("--long", action="store_true", help="the long form of random tests")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--timeout", type=int, default=0, help="seconds for one test, instead of its own")
    args = parser.parse_args()
    build = pathlib.Path(args.build).resolve()
    try:
        re.compile(args.test or "")
    except re.error as e:
        sys.exit(f"TEST must be a name or a regular expression, not '{args.test}': {e}")
    if not re.fullmatch(r"\d+|0x[0-9a-fA-F]+", args.seed):
        sys.exit(f"SEED must be a number, not '{args.seed}'")
    configure(build, args.timeout)

    started = time.time()
    tests = list_tests(build, args)
    if not tests:
        sys.exit("no such test; `make list` shows all")
    programs = {p for _, p in tests if p}
    targets = [f"tests/{p}" for p in sorted(programs)] + needs(build, tests)
    say(f"building {len(programs)} test programs ...")
    made = ninja(build, args.jobs, targets) if targets else 0
    broken = set()
    if made:
        broken = not_built(build, programs)
        say("the build failed (above)")
    say(f"built in {time.time() - started:.0f} s; running {len(tests)} tests, seed {args.seed}")

    environment = dict(os.environ, TTPU_SEED=args.seed, CTEST_OUTPUT_ON_FAILURE="1")
    if args.long:
        environment["TTPU_LONG"] = "1"
    results = build / "results"
    results.mkdir(exist_ok=True)
    for name, _ in tests:
        (results / f"{name}.xml").unlink(missing_ok=True)
    junit = results / "ctest.xml"
    junit.unlink(missing_ok=True)
    command = ["ctest", "-j", str(args.jobs), "--output-junit", str(junit)] + select(args)
    if broken:
        # Stale programs of an earlier build must not run in place of what does not build now.
        names = "|".join(re.escape(n) for n, p in tests if p in broken)
        command += ["-E", f"^({names})$" + (f"|{args.exclude}" if args.exclude else "")]
    started = time.time()
    run = subprocess.run(command, cwd=build, env=environment)

    passed, failed, names = 0, 0, []
    status = {}
    if junit.exists():
        for case in ET.parse(junit).getroot().iter("testcase"):
            status[case.get("name")] = case.get("status")
    for name, program in tests:
        if program in broken:
            failed += 1
            names.append(f"{name} (does not build)")
            continue
        ok, bad = 0, []
        xml = results / f"{name}.xml"
        if xml.exists():
            try:
                for case in ET.parse(xml).getroot().iter("testcase"):
                    if case.get("status") != "run" or case.get("result") == "skipped":
                        continue
                    if case.find("failure") is not None:
                        bad.append(f"{case.get('classname')}.{case.get('name')}")
                    else:
                        ok += 1
            except ET.ParseError:
                pass
        if status.get(name) == "run":
            ok = ok if ok or xml.exists() else 1
        elif not bad:
            bad = [f"({status.get(name) or 'not run'}: crash, time-out or missing program)"]
        passed += ok
        failed += len(bad)
        names += [f"{name} {b}" for b in bad]

    say(f"\ntests took {time.time() - started:.0f} s")
    if names:
        say("failed:")
        for n in names:
            say(f"  {n}")
            say(f"    repeat: make test TEST={n.split()[0]} SEED={args.seed}")
    if (made or run.returncode) and not failed:
        failed = 1
        say("failed: the build or ctest itself (above)")
    say(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)
