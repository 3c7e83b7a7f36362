"""Record what a program asks of storage, as a block trace that ssdsim replays (`workload.format=ssdsim_csv`).

    python traces/record.py --output my.csv.xz --under DIR -- COMMAND ARGS...

The command runs under strace, and its calls on files below DIR are laid out on one linear device behind a modelled
page cache. README.md beside this file says what is modelled and what cannot be seen.
"""

import argparse
import gzip
import hashlib
import lzma
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

from strace_log import Call, parse, unescape
from volume import PAGE, TO_THE_END, File, Request, Volume

OPENERS: dict[str, Callable[..., IO[str]]] = {".xz": lzma.open, ".gz": gzip.open, ".csv": open}
STRACE = ("-f", "--seccomp-bpf", "-qq", "-ttt", "-y", "-s", "0")

# close is not among them: a descriptor is followed from the call that makes it to the next that makes it anew.
OPENS = {"open", "openat", "openat2", "creat"}
FORKS = {"clone", "clone3", "fork", "vfork"}
READS = {"read", "readv", "pread64", "preadv", "preadv2"}
WRITES = {"write", "writev", "pwrite64", "pwritev", "pwritev2"}
UNSEEN = {"mmap", "copy_file_range", "sendfile", "splice", "io_submit", "io_uring_setup"}
ON_NAMES = {"chdir", "truncate", "link", "linkat", "rename", "renameat", "renameat2", "unlink", "unlinkat"}
ON_DESCRIPTORS = {"dup", "dup2", "dup3", "fcntl", "fchdir", "lseek", "ftruncate", "fallocate"}
SYNCS = {"fsync", "fdatasync", "sync", "syncfs", "sync_file_range"}
TRACED = OPENS | FORKS | READS | WRITES | UNSEEN | ON_NAMES | ON_DESCRIPTORS | SYNCS
OFFSET_ARGUMENT = {"pread64": -1, "preadv": -1, "preadv2": -2, "pwrite64": -1, "pwritev": -1, "pwritev2": -2}

DESCRIPTOR = re.compile(r"(?<![\w<])(\d+)<(/[^>]*)>(\(deleted\))?")
NAME = re.compile(r'(?:(?:AT_FDCWD|\d+)<([^>]*)>, )?"((?:[^"\\]|\\.)*)"')
WORKING_DIRECTORY = re.compile(r"AT_FDCWD<([^>]*)>")


class RecordError(Exception):
    """The recording cannot be made; the sentence says why and what to do."""


@dataclass
class Handle:
    """An open file description: what dup and fork share."""

    position: int = 0
    flags: frozenset[str] = frozenset()


@dataclass
class Process:
    """What a process resolves names and descriptors with; its threads share it."""

    directory: str = "/"
    handles: dict[int, Handle] = field(default_factory=dict)


class Recorder:
    """Applies system calls on files below `under` to a volume; `files` are those known to exist, by path."""

    def __init__(self, under: str, volume: Volume, files: dict[str, File], forks: Iterable[Call]) -> None:
        self.unseen: Counter[str] = Counter()
        self._under, self._volume, self._files = under, volume, files
        # A child can appear in the log before the call that made it has ended.
        self._births = {call.result: call for call in forks}
        self._processes: dict[int, Process] = {}

    def apply(self, call: Call) -> None:
        """Follow one call."""
        self._volume.advance(call.time_ns, self._files.values())
        process = self._process(call.pid)
        if match := WORKING_DIRECTORY.search(call.args):
            process.directory = unescape(match[1])
        if call.name in FORKS:
            self._process(call.result)
        elif call.name in OPENS:
            self._open(call, process)
        elif call.name in UNSEEN:
            self._note_unseen(call)
        elif call.name in ON_NAMES:
            found = (
                (unescape(folder) or process.directory, unescape(name)) for folder, name in NAME.findall(call.args)
            )
            self._on_names(call, process, [os.path.normpath(Path(*parts)) for parts in found])
        elif call.name == "sync":
            self._volume.flush(call.time_ns, self._files.values())
        elif match := DESCRIPTOR.match(call.args):
            self._on_descriptor(call, process, match)

    def _process(self, pid: int) -> Process:
        if pid not in self._processes:
            made = Process()
            if birth := self._births.pop(pid, None):
                made = self._process(birth.pid)
                if "CLONE_FILES" not in birth.args:
                    made = Process(made.directory, dict(made.handles))
            self._processes[pid] = made
        return self._processes[pid]

    def _file(self, path: str) -> File | None:
        return self._files.setdefault(path, File()) if self._covers(path) else None

    def _covers(self, path: str) -> bool:
        return path == self._under or path.startswith(self._under.rstrip("/") + "/")

    def _open(self, call: Call, process: Process) -> None:
        flags = frozenset(re.findall(r"O_\w+", NAME.sub("", call.args)))
        process.handles[call.result] = Handle(flags=flags)
        if (call.name == "creat" or "O_TRUNC" in flags) and (file := self._file(call.opened)):
            self._volume.resize(call.time_ns, file, 0)

    def _note_unseen(self, call: Call) -> None:
        if call.name == "mmap" and not ("MAP_SHARED" in call.args and "PROT_WRITE" in call.args):
            return
        if call.name == "io_uring_setup" or any(self._covers(unescape(d[1])) for d in DESCRIPTOR.findall(call.args)):
            self.unseen[call.name] += 1

    def _on_names(self, call: Call, process: Process, names: list[str]) -> None:
        match call.name:
            case "chdir":
                process.directory = names[0]
            case "truncate":
                if file := self._file(names[0]):
                    self._volume.resize(call.time_ns, file, _number(call, -1))
            case "link" | "linkat":
                if file := self._file(names[0]):
                    self._files[names[1]] = file
            case "unlink" | "unlinkat":
                self._remove(call.time_ns, names[0])
            case _:
                self._rename(call.time_ns, names[0], names[1])

    def _rename(self, time_ns: int, old: str, new: str) -> None:
        """Move a file, or all below a folder; a file that had the new name goes."""
        self._remove(time_ns, new)
        for path in [path for path in self._files if path == old or path.startswith(old + "/")]:
            self._files[new + path.removeprefix(old)] = self._files.pop(path)

    def _remove(self, time_ns: int, path: str) -> None:
        file = self._files.pop(path, None)
        if file and file not in self._files.values():
            self._volume.resize(time_ns, file, 0)

    def _on_descriptor(self, call: Call, process: Process, match: re.Match[str]) -> None:
        path, handle = unescape(match[2]), process.handles.setdefault(int(match[1]), Handle())
        if call.name == "fchdir":
            process.directory = path
        elif call.name.startswith("dup") or "F_DUPFD" in call.args:
            process.handles[call.result] = handle
        elif call.name == "lseek":
            handle.position = call.result
        elif match[3] and self._covers(path):
            self.unseen["call on a deleted file"] += 1
        elif file := self._file(path):
            self._on_file(call, handle, file)

    def _on_file(self, call: Call, handle: Handle, file: File) -> None:
        if call.name in READS | WRITES:
            self._transfer(call, handle, file)
        elif call.name == "ftruncate":
            self._volume.resize(call.time_ns, file, _number(call, -1))
        elif call.name == "fallocate" and "PUNCH_HOLE" in call.args:
            self._volume.discard(call.time_ns, file, _number(call, -2), _number(call, -2) + _number(call, -1))
        elif call.name == "sync_file_range":
            self._volume.write_back(call.time_ns, file, _number(call, -3), _number(call, -2) or TO_THE_END)
        elif call.name in SYNCS:
            self._volume.flush(call.time_ns, self._files.values() if call.name == "syncfs" else [file])

    def _transfer(self, call: Call, handle: Handle, file: File) -> None:
        """Read or write at the offset given, at the end (O_APPEND), or where the descriptor stands."""
        given = _number(call, OFFSET_ARGUMENT[call.name]) if call.name in OFFSET_ARGUMENT else -1
        appended = call.name in WRITES and "O_APPEND" in handle.flags
        offset = file.size if appended else given if given >= 0 else handle.position
        if given < 0:
            handle.position = offset + call.result
        if call.name in READS:
            self._volume.read(call.time_ns, file, offset, call.result)
        else:
            self._volume.write(call.time_ns, file, offset, call.result)
            if handle.flags & {"O_SYNC", "O_DSYNC"}:
                self._volume.flush(call.time_ns, [file])


def _number(call: Call, index: int) -> int:
    return int(call.args.split(", ")[index], 0)


def convert(log: Path, under: str, cache_bytes: int, sizes: dict[str, int]) -> tuple[list[Request], Counter[str]]:
    """Turn an strace log into requests in order of arrival, and count what could not be followed.

    `sizes` are those of the files that existed before. Arrivals are relative to the first request. Pages that are
    dirty at the end are written there.
    """
    volume, files = Volume(cache_bytes), {path: File(size) for path, size in sizes.items()}
    with log.open(encoding="utf-8", errors="surrogateescape") as lines:
        recorder = Recorder(under, volume, files, [call for call in parse(lines) if call.name in FORKS])
        lines.seek(0)
        last_ns = 0
        for call in parse(lines):
            last_ns = call.time_ns
            try:
                recorder.apply(call)
            except (ValueError, IndexError):
                recorder.unseen[f"{call.name} with arguments not understood"] += 1
    for file in files.values():
        volume.write_back(last_ns, file)
    requests = sorted(volume.requests, key=lambda request: request.arrival_ns)
    return [r._replace(arrival_ns=r.arrival_ns - requests[0].arrival_ns) for r in requests], recorder.unseen


def run(command: Sequence[str], log: Path) -> None:
    """Run a command under strace; RecordError if it cannot be traced or fails."""
    if not shutil.which("strace"):
        raise RecordError("strace is not installed; install it (apt-get install strace, say) and try again.")
    if not shutil.which(command[0]):
        raise RecordError(f"the command {command[0]!r} is not found; give its path or put it on PATH.")
    # A leading ? tells strace not to mind a call that this machine's architecture lacks.
    calls = ",".join(f"?{name}" for name in sorted(TRACED))
    status = subprocess.run(["strace", *STRACE, "-e", f"trace={calls}", "-o", log, "--", *command]).returncode
    if not log.exists() or not log.stat().st_size:
        raise RecordError("strace could not trace the command; see its message above, and allow ptrace here.")
    if status:
        raise RecordError(f"the command ended with exit status {status}, and nothing was kept; mend it and try again.")


def save(requests: Iterable[Request], output: Path) -> None:
    """Write a trace as CSV, compressed as the name of the file says."""
    with OPENERS[output.suffix](output, "wt", encoding="ascii", newline="\n") as file:
        file.writelines(",".join(map(str, row)) + "\n" for row in (Request._fields, *requests))


def describe(requests: Sequence[Request]) -> str:
    """Say on a few lines what a trace holds: counts, MB (10^6 bytes), and MB of distinct 4 KiB pages."""
    lines = [f"{requests[-1].arrival_ns / 1e9:.3f} s"]
    for ops in (["read"], ["write"], ["read", "write"], ["trim"], ["flush"]):
        chosen = [r for r in requests if r.op in ops]
        starts = {at for r in chosen for at in range(r.offset_bytes, r.offset_bytes + r.size_bytes, PAGE)}
        size, footprint = sum(r.size_bytes for r in chosen) / 1e6, len(starts) * PAGE / 1e6
        lines.append(f"{'+'.join(ops):10} {len(chosen):8} requests {size:9.1f} MB, footprint {footprint:7.1f} MB")
    return "\n".join(lines)


def record(options: argparse.Namespace) -> None:
    """Record or convert, save, and print what came of it."""
    output, under = options.output, os.path.realpath(options.under)
    if output.suffix not in OPENERS:
        raise RecordError(f"cannot tell how to write {output.name}; let its name end in {', '.join(OPENERS)}.")
    if output.exists():
        raise RecordError(f"{output} exists already; remove it or choose another --output.")
    if not output.parent.is_dir():
        raise RecordError(f"the folder {output.parent} does not exist; make it or choose another --output.")
    with tempfile.TemporaryDirectory() as folder:
        log, sizes = options.strace_log, {}
        if log is None:
            log = Path(folder) / "strace.log"
            sizes = {str(path): path.stat().st_size for path in Path(under).rglob("*") if path.is_file()}
            run(options.command, log)
        requests, unseen = convert(log, under, options.page_cache << 20, sizes)
    if not requests:
        raise RecordError(
            f"no file below {under} was read or written; name another with --under (a log is of strace -f -ttt -y)."
        )
    save(requests, output)
    print(describe(requests))
    for what, times in unseen.items():
        print(f"not in the trace: {what}, {times} times")
    print(f"sha256 {hashlib.sha256(output.read_bytes()).hexdigest()}")


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line; the exit status is 2 if the user has something to mend."""
    parser = argparse.ArgumentParser(description="Record a program's storage requests as a block trace.")
    parser.add_argument("--output", type=Path, required=True, help="the trace: a new .csv, .csv.xz or .csv.gz file")
    parser.add_argument("--under", default=".", metavar="DIR", help="record files below DIR (default: this folder)")
    parser.add_argument("--page-cache", type=int, default=64, metavar="MIB", help="size of the modelled page cache")
    parser.add_argument("--strace-log", type=Path, metavar="FILE", help="convert a log of strace -f -ttt -y instead")
    parser.add_argument("command", nargs="*", metavar="COMMAND", help="program to run, with its arguments, after --")
    options = parser.parse_args(argv)
    if bool(options.command) == bool(options.strace_log):
        parser.error("give either a COMMAND after -- or --strace-log FILE")
    try:
        record(options)
    except (RecordError, OSError) as error:
        print(f"record.py: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
