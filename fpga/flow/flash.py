"""Bringing a bitstream into a board, into its configuration RAM (sram) or its flash."""
import shlex
import shutil
import subprocess

import build as builds
import tools
from errors import FlowError

TTPU_BAUD = 1_000_000  # that `ttpu` takes where a device string names none


def command(board, mode, port, bitstream):
    """The programming command of board.yaml with its places filled in."""
    program = board.get("program", {})
    if mode not in ("sram", "flash"):
        raise FlowError(f"MODE={mode}: must be sram (until power goes) or flash (for good)", 2)
    if mode not in program:
        raise FlowError(f"{board.label}: board.yaml has no program for MODE={mode}", 2)
    if port and "port" not in program:
        raise FlowError(f"{board.label}: its programmer takes no PORT", 2)
    which = [str(a).replace("{port}", port) for a in program.get("port", [])] if port else []
    words = []
    for word in program[mode]:
        if word == "{port}":
            words += which
        else:
            words.append(str(word).replace("{bitstream}", str(bitstream)))
    return words


def run(board, build, mode, port):
    """Programs the board; raises FlowError if there is no bitstream, no tool, or no board."""
    bitstream = builds.bitstream_path(build, board)
    make = f"make fpga BOARD={board.name}" + (f" VARIANT={board.variant}" if board.variant else "")
    words = command(board, mode, port, bitstream)
    if not bitstream.exists():
        then = ", then Vivado, as it says at its end" if board.family == "xc7" else ""
        raise FlowError(f"no bitstream yet ({bitstream}). Build it first: {make}{then}", 2)
    if not shutil.which(words[0]):
        how = tools.PROGRAMMERS.get(words[0], f"put {words[0]} on PATH")
        raise FlowError(f"no {words[0]}. Install: {how}", 3)
    print(f"{board.get('title')}, {'flash (stays)' if mode == 'flash' else 'RAM (until power goes)'}: {shlex.join(words)}",
          flush=True)
    try:
        status = subprocess.run(words, check=False).returncode
    except KeyboardInterrupt as e:
        raise FlowError("interrupted: what the board holds now is incomplete. Run it again", 130) from e
    if status:
        raise FlowError(f"{words[0]} ended with {status}: the board was not programmed. Is it plugged in, and have you the "
                        f"rights (a udev rule)? See fpga/{board.name}/README.md, \"If it does not\"", 4)
    device, baud = board.get("uart").get("device", ""), board.get("uart")["baud"]
    if baud != TTPU_BAUD:  # has to be said; "board::115200" is the only port there is
        device = f"{device or ':'}:{baud}"
    print(f"Next: ttpu board list; ttpu board info --device board{device}")
