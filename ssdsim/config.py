"""Every parameter of an experiment: declared, defaulted and validated here and nowhere else.

The classes are ordinary attrs classes; a notebook builds them directly, the command line composes them from `conf/`.
A key carries its unit. A value that is not allowed raises `ConfigError` with one sentence that names key and remedy.
"""

import difflib
from collections.abc import Callable, Iterable
from itertools import permutations
from typing import Any, ClassVar

from attrs import Attribute, define, field

from ssdsim.errors import ConfigError

MOST_WORDLINES = 65535
"""Wordlines a block may have: pages are counted by type in 16 bits."""

STATIC_ORDERS = tuple("".join(order) for order in permutations("CWDP"))

ACCESS_LATENCIES = ("none", "idle", "normal", "low")
"""Access latencies that a host may hint at, by the number that NVMe's dataset management has for each."""


def nearest(name: object, allowed: Iterable[str]) -> str:
    """Return ` (did you mean 'x'?)` for the allowed name closest to `name`, or nothing if none is near."""
    match = difflib.get_close_matches(str(name), list(allowed), n=1, cutoff=0.5)
    return f" (did you mean '{match[0]}'?)" if match else ""


def refuse(owner: Any, name: str, value: object, allowed: str) -> ConfigError:
    """Return the error for key `name` of config object `owner`."""
    return ConfigError(f"{type(owner).group}{name}={value}: must be {allowed}.")


def checked(test: Callable[[Any], bool], allowed: str) -> Callable[[Any, Attribute, Any], None]:
    """Return an attrs validator that refuses values for which `test` is false or fails."""

    def validate(owner: Any, attribute: Attribute, value: Any) -> None:
        try:
            accepted = test(value)
        except (AttributeError, TypeError, ValueError):
            accepted = False
        if not accepted:
            raise refuse(owner, attribute.name, value, allowed)

    return validate


def one_of(*allowed: str) -> Callable[[Any, Attribute, Any], None]:
    """Return an attrs validator that accepts the names given and suggests the nearest."""

    def validate(owner: Any, attribute: Attribute, value: Any) -> None:
        if value not in allowed:
            raise refuse(owner, attribute.name, value, f"one of {', '.join(allowed)}{nearest(value, allowed)}")

    return validate


def _is_whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < float("inf")


def _is_page_size(value: Any) -> bool:
    return _is_number(value) and 0 < value <= 1024 and value * 2 == int(value * 2)


def _is_times(value: Any) -> bool:
    return len(value) > 0 and all(_is_number(item) and 0 <= item <= 1e9 for item in value)


def _name_or_path(*allowed: str) -> Callable[[Any, Attribute, Any], None]:
    """Accept a policy's name, or the dotted path of a class of the user's own."""
    named = one_of(*allowed, "or the dotted path of a class")

    def validate(owner: Any, attribute: Attribute, value: Any) -> None:
        if "." not in str(value):
            named(owner, attribute, value)

    return validate


COUNT = checked(lambda value: _is_whole(value) and value >= 1, "a whole number of at least 1")
COUNT_OR_NONE = checked(
    lambda value: value is None or (_is_whole(value) and value >= 1), "a whole number >= 1, or null"
)
WHOLE = checked(lambda value: _is_whole(value) and value >= 0, "a whole number of at least 0")
SHARE = checked(lambda value: _is_number(value) and 0 <= value <= 1, "a share between 0 and 1")
SHARE_OR_NONE = checked(lambda v: v is None or (_is_number(v) and 0 <= v <= 1), "a share between 0 and 1, or null")
POSITIVE = checked(lambda value: _is_number(value) and value > 0, "a number above 0")
POSITIVE_OR_NONE = checked(
    lambda value: value is None or (_is_number(value) and value > 0), "a number above 0, or null"
)
AT_LEAST_1_OR_NONE = checked(
    lambda value: value is None or (_is_number(value) and value >= 1), "a number of at least 1, or null"
)
DURATION = checked(lambda value: _is_number(value) and 0 <= value <= 1e9, "a time in microseconds, 0 to 1e9")
DURATION_OR_NONE = checked(
    lambda v: v is None or (_is_number(v) and 0 <= v <= 1e9), "a time in microseconds, 0 to 1e9, or null"
)
SCHEMES = checked(
    lambda v: not isinstance(v, str) and all(isinstance(name, str) for name in v),
    "a list of page-type schemes, as [queue_depth,utilization]",
)
PASS_LIMITS = checked(
    lambda v: len(v) > 0 and all(_is_whole(item) and 0 <= item <= 1e9 for item in v),
    "a list of at least one whole number, 0 to 1e9",
)
DURATIONS = checked(_is_times, "a list of times in microseconds, one for each page type or one for all")


def _switch(value: Any) -> Any:
    """Turn YAML's booleans, which is what an unquoted `on` or `off` becomes, back into the words."""
    return {"True": "on", "False": "off"}.get(str(value).capitalize(), value)


def _listed(value: Any) -> list[str]:
    if value is None or isinstance(value, str | int | float):
        return [] if value is None else [str(value)]
    return list(value)


@define(kw_only=True)
class HardwareConfig:
    """Geometry and timing of the flash back end.

    Of the `bits_per_cell` only the first `bits_used` are used, all if it is null; 1 is SLC mode, in which a block has
    only its LSB pages.
    """

    group: ClassVar[str] = "hardware."

    channels: int = field(default=4, validator=COUNT)
    chips_per_channel: int = field(default=2, validator=COUNT)
    dies_per_chip: int = field(default=2, validator=COUNT)
    planes_per_die: int = field(default=2, validator=COUNT)
    blocks_per_plane: int = field(default=86, validator=COUNT)
    pages_per_block: int = field(default=384, validator=COUNT)
    page_kib: float = field(default=4, validator=checked(_is_page_size, "a multiple of 0.5, at most 1024"))
    bits_per_cell: int = field(default=3, validator=checked(lambda v: _is_whole(v) and 1 <= v <= 4, "1, 2, 3 or 4"))
    bits_used: int | None = field(default=None, validator=COUNT_OR_NONE)
    read_us: list[float] = field(factory=lambda: [50.0], validator=DURATIONS)
    program_us: list[float] = field(factory=lambda: [450.0, 700.0, 950.0], validator=DURATIONS)
    erase_us: float = field(default=3500.0, validator=DURATION)
    bus_ns_per_byte: float = field(default=2.5, validator=checked(lambda v: 0 <= v <= 1e6, "between 0 and 1e6"))
    read_command_us: float = field(default=0.2, validator=DURATION)
    program_command_us: float = field(default=0.2, validator=DURATION)
    erase_command_us: float = field(default=0.2, validator=DURATION)
    copyback_command_us: float = field(default=0.2, validator=DURATION)
    ready_busy_us: float = field(default=0.0, validator=DURATION)
    over_provisioning: float = field(
        default=0.2, validator=checked(lambda v: 0 <= v < 1, "a share of the physical pages, 0 to below 1")
    )

    def __attrs_post_init__(self) -> None:
        """Refuse latency lists and block sizes that do not fit the page types."""
        if self.pages_per_block % self.bits_per_cell:
            allowed = f"a multiple of hardware.bits_per_cell={self.bits_per_cell}"
            raise refuse(self, "pages_per_block", self.pages_per_block, allowed)
        for name in ("read_us", "program_us"):
            given = getattr(self, name)
            if len(given) not in (1, self.bits_per_cell):
                many = f"1 or {self.bits_per_cell} times" if self.bits_per_cell > 1 else "1 time"
                allowed = f"a list of {many}, as hardware.bits_per_cell={self.bits_per_cell}"
                raise refuse(self, name, given, allowed)
        if self.page_types > self.bits_per_cell:
            allowed = f"at most hardware.bits_per_cell={self.bits_per_cell}"
            raise refuse(self, "bits_used", self.bits_used, allowed)
        if self.wordlines > MOST_WORDLINES:
            allowed = f"at most {MOST_WORDLINES} times hardware.bits_per_cell={self.bits_per_cell}"
            raise refuse(self, "pages_per_block", self.pages_per_block, allowed)

    @property
    def page_types(self) -> int:
        """Page types in use: as many pages does a wordline have."""
        return self.bits_per_cell if self.bits_used is None else self.bits_used

    @property
    def wordlines(self) -> int:
        """Wordlines of a block."""
        return self.pages_per_block // self.bits_per_cell

    @property
    def block_pages(self) -> int:
        """Pages of a block in use."""
        return self.wordlines * self.page_types

    @property
    def dies(self) -> int:
        """Number of dies of the device."""
        return self.channels * self.chips_per_channel * self.dies_per_chip

    @property
    def planes(self) -> int:
        """Number of planes of the device."""
        return self.dies * self.planes_per_die

    @property
    def page_bytes(self) -> int:
        """Bytes of data a page holds."""
        return int(self.page_kib * 1024)

    @property
    def pages_per_plane(self) -> int:
        """Physical pages of one plane that are in use."""
        return self.blocks_per_plane * self.block_pages

    @property
    def logical_pages_per_plane(self) -> int:
        """Logical pages for each plane, after over-provisioning."""
        return int(self.pages_per_plane * (1 - self.over_provisioning) + 1e-9)

    @property
    def logical_pages(self) -> int:
        """Logical pages that the host sees."""
        return self.logical_pages_per_plane * self.planes

    @property
    def capacity_bytes(self) -> int:
        """Bytes that the host sees."""
        return self.logical_pages * self.page_bytes


@define(kw_only=True)
class FlashConfig:
    """Who is given a channel's bus, and when a read or a write is answered.

    A read of a page that is still on its way to flash is served from controller `memory`, or sent to the `flash` as if
    the page were there, as MQSim and SSDSim do. With `coalesced_read_us` a read of a page for which another read is
    queued or in the array is not read again but answered after that time.

    Pages of a block are programmed by the rule `program_order`. Without a `wordline_buffer` in the controller a program
    reads the pages of its wordline that were programmed before, in its array time.
    """

    group: ClassVar[str] = "flash."

    bus: str = field(
        default="starts_first", validator=_name_or_path("starts_first", "data_out_first", "command_first", "fcfs")
    )
    write_complete: str = field(default="program_end", validator=one_of("program_end", "transfer_end"))
    unprogrammed_read: str = field(default="memory", validator=one_of("memory", "flash"))
    coalesced_read_us: float | None = field(default=None, validator=DURATION_OR_NONE)
    program_order: str = field(default="strict", validator=one_of("strict", "relaxed"))
    wordline_buffer: bool = True


@define(kw_only=True)
class SchedulerConfig:
    """Which of the transactions that wait for a die goes next.

    If `page_type_aware`, programs of quick page types go before those of slow ones. A program of the second type is
    passed at most as often as the first of the `pass_limits`, one of the third as the second; the last holds for all
    further types.
    """

    group: ClassVar[str] = "scheduler."

    policy: str = field(default="read_priority", validator=_name_or_path("fcfs", "read_priority"))
    page_type_aware: bool = False
    pass_limits: list[int] = field(factory=lambda: [10, 20], validator=PASS_LIMITS)


@define(kw_only=True)
class GarbageCollectionConfig:
    """When a plane is collected, and which block.

    Above the hard threshold a victim must have at least `min_gain` of its pages dead. `page_type` lists the schemes
    that specify the types of moved pages, where types are specified at all.
    """

    group: ClassVar[str] = "ftl.gc."

    victim: str = field(default="greedy", validator=_name_or_path("greedy", "rga", "fifo", "random", "cost_benefit"))
    options: dict[str, Any] = field(factory=dict)
    trigger: str = field(default="free_blocks", validator=one_of("free_blocks", "free_pages"))
    soft_threshold: float = field(default=4, validator=POSITIVE)
    hard_threshold: float = field(default=2, validator=POSITIVE)
    moves_in_flight: int = field(default=16, validator=COUNT)
    min_gain: float = field(default=0.0, validator=SHARE)
    page_type: list[str] = field(factory=lambda: ["utilization"], validator=SCHEMES)

    def __attrs_post_init__(self) -> None:
        """Refuse thresholds in the wrong order or unit."""
        if self.hard_threshold > self.soft_threshold:
            allowed = f"at most ftl.gc.soft_threshold={self.soft_threshold:g}"
            raise refuse(self, "hard_threshold", self.hard_threshold, allowed)
        if self.trigger == "free_pages" and self.soft_threshold >= 1:
            allowed = "a share of a plane's pages below 1, as ftl.gc.trigger=free_pages"
            raise refuse(self, "soft_threshold", self.soft_threshold, allowed)


@define(kw_only=True)
class WearLevelingConfig:
    """Dynamic: allocate the least erased free block. Static: that, and move cold data out of little-worn blocks."""

    group: ClassVar[str] = "ftl.wear_leveling."

    dynamic: bool = False
    static: bool = False
    static_threshold: int = field(default=32, validator=COUNT)


@define(kw_only=True)
class PageTypeSwitch:
    """From `at_s` seconds of the measured run on, `stream` (all if null) is asked of other page-type schemes."""

    group: ClassVar[str] = "ftl.page_type_switches."

    at_s: float = field(default=0.0, validator=checked(lambda v: _is_number(v) and v >= 0, "a time in seconds, >= 0"))
    page_type: list[str] = field(validator=SCHEMES)
    stream: str | None = None


@define(kw_only=True)
class FtlConfig:
    """The flash translation layer.

    `page_type` lists the schemes that specify the page types of writes, asked in order; none: writes take whatever page
    comes next. `page_type_by_stream` has other lists for some streams, and `page_type_switches` change them in the
    run. `page_type_options` are by scheme.
    """

    group: ClassVar[str] = "ftl."

    plane_allocation: str = field(default="CWDP", validator=_name_or_path(*STATIC_ORDERS, "round_robin"))
    block_allocation: str = field(default="sequential", validator=_name_or_path("sequential", "page_type"))
    active_blocks: str = field(default="separate", validator=one_of("separate", "shared"))
    page_type: list[str] = field(factory=list, validator=SCHEMES)
    page_type_options: dict[str, Any] = field(factory=dict)
    page_type_by_stream: dict[str, list[str]] = field(factory=dict)
    page_type_switches: list[PageTypeSwitch] = field(factory=list)
    partial_write: str = field(default="read_modify_write", validator=one_of("pad", "read_modify_write"))
    gc: GarbageCollectionConfig = field(factory=GarbageCollectionConfig)
    wear_leveling: WearLevelingConfig = field(factory=WearLevelingConfig)


@define(kw_only=True)
class HostConfig:
    """The device queue and how streams share it.

    `access_latency` is the hint, by stream, of requests that come without one: how soon the host will want their data.
    """

    group: ClassVar[str] = "host."

    queue_depth: int = field(default=64, validator=COUNT)
    arbitration: str = field(default="round_robin", validator=_name_or_path("round_robin", "weighted"))
    weights: dict[str, int] = field(
        factory=dict,
        validator=checked(lambda v: all(_is_whole(w) and w >= 1 for w in v.values()), "whole numbers of at least 1"),
    )
    access_latency: dict[str, str] = field(
        factory=dict,
        validator=checked(
            lambda v: set(v.values()).issubset(ACCESS_LATENCIES), f"one of {', '.join(ACCESS_LATENCIES)} a stream"
        ),
    )


@define(kw_only=True)
class PreconditionConfig:
    """The state of the device before the first request.

    A share left null is as much as there can be: blocks down to the soft threshold of garbage collection are filled,
    and every logical page holds data.
    """

    group: ClassVar[str] = "precondition."

    mode: str = field(default="fill", validator=one_of("none", "fill", "writes"))
    fill_share: float | None = field(default=None, validator=SHARE_OR_NONE)
    valid_share: float | None = field(default=None, validator=SHARE_OR_NONE)
    valid_reads: bool = True
    timed: bool = False
    tolerance: float = field(default=0.01, validator=SHARE)
    window_share: float = field(default=0.5, validator=POSITIVE)
    max_windows: int = field(default=64, validator=COUNT)


@define(kw_only=True)
class TraceConfig:
    """A recorded workload. A field left null takes the format's own meaning."""

    group: ClassVar[str] = "workload."

    path: str = ""
    format: str = "auto"
    time_unit: str | None = field(
        default=None,
        validator=checked(
            lambda v: v in (None, "s", "ms", "us", "ns", "100ns", "ps"), "one of s, ms, us, ns, 100ns, ps, or null"
        ),
    )
    address_unit_bytes: int | None = field(default=None, validator=COUNT_OR_NONE)
    size_unit_bytes: int | None = field(default=None, validator=COUNT_OR_NONE)
    read_op: str | None = None
    device: str | None = None
    limit: int | None = field(default=None, validator=COUNT_OR_NONE)
    repeat: int = field(default=1, validator=COUNT)
    speedup: float = field(default=1.0, validator=POSITIVE)
    addresses: str = field(default="compact", validator=one_of("refuse", "wrap", "compact"))
    order: str = field(default="sort", validator=one_of("sort", "clamp", "refuse"))
    max_gap_s: float = field(default=2592000.0, validator=POSITIVE)


@define(kw_only=True)
class SyntheticConfig:
    """A generated workload: open loop at `rate_iops`, or closed loop at `queue_depth`.

    Arrivals in `bursts` come `burst_requests` at a time in the mean, at `burst_iops` within a burst.
    """

    group: ClassVar[str] = "workload."

    requests: int = field(default=100_000, validator=COUNT)
    read_share: float = field(default=0.5, validator=SHARE)
    trim_share: float = field(default=0.0, validator=SHARE)
    size_kib: Any = 4
    pattern: str = field(default="uniform", validator=one_of("uniform", "zipf", "hot_cold", "sequential"))
    zipf_theta: float = field(default=0.99, validator=POSITIVE)
    hot_share: float = field(default=0.2, validator=SHARE)
    hot_traffic: float = field(default=0.8, validator=SHARE)
    footprint: float = field(default=1.0, validator=checked(lambda v: 0 < v <= 1, "a share above 0 and up to 1"))
    align_kib: float | None = field(default=None, validator=POSITIVE_OR_NONE)
    arrival: str = field(default="poisson", validator=one_of("poisson", "constant", "bursts"))
    rate_iops: float | None = field(default=None, validator=POSITIVE_OR_NONE)
    burst_requests: float | None = field(default=None, validator=AT_LEAST_1_OR_NONE)
    burst_iops: float | None = field(default=None, validator=POSITIVE_OR_NONE)
    queue_depth: int | None = field(default=None, validator=COUNT_OR_NONE)

    def __attrs_post_init__(self) -> None:
        """Refuse a load that is both open and closed loop, or neither."""
        if (self.rate_iops is None) == (self.queue_depth is None):
            raise ConfigError(
                f"workload.rate_iops={self.rate_iops} and workload.queue_depth={self.queue_depth}: exactly one must be "
                "given, the other null."
            )
        if self.read_share + self.trim_share > 1:
            raise refuse(self, "trim_share", self.trim_share, f"at most 1 - read_share = {1 - self.read_share:g}")
        self._check_bursts()

    def _check_bursts(self) -> None:
        if self.arrival != "bursts":
            for name in ("burst_requests", "burst_iops"):
                if getattr(self, name) is not None:
                    raise refuse(self, name, getattr(self, name), f"null with workload.arrival={self.arrival}")
        elif self.rate_iops is None:
            raise refuse(self, "arrival", "bursts", "poisson or constant, as workload.rate_iops is null")
        elif self.burst_requests is None:
            raise refuse(self, "burst_requests", None, "given with workload.arrival=bursts: the mean requests a burst")
        elif self.burst_iops is None or self.burst_iops <= self.rate_iops:
            allowed = f"above workload.rate_iops={self.rate_iops:g} with workload.arrival=bursts"
            raise refuse(self, "burst_iops", self.burst_iops, allowed)


@define(kw_only=True)
class SimulationConfig:
    """One experiment, whole."""

    group: ClassVar[str] = ""

    seed: int = field(default=1, validator=WHOLE)
    kernel: str = field(default="compiled", validator=one_of("compiled", "simpy"))
    timing: str = field(default="on", converter=_switch, validator=one_of("on", "off"))
    check: str = field(default="end", converter=_switch, validator=one_of("off", "end", "gc", "always"))
    integrity: str = field(default="off", converter=_switch, validator=one_of("on", "off"))
    record: Any = field(factory=list, converter=_listed)
    hardware: HardwareConfig = field(factory=HardwareConfig)
    flash: FlashConfig = field(factory=FlashConfig)
    scheduler: SchedulerConfig = field(factory=SchedulerConfig)
    ftl: FtlConfig = field(factory=FtlConfig)
    host: HostConfig = field(factory=HostConfig)
    precondition: PreconditionConfig = field(factory=PreconditionConfig)
    workload: Any = None
    workloads: dict[str, Any] = field(factory=dict)

    def __attrs_post_init__(self) -> None:
        """Refuse recordings that do not exist."""
        for name in self.record:
            if name not in ("requests", "commands"):
                raise refuse(
                    self, "record", name, f"a list of requests, commands{nearest(name, ['requests', 'commands'])}"
                )


def register() -> None:
    """Make the classes above known to Hydra as the schemas that `conf/` builds on: `_experiment` and `_` + workload."""
    from hydra.core.config_store import ConfigStore
    from omegaconf import OmegaConf

    OmegaConf.register_new_resolver("unless", lambda other, value: value if other is None else None, replace=True)
    store = ConfigStore.instance().store
    store("_experiment", SimulationConfig())
    store("_trace", TraceConfig(), group="workload")
    store("_synthetic", SyntheticConfig(queue_depth=1), group="workload")


def load(node: Any) -> SimulationConfig:
    """Return the checked configuration that a node composed by Hydra describes."""
    from omegaconf import OmegaConf

    made: Any = OmegaConf.to_object(node)
    return made
