"""Placing and routing with several seeds: does it fit, does it meet its clock, which seed is best."""
import concurrent.futures
import dataclasses

import families
import pnr_log
import sites
import work
from errors import FlowError


@dataclasses.dataclass
class Seed:
    """One placed and routed design."""
    seed: int
    mhz: float    # of the clock that is nearest to missing its frequency
    wanted: float
    met: bool
    clock: str
    path: list
    routed: str


def _arguments(board, mhz, netlist=None):
    netlist = netlist or ("sited.json" if board.get("sites") else "netlist.json")
    return (families.device_args(board) + ["--json", netlist, "--freq", f"{mhz:.4f}"]
            + [str(a) for a in board.get("nextpnr", [])])


def find_sites(board, nextpnr, mhz, folder, seed):
    """Makes the board's file of sites anew, by a placement without it."""
    sites.find(board, nextpnr, lambda netlist: _arguments(board, mhz, netlist) + ["--seed", str(seed)], folder)


def table(used):
    """Use of the device, a line a resource that is used."""
    return "\n".join(f"  {name:16} {n:6} of {have:6}  {100 * n / have if have else 0:5.1f} %"
                     for name, (n, have) in used.items() if n)


def check_fit(board, used):
    """Fails if anything is too small, or if less than the wanted margin stays free."""
    over = [f"{n}: {u} of {a}" for n, (u, a) in used.items() if u > a]
    margin = families.RESOURCES[board.family]["margin"]
    want = board.get("fit_margin", 0)
    if over:
        raise FlowError(f"{board.label} does not fit the {board.get('device')}: {', '.join(over)}\n{table(used)}\n"
                        "Try: a smaller configuration (`config` in board.yaml), a larger device (VARIANT=)")
    n, have = used[margin]
    free = 100 * (have - n) / have
    if free < want:
        raise FlowError(f"{board.label}: {free:.1f} % of {margin} stay free, the goal is {want} %\n{table(used)}\n"
                        "Try: a smaller configuration (`config` in board.yaml), a larger device (VARIANT=)")
    return free


def fit(board, nextpnr, mhz, folder):
    """Packs only, which is quick. Gives nextpnr's utilisation."""
    status, _ = work.run(nextpnr, _arguments(board, mhz) + ["--pack-only"], folder, "pack.log")
    text = (folder / "pack.log").read_text(encoding="utf-8", errors="replace")
    used = pnr_log.utilisation(text)
    if status or families.RESOURCES[board.family]["margin"] not in used:
        if any(u > a for u, a in used.values()):
            check_fit(board, used)
        lines = pnr_log.errors(text) or text.strip().splitlines()[-10:]
        raise FlowError("nextpnr refuses the design:\n  " + "\n  ".join(lines))
    return used


def one_seed(board, nextpnr, mhz, folder, seed):
    """Places and routes with one seed."""
    option, routed = families.output_args(board, seed)
    (folder / routed).unlink(missing_ok=True)
    log = f"seed{seed}.log"
    arguments = _arguments(board, mhz) + ["--seed", seed, "--timing-allow-fail", option, routed]
    status, seconds = work.run(nextpnr, arguments, folder, log)
    text = (folder / log).read_text(encoding="utf-8", errors="replace")
    if status or not (folder / routed).exists():
        lines = pnr_log.errors(text) or text.strip().splitlines()[-10:]
        also = "" if not board.get("sites") or pnr_log.errors(text) else (
            f"\n  or the device lacks a site of {sites.path(board).name}: make it anew with SITES=1")
        raise FlowError(f"nextpnr failed with seed {seed}:\n  " + "\n  ".join(lines) + also)
    found = judge(pnr_log.clocks(text), mhz)
    if found is None:
        raise FlowError(f"nextpnr names no clock that is held to {mhz:.2f} MHz ({folder}/{log}): the pin file "
                        "must give the oscillator's frequency, or the design has no such clock")
    clock, met = found
    print(f"  seed {seed}: {clock.mhz:.2f} MHz, wanted {clock.wanted:.2f}: {'met' if met else 'MISSED'} "
          f"({seconds:.0f} s)", flush=True)
    return Seed(seed, clock.mhz, clock.wanted, met, clock.name, pnr_log.critical_path(text, clock.name), routed)


def judge(clocks, mhz):
    """(the clock nearest to missing its frequency, whether all are met); None if none is held to `mhz`."""
    held = [c for c in clocks if c.wanted]
    if not any(c.wanted >= 0.995 * mhz for c in held):
        return None
    return min(held, key=lambda c: c.mhz / c.wanted), all(c.met for c in held)


def all_seeds(board, nextpnr, mhz, folder, seeds, jobs):
    """Results of the seeds, the best one first. A seed that cannot be placed or routed is left out; FlowError if
    none can."""
    print(f"place and route: seeds {', '.join(map(str, seeds))} for {mhz:.2f} MHz (log: {folder}/seed{seeds[0]}.log)",
          flush=True)
    pool = concurrent.futures.ThreadPoolExecutor(max(1, jobs))
    try:
        work_items = [pool.submit(one_seed, board, nextpnr, mhz, folder, s) for s in seeds]
        results, failed = [], []
        for item in work_items:
            try:
                results.append(item.result())
            except FlowError as e:
                failed.append(e)
                print(f"  {e}", flush=True)
        if not results:
            raise FlowError(f"{board.label}: no seed could be placed and routed") from failed[0]
    except BaseException:
        pool.shutdown(wait=False, cancel_futures=True)
        work.stop_all()
        raise
    pool.shutdown()
    return sorted(results, key=lambda r: (not r.met, -r.mhz / r.wanted))


def missed(board, results):
    """The message for a design that no seed brings to its clock."""
    best = results[0]
    logic = sum(s["ns"] for s in best.path if s["kind"] != "routing")
    hint = ("most of the path is logic: another pipeline stage in the module named above"
            if logic > 600 / best.wanted else
            "most of the path is wires: more seeds (SEEDS=10), or fewer cells")
    return (f"{board.label}: timing is MISSED by every seed: best {best.mhz:.2f} MHz (seed {best.seed}), wanted "
            f"{best.wanted:.2f} MHz. No bitstream is made.\nCritical path of '{best.clock}':\n"
            f"{pnr_log.show_path(best.path)}\n"
            f"Try: {hint}; or a slower clock (MHZ={int(best.mhz * 0.97)})")
