"""The jobs that a job file of fio describes, with the meanings and defaults of its manual (HOWTO).

A job is read as one for a device: its `filename` is a range of the simulated device, one range for each different
file, in the order of the jobs. Options that say how a host gets requests to a device (`NO_MEANING`) are left out and
named; every other option that is not known here is refused, unless it is switched off.
"""

import copy
import os
import re
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

from ssdsim.errors import ConfigError, nearest, shown
from ssdsim.workload.chunk import READ, TRIM, WRITE
from ssdsim.workload.synthetic import Sizes
from ssdsim.workload.tracefile import TraceFile

_NO_MEANING = r"""
allow_file_create (all)?rand(repeat|seed) atomic buffer(ed|_\w+) (bw|iops)avgtime ([cs]?lat_)?percentile(s|_list)
clocksource cmd_type continue_on_error cpumask cpus_allowed\w* (create|dedupe|disable|exec|gtod|iodepth|log|numa)_\w+
description direct(ory)? disk_util end_fsync error_dump eta fadvise_hint fallocate file_service_type filename_format
fixedbufs force_async fsync_on_close hipri hugepage-size ignore_error invalidate io_submit_mode (io)?mem(_align)?
ioscheduler lockmem name nice nonvectored openfiles overwrite per_job_logs pre_read prio(class)? random_generator
(refill|scramble|zero)_buffers registerfiles significant_figures softrandommap sqthread_poll(_cpu)? status_interval
thinktime_spin thread uncached unified_rw_reporting unit_base unlink(_each_loop)? use_os_rand userspace_reap
write_(\w+_log|iolog)
"""
NO_MEANING = re.compile("|".join(_NO_MEANING.split()))
"""Names of options about the host's program, its data, its files and its logs."""

ALIASES = {
    "blocksize": "bs", "fdatasync": "fsync", "io_limit": "io_size", "readwrite": "rw", "timeout": "runtime",
    "wait_for_previous": "stonewall",
}  # fmt: skip
SYNCHRONOUS = ("sync", "psync", "vsync", "pvsync", "pvsync2", "mmap", "splice")
"""Engines whose depth is 1, whatever iodepth says; without `ioengine` it is psync."""

NOT_BLOCKS = ("cpuio", "net", "netsplice", "exec", "filecreate", "filestat", "filedelete", "mkdir", "e4defrag")
DIRECTIONS = (READ, WRITE, TRIM)
"""The operations in the order of values that are separated by commas."""

OPS = {"read": (READ,), "write": (WRITE,), "trim": (TRIM,), "rw": (READ, WRITE), "readwrite": (READ, WRITE)}
KINDS = OPS | {f"rand{name}": ops for name, ops in OPS.items() if name != "readwrite"}
"""The operations by the value of `rw`; places are drawn for those that begin with rand."""

TIMES_S = {"d": 86400.0, "h": 3600.0, "m": 60.0, "s": 1.0, "ms": 1e-3, "msec": 1e-3, "us": 1e-6, "usec": 1e-6}
MOST_JOBS, MOST = 1024, 10**9 - 1
"""Clones of a job, above which they are taken for a slip, and other numbers."""

Reader = Callable[[str], Any]
"""Returns the value of an option; raises `ValueError` with the rest of a sentence."""


def flag(text: str) -> bool:
    """Return whether an option is switched on."""
    return text.lower() not in ("0", "none", "false")


def word(allowed: Iterable[str], text: str) -> str:
    """Return one of some words."""
    if text not in allowed:
        raise ValueError(f"must be one of {', '.join(allowed)}{nearest(text, allowed)}")
    return text


def count(least: int, most: int, text: str) -> int:
    """Return a whole number within bounds."""
    if not re.fullmatch("[0-9]{1,9}", text) or not least <= int(text) <= most:
        raise ValueError(f"must be a whole number from {least} to {most}")
    return int(text)


def size(text: str) -> int:
    """Return a number with a suffix as the program has it: k, kb and ki are 1024, and kib is 1000."""
    match = re.fullmatch(r"(\d{1,16})([kmgtp]?)(i?b?)", text.strip(), re.IGNORECASE | re.ASCII)
    if match is None:
        raise ValueError(f"'{shown(text)}' is no size in whole numbers, as 4k or 1g")
    value = int(match[1]) * (1000 if match[3].lower() == "ib" else 1024) ** " kmgtp".find(match[2].lower() or " ")
    if value >= 1 << 53:  # as far as a float counts bytes
        raise ValueError(f"'{shown(text)}' is too large")
    return value


def number(text: str) -> float:
    """Return a number that is not negative, 0 for anything else."""
    return float(text) if re.fullmatch(r"\d{1,9}(\.\d+)?", text.strip()) else 0.0


def time_ns(text: str, unit: str = "s") -> int:
    """Return a time, of this unit if it has none."""
    match = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([a-z]*)", text.lower())
    if match is None or (match[2] or unit) not in TIMES_S:
        raise ValueError(f"must be a time, with one of {', '.join(TIMES_S)}")
    length_s = float(match[1]) * TIMES_S[match[2] or unit]
    if length_s >= 25 * TIMES_S["d"]:
        raise ValueError("must be under 25 days, as simulated time ends after 104")
    return round(length_s * 1e9)


def by_op(read: Reader, usual: Any, text: str) -> dict[int, Any]:
    """Return values of reads, writes and trims, the last one for those left out; empty ones are the usual one."""
    texts = text.split(",")
    if len(texts) > len(DIRECTIONS):
        raise ValueError("has values for reads, writes and trims, at most three")
    texts += texts[-1:] * (len(DIRECTIONS) - len(texts))
    return {op: read(part) if part.strip() else usual for op, part in zip(DIRECTIONS, texts, strict=True)}


def request_size(text: str) -> Sizes:
    """Return one size of requests."""
    if not size(text):
        raise ValueError("requests must have a size above 0")
    return (size(text),), (1.0,)


def split(text: str) -> Sizes:
    """Return the sizes of a split as 4k/10:64k/50:32k/40."""
    parts = [part.partition("/") for part in text.split(":")]
    sizes, shares = [size(part) for part, _, _ in parts], [number(share) for _, _, share in parts]
    if not min(sizes) or not min(shares) or sum(shares) != 100 or any(value % min(sizes) for value in sizes):
        raise ValueError("must be multiples of the least size with percentages of 100 together, as 4k/60:64k/40")
    weights = [share / 100 for share in shares]
    return tuple(sizes), tuple(weight / sum(weights) for weight in weights)


def distribution(text: str) -> float | None:
    """Return the exponent of Zipf's law, None for places that are alike."""
    name, _, rest = text.partition(":")
    theta = number(rest) if rest else 1.1
    if text != "random" and (name != "zipf" or theta == 1 or not 0 < theta < 100):
        raise ValueError("must be random or zipf:THETA (above 0, not 1)")
    return None if text == "random" else theta


OPTIONS: dict[str, tuple[str, Reader]] = {
    "rw": ("read", partial(word, KINDS)),
    "bs": ("4k", partial(by_op, request_size, ((4096,), (1.0,)))),
    "bssplit": ("", partial(by_op, split, None)),
    "rwmixread": ("50", partial(count, 0, 100)),
    "rwmixwrite": ("50", partial(count, 0, 100)),
    "random_distribution": ("random", distribution),
    "norandommap": ("0", flag),
    "filename": ("", str),
    "size": ("0", size),
    "offset": ("0", size),
    "io_size": ("0", size),
    "runtime": ("0", time_ns),
    "time_based": ("0", flag),
    "thinktime": ("0", partial(time_ns, unit="us")),
    "thinktime_blocks": ("1", partial(count, 1, MOST)),
    "ioengine": ("psync", str),
    "iodepth": ("1", partial(count, 1, MOST)),
    "numjobs": ("1", partial(count, 1, MOST_JOBS)),
    "rate_iops": ("0", partial(by_op, size, 0)),
    "fsync": ("0", partial(count, 0, MOST)),
    "sync": ("none", flag),
    "stonewall": ("0", flag),
    "group_reporting": ("0", flag),
}
"""What an option is if it is not given, and its reader."""


class Job:
    """One clone of a job: `stage` stonewalls come before it; times are in ns, and None or 0 where nothing is said."""

    def __init__(self, path: str, name: str, given: Mapping[str, str]) -> None:
        self.name, self.given, self._place = name, dict(given), f"{path}: [{shown(name)}]"
        self.stage = self.clone = 0
        for key, text in given.items():
            if key not in OPTIONS and not NO_MEANING.fullmatch(key) and flag(text):
                raise self.refused(key, "not supported; take it out")
        option = {key: self._value(key) for key in OPTIONS}
        self.options: dict[str, Any] = option
        self.file = option["filename"] or name
        self.is_random, self.ops = option["rw"].startswith("rand"), KINDS[option["rw"]]
        self.sizes: dict[int, Sizes] = {op: option["bssplit"][op] or option["bs"][op] for op in self.ops}
        self.read_share = (100 - option["rwmixwrite"] if "rwmixwrite" in given else option["rwmixread"]) / 100
        engine = option["ioengine"].partition(":")[0]
        self.depth = 1 if engine in SYNCHRONOUS else option["iodepth"]
        self.offset: int = option["offset"]
        # requests a second by operation; none: as soon as there is room
        self.rates: dict[int, int] = {op: option["rate_iops"][op] for op in self.ops if option["rate_iops"][op]}
        has_some_rates = 0 < len(self.rates) < len(self.ops)
        for key, is_wrong, problem in (
            ("ioengine", engine in NOT_BLOCKS, "sends no requests to a device; take the job out"),
            ("rate_iops", has_some_rates, "must be one for each operation, or for none"),
            ("thinktime", option["thinktime"] and self.rates, "goes without rate_iops"),
            ("filename", ":" in self.file.replace("\\:", ""), "must be one file or device"),
            ("time_based", option["time_based"] and not option["runtime"], "goes with runtime, which is to be given"),
        ):
            if is_wrong:
                raise self.refused(key, problem)

    def refused(self, option: str, problem: str) -> ConfigError:
        """Return the error of an option that has a `problem`."""
        return ConfigError(f"{self._place} {shown(option)}={shown(self.given.get(option, ''))}: {problem}.")

    def _value(self, option: str) -> Any:
        usual, read = OPTIONS[option]
        try:
            return read(self.given.get(option, usual))
        except ValueError as error:
            raise self.refused(option, str(error)) from None

    def cloned(self, clone: int) -> "Job":
        """Return a clone of the job; without a filename each has a file of its own."""
        other = copy.copy(self)
        other.clone, other.file = clone, self.file if "filename" in self.given else f"{self.file}.{clone}"
        return other

    @property
    def ignored(self) -> list[str]:
        """The options that have no meaning for a simulated device, or with the job's engine."""
        waits = {"iodepth"} if self.depth < self.options["iodepth"] else set()
        return sorted(waits.union(filter(NO_MEANING.fullmatch, self.given)))


def read_jobs(path: str | Path) -> tuple[Job, ...]:
    """Return the jobs of the file, clones beside one another; raise `ConfigError` for one that cannot be served."""
    text = b"".join(TraceFile(path).lines()).decode("utf-8", "replace")
    # a comment may end a line, and a variable of the environment stand in it
    lines = (os.path.expandvars(re.sub(r"(^|\s)[;#].*", "", line).strip()) for line in text.splitlines())
    return _jobs(str(path), tuple(filter(None, lines)))


@lru_cache(8)  # each stream asks for all of them, to know its place
def _jobs(path: str, lines: tuple[str, ...]) -> tuple[Job, ...]:
    """Return the jobs that lines without comments and variables describe; those of a [global] hold for all below it."""
    sections: list[tuple[str, dict[str, str]]] = []
    shared: dict[str, str] = {}
    for line in lines:
        if heading := re.fullmatch(r"\[(.*)\]", line):
            name = heading[1].strip()
            sections.append((name, shared if name == "global" else dict(shared)))
            continue
        if not sections:
            raise ConfigError(f"{path}: is no job file of fio: '{shown(line)}' comes before any job, as [job1].")
        key, mark, value = (part.strip() for part in line.partition("="))
        sections[-1][1][ALIASES.get(key, key)] = value if mark else "1"
    jobs: list[Job] = []
    for name, given in sections:
        if name != "global":
            job = Job(path, name, given)
            job.stage = jobs[-1].stage + job.options["stonewall"] if jobs else 0
            jobs += map(job.cloned, range(job.options["numjobs"]))
    if not jobs:
        raise ConfigError(f"{path}: has no job; a job begins with its name, as [job1].")
    return tuple(jobs)
