"""Synthesis: copies of the sources in the work folder, Yosys, the netlist as JSON and as Verilog."""
import hashlib
import json
import shutil

import boards
import families
import sources
import work
from errors import FlowError


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
    # Modules mapped each by itself, small enough for ABC; joined again before placing.
    apart = board.get("apart", [])
    unknown = [m for m in apart if m not in {f.stem for f in files}]
    if unknown:
        raise FlowError(f"{board.folder}/board.yaml: apart: the top uses no module {', '.join(unknown)}", 2)
    patterns = " ".join(f"{m} {m}$*" for m in apart)
    return (f"read_slang --threads 1 -DSYNTHESIS {'--keep-hierarchy ' if apart else ''}{names} --top {top} {given}\n"
            + (f"setattr -mod -set keep_hierarchy 1 {patterns}\n" if apart else "")
            + f"{families.synth(board, top)}\n"
            + ("setattr -mod -unset keep_hierarchy *\nflatten\nopt_clean\n" if apart else "") +
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
    for name in ("netlist.json", "netlist.v"):
        work.move(folder / name, out / name)
    work.replace(stamp, key)
    print(f"synthesis: {seconds:.0f} s", flush=True)
    return cells(folder)
