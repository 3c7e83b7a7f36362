"""What is asked of the device: recorded and generated workloads."""

from typing import Any, ClassVar

from attrs import define, field

from ssdsim.config.validators import (
    AT_LEAST_1_OR_NONE,
    COUNT,
    COUNT_OR_NONE,
    POSITIVE,
    POSITIVE_OR_NONE,
    SHARE,
    SIZES,
    checked,
    is_number,
    one_of,
    refuse,
)
from ssdsim.errors import ConfigError


@define(kw_only=True)
class TraceConfig:
    """A recorded workload. A field left null takes the format's own meaning.

    Where a format does not say whether a request reads or writes (oraclegeneral), each is a read, or what `every_op`
    says. Of offsets and sizes such as 1.82083E+11, which a spreadsheet has rounded, the first is refused, with its row;
    with `rounded_numbers=nearest_sector` they are taken to the nearest 512 bytes, and their rows are counted.
    """

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
    every_op: str | None = field(
        default=None, validator=checked(lambda v: v in (None, "read", "write"), "read, write, or null")
    )
    rounded_numbers: str = field(default="refuse", validator=one_of("refuse", "nearest_sector"))
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

    In `bursts` requests come `burst_requests` at a time in the mean. Open loop, they arrive at `burst_iops` within a
    burst; closed loop, the stream is idle for `idle_ms` in the mean once all requests of a burst are complete.
    """

    group: ClassVar[str] = "workload."

    requests: int = field(default=100_000, validator=COUNT)
    read_share: float = field(default=0.5, validator=SHARE)
    trim_share: float = field(default=0.0, validator=SHARE)
    size_kib: Any = field(default=4, validator=SIZES)
    pattern: str = field(default="uniform", validator=one_of("uniform", "zipf", "hot_cold", "sequential"))
    zipf_theta: float = field(
        default=0.99, validator=checked(lambda v: is_number(v) and 0.001 <= v <= 100, "a number above 0, 0.001 to 100")
    )
    hot_share: float = field(default=0.2, validator=SHARE)
    hot_traffic: float = field(default=0.8, validator=SHARE)
    footprint: float = field(
        default=1.0, validator=checked(lambda v: is_number(v) and 0 < v <= 1, "a share above 0 and up to 1")
    )
    align_kib: float | None = field(default=None, validator=POSITIVE_OR_NONE)
    arrival: str = field(default="poisson", validator=one_of("poisson", "constant", "bursts"))
    rate_iops: float | None = field(default=None, validator=POSITIVE_OR_NONE)
    burst_requests: float | None = field(default=None, validator=AT_LEAST_1_OR_NONE)
    burst_iops: float | None = field(default=None, validator=POSITIVE_OR_NONE)
    idle_ms: float | None = field(default=None, validator=POSITIVE_OR_NONE)
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
            self._refuse_given(f"workload.arrival={self.arrival}", "burst_requests", "burst_iops", "idle_ms")
        elif self.burst_requests is None:
            raise refuse(self, "burst_requests", None, "given with workload.arrival=bursts: the mean requests a burst")
        elif self.rate_iops is None:
            self._refuse_given(f"workload.queue_depth={self.queue_depth}, as bursts then follow idle_ms", "burst_iops")
            if self.idle_ms is None:
                allowed = f"given with workload.arrival=bursts and workload.queue_depth={self.queue_depth}"
                raise refuse(self, "idle_ms", None, f"{allowed}: the mean time between bursts")
        else:
            self._refuse_given(f"workload.rate_iops={self.rate_iops:g}, which sets the times between bursts", "idle_ms")
            if self.burst_iops is None or self.burst_iops <= self.rate_iops:
                allowed = f"above workload.rate_iops={self.rate_iops:g} with workload.arrival=bursts"
                raise refuse(self, "burst_iops", self.burst_iops, allowed)

    def _refuse_given(self, where: str, *names: str) -> None:
        for name in names:
            if getattr(self, name) is not None:
                raise refuse(self, name, getattr(self, name), f"null with {where}")
