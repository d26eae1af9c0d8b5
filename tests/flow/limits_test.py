#!/usr/bin/env python3
"""Limits of the tests, as ctest has them: each has one; --timeout of scripts/sim.py replaces every one of them, for
that run only.

usage: limits_test.py
"""
import json
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]


def limits(build):
    """{test: seconds} of all tests, the nightly ones too."""
    out = subprocess.run(["ctest", "-C", "long", "--show-only=json-v1"], cwd=build, check=True, stdout=subprocess.PIPE)
    return {t["name"]: {p["name"]: p["value"] for p in t["properties"]}.get("TIMEOUT") for t in json.loads(out.stdout)["tests"]}


def run(build, *words):
    """One quick test through scripts/sim.py."""
    subprocess.run([sys.executable, str(ROOT / "scripts/sim.py"), "--build", build, "--test", "flow_layers", *words],
                   check=True, stdout=subprocess.DEVNULL)


def main():
    """All checks; the exit code."""
    with tempfile.TemporaryDirectory() as build:
        run(build, "--timeout", "36000")
        every = limits(build)
        run(build)
        own = limits(build)
    bad = [f"{name}: {seconds} s where 36000 are wanted" for name, seconds in every.items() if seconds != 36000]
    bad += [f"{name} has no limit" for name, seconds in own.items() if not seconds]
    if len(own) < 100 or set(own.values()) == {36000}:
        bad.append(f"these cannot be all, each with its own: {own}")
    print("\n".join(bad) or f"{len(own)} tests, each with a limit")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
