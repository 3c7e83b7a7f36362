"""What is asked of the device: recorded and generated workloads."""

from typing import Any, ClassVar

from attrs import define, field

from ssdsim.config import validators
from ssdsim.config.registry import is_path
from ssdsim.config.validators import checked, is_number, number, one_of, refuse, whole, whole_floats
from ssdsim.errors import ConfigError

ARRIVALS = ("poisson", "constant", "bursts", "levels")
LEVEL = ("share", "traffic", "length_s")
LEVEL_KEYS: dict[str, Any] = {"levels": [], "batch_requests": 1, "write_levels": [], "write_batch_requests": 1}
"""The keys of `arrival=levels`, with what they are without it."""

OWN_KEYS: dict[str, dict[str, Any]] = {
    "bursts": dict.fromkeys(("burst_requests", "burst_iops", "idle_ms")),
    "levels": LEVEL_KEYS,
}
"""The keys that an arrival has to itself, with what they are without it."""


def _is_level(value: Any) -> bool:
    if set(value) != set(LEVEL) or not all(map(is_number, value.values())):
        return False
    # a level has more than its share of requests, or it would be none
    return 1e-6 <= value["share"] < value["traffic"] <= 1 and 1e-6 <= value["length_s"] <= validators.MOST_S


LEVELS = checked(
    lambda value: len(value) <= 8 and all(map(_is_level, value)),  # eight: the rates are 2 to the power of their number
    "a list of at most 8 levels with 0 < share < traffic <= 1, as [{share: 0.3, traffic: 0.5, length_s: 20}]",
)
COLUMNS = checked(
    lambda value: set(value) <= {"arrival", "op", "offset", "size", "device"},
    "a mapping of arrival, op, offset, size and device to columns, as {arrival: t, op: rw, offset: lba*512, size: n}",
)
BATCH = number(1, 1e6, "a number of at least 1, at most 1e6")


@define(kw_only=True, field_transformer=whole_floats)
class GeneratorConfig:
    """Requests that a class of one's own makes (`ssdsim.workload.generator`)."""

    group: ClassVar[str] = "workload."

    generator: str = field(
        default="",
        validator=checked(
            lambda value: value == "" or is_path(value),
            "the dotted path of a class, as mine.Log for one in mine.py",
            takes_paths=True,
        ),
    )
    """Class that makes the requests, derived from ssdsim.workload.Generator."""
    options: dict[str, Any] = field(factory=dict)
    """Options of that class."""


@define(kw_only=True, field_transformer=whole_floats)
class FioConfig:
    """The jobs of a job file of fio (`ssdsim.workload.fio`), each of their clones a stream of its own."""

    group: ClassVar[str] = "workload."

    path: str = ""
    """Job file of fio."""
    job: str | None = None
    """Job of the file that is run; null: all."""
    clone: int | None = field(default=None, validator=whole(0, 1 << 20, "a whole number of at least 0", or_null=True))
    """Clone of that job that this stream is; null: as many streams as numjobs says."""


@define(kw_only=True, field_transformer=whole_floats)
class ArrivalConfig:
    """When open-loop requests come, as `ssdsim.workload.arrivals` has it: `rate_iops` is their mean rate.

    Each of `levels` is `{share: ..., traffic: ..., length_s: ...}`: the share of time for which it is on, the share of
    the requests that come then, which is more, and for how long it is on in the mean. `batch_requests` come at a time.
    With `write_levels` those are of reads, and the others have levels and batches of their own.
    """

    group: ClassVar[str] = "workload."

    arrival: str = field(default="poisson", validator=one_of(*ARRIVALS))
    """When open-loop requests come."""
    rate_iops: float | None = field(default=None, validator=validators.POSITIVE_OR_NONE)
    """Mean rate of open-loop requests; null: closed loop, or that of the trace."""
    burst_requests: float | None = field(default=None, validator=validators.AT_LEAST_1_OR_NONE)
    """Requests of a burst in the mean (arrival=bursts)."""
    burst_iops: float | None = field(default=None, validator=validators.POSITIVE_OR_NONE)
    """Rate within a burst (arrival=bursts, open loop)."""
    levels: list[Any] = field(factory=list, validator=LEVELS)
    """Rushes and bursts (arrival=levels): share, traffic and length_s of each."""
    batch_requests: float = field(default=1.0, validator=BATCH)
    """Requests that come at a time in the mean (arrival=levels)."""
    write_levels: list[Any] = field(factory=list, validator=LEVELS)
    """Levels of writes by themselves; none: all requests share theirs."""
    write_batch_requests: float = field(default=1.0, validator=BATCH)
    """Writes that come at a time in the mean (with write_levels)."""

    def _check_arrival(self) -> None:
        """Refuse keys of other arrivals, and the lack of those of this one."""
        for arrival, keys in OWN_KEYS.items():
            for name, usual in keys.items():
                if arrival != self.arrival and getattr(self, name, usual) != usual:
                    allowed = f"{'null' if usual is None else usual} with workload.arrival={self.arrival}"
                    raise refuse(self, name, getattr(self, name), allowed)
        if self.arrival == "levels" and not self.levels:
            raise refuse(self, "levels", self.levels, "given with workload.arrival=levels")
        if self.write_batch_requests != 1 and not self.write_levels:
            raise refuse(self, "write_batch_requests", self.write_batch_requests, "1 without workload.write_levels")
        if self.arrival == "bursts" and self.burst_requests is None:
            raise refuse(self, "burst_requests", None, "given with workload.arrival=bursts: the mean requests a burst")
        if self.arrival == "bursts" and self.rate_iops and not (self.burst_iops and self.burst_iops > self.rate_iops):
            allowed = f"above workload.rate_iops={self.rate_iops:g} with workload.arrival=bursts"
            raise refuse(self, "burst_iops", self.burst_iops, allowed)


@define(kw_only=True, field_transformer=whole_floats)
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
    time_unit: str | None = field(
        default=None,
        validator=checked(
            lambda v: v in (None, "s", "ms", "us", "ns", "100ns", "ps"), "one of s, ms, us, ns, 100ns, ps, or null"
        ),
    )
    """Unit of times in the trace; null: the format's."""
    read_op: str | None = None
    """Word that means a read in the trace; null: the format's."""
    device: str | None = None
    """Device of the trace whose requests are taken; null: all."""
    skip: int = field(default=0, validator=validators.COUNT_OR_ZERO)
    """Requests left out at the beginning."""
    limit: int | None = field(default=None, validator=validators.COUNT_OR_NONE)
    """Requests taken after that, at most; null: all."""
    repeat: int = field(default=1, validator=validators.COUNT)
    """How often the trace is replayed."""
    speedup: float = field(default=1.0, validator=validators.POSITIVE)
    """How many times as fast requests come."""
    addresses: str = field(default="compact", validator=one_of("wrap", "compact"))
    """What becomes of addresses beyond the device."""
    max_gap_s: float = field(default=2592000.0, validator=validators.POSITIVE)  # seconds: thirty days
    """Longest time between two requests; longer gaps are cut out."""

    def __attrs_post_init__(self) -> None:
        """Refuse keys of other arrivals."""
        if self.arrival == "recorded" and self.rate_iops is not None:
            raise refuse(self, "rate_iops", self.rate_iops, "null with workload.arrival=recorded")
        if self.arrival == "bursts" and self.rate_iops is None:
            raise refuse(self, "rate_iops", None, "given with workload.arrival=bursts")
        self._check_arrival()


@define(kw_only=True, field_transformer=whole_floats)
class SyntheticConfig(ArrivalConfig):
    """A generated workload: open loop at `rate_iops`, or closed loop at `queue_depth`.

    In `bursts` requests come `burst_requests` at a time in the mean. Open loop, they arrive at `burst_iops` within a
    burst; closed loop, the stream is idle for `idle_ms` in the mean once all requests of a burst are complete.
    """

    requests: int = field(default=100_000, validator=validators.COUNT)
    """Requests that are generated."""
    read_share: float = field(default=0.5, validator=validators.SHARE)
    """Reads among the requests."""
    trim_share: float = field(default=0.0, validator=validators.SHARE)
    """Trims among the requests; what is left are writes."""
    fua_share: float = field(default=0.0, validator=validators.SHARE)
    """Writes that are complete only when they are in flash, whatever buffer there is (FUA), among all writes."""
    size_kib: Any = field(default=4, validator=validators.SIZES)
    """Size of requests, or sizes with their weights."""
    pattern: str = field(default="uniform", validator=one_of("uniform", "zipf", "hot_cold", "sequential"))
    """Where requests go."""
    zipf_theta: float = field(default=0.99, validator=number(0.001, 100, "a number above 0, 0.001 to 100"))
    """Exponent of pattern=zipf."""
    hot_share: float = field(default=0.2, validator=validators.SHARE)
    """Part of the space that is hot (pattern=hot_cold)."""
    hot_traffic: float = field(default=0.8, validator=validators.SHARE)
    """Requests that go to the hot part (pattern=hot_cold)."""
    footprint: float = field(
        default=1.0, validator=checked(lambda v: is_number(v) and 0 < v <= 1, "a share above 0 and up to 1")
    )
    """Part of the device that requests go to."""
    align_kib: float | None = field(default=None, validator=validators.POSITIVE_OR_NONE)
    """Multiples that requests start on; null: the smallest size, at most a page."""
    idle_ms: float | None = field(default=None, validator=validators.POSITIVE_OR_NONE)
    """Mean time between bursts of a closed loop (arrival=bursts)."""
    queue_depth: int | None = field(default=None, validator=validators.COUNT_OR_NONE)
    """Requests that a closed loop keeps outstanding; null: open loop."""

    def __attrs_post_init__(self) -> None:
        """Refuse a load that is both open and closed loop, or neither."""
        if (self.rate_iops is None) == (self.queue_depth is None):  # one of them must be, and only one
            raise ConfigError(
                f"workload.rate_iops={self.rate_iops} and workload.queue_depth={self.queue_depth}: exactly one must be "
                "given, the other null."
            )
        if self.read_share + self.trim_share > 1:
            raise refuse(self, "trim_share", self.trim_share, f"at most 1 - read_share = {1 - self.read_share:g}")
        if self.rate_iops is None and self.arrival == "levels":
            raise refuse(self, "arrival", "levels", "another one with workload.queue_depth, or rate_iops be given")
        self._check_arrival()
        if self.arrival == "bursts":
            given, absent = ("burst_iops", "idle_ms") if self.rate_iops else ("idle_ms", "burst_iops")
            loop = f"rate_iops={self.rate_iops:g}" if self.rate_iops else f"queue_depth={self.queue_depth}"
            if getattr(self, given) is None or getattr(self, absent) is not None:
                name, allowed = (given, "given") if getattr(self, given) is None else (absent, "null")
                raise refuse(
                    self, name, getattr(self, name), f"{allowed} with workload.arrival=bursts and workload.{loop}"
                )
