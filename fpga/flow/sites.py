"""Sites of the DSP blocks and block RAMs of an ECP5, kept in a file beside board.yaml and given to nextpnr.

nextpnr's static placer puts a few of these cells far from all that they are joined to and never moves them again:
104 tiles in one case, and that wire is then the slowest path of the chip. So the design is placed without such a
file, each cell is assigned to the site nearest to its neighbours, and the next placement begins from there. Twice:
neighbours of cells that were strewn are strewn themselves, and come together in the second round.
"""
import collections
import importlib.util
import json
import os
import re

import work
from errors import FlowError

KINDS = {"MULT18X18D": r"MULT18_\d+", "DP16KD": r"EBR\d+"}  # cell: what its sites are called
WIDE = 40  # a net with more ends than this pulls nothing anywhere
ROUNDS = 2
POWER = 1.3  # of a distance: one wire of 40 tiles is worse than two of 20
SITE = re.compile(r"X(\d+)/Y(\d+)/(.+)")


def path(board):
    """The file of a board; None if it has none."""
    return board.folder / board.get("sites") if board.get("sites") else None


def _cells(netlist):
    """The cells of a netlist's top: it is flat, so the other modules are the device's own cells, with nothing in them."""
    return max((module["cells"] for module in netlist["modules"].values()), key=len)


def can_find(board):
    """FlowError if a file of sites cannot be made for this board, or here: before an hour is spent on it."""
    if not path(board):
        raise FlowError(f"{board.label}: board.yaml names no file of sites (key `sites`), SITES=1 has nowhere to write", 2)
    if importlib.util.find_spec("scipy") is None:
        raise FlowError("SITES=1 needs scipy: apt-get install python3-scipy", 3)
    file = path(board)
    if not os.access(file if file.exists() else file.parent, os.W_OK) or file.is_dir():
        raise FlowError(f"{board.label}: {file} cannot be written, SITES=1 has nowhere to write", 2)


def apply(board, folder):
    """Writes folder/sited.json, the netlist with the sites of the board's file. FlowError if that says nothing of use."""
    try:
        wanted = json.loads(path(board).read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as e:
        raise FlowError(f"{board.label}: no sites in {path(board)} ({e}). Make them: SITES=1") from e
    fixed = put(board, folder, wanted)
    print(f"sites: {fixed} of {len(wanted)} of {path(board).name}", flush=True)
    if 2 * fixed < len(wanted):
        raise FlowError(f"{board.label}: {path(board)} names {len(wanted)} DSP blocks and block RAMs, of which the "
                        f"design has {fixed}: it is of another design. Make it anew: SITES=1")


def put(board, folder, wanted):
    """Writes folder/sited.json, the netlist with `wanted`, {cell: site}, and gives how many of these cells it has; the
    others are passed over."""
    def bad(what):
        return FlowError(f"{board.label}: {path(board)}: {what}. Make it anew: SITES=1")
    if not isinstance(wanted, dict):
        raise bad("must be a mapping of cells to sites")
    netlist = json.loads((folder / "netlist.json").read_text(encoding="utf-8"))
    cells = _cells(netlist)
    taken = {}
    for name, site in wanted.items():
        if name not in cells or cells[name]["type"] not in KINDS:
            continue
        if not isinstance(site, str) or not re.fullmatch(r"X\d+/Y\d+/" + KINDS[cells[name]["type"]], site):
            raise bad(f"{site!r} is no site of a {cells[name]['type']} ({name})")
        if site in taken:
            raise bad(f"{taken[site]} and {name} have one site, {site}")
        taken[site] = name
        cells[name]["attributes"]["BEL"] = site
    work.replace(folder / "sited.json", json.dumps(netlist))
    return len(taken)


def _place_of(cell):
    """(x, y) in tiles of a placed cell, or None."""
    found = SITE.match(cell["attributes"].get("NEXTPNR_BEL", ""))
    return (int(found[1]), int(found[2])) if found else None


def _all_sites(used):
    """Every site of the columns and rows that are in use: a column has the same kind of site in each of its rows."""
    found = [SITE.match(s).groups() for s in used]
    return sorted({f"X{x}/Y{y}/{kind}" for x, _, kind in found for _, y, _ in found})


def assign(placed, netlist):
    """{cell: site} of least total distance to the neighbours, for each of KINDS by itself. `placed` is what nextpnr
    wrote, `netlist` what it read: only cells of both are assigned."""
    from scipy.optimize import linear_sum_assignment  # only SITES=1 wants it; pylint: disable=import-outside-toplevel
    cells, mine = _cells(placed), _cells(netlist)
    where = {name: _place_of(cell) for name, cell in cells.items()}
    ends = collections.defaultdict(list)
    for name, cell in cells.items():
        for bits in cell["connections"].values():
            for bit in bits:
                if isinstance(bit, int):
                    ends[bit].append(name)
    result = {}
    for kind in KINDS:
        names = [n for n, c in cells.items() if c["type"] == kind and n in mine]
        if not names:
            continue
        sites = _all_sites([cells[n]["attributes"]["NEXTPNR_BEL"] for n in names])
        places = [tuple(map(int, SITE.match(s).groups()[:2])) for s in sites]
        cost = []
        for name in names:
            pulls = [(where[other], 1 / (len(ends[bit]) - 1))
                     for bits in cells[name]["connections"].values() for bit in bits
                     if isinstance(bit, int) and len(ends[bit]) <= WIDE
                     for other in ends[bit] if where[other] and cells[other]["type"] != kind]
            cost.append([sum(w * (abs(x - a) + abs(y - b)) ** POWER for (a, b), w in pulls) for x, y in places])
        for row, column in zip(*linear_sum_assignment(cost)):
            result[names[row]] = sites[column]
    return result


def find(board, nextpnr, arguments, folder):
    """Places without sites, then with those of the round before, and at the end writes the board's file. `arguments`
    gives nextpnr's for a netlist, with this board's seed."""
    netlist = json.loads((folder / "netlist.json").read_text(encoding="utf-8"))
    for turn in range(1, ROUNDS + 1):
        log = f"sites{turn}.log"
        (folder / "placed.json").unlink(missing_ok=True)
        status, seconds = work.run(nextpnr, [*arguments("netlist.json" if turn == 1 else "sited.json"),
                                             "--no-route", "--write", "placed.json"], folder, log)
        if status or not (folder / "placed.json").exists():
            raise FlowError(f"{board.label}: no placement to find sites by: see {folder / log}")
        found = assign(json.loads((folder / "placed.json").read_text(encoding="utf-8")), netlist)
        print(f"sites, round {turn} of {ROUNDS}: {len(found)} found in {seconds:.0f} s", flush=True)
        put(board, folder, found)
    work.replace(path(board), json.dumps(found, indent=0, sort_keys=True) + "\n")
    print(f"sites kept in {path(board)}", flush=True)
