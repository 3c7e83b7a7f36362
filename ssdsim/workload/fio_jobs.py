"""The jobs that a job file of fio describes, with the meanings and defaults of its manual (HOWTO).

A job is read as one for a device: its `filename` is a range of the simulated device, one range for each different
file, in the order of the jobs. What says how a host gets requests to a device (`NO_MEANING`) is left out and named;
every other option that is not known here is refused, unless it is switched off.
"""

import configparser
import copy
import difflib
import os
import re
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

import attrs

from ssdsim.errors import ConfigError, nearest, shown
from ssdsim.workload.chunk import READ, TRIM, WRITE
from ssdsim.workload.tracefile import TraceFile

_TAKEN = """
bs bssplit fdatasync filename filesize fsync group_reporting io_size iodepth ioengine loops
new_group norandommap numjobs offset offset_increment ramp_time random_distribution rate rate_iops
rate_process runtime rw rwmixread rwmixwrite size startdelay stonewall sync thinktime thinktime_blocks time_based
"""
TAKEN = frozenset(_TAKEN.split())
_NO_MEANING = """
allow_file_create allrandrepeat allrandseed atomic buffer_compress_chunk buffer_compress_percentage buffer_pattern
buffered bwavgtime clat_percentiles clocksource cmd_type continue_on_error cpumask cpus_allowed cpus_allowed_policy
create_fsync create_on_open create_serialize dedupe_global dedupe_mode dedupe_percentage
dedupe_working_set_percentage description direct directory disable_bw disable_bw_measurement disable_clat
disable_lat disable_slat disk_util end_fsync error_dump eta exec_postrun exec_prerun fadvise_hint fallocate
file_service_type filename_format fixedbufs force_async fsync_on_close gtod_cpu gtod_reduce hipri hugepage-size
ignore_error invalidate io_submit_mode iodepth_batch iodepth_batch_complete iodepth_batch_complete_max
iodepth_batch_complete_min iodepth_batch_submit iodepth_low iomem iomem_align iopsavgtime ioscheduler
lat_percentiles lockmem log_avg_msec log_compression log_entries log_hist_msec log_max_value log_offset log_prio
log_store_compressed log_unix_epoch mem mem_align name nice nonvectored numa_cpu_nodes numa_mem_policy openfiles
overwrite per_job_logs percentile_list pre_read prio prioclass random_generator randrepeat randseed refill_buffers
registerfiles scramble_buffers significant_figures slat_percentiles softrandommap sqthread_poll sqthread_poll_cpu
status_interval thinktime_spin thread uncached unified_rw_reporting unit_base unlink unlink_each_loop use_os_rand
userspace_reap write_bw_log write_hist_log write_iolog write_iops_log write_lat_log zero_buffers
"""
NO_MEANING = frozenset(_NO_MEANING.split())
"""Options about the host's program, its data, its files and its logs."""

ALIASES = {
    "blocksize": "bs", "io_limit": "io_size", "timeout": "runtime",
    "readwrite": "rw", "start_delay": "startdelay", "wait_for_previous": "stonewall",
}  # fmt: skip
OFF = ("0", "none", "false")
"""Values that switch an option off."""

SYNCHRONOUS = ("sync", "psync", "vsync", "pvsync", "pvsync2", "mmap", "splice")
"""Engines whose depth is 1, whatever iodepth says; without `ioengine` it is psync."""

NOT_BLOCKS = ("cpuio", "net", "netsplice", "exec", "filecreate", "filestat", "filedelete", "mkdir", "e4defrag")
DIRECTIONS = (READ, WRITE, TRIM)
"""The operations in the order of values that are separated by commas."""

OPS = {"read": (READ,), "write": (WRITE,), "trim": (TRIM,), "rw": (READ, WRITE), "readwrite": (READ, WRITE)}
KINDS = OPS | {f"rand{name}": ops for name, ops in OPS.items() if name != "readwrite"}
"""The operations by the value of `rw`; places are drawn for those that begin with rand."""

SHAPES = {"zipf": (1.1, 100.0), "pareto": (0.2, 1.0)}
"""The number that a distribution has if none is given, and what it is below."""

TIMES_S = {"": 1.0, "d": 86400.0, "h": 3600.0, "m": 60.0, "s": 1.0, "ms": 1e-3, "msec": 1e-3, "us": 1e-6, "usec": 1e-6}
LONGEST_S = 25 * 86400
MOST_JOBS = 1024
"""More streams are taken for a slip."""

_BYTES = re.compile(r"(\d{1,16})([kmgtp]?)(i?b?)", re.IGNORECASE)


@attrs.frozen
class Amount:
    """Bytes, or a percentage of a file."""

    value: float
    is_percent: bool = False

    def in_bytes(self, length: int) -> int:
        """Return the bytes, of a file of so many."""
        return int(length * self.value / 100) if self.is_percent else int(self.value)


Sizes = tuple[tuple[int, ...], tuple[float, ...]]
"""Sizes of requests in bytes, and the weight of each."""


class Options:
    """The options of a job, each read as the kind of value that it has."""

    def __init__(self, place: str, given: Mapping[str, str]) -> None:
        self.place, self.given = place, given
        for name, value in given.items():
            if name not in TAKEN | NO_MEANING and value.lower() not in OFF and (name, value) != ("nrfiles", "1"):
                # only a slip of the pen: most others are options of fio, too
                near = difflib.get_close_matches(name, sorted(TAKEN), 1, 0.75)
                raise self.refused(name, f"not supported; take it out{nearest(name, near)}")

    def refused(self, name: str, problem: str) -> ConfigError:
        """Return the error of an option that has a `problem`."""
        return ConfigError(f"{self.place} {shown(name)}={shown(self.given.get(name, ''))}: {problem}.")

    def flag(self, name: str) -> bool:
        """Return whether an option is switched on."""
        return self.given.get(name, "0").lower() not in OFF

    def word(self, name: str, default: str, allowed: Mapping[str, Any] | tuple[str, ...]) -> str:
        """Return a word that is one of those `allowed`."""
        value = self.given.get(name, default)
        if value not in allowed:
            raise self.refused(name, f"must be one of {', '.join(allowed)}{nearest(value, allowed)}")
        return value

    def count(self, name: str, default: int, least: int = 1, most: int = 10**9 - 1) -> int:
        """Return a whole number within bounds."""
        value = self.given.get(name, str(default))
        if not re.fullmatch("[0-9]{1,9}", value) or not least <= int(value) <= most:
            raise self.refused(name, f"must be a whole number from {least} to {most}")
        return int(value)

    def bytes(self, name: str, text: str) -> int:
        """Return a number with a suffix as the program has it: k, kb and ki are 1024, and kib is 1000."""
        match = _BYTES.fullmatch(text.strip())
        if match is None:
            raise self.refused(name, f"'{shown(text)}' is no size in whole numbers, as 4k or 1g")
        number, prefix, suffix = match.groups()
        value = int(number) * (1000 if suffix.lower() == "ib" else 1024) ** " kmgtp".find(prefix.lower() or " ")
        if value >= 1 << 53:  # as far as a float counts bytes
            raise self.refused(name, f"'{shown(text)}' is too large")
        return value

    def amount(self, name: str) -> Amount | None:
        """Return a number of bytes or a percentage of them, None where nothing is said."""
        text = self.given.get(name, "0")
        if text.endswith("%"):
            if not (share := number(text[:-1])) or share > 100:
                raise self.refused(name, "must be at most 100%")
            return Amount(share, True)
        return Amount(self.bytes(name, text)) if text != "0" else None

    def time_ns(self, name: str, unit_s: float = 1.0) -> int:
        """Return a time, in seconds if no unit is given."""
        match = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([a-z]*)", self.given.get(name, "0").lower())
        if match is None or match[2] not in TIMES_S:
            raise self.refused(name, f"must be a time, with one of {', '.join(filter(None, TIMES_S))}")
        length_s = float(match[1]) * (TIMES_S[match[2]] if match[2] else unit_s)
        if length_s >= LONGEST_S:
            raise self.refused(name, "must be under 25 days, as simulated time ends after 104")
        return round(length_s * 1e9)

    def by_op(self, name: str, read: Callable[[str], Any]) -> dict[int, Any]:
        """Return values of reads, writes and trims that are separated by commas, the last one for what is left out."""
        texts = self.given[name].split(",") if name in self.given else []
        if len(texts) > len(DIRECTIONS):
            raise self.refused(name, "has values for reads, writes and trims, at most three")
        last = [(op, texts[min(place, len(texts) - 1)]) for place, op in enumerate(DIRECTIONS) if texts]
        # nothing between two commas is what is usual
        return {op: read(text) for op, text in last if text.strip()}


def number(text: str) -> float:
    """Return a number that is not negative, 0 for anything else."""
    return float(text) if re.fullmatch(r"\d{1,9}(\.\d+)?", text.strip()) else 0.0


def _sizes(options: Options) -> dict[int, Sizes]:
    """Return the sizes by operation."""
    sizes: dict[int, Sizes] = dict.fromkeys(DIRECTIONS, ((4096,), (1.0,)))
    sizes |= options.by_op("bs", lambda text: ((options.bytes("bs", text),), (1.0,)))
    sizes |= options.by_op("bssplit", lambda text: _split(options, text))
    if min(min(values) for values, _ in sizes.values()) < 1:
        raise options.refused("bs", "requests must have a size above 0")
    return sizes


def _split(options: Options, text: str) -> Sizes:
    """Return the sizes of a split as 4k/10:64k/50:32k, whose entries without a share have what is missing.

    fio cuts each to a multiple of the least.
    """
    parts = [part.partition("/") for part in text.split(":")]
    sizes = [options.bytes("bssplit", size) for size, _, _ in parts]
    blanks = [not share for _, _, share in parts]
    shares = [number(share) for _, _, share in parts]
    left = 100 - sum(shares)
    if left < 0 or any(not share and not blank for share, blank in zip(shares, blanks, strict=True)):
        raise options.refused("bssplit", "must be sizes with percentages of 100 together at most, as 4k/60:64k/40")
    blanks = blanks if any(blanks) else [False] * (len(parts) - 1) + [True]
    least, weights = max(min(sizes), 1), dict.fromkeys([size - size % max(min(sizes), 1) for size in sizes], 0.0)
    for size, share, is_blank in zip(sizes, shares, blanks, strict=True):
        weights[size - size % least] += share + is_blank * left / sum(blanks)
    kept = {size: share / 100 for size, share in weights.items() if share}
    return tuple(kept), tuple(kept.values())


def _distribution(options: Options) -> tuple[str, float]:
    """Return the name of the distribution and its number."""
    name, _, rest = options.given.get("random_distribution", "random").partition(":")
    if name in SHAPES:
        usual, limit = SHAPES[name]
        value = number(rest) if rest else usual
        if 0 < value < limit and (name, value) != ("zipf", 1.0):
            return name, value
    elif name == "random" and not rest:
        return name, 0.0
    allowed = "random, zipf:THETA (above 0, not 1) or pareto:H (above 0, below 1)"
    raise options.refused("random_distribution", f"must be {allowed}")


def _rates(options: Options, ops: tuple[int, ...]) -> dict[int, float]:
    """Return the rates by operation."""
    given = [name for name in ("rate_iops", "rate") if options.flag(name)]
    if not given:
        return {}
    if len(given) > 1:
        raise options.refused("rate", "goes without rate_iops")
    (name,) = given
    rates = options.by_op(name, lambda text: float(options.bytes(name, text)))
    if not all(rates.get(op) for op in ops):
        raise options.refused(name, "must be a rate for each operation of the job, or for none")
    return {op: rates[op] for op in ops}


class Job:
    """One clone of a job: `stage` stonewalls come before it; times are in ns, and None or 0 where nothing is said."""

    def __init__(self, options: Options, name: str, stage: int, group: int) -> None:
        given = options.given
        kind = options.word("rw", "read", KINDS)
        engine = given.get("ioengine", "psync").partition(":")[0]
        self.name, self.stage, self.group, self.clone, self.given = name, stage, group, 0, dict(given)
        self.grouped = options.flag("group_reporting")
        self.file = given.get("filename", name)
        self.is_random, self.ops = kind.startswith("rand"), KINDS[kind]
        sizes = _sizes(options)
        self.sizes = {op: sizes[op] for op in self.ops}
        writes, reads = options.count("rwmixwrite", 50, 0, 100), options.count("rwmixread", 50, 0, 100)
        self.read_share = (100 - writes if "rwmixwrite" in given else reads) / 100
        self.distribution = _distribution(options)
        # no block comes again before all have come
        self.covers = self.distribution[0] == "random" and not options.flag("norandommap")
        self.depth = 1 if engine in SYNCHRONOUS else options.count("iodepth", 1)
        self.size = options.amount("size") or options.amount("filesize")
        self.offset = options.amount("offset") or Amount(0)
        self.increment = options.amount("offset_increment") or Amount(0)
        self.io_size = options.amount("io_size")
        self.loops = options.count("loops", 1)
        # requests, or bytes, a second by operation; none: as soon as there is room
        self.in_bytes = options.flag("rate")
        self.rates = _rates(options, self.ops)
        self.is_poisson = options.word("rate_process", "linear", ("linear", "poisson")) == "poisson"
        self.think_ns, self.think_blocks = options.time_ns("thinktime", 1e-6), options.count("thinktime_blocks", 1)
        self.runtime_ns, self.time_based = options.time_ns("runtime"), options.flag("time_based")
        self.ramp_ns, self.delay_ns = options.time_ns("ramp_time"), options.time_ns("startdelay")
        self.flush_every = max(options.count("fsync", 0, 0), options.count("fdatasync", 0, 0))
        # fio opens the file with O_SYNC or O_DSYNC: each write has FUA
        self.is_durable = options.word("sync", "none", (*OFF, "sync", "1", "dsync")) not in OFF
        for option, is_wrong, problem in (
            ("ioengine", engine in NOT_BLOCKS, "sends no requests to a device; take the job out"),
            ("fdatasync", options.flag("fsync") and options.flag("fdatasync"), "goes without fsync"),
            ("thinktime", self.think_ns and self.rates, "goes without rate and rate_iops"),
            ("filename", ":" in self.file.replace("\\:", ""), "must be one file or device"),
            ("time_based", self.time_based and not self.runtime_ns, "goes with runtime, which is to be given"),
        ):
            if is_wrong:
                raise options.refused(option, problem)

    def cloned(self, clone: int) -> "Job":
        """Return a clone of the job; without a filename each has a file of its own."""
        other = copy.copy(self)
        other.clone, other.file = clone, self.file if "filename" in self.given else f"{self.file}.{clone}"
        return other

    @property
    def ignored(self) -> list[str]:
        """The options that have no meaning for a simulated device, or with the job's engine."""
        waits = {"iodepth"} if self.depth < int(self.given.get("iodepth", 1)) else set()
        return sorted(waits | NO_MEANING.intersection(self.given))


def read_jobs(path: str | Path) -> tuple[Job, ...]:
    """Return the jobs of the file, clones beside one another; raise `ConfigError` for one that cannot be served."""
    text = b"".join(TraceFile(path).lines()).decode("utf-8", "replace")
    # a comment may end a line, and a variable of the environment stand in it
    lines = (os.path.expandvars(re.sub(r"(^|\s)[;#].*", "", line).strip()) for line in text.splitlines())
    return _jobs(str(path), tuple(filter(None, lines)))


@lru_cache(8)  # each stream asks for all of them, to know its place
def _jobs(path: str, lines: tuple[str, ...]) -> tuple[Job, ...]:
    """Return the jobs that lines without comments and variables describe."""
    jobs: list[Job] = []
    stage = group = 0
    for name, given in _sections(path, lines):
        options = Options(f"{path}: [{shown(name)}]", given)
        stage += bool(jobs) and options.flag("stonewall")
        group += bool(jobs) and (options.flag("new_group") or options.flag("stonewall"))
        jobs += map(Job(options, name, stage, group).cloned, range(options.count("numjobs", 1, most=MOST_JOBS)))
    if not jobs:
        raise ConfigError(f"{path}: has no job; a job begins with its name, as [job1].")
    if len(jobs) > MOST_JOBS:
        raise ConfigError(f"{path}: has more than {MOST_JOBS} jobs with their clones; set numjobs lower.")
    ramps = {job.ramp_ns for job in jobs}
    if len(ramps) > 1 or (ramps != {0} and stage):
        raise ConfigError(
            f"{path}: ramp_time must be the same for all jobs, and there be no stonewall with it; put it into [global]."
        )
    return tuple(jobs)


def _sections(path: str, lines: tuple[str, ...]) -> Iterator[tuple[str, dict[str, str]]]:
    """Yield the name and the options of each job; those of a [global] hold for the jobs below it."""
    parser = configparser.RawConfigParser(delimiters=("=",), allow_no_value=True, strict=False, default_section="\0")
    parser.optionxform = lambda key: ALIASES.get(key.strip(), key.strip())  # type: ignore[assignment, method-assign]
    # Of fio headings may be the same: to the parser each is another.
    text = "\n".join(re.sub(r"^\[([^\]]*)\]", rf"[{row} \1]", line) for row, line in enumerate(lines))
    try:
        parser.read_string(text)
    except configparser.Error as error:
        first = " ".join(str(error).replace("<string>", "it").split())
        raise ConfigError(f"{path}: is no job file of fio: {shown(first, 200)}.") from None
    shared: dict[str, str] = {}
    for heading in parser.sections():
        name = heading.partition(" ")[2].strip()
        own = {key: "1" if value is None else value.strip() for key, value in parser[heading].items()}
        whole = shared | own
        if name == "global":
            shared = whole
        else:
            yield name, whole
