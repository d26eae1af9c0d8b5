"""Synthesis: copies of the sources in the work folder, Yosys, the netlist as JSON and as Verilog."""
import hashlib
import json
import shutil

import boards
import families
import sources
import work
from errors import FlowError

BLOCKS = "blocks.json"  # Yosys' cells of each module that was mapped by itself


def parameters(board, clock_parameters):
    """{Name: value} for the top: the configuration's and the clock's where it declares them, and its own."""
    _, declared = sources.module_of(board.top)
    _, of_config = boards.config(board)
    chosen = {n: v for n, v in {**of_config, **clock_parameters}.items() if n in declared}
    for name, value in board.get("parameters", {}).items():
        if name not in declared:
            raise FlowError(f"{board.folder}/board.yaml: parameters: {board.top.name} has no parameter '{name}'", 2)
        chosen[name] = value
    return chosen


def script(board, files, chosen):
    """Yosys' script."""
    top, _ = sources.module_of(board.top)
    names = " ".join(str(sources.relative(board, f)) for f in files)
    given = " ".join(f"-G {n}={v}" for n, v in chosen.items())
    # Modules mapped each by itself, small enough for ABC; joined again before placing. Their names go on with
    # "$" and the path of the instance. First what ties and unused ports mean inside: the mapper no longer sees it.
    apart = board.get("apart", [])
    unknown = [m for m in apart if m not in {f.stem for f in files}]
    if unknown:
        raise FlowError(f"{board.folder}/board.yaml: apart: the top uses no module {', '.join(unknown)}", 2)
    patterns = " ".join(f"{m}$*" for m in apart)
    keep = (f"hierarchy -check -top {top}\n"
            f"setattr -mod -set keep_hierarchy 1 {patterns}\n"
            "proc\nflatten\nopt_expr\nopt_clean\n"
            "opt_hier\nopt_expr\nopt_clean\nopt_hier\nopt_clean\n")
    goal = f"scratchpad -set abc9.D {board.get('map_ps')}\n" if board.get("map_ps") else ""
    if board.get("wire_ps"):
        goal += f"scratchpad -set synth_{board.family}.abc9.W {board.get('wire_ps')}\n"
    join = (f"tee -q -o {BLOCKS} stat -json\n"
            "setattr -mod -unset keep_hierarchy *\nflatten\nopt_clean\n")
    return (f"read_slang --threads 1 -DSYNTHESIS {'--keep-hierarchy ' if apart else ''}{names} --top {top} {given}\n"
            f"{keep if apart else ''}"
            f"{goal}{families.synth(board, top)}\n"
            f"{join if apart else ''}"
            "tee -q -o stat.json stat -json\n"
            "delete t:$scopeinfo\n"  # nextpnr 0.4 refuses them
            "write_json netlist.json\n"
            "write_verilog -noattr netlist.v\n")


def prepare(board, files, folder, text):
    """Copies sources and pins into the work folder: tools from PyPI see only what lies below it.

    Gives a hash of all that synthesis depends on."""
    digest = hashlib.sha256(text.encode())
    shutil.rmtree(folder / "rtl", ignore_errors=True)
    shutil.rmtree(folder / "fpga", ignore_errors=True)
    for file in files:
        target = folder / sources.relative(board, file)
        if any(c in str(sources.relative(board, file)) for c in " ;\"#"):
            raise FlowError(f"{file}: Yosys takes no such name for a source")
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(file, target)
        digest.update(target.read_bytes())
    shutil.copyfile(board.pins, folder / f"pins{board.pins.suffix}")
    (folder / "synth.ys").write_text(text, encoding="utf-8")
    return digest.hexdigest()


def cells(folder):
    """{cell: count} of the mapped design."""
    return json.loads((folder / "stat.json").read_text(encoding="utf-8"))["design"]["num_cells_by_type"]


def drop_carry_outs(path):
    """Takes the carry outs that drive nothing from an ECP5 netlist: nextpnr spends two cells on each."""
    netlist = json.loads(path.read_text(encoding="utf-8"))
    for module in netlist["modules"].values():
        inputs = {bit for cell in module["cells"].values() for port, bits in cell["connections"].items()
                  if cell.get("port_directions", {}).get(port) != "output" for bit in bits}
        inputs |= {bit for port in module["ports"].values() for bit in port["bits"]}
        for cell in module["cells"].values():
            if cell["type"] == "CCU2C" and not inputs & set(cell["connections"].get("COUT", [])):
                cell["connections"]["COUT"] = ["x"]
    path.write_text(json.dumps(netlist), encoding="utf-8")


def blocks(board, folder):
    """Lines "cells of the family's margin, module" of what was mapped by itself, largest first; [] if nothing was."""
    if not board.get("apart"):
        return []
    weights = families.RESOURCES[board.family]["margin_cells"]
    modules = json.loads((folder / BLOCKS).read_text(encoding="utf-8"))["modules"]
    sizes = {}
    for name, module in modules.items():
        block = name.lstrip("\\").split("$")[0]
        sizes.setdefault(block, []).append(families.count(module["num_cells_by_type"], weights))
    return [f"  {sum(s):6} {block}{f' ({len(s)} times)' if len(s) > 1 else ''}"
            for block, s in sorted(sizes.items(), key=lambda item: -sum(item[1])) if sum(s)]


def run(board, yosys, chosen, folder, out):
    """The mapped design in folder/netlist.json; copies of the netlist in `out`. Gives Yosys' cells.

    A netlist from the same sources, script and Yosys is kept."""
    files = sources.closure(board)
    text = script(board, files, chosen)
    key = prepare(board, files, folder, text) + f" {yosys}"
    stamp = folder / "synth.key"
    if stamp.exists() and stamp.read_text(encoding="utf-8") == key and (out / "netlist.v").exists():
        print("synthesis: nothing changed, the netlist stays", flush=True)
        return cells(folder)
    stamp.unlink(missing_ok=True)
    for name in ("netlist.json", "netlist.v"):
        (out / name).unlink(missing_ok=True)
    print(f"synthesis: {len(files)} files, {families.synth(board, 'top')} (log: {folder}/yosys.log)", flush=True)
    status, seconds = work.run(yosys, ["-q", "-l", "yosys.log", "-s", "synth.ys"], folder, "synth.log")
    if status:
        log = (folder / "synth.log").read_text(encoding="utf-8", errors="replace").strip().splitlines()
        lines = [line for line in log if "ERROR" in line][:15] or log[-5:] or [f"Yosys ended with {status}"]
        raise FlowError("synthesis failed:\n  " + "\n  ".join(lines))
    if board.family == "ecp5":
        drop_carry_outs(folder / "netlist.json")
    for name in ("netlist.json", "netlist.v"):
        work.move(folder / name, out / name)
    work.replace(stamp, key)
    print("\n".join([f"synthesis: {seconds:.0f} s"] + blocks(board, folder)), flush=True)
    return cells(folder)
