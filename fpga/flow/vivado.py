"""7-series: the script for Vivado, which is not among the tools used here. Yosys only counts the resources."""
import pathlib

import sources
from boards import ROOT
from errors import FlowError


def _words(values):
    """A Tcl list."""
    return "{" + " ".join(f"{{{v}}}" for v in values) + "}"


def bitstream_script(board, files, chosen, mhz):
    """Tcl for `vivado -mode batch -source build.tcl` in the work folder: what is to be built, and build.tcl of the
    board's folder, which ends with a bitstream, or with the path that misses the clock.

    The device's own cells are Vivado's: our declarations of them are left out."""
    if board.pins.suffix != ".xdc":
        raise FlowError(f"{board.folder}/board.yaml: pins must be an .xdc file for family xc7", 2)
    steps = board.folder / "build.tcl"
    if not steps.is_file():
        raise FlowError(f"{board.folder}: no build.tcl (family xc7 needs it)", 2)
    top, _ = sources.module_of(board.top)
    names = [sources.relative(board, f) for f in files if ROOT / "fpga/cells" not in pathlib.Path(f).parents]
    variant = f" VARIANT={board.variant}" if board.variant else ""
    return f"""# Made by fpga/flow. vivado -mode batch -source build.tcl
set title {{{board.get('title')}}}
set part {{{board.get('device')}}}
set top {{{top}}}
set mhz {mhz:.6f}
set again {{make fpga BOARD={board.name}{variant}}}
set bitstream ../{board.name}.bit
set files {_words(names)}
set generics {_words(f"{n}={v}" for n, v in chosen.items())}

{steps.read_text(encoding='utf-8')}"""
