"""What is asked of the device: recorded and generated workloads."""

from typing import Any

from attrs import define, field

from ssdsim.config.registry import is_path
from ssdsim.config.validators import (
    MOST_NS,
    POSITIVE,
    SHARE,
    SIZES,
    Allowed,
    Section,
    completed,
    is_number,
    number,
    one_of,
    require,
    whole,
)

ARRIVALS = ("poisson", "constant", "bursts", "levels")
LEVEL_KEYS = ("levels", "batch_requests", "write_levels", "write_batch_requests")
"""The keys of `arrival=levels`."""


def _is_level(value: Any) -> bool:
    if set(value) != {"share", "traffic", "length_s"} or not all(map(is_number, value.values())):
        return False
    # a level has more than its share of requests, or it would be none
    return 1e-6 <= value["share"] < value["traffic"] <= 1 and 1e-6 <= value["length_s"] <= MOST_NS / 1e9


LEVELS = Allowed(
    lambda value: len(value) <= 8 and all(map(_is_level, value)),  # eight: the rates are 2 to the power of their number
    "a list of at most 8 levels with 0 < share < traffic <= 1, as [{share: 0.3, traffic: 0.5, length_s: 20}]",
)
COLUMNS = Allowed(
    lambda value: set(value) <= {"arrival", "op", "offset", "size", "device"},
    "a mapping of arrival, op, offset, size and device to columns, as {arrival: t, op: rw, offset: lba*512, size: n}",
)
PATH = Allowed(
    lambda value: value == "" or is_path(value), "the dotted path of a class, as mine.Log for one in mine.py"
)
BATCH = number(1, 1e6)


@define(kw_only=True, field_transformer=completed)
class GeneratorConfig(Section, group="workload."):
    """Requests that a class of one's own makes (`ssdsim.workload.Generator`)."""

    generator: str = field(default="", validator=PATH)
    """Class that makes the requests, derived from ssdsim.workload.Generator."""
    options: dict[str, Any] = field(factory=dict)
    """Options of that class."""


@define(kw_only=True, field_transformer=completed)
class FioConfig(Section, group="workload."):
    """The jobs of a job file of fio (`ssdsim.workload.fio`), each of their clones a stream of its own."""

    path: str = ""
    """Job file of fio."""
    job: str | None = None
    """Job of the file that is run; null: all."""
    clone: int | None = field(default=None, validator=whole(0, 1 << 20))
    """Clone of that job that this stream is; null: as many streams as numjobs says."""


@define(kw_only=True, field_transformer=completed)
class ArrivalConfig(Section, group="workload."):
    """When open-loop requests come, as `ssdsim.workload.arrivals` has it: `rate_iops` is their mean rate.

    Each of `levels` is `{share: ..., traffic: ..., length_s: ...}`: the share of time for which it is on, the share of
    the requests that come then, which is more, and for how long it is on in the mean. `batch_requests` come at a time.
    With `write_levels` those are of reads, and the others have levels and batches of their own.
    """

    arrival: str = field(default="poisson", validator=one_of(*ARRIVALS))
    """When open-loop requests come."""
    rate_iops: float | None = field(default=None, validator=POSITIVE)
    """Mean rate of open-loop requests; null: closed loop, or that of the trace."""
    burst_requests: float | None = field(default=None, validator=number(1))
    """Requests of a burst in the mean (arrival=bursts)."""
    burst_iops: float | None = field(default=None, validator=POSITIVE)
    """Rate within a burst (arrival=bursts, open loop)."""
    levels: list[Any] = field(factory=list, validator=LEVELS)
    """Rushes and bursts (arrival=levels): share, traffic and length_s of each."""
    batch_requests: float = field(default=1.0, validator=BATCH)
    """Requests that come at a time in the mean (arrival=levels)."""
    write_levels: list[Any] = field(factory=list, validator=LEVELS)
    """Levels of writes by themselves; none: all requests share theirs."""
    write_batch_requests: float = field(default=1.0, validator=BATCH)
    """Writes that come at a time in the mean (with write_levels)."""

    def __attrs_post_init__(self) -> None:
        """Refuse the lack of keys of this arrival; those of others mean nothing."""
        if self.arrival == "levels":
            require(self, "levels", bool(self.levels), "given with workload.arrival=levels")
        if self.arrival == "bursts":
            required = "given with workload.arrival=bursts"
            require(self, "burst_requests", self.burst_requests is not None, required)
            if self.rate_iops:
                above = self.burst_iops is not None and self.burst_iops > self.rate_iops
                require(self, "burst_iops", above, f"above workload.rate_iops={self.rate_iops:g}, {required}")

    @property
    def parts_writes(self) -> bool:
        """Whether reads and writes come at levels of their own."""
        return self.arrival == "levels" and bool(self.write_levels)


@define(kw_only=True, field_transformer=completed)
class TraceConfig(ArrivalConfig):
    """A recorded workload: `limit` requests of it after `skip`. A field left null takes the format's own meaning.

    With another `arrival` than `recorded` its requests come at times that are drawn, at `rate_iops` or, if that is
    null, at the mean rate of the trace, and `speedup` times that.
    """

    arrival: str = field(default="recorded", validator=one_of("recorded", *ARRIVALS))
    """When requests come: as recorded, or at times that are drawn."""
    path: str = ""
    """File of the trace, plain or compressed, or a table of Parquet."""
    format: str = "auto"
    """Format of the trace; auto: told by its first lines."""
    columns: dict[str, Any] = field(factory=dict, validator=COLUMNS)
    """Meaning of the columns of a file that is of none of the formats, as {arrival: time, op: rw, offset: lba*512}."""
    pattern: str | None = None
    """Regular expression (RE2) for the lines of a log, whose named groups are columns; null: there is a separator."""
    time_unit: str | None = field(default=None, validator=one_of("s", "ms", "us", "ns", "100ns", "ps"))
    """Unit of times in the trace; null: the format's."""
    read_op: str | None = None
    """Word that means a read in the trace; null: the format's."""
    device: str | None = None
    """Device of the trace whose requests are taken; null: all."""
    skip: int = field(default=0, validator=whole(0))
    """Requests left out at the beginning."""
    limit: int | None = None
    """Requests taken after that, at most; null: all."""
    repeat: int = 1
    """How often the trace is replayed."""
    speedup: float = field(default=1.0, validator=POSITIVE)
    """How many times as fast requests come."""
    addresses: str = field(default="compact", validator=one_of("wrap", "compact"))
    """What becomes of addresses beyond the device: all in use are moved together, or taken modulo the capacity."""

    def __attrs_post_init__(self) -> None:
        """Refuse a rate where requests come as recorded, and the lack of one for bursts."""
        require(
            self,
            "rate_iops",
            self.arrival != "recorded" or self.rate_iops is None,
            "null with workload.arrival=recorded",
        )
        require(
            self,
            "rate_iops",
            self.arrival != "bursts" or self.rate_iops is not None,
            "given with workload.arrival=bursts",
        )
        super().__attrs_post_init__()


@define(kw_only=True, field_transformer=completed)
class SyntheticConfig(ArrivalConfig):
    """A generated workload: open loop at `rate_iops`, or closed loop at `queue_depth`.

    In `bursts` requests come `burst_requests` at a time in the mean. Open loop, they arrive at `burst_iops` within a
    burst; closed loop, the stream is idle for `idle_ms` in the mean once all requests of a burst are complete.
    """

    requests: int = 100_000
    """Requests that are generated."""
    read_share: float = 0.5
    """Reads among the requests."""
    trim_share: float = 0.0
    """Trims among the requests; what is left are writes."""
    fua_share: float = 0.0
    """Writes that are complete only when they are in flash, whatever buffer there is (FUA), among all writes."""
    size_kib: Any = field(default=4, validator=SIZES)
    """Size of requests, or sizes with their weights."""
    pattern: str = field(default="uniform", validator=one_of("uniform", "zipf", "hot_cold", "sequential"))
    """Where requests go: anywhere, by Zipf's law (zipf_theta), to a hot part (hot_share, hot_traffic), or in order."""
    zipf_theta: float = field(default=0.99, validator=number(0.001, 100))
    """Exponent of pattern=zipf."""
    hot_share: float = 0.2
    """Part of the space that is hot (pattern=hot_cold)."""
    hot_traffic: float = field(default=0.8, validator=SHARE)
    """Requests that go to the hot part (pattern=hot_cold)."""
    footprint: float = field(default=1.0, validator=number(1e-9, 1))
    """Part of the device that requests go to."""
    align_kib: float | None = field(default=None, validator=POSITIVE)
    """Multiples that requests start on; null: the smallest size, at most a page."""
    idle_ms: float | None = field(default=None, validator=POSITIVE)
    """Mean time between bursts of a closed loop (arrival=bursts)."""
    queue_depth: int | None = None
    """Requests that a closed loop keeps outstanding; null: open loop."""

    def __attrs_post_init__(self) -> None:
        """Refuse a load that is both open and closed loop, or neither."""
        reads, is_open = self.read_share, self.rate_iops is not None
        one = is_open == (self.queue_depth is None)
        require(self, "queue_depth", one, "given, or else workload.rate_iops, and not both")
        require(self, "trim_share", reads + self.trim_share <= 1, f"at most 1 - read_share = {1 - reads:g}")
        require(self, "arrival", is_open or self.arrival != "levels", "another one without workload.rate_iops")
        paused = is_open or self.arrival != "bursts" or self.idle_ms is not None
        require(self, "idle_ms", paused, "given with workload.arrival=bursts and workload.queue_depth")
        super().__attrs_post_init__()
