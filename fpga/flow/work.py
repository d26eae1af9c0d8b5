"""The work folder of one build: running tools in it, replacing files whole, one build at a time."""
import contextlib
import fcntl
import os
import pathlib
import shutil
import subprocess
import threading
import time

from errors import FlowError

RUNNING = set()
STOPPING = threading.Event()  # a tool that has just been started is to end too
LIMIT = 12 * 3600  # s; a tool that is not done by then is taken to never be


def stop_all():
    """Ends every tool still running, and any started later: after Ctrl-C, or when one of several failed."""
    STOPPING.set()
    for process in list(RUNNING):
        with contextlib.suppress(OSError):
            process.terminate()
    for process in list(RUNNING):
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(5)
        with contextlib.suppress(OSError):
            process.kill()


def run(tool, arguments, folder, log):
    """Runs a tool in `folder` with its output in `log`; gives (status, seconds). FlowError after LIMIT."""
    started = time.time()
    with open(folder / log, "w", encoding="utf-8", errors="replace") as out:
        process = subprocess.Popen([*tool.command, *map(str, arguments)], cwd=folder, stdin=subprocess.DEVNULL,
                                   stdout=out, stderr=subprocess.STDOUT)
        RUNNING.add(process)
        if STOPPING.is_set():
            process.terminate()
        try:
            status = process.wait(LIMIT)
        except subprocess.TimeoutExpired as e:
            raise FlowError(f"{tool} was not done after {LIMIT / 3600:g} h, and was stopped: see {folder / log}") from e
        finally:
            RUNNING.discard(process)
            if process.poll() is None:
                process.kill()
    return status, time.time() - started


def replace(path, text):
    """Writes a file whole or not at all."""
    part = pathlib.Path(f"{path}.part")
    try:
        part.write_text(text, encoding="utf-8")
        os.replace(part, path)
    finally:
        part.unlink(missing_ok=True)


def move(source, target):
    """The same for a file that a tool has written."""
    part = pathlib.Path(f"{target}.part")
    shutil.copyfile(source, part)
    os.replace(part, target)


@contextlib.contextmanager
def lock(folder):
    """One build of a board at a time."""
    folder.mkdir(parents=True, exist_ok=True)
    with open(folder / ".lock", "w", encoding="utf-8") as f:
        try:
            fcntl.flock(f, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as e:
            raise FlowError(f"another build works in {folder}; wait for it to end") from e
        yield
