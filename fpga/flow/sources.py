"""Which SystemVerilog files a board's top uses, by name: of rtl/, of the board's own folder, and of
fpga/cells/<family>, the declarations of the device's own cells."""
import pathlib
import re

from boards import ROOT
from errors import FlowError


def _strip(text):
    return re.sub(r"//[^\n]*|/\*.*?\*/", "", text, flags=re.S)


def closure(board):
    """Files that the top needs, packages first and in the order of their use, the top last.

    A file stands for the module or package of its name, as the style of this project has it."""
    places = sorted((ROOT / "rtl").glob("*/*.sv")) + sorted((ROOT / "fpga/cells" / board.family).glob("*.sv"))
    places += sorted(board.folder.glob("*.sv"))
    by_name = {p.stem: p for p in places if p != board.top}
    packages, modules, seen = [], [], set()

    def visit(path):
        if path in seen:
            return
        seen.add(path)
        used = sorted(set(re.findall(r"\b[A-Za-z_]\w*\b", _strip(path.read_text(encoding="utf-8")))))
        for name in used:
            if name in by_name and name != path.stem:
                visit(by_name[name])
        (packages if path.stem.endswith("_pkg") else modules).append(path)

    visit(board.top)
    return packages + modules


def relative(board, path):
    """Where a source lies in the work folder: as in the repository, so that messages name real paths."""
    try:
        return path.relative_to(ROOT)
    except ValueError:  # a board from elsewhere
        return pathlib.Path("fpga") / board.name / path.name


def module_of(path):
    """(name, names of its overridable parameters) of the first module in a file."""
    text = _strip(path.read_text(encoding="utf-8"))
    m = re.search(r"\bmodule\s+(\w+)(.*?)\)\s*;", text, re.S)
    if not m:
        raise FlowError(f"{path}: no module in it", 2)
    header = re.sub(r"\bimport\b[^;]*;", "", m.group(2)).split(") (")[0]
    return m.group(1), re.findall(r"\bparameter\b[^=,)]*?(\w+)\s*=", header)
