"""The jobs that a job file of fio describes, with the meanings and defaults of its manual (HOWTO).

A job is read as one for a device: its `filename` is a range of the simulated device, one range for each different
file, in the order of the jobs.
"""

import configparser
import os
import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

import attrs

from ssdsim.errors import ConfigError, shown
from ssdsim.workload.chunk import READ, TRIM, WRITE
from ssdsim.workload.fio_options import ALIASES, DIRECTIONS, NO_MEANING, OFF, Amount, Options, Sizes, percent
from ssdsim.workload.tracefile import TraceFile

SYNCHRONOUS = ("sync", "psync", "vsync", "pvsync", "pvsync2", "mmap", "splice")
"""Engines whose depth is 1, whatever iodepth says; without `ioengine` it is psync."""

NOT_BLOCKS = ("cpuio", "net", "netsplice", "exec", "filecreate", "filestat", "filedelete", "mkdir", "e4defrag")

KINDS: dict[str, tuple[bool, tuple[int, ...]]] = {
    "read": (False, (READ,)),
    "write": (False, (WRITE,)),
    "trim": (False, (TRIM,)),
    "rw": (False, (READ, WRITE)),
    "readwrite": (False, (READ, WRITE)),
    "trimwrite": (False, (TRIM, WRITE)),
    "randread": (True, (READ,)),
    "randwrite": (True, (WRITE,)),
    "randtrim": (True, (TRIM,)),
    "randrw": (True, (READ, WRITE)),
    "randtrimwrite": (True, (TRIM, WRITE)),
}
"""Whether places are drawn, and the operations, by the value of `rw`."""

SIZES = {"bs", "bsrange"}
MOST_JOBS, MOST_SIZES = 1024, 1 << 20
"""More streams, or sizes in a range, are taken for a slip."""

_HEADING = re.compile(r"\[([^\]]*)\]")


@attrs.frozen(kw_only=True)
class Job:
    """One clone of a job; times in ns, and None or 0 where nothing is said."""

    name: str
    clone: int
    stage: int
    """How many stonewalls come before it."""

    group: int
    """Jobs of one group are reported together if they are `grouped`."""

    grouped: bool
    given: Mapping[str, str]
    """The options as they were written."""

    file: str
    is_random: bool
    ops: tuple[int, ...]
    sizes: Mapping[int, Sizes]
    align: Mapping[int, int]
    read_share: float
    distribution: tuple[str, Any]
    random_share: Mapping[int, float]
    """The share of requests by operation, 0 to 1, that go anywhere; the others go on where the last one ended."""

    covers: bool
    """Whether no block comes again before all have come."""

    depth: int
    size: Amount | None
    offset: Amount
    increment: Amount
    io_size: Amount | None
    number_ios: int
    loops: int
    rates: Mapping[int, float]
    """Requests, or bytes with `in_bytes`, a second by operation; empty: as soon as there is room."""

    in_bytes: bool
    is_poisson: bool
    think_ns: int
    think_blocks: int
    runtime_ns: int
    time_based: bool
    ramp_ns: int
    delay_ns: int
    flush_every: int
    is_durable: bool
    """Whether each write has FUA: fio opens the file with O_SYNC or O_DSYNC."""

    @property
    def ignored(self) -> list[str]:
        """The options that have no meaning for a simulated device, or with the job's engine."""
        waits = {"iodepth"} if self.depth < int(self.given.get("iodepth", 1)) else set()
        return sorted(waits | NO_MEANING.intersection(self.given))


def read_jobs(path: str | Path) -> tuple[Job, ...]:
    """Return the jobs of the file, clones beside one another; raise `ConfigError` for one that cannot be served."""
    lines = b"".join(TraceFile(path).lines()).decode("utf-8", "replace").splitlines()
    return _jobs(
        str(path), tuple(_expanded(line.strip(), path) for line in lines if line.strip()[:1] not in (";", "#"))
    )


def _expanded(line: str, path: str | Path) -> str:
    """Return a line with the variables of the environment that it names."""

    def variable(match: re.Match[str]) -> str:
        if match[1] not in os.environ:
            raise ConfigError(f"{path}: ${{{shown(match[1])}}}: the environment has no such variable; set it.")
        return os.environ[match[1]]

    # a comment may end a line
    return re.sub(r"\$\{([^}]*)\}", variable, re.sub(r"\s[;#].*", "", line))


@lru_cache(8)  # each stream asks for all of them, to know its place
def _jobs(path: str, lines: tuple[str, ...]) -> tuple[Job, ...]:
    """Return the jobs that lines without comments and variables describe."""
    jobs: list[Job] = []
    stage = group = 0
    for name, given in _sections(path, lines):
        options = Options(f"{path}: [{shown(name)}]", given)
        if jobs and options.flag("stonewall"):
            stage += 1
        if jobs and (options.flag("new_group") or options.flag("stonewall")):
            group += 1
        first = _job(options, name, stage, group)
        jobs += [_clone(first, number) for number in range(options.count("numjobs", 1))]
        if len(jobs) > MOST_JOBS:
            raise ConfigError(f"{path}: has more than {MOST_JOBS} jobs with their clones; set numjobs lower.")
    if not jobs:
        raise ConfigError(f"{path}: has no job; a job begins with its name, as [job1].")
    ramps = {job.ramp_ns for job in jobs}
    if len(ramps) > 1 or (ramps != {0} and stage):
        raise ConfigError(
            f"{path}: ramp_time must be the same for all jobs, and there be no stonewall with it; put it into [global]."
        )
    return tuple(jobs)


def _clone(job: Job, number: int) -> Job:
    """Return clone `number` of a job; without a filename each has a file of its own."""
    file = job.file if "filename" in job.given else f"{job.file}.{number}"
    return attrs.evolve(job, clone=number, file=file)


def _sections(path: str, lines: tuple[str, ...]) -> Iterator[tuple[str, dict[str, str]]]:
    """Yield the name and the options of each job; those of a [global] hold for the jobs below it."""
    parser = configparser.RawConfigParser(delimiters=("=",), allow_no_value=True, strict=False, default_section="\0")
    parser.optionxform = str  # type: ignore[assignment, method-assign]
    # Of fio headings may be the same, and lines indented: to the parser each heading is another, and no line goes on.
    text = "\n".join(_HEADING.sub(rf"[{row} \1]", line, count=1) if line[:1] == "[" else line
                     for row, line in enumerate(lines))  # fmt: skip
    try:
        parser.read_string(text)
    except configparser.Error as error:
        first = " ".join(str(error).replace("<string>", "it").split())
        raise ConfigError(f"{path}: is no job file of fio: {shown(first, 200)}.") from None
    shared: dict[str, str] = {}
    for heading in parser.sections():
        name = heading.partition(" ")[2].strip()
        options = parser[heading].items()
        own = {_named(key, f"{path}: [{name}]"): "1" if value is None else value.strip() for key, value in options}
        # of these the one that was written last counts
        replaced = SIZES if SIZES & own.keys() else set()
        whole = {key: value for key, value in shared.items() if key not in replaced} | own
        if name == "global":
            shared = whole
        else:
            yield name, whole


def _named(key: str, place: str) -> str:
    """Return the usual name of an option; raise ConfigError for one that is not known."""
    name = ALIASES.get(key.strip(), key.strip())
    if name.startswith("include"):
        raise ConfigError(f"{place} {shown(key)}: other files are not included; write their lines here.")
    return name


def _sizes(options: Options) -> tuple[dict[int, Sizes], dict[int, int]]:
    """Return the sizes and the alignment by operation."""
    usual: Sizes = ((4096,), (1.0,))
    sizes: dict[int, Sizes] = dict.fromkeys(DIRECTIONS, usual)
    if "bs" in options.given:
        exact = options.by_op("bs", lambda text: (options.bytes("bs", text),))
        sizes |= {op: (size, (1.0,)) for op, size in exact.items() if size}
    if "bsrange" in options.given:
        ranges = options.by_op("bsrange", lambda text: _range(options, text))
        sizes |= {op: split for op, split in ranges.items() if split}
    if "bssplit" in options.given:
        splits = options.by_op("bssplit", lambda text: _split(options, text))
        sizes |= {op: split for op, split in splits.items() if split}
    for values, _ in sizes.values():
        if min(values) < 1:
            raise options.refused("bs", "requests must have a size above 0")
    align = {op: min(values) for op, (values, _) in sizes.items()}
    if "blockalign" in options.given:
        given = options.by_op("blockalign", lambda text: options.bytes("blockalign", text))
        align |= {op: step for op, step in given.items() if step}
    return sizes, align


def _range(options: Options, text: str) -> Sizes:
    """Return the sizes of a range as 4k-64k: multiples of the least, the largest as often as what would be beyond it.

    fio adds a share of the largest, drawn uniformly, to the least, and cuts that to a multiple unless `bs_unaligned`.
    """
    low, high = (options.bytes("bsrange", bound) for bound in (text.split("-") * 2)[:2])
    unit = 1 if options.flag("bs_unaligned") else low
    if not 0 < low <= high <= unit * MOST_SIZES:
        raise options.refused(
            "bsrange", f"must be two sizes, the smaller first, and make {MOST_SIZES} at most, as 4k-64k"
        )
    steps = range(low // unit, (low + high) // unit + 1)
    # of what is drawn between `low` and `low + high`, the part that is cut to each multiple
    drawn = [(min((step + 1) * unit, low + high) - step * unit) / high for step in steps]
    shares: dict[int, float] = {}
    for step, share in zip(steps, drawn, strict=True):
        size = min(step * unit, high)
        shares[size] = shares.get(size, 0.0) + share
    kept = {size: share for size, share in shares.items() if share}
    return tuple(kept), tuple(kept.values())


def _split(options: Options, text: str) -> Sizes:
    """Return the sizes of a split as 4k/10:64k/50:32k, whose last entry has what is missing.

    Unless `bs_unaligned`, fio cuts each to a multiple of the least.
    """
    try:
        parts = options.shares("bssplit", text, lambda size: options.bytes("bssplit", size))
    except ValueError:
        raise options.refused("bssplit", "must be sizes with percentages, as 4k/60:64k/40") from None
    least = max(min(size for size, _ in parts), 1)
    if not options.flag("bs_unaligned"):
        parts = [(size - size % least, share) for size, share in parts]
    left, blanks = 100 - sum(share for _, share in parts if share >= 0), sum(share < 0 for _, share in parts)
    if left < 0:
        raise options.refused("bssplit", "its percentages are more than 100 together")
    shares: dict[int, float] = {}
    for size, share in parts:
        shares[size] = shares.get(size, 0.0) + (left / blanks if share < 0 else share)
    if not blanks:
        shares[parts[-1][0]] += left
    kept = {size: share / 100 for size, share in shares.items() if share}
    return tuple(kept), tuple(kept.values())


def _distribution(options: Options) -> tuple[str, Any]:
    """Return the name of the distribution and its numbers; for zones by operation, those of each zone."""
    text = options.given.get("random_distribution", "random")
    name, _, rest = text.replace("zoned_abs=", "zoned_abs:").partition(":")
    try:
        if name in ("zoned", "zoned_abs"):
            rows = rest.split(",")
            zones = {op: _zones(options, name, rows[min(place, len(rows) - 1)]) for place, op in enumerate(DIRECTIONS)}
            return name, zones
        if name in ("zipf", "pareto", "normal", "gauss"):
            value, *center = (float(number) for number in rest.split(":")) if rest else (NORMAL_SHAPE[name],)
            low, high = SHAPES[name]
            if (
                not low < value < high
                or (name, value) == ("zipf", 1.0)
                or not all(0 <= one <= 1 for one in center[:2])
                or len(center) > 1
            ):
                raise ValueError
            return name.replace("gauss", "normal"), (value, *center)
        if name == "random" and not rest:
            return name, ()
    except ValueError:
        pass
    raise options.refused(
        "random_distribution",
        "must be random, zipf:THETA (above 0, not 1), pareto:H (0 to 1), normal:PERCENT, zoned:60/10:40/90 or "
        "zoned_abs:60/20g:40/100g, with sums of 100",
    )


SHAPES = {"zipf": (0.0, 100.0), "pareto": (0.0, 1.0), "normal": (-1e-9, 100.000001), "gauss": (-1e-9, 100.000001)}
"""Bounds of the number that a distribution has, neither of which it may be."""

NORMAL_SHAPE = {"zipf": 1.1, "pareto": 0.2, "normal": 0.0, "gauss": 0.0}
"""What it is if none is given."""


def _zones(options: Options, name: str, text: str) -> list[tuple[float, float]]:
    """Return the percentage of requests and the size, in percent or bytes, of each zone."""
    pairs = [part.split("/") for part in text.split(":")]
    shares = _filled([share for share, _ in pairs])
    if name == "zoned_abs":
        sizes = [float(options.bytes("random_distribution", size)) for _, size in pairs]
    else:
        sizes = _filled([size for _, size in pairs])
    if min(sizes) <= 0:
        raise ValueError
    return list(zip(shares, sizes, strict=True))


def _filled(texts: list[str]) -> list[float]:
    """Return percentages, of which those left out share what is missing; raise `ValueError` unless all are 100."""
    given = [percent(text) for text in texts if text]
    left, blanks = 100 - sum(given), len(texts) - len(given)
    if left < -1e-6 or (not blanks and left > 1e-6):
        raise ValueError
    return [float(text) if text else left / blanks for text in texts]


def _random_shares(options: Options, ops: tuple[int, ...]) -> dict[int, float]:
    """Return the share of requests of each operation whose place is drawn."""
    if "percentage_random" not in options.given:
        return dict.fromkeys(ops, 1.0)
    given = options.by_op("percentage_random", lambda text: int(text) if re.fullmatch(r"\d{1,3}", text) else 101)
    shares = {op: 1.0 if given[op] is None else given[op] / 100 for op in ops}
    if max(shares.values()) > 1:
        raise options.refused("percentage_random", "must be a percentage, 0 to 100, or one for each operation")
    if ops == (TRIM, WRITE) and min(shares.values()) < 1:
        raise options.refused("percentage_random", "does not go with a trim before each write")
    return shares


def _rates(options: Options, ops: tuple[int, ...]) -> tuple[dict[int, float], bool]:
    """Return the rates by operation, and whether they are of bytes."""
    given = [name for name in ("rate_iops", "rate") if options.flag(name)]
    if not given:
        return {}, False
    if len(given) > 1:
        raise options.refused("rate", "goes without rate_iops")
    (name,) = given
    rates = options.by_op(name, lambda text: float(options.bytes(name, text)))
    chosen = {op: rates[op] for op in ops}
    if not all(chosen.values()):
        raise options.refused(name, "must be a rate for each operation of the job, or for none")
    if ops == (TRIM, WRITE):
        raise options.refused(name, "does not go with a trim before each write")
    return chosen, name == "rate"


def _job(options: Options, name: str, stage: int, group: int) -> Job:
    """Return the first clone of a job."""
    given = options.given
    is_random, ops = KINDS[options.word("rw", "read", KINDS)]
    sizes, align = _sizes(options)
    engine = given.get("ioengine", "psync").partition(":")[0]
    if engine in NOT_BLOCKS:
        raise options.refused("ioengine", "sends no requests to a device; take the job out")
    flushes = [options.count(key, 0, 0) for key in ("fsync", "fdatasync")]
    if all(flushes):
        raise options.refused("fdatasync", "goes without fsync")
    rates, in_bytes = _rates(options, ops)
    read_percent = 100 - options.count("rwmixwrite", 50, 0) if "rwmixwrite" in given else None
    read_percent = options.count("rwmixread", 50, 0) if read_percent is None else read_percent
    if not 0 <= read_percent <= 100:
        raise options.refused("rwmixread" if "rwmixread" in given else "rwmixwrite", "must be a percentage, 0 to 100")
    think_ns = options.time_ns("thinktime", 1e-6)
    if think_ns and rates:
        raise options.refused("thinktime", "goes without rate and rate_iops")
    file = given.get("filename", name)
    if ":" in file.replace("\\:", ""):
        raise options.refused("filename", "must be one file or device")
    time_based, runtime_ns = options.flag("time_based"), options.time_ns("runtime")
    if time_based and not runtime_ns:
        raise options.refused("time_based", "goes with runtime, which is to be given")
    distribution = _distribution(options)
    return Job(
        name=name,
        clone=0,
        stage=stage,
        group=group,
        grouped=options.flag("group_reporting"),
        given=given,
        file=file,
        is_random=is_random,
        ops=ops,
        sizes={op: sizes[op] for op in ops},
        align={op: align[op] for op in ops},
        read_share=read_percent / 100,
        distribution=distribution,
        random_share=_random_shares(options, ops),
        covers=is_random and distribution[0] == "random" and not options.flag("norandommap"),
        depth=1 if engine in SYNCHRONOUS else options.count("iodepth", 1),
        size=options.amount("size") or options.amount("filesize"),
        offset=options.amount("offset") or Amount(0),
        increment=options.amount("offset_increment") or Amount(0),
        io_size=options.amount("io_size"),
        number_ios=options.count("number_ios", 0, 0),
        loops=options.count("loops", 1),
        rates=rates,
        in_bytes=in_bytes,
        is_poisson=options.word("rate_process", "linear", ("linear", "poisson")) == "poisson",
        think_ns=think_ns,
        think_blocks=options.count("thinktime_blocks", 1),
        runtime_ns=runtime_ns,
        time_based=time_based,
        ramp_ns=options.time_ns("ramp_time"),
        delay_ns=options.time_ns("startdelay"),
        flush_every=max(flushes),
        is_durable=options.word("sync", "none", (*OFF, "sync", "1", "dsync")) not in OFF,
    )
