"""Run a command of the project and say what it wrote where: `python audited.py LOG MODULE ARGUMENT ...`.

The log has a line of JSON for each file that was opened for writing, made, renamed or removed, and for each program
that was started.
"""

import importlib
import json
import os
import sys
from typing import Any

LOG = os.open(sys.argv[1], os.O_WRONLY | os.O_CREAT | os.O_APPEND)
CHANGES = (
    *("os.mkdir", "os.rename", "os.remove", "os.rmdir", "os.link", "os.symlink", "os.truncate"),
    *("shutil.move", "shutil.rmtree", "shutil.copyfile", "subprocess.Popen", "os.system", "os.exec", "os.posix_spawn"),
)
FOR_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND


def heard(event: str, given: tuple[Any, ...]) -> None:
    """Log what changes something."""
    if event == "open" and isinstance(given[0], str | bytes) and given[2] & FOR_WRITING:
        told = [given[0]]
    elif event in CHANGES:
        told = [each for each in given if isinstance(each, str | bytes)]
    else:
        return
    at = given[-1] if event != "open" and isinstance(given[-1], int) and given[-1] >= 0 else None
    beside = os.getcwd() if at is None else os.readlink(f"/proc/self/fd/{at}")  # noqa: PTH109, PTH115
    paths = [os.path.normpath(os.path.join(beside, os.fsdecode(each))) for each in told]  # noqa: PTH118
    os.write(LOG, json.dumps([event, *paths]).encode() + b"\n")


if __name__ == "__main__":
    command = importlib.import_module(sys.argv[2]).main
    sys.addaudithook(heard)
    sys.exit(command(sys.argv[3:]))
