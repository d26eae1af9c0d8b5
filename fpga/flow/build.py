"""One bitstream: synthesis, fit, seeds, timing, packing, report."""
import contextlib
import shutil

import boards
import families
import place
import pll
import report
import sites
import sources
import synth
import tools
import vivado
import work
from errors import FlowError


def output_folder(build, board):
    """build/fpga/<board>[-variant]"""
    return build / "fpga" / board.label


def bitstream_path(build, board):
    """Where the bitstream of a board lies once it is good."""
    return output_folder(build, board) / f"{board.name}.{families.BITSTREAM.get(board.family, 'bit')}"


def run(board, build, seeds, mhz=None, jobs=1, keep=False, new_sites=False):
    """Builds; raises FlowError if anything fails, and then leaves neither bitstream nor report."""
    out = output_folder(build, board)
    folder = out / "work"
    if new_sites:
        sites.can_find(board)
    with work.lock(out):
        # What lies there is of an older build: gone before this one may fail.
        for old in (bitstream_path(build, board), out / "report.json"):
            old.unlink(missing_ok=True)
        folder.mkdir(parents=True, exist_ok=True)
        chip_mhz, clock_parameters = pll.clocking(board, mhz)
        chosen = synth.parameters(board, clock_parameters)
        pll.check_given(board, clock_parameters, chosen)
        have = tools.get(board.family)
        print(f"{board.get('title')} ({board.label}): {board.get('device')}, configuration {board.get('config')}, "
              f"{chip_mhz:.3f} MHz")
        print("tools: " + ", ".join(str(t) for t in have.values()), flush=True)
        cells = synth.run(board, have["yosys"], chosen, folder, out)
        if board.family == "xc7":
            result = _count_only(board, chip_mhz, have, chosen, cells, folder)
        else:
            if new_sites:
                place.find_sites(board, have["nextpnr"], chip_mhz, folder, seeds[0])
            elif board.get("sites"):
                sites.apply(board, folder)
            result = _place(board, chip_mhz, have, chosen, cells, folder, seeds, jobs, bitstream_path(build, board))
        work.replace(out / "report.json", report.text(result))
    print(report.summary(result))
    if keep:
        target = report.checked_in(board)
        shutil.copyfile(out / "report.json", target)
        print(f"report kept in {target}")
    return result


def _place(board, mhz, have, chosen, cells, folder, seeds, jobs, bitstream):
    used = place.fit(board, have["nextpnr"], mhz, folder)
    place.check_fit(board, used)
    results = place.all_seeds(board, have["nextpnr"], mhz, folder, seeds, jobs)
    best = results[0]
    if not best.met:
        raise FlowError(place.missed(board, results))
    packed = f"packed.{bitstream.suffix[1:]}"
    with contextlib.suppress(FileNotFoundError):
        (folder / packed).unlink()
    status, _ = work.run(have["pack"], families.pack_args(board, best.routed, packed), folder, "pack_bits.log")
    if status or not (folder / packed).exists():
        text = (folder / "pack_bits.log").read_text(encoding="utf-8", errors="replace")
        raise FlowError("packing the bitstream failed:\n  " + "\n  ".join(text.strip().splitlines()[-10:]))
    resources = families.resources(board, cells, used)
    result = report.make(board, mhz, have, chosen, resources, results, bitstream.name)
    work.move(folder / packed, bitstream)
    print(f"bitstream: {bitstream} (seed {best.seed})")
    return result


def _count_only(board, mhz, have, chosen, cells, folder):
    resources = families.resources(board, cells, {})
    used = {k: (r["used"], r["available"]) for k, r in resources.items() if r["available"]}
    place.check_fit(board, used)
    files = sources.closure(board)
    (folder / "build.tcl").write_text(vivado.bitstream_script(board, files, chosen, mhz), encoding="utf-8")
    print("family xc7 is placed by Vivado, which makes the bitstream there:\n"
          f"  cd '{folder}' && vivado -mode batch -source build.tcl")
    return report.make(board, mhz, have, chosen, resources, [], None)


def overview(boards_dir, build):
    """All boards, their variants and what is built; the tools of each family."""
    lines, kinds = ["Boards: make fpga BOARD=name [VARIANT=name] [SEEDS=3] [MHZ=..]", ""], []
    for name in boards.names(boards_dir):
        for variant in boards.variants(boards_dir, name):
            board = boards.load(boards_dir, name, variant)
            if board.family not in kinds:
                kinds.append(board.family)
            state = "bitstream built" if bitstream_path(build, board).exists() else ""
            lines.append(f"  {name:14} {variant:8} {board.get('device'):24} {board.get('config'):8} "
                         f"{board.get('clock')['mhz']:g} MHz  {state}".rstrip())
    if not kinds:
        lines.append("  none")
    lines.append("")
    for family in kinds:
        found = ", ".join(str(t) if t else f"no {what}" for what, t in tools.status(family).items())
        lines.append(f"  tools for {family}: {found}")
    if any(t is None for family in kinds for t in tools.status(family).values()):
        lines.append("  What is missing is installed by the first build that needs it.")
    return "\n".join(lines)
