"""What stands before the translation layer: the device queue, how streams share it, and NVMe's queue pairs."""

from typing import Any

from attrs import define, field

from ssdsim.config.registry import AXES
from ssdsim.config.validators import Section, by_stream, completed, number, one_of, whole

ACCESS_LATENCIES = ("none", "idle", "normal", "low")
"""Access latencies that a host may hint at, by the number that NVMe's dataset management has for each."""

PRIORITIES = ("urgent", "high", "medium", "low")
"""Classes of priority of NVMe's submission queues, by number."""

RATES = by_stream(number(1e-3, 1e9))


@define(kw_only=True, field_transformer=completed)
class NvmeConfig(Section, group="host.nvme."):
    """The queue pair of each stream, with `host.interface=nvme`: `docs/pages/model/nvme.md` has rules and sources.

    The default depth is that of Linux's driver, whose queues have 1024 entries: one is always free.
    """

    queue_depth: int = field(default=1023, validator=whole(1, 65_535))
    """Commands of a pair that are outstanding, at most; further requests wait in the host."""
    fetch_size: int | None = None
    """Commands of a queue that the controller has under way, at most; null: no limit."""


@define(kw_only=True, field_transformer=completed)
class RatesConfig(Section, group="host.rates."):
    """Limits of what streams send, with token buckets: `docs/pages/model/isolation.md` has rules and sources."""

    bandwidth_mib_s: dict[str, float] = field(factory=dict, validator=RATES)
    """What a stream reads and writes a second, at most; no limit where nothing is said."""
    iops: dict[str, float] = field(factory=dict, validator=RATES)
    """Reads, writes and trims that a stream sends a second, at most."""
    burst_ms: float = field(default=1.0, validator=number(0, 1e6))
    """What a bucket holds, as the time in which it fills; what was not sent before may be sent at once then."""


@define(kw_only=True, field_transformer=completed)
class HostConfig(Section, group="host."):
    """The device queue and how streams share it.

    `access_latency` is the hint, by stream, of requests that come without one: how soon the host will want their data.
    """

    interface: str = field(default="none", validator=one_of("none", "nvme", "sata"))
    """What is before the device queue: nothing, NVMe's queue pairs (host.nvme), or SATA's queue of 32 commands."""
    queue_depth: int = 64
    """Requests that the device has under way at once, at most."""
    arbitration: str = field(default="round_robin", validator=AXES["host.arbitration"])
    """Which stream's next request is admitted."""
    weights: dict[str, int] = field(factory=dict, validator=by_stream(whole(1)))
    """Share of admissions by stream, for arbitration=weighted; 1 where nothing is said."""
    arbitration_options: dict[str, Any] = field(factory=dict)
    """Options of the arbitration: the `burst`, and the weights of classes of priority."""
    priorities: dict[str, str] = field(factory=dict, validator=by_stream(one_of(*PRIORITIES)))
    """Class of priority by stream, for arbitration=urgent_weighted; medium where nothing is said."""
    access_latency: dict[str, str] = field(factory=dict, validator=by_stream(one_of(*ACCESS_LATENCIES)))
    """Hint, by stream, of requests that come without one."""
    namespace_share: dict[str, float] = field(factory=dict, validator=by_stream(number(1e-9, 1)))
    """Share of the device's capacity, by stream, that is a namespace of its own."""
    rates: RatesConfig = field(factory=RatesConfig)
    only_stream: str | None = None
    """The stream that alone sends requests, on a device prepared for all of them; null: all do."""
    nvme: NvmeConfig = field(factory=NvmeConfig)
