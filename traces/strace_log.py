"""The text that strace writes, as system calls."""

import os
import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

LINE = re.compile(r"(?:\[pid +)?(?:(\d+)\]? +)?(\d+)\.(\d+) (.*)")
CALL = re.compile(r"(\w+)\((.*)\)\s+= (0x[\da-f]+|\d+)(?:<([^>]*)>)?")
UNFINISHED = " <unfinished ...>"


class Call(NamedTuple):
    """One successful system call; `opened` is the path of the descriptor that it returned."""

    pid: int
    time_ns: int
    name: str
    args: str
    result: int
    opened: str


def parse(lines: Iterable[str]) -> Iterator[Call]:
    """Read an strace log (-f -ttt -y) and yield its calls in the order they ended, with the time each began.

    Halves of a call (unfinished, resumed) are joined; signals, exits, failures and damaged lines are passed over.
    """
    begun: dict[int, tuple[int, str]] = {}
    for line in lines:
        if not (parts := LINE.match(line)):
            continue
        pid, time_ns, text = int(parts[1] or 0), int(parts[2]) * 10**9 + int(parts[3].ljust(9, "0")), parts[4]
        if text.endswith(UNFINISHED):
            begun[pid] = time_ns, text.removesuffix(UNFINISHED)
            continue
        if text.startswith("<... ") and pid in begun:
            time_ns, start = begun.pop(pid)
            text = start + text.partition(" resumed>")[2]
        if call := CALL.match(text):
            yield Call(pid, time_ns, call[1], call[2], int(call[3], 0), unescape(call[4] or ""))


def unescape(path: str) -> str:
    """Undo the C escapes that strace prints in a path."""
    return os.fsdecode(path.encode("ascii", "backslashreplace").decode("unicode_escape").encode("latin-1"))
