"""Clocks of a board: the PLL's dividers for a wanted frequency, and what follows for the serial port.

Ranges are those of the data sheets (ECP5 sysCLOCK PLL, iCE40 SB_PLL40, Gowin rPLL of GW2A, 7-series
MMCM at the slowest speed grade). All frequencies in MHz.
"""
import dataclasses
import math

from errors import FlowError


@dataclasses.dataclass
class Pll:
    """Dividers as parameters of the top, and the frequency that they give."""
    mhz: float
    parameters: dict


def _ecp5(fin):
    # Below 10 MHz at the phase detector there may never be a lock. So CLKOP goes back to it, and the chip's
    # clock is CLKOS, which any divider of the VCO can make.
    for i in range(1, 129):
        if not 10 <= fin / i <= 400:
            continue
        for fb in range(1, 81):
            for op in range(1, 129):
                vco = fin / i * fb * op
                if not (400 <= vco <= 800 and 3.125 <= vco / op <= 400):
                    continue
                for os in range(math.ceil(vco / 400), 129):
                    # A VCO in the middle of its range; small input dividers for little jitter.
                    yield vco / os, (i, abs(vco - 600), fb), {"PllIDiv": i, "PllFbDiv": fb, "PllOpDiv": op, "PllOsDiv": os}


def _ice40(fin):
    for r in range(16):
        pfd = fin / (r + 1)
        if not 10 <= pfd <= 133:
            continue
        for f in range(128):
            vco = pfd * (f + 1)
            if not 533 <= vco <= 1066:
                continue
            for q in range(1, 7):
                if not 16 <= vco / 2 ** q <= 275:
                    continue
                band = sum(pfd >= edge for edge in (17, 26, 44, 66, 101)) + 1
                yield vco / 2 ** q, (r, 0), {"PllDivR": r, "PllDivF": f, "PllDivQ": q, "PllFilter": band}


def _gowin(fin):
    for i in range(64):
        if not 3 <= fin / (i + 1) <= 400:
            continue
        for fb in range(64):
            out = fin * (fb + 1) / (i + 1)
            for od in (2, 4, 8, 16, 32, 48, 64, 80, 96, 112, 128):
                if 500 <= out * od <= 1250:
                    yield out, (i, abs(out * od - 800)), {"PllIDiv": i, "PllFbDiv": fb, "PllODiv": od}


def _xc7(fin):
    for d in range(1, 57):
        if not 10 <= fin / d <= 450:
            continue
        for m in range(2, 65):
            vco = fin / d * m
            if not 600 <= vco <= 1200:
                continue
            for o in range(1, 129):
                yield vco / o, (d, abs(vco - 900)), {"PllDiv": d, "PllMult": m, "PllOutDiv": o}


SOLVERS = {"ecp5": _ecp5, "ice40": _ice40, "gowin": _gowin, "xc7": _xc7}


def solve(family, fin, wanted):
    """The PLL setting nearest to `wanted`. Raises FlowError if none comes within 2 %."""
    best = min(SOLVERS[family](fin), default=None,
               key=lambda s: (round(abs(s[0] - wanted), 6), s[1]))
    if best is None or abs(best[0] - wanted) > 0.02 * wanted:
        near = "" if best is None else f"; the nearest is {best[0]:.3f} MHz"
        raise FlowError(f"the PLL of {family} cannot make {wanted} MHz from {fin} MHz{near}", 2)
    return Pll(best[0], best[2])


def check_given(board, wanted, chosen):
    """Raises FlowError if the top lacks a parameter of its PLL, whose clock would be another then."""
    lost = [n for n in wanted if n.startswith("Pll") and n not in chosen]
    if lost:
        raise FlowError(f"{board.top}: no parameter {', '.join(lost)} for the PLL (a top without one: `pll: false` in "
                        "board.yaml)", 2)


def clocking(board, mhz=None):
    """(MHz of the chip's clock, parameters for the top) of a board; `mhz` replaces the board's own."""
    clock = board.get("clock")
    fin = clock["oscillator_mhz"]
    if clock.get("pll", True):
        pll = solve(board.family, fin, clock["mhz"] if mhz is None else mhz)
    else:
        if mhz not in (None, fin):
            raise FlowError(f"{board.label} has no PLL in its top: its clock is {fin} MHz", 2)
        pll = Pll(fin, {})
    baud = board.get("uart")["baud"]
    div = round(pll.mhz * 1e6 / baud)
    error = abs(pll.mhz * 1e6 / max(div, 1) / baud - 1)
    if div < 4 or div > 65536 or error > 0.015:
        raise FlowError(f"{baud} baud cannot be made from {pll.mhz:.3f} MHz: {div} clocks a bit (4 to 65536), "
                        f"{100 * error:.1f} % off (at most 1.5 %). Choose another baud rate or clock", 2)
    # The bridge gives up a frame after a gap of 2^GapBits clocks: the first power of two over 5 ms.
    gap = math.ceil(math.log2(pll.mhz * 5000))
    return pll.mhz, {**pll.parameters, "ClkKhz": round(pll.mhz * 1e3), "Div": div, "GapBits": gap}
