"""What stands before the translation layer: the device queue, how streams share it, and NVMe's queue pairs."""

from typing import Any, ClassVar

from attrs import define, field

from ssdsim.config import validators
from ssdsim.config.validators import (
    by_stream,
    is_count,
    is_number,
    number,
    one_of,
    policy_of,
    whole,
    whole_floats,
)

ACCESS_LATENCIES = ("none", "idle", "normal", "low")
"""Access latencies that a host may hint at, by the number that NVMe's dataset management has for each."""

PRIORITIES = ("urgent", "high", "medium", "low")
"""Classes of priority of NVMe's submission queues, by number."""


def _is_rate(value: Any) -> bool:
    return is_number(value) and 1e-3 <= value <= 1e9


@define(kw_only=True, field_transformer=whole_floats)
class NvmeConfig:
    """Queue pairs of streams, with `host.interface=nvme`: `docs/pages/model/nvme.md` has rules and sources.

    The default depth is that of Linux's driver, whose queues have 1024 entries: one is always free.
    """

    group: ClassVar[str] = "host.nvme."

    queue_pairs: int = field(default=1, validator=whole(1, 1024, "a whole number, 1 to 1024"))  # drives have up to 256
    """Pairs of a submission and a completion queue that each stream has; its requests take them in turn."""
    queue_depth: int = field(default=1023, validator=whole(1, 65_535, "a whole number, 1 to 65535"))
    """Commands of a pair that are outstanding, at most; further requests wait in the host."""
    fetch_size: int | None = field(default=None, validator=validators.COUNT_OR_NONE)
    """Commands of a queue that the controller has under way, at most; null: no limit."""


@define(kw_only=True, field_transformer=whole_floats)
class RatesConfig:
    """Limits of what streams send, with token buckets: `docs/pages/model/isolation.md` has rules and sources."""

    group: ClassVar[str] = "host.rates."

    bandwidth_mib_s: dict[str, float] = field(
        factory=dict, validator=by_stream(_is_rate, "rates in MiB a second by stream, 0.001 to 1e9")
    )
    """What a stream reads and writes a second, at most; no limit where nothing is said."""
    iops: dict[str, float] = field(
        factory=dict, validator=by_stream(_is_rate, "requests a second by stream, 0.001 to 1e9")
    )
    """Reads, writes and trims that a stream sends a second, at most."""
    burst_ms: float = field(default=1.0, validator=number(0, 1e6, "a time in milliseconds, 0 to 1e6"))
    """What a bucket holds, as the time in which it fills; what was not sent before may be sent at once then."""


@define(kw_only=True, field_transformer=whole_floats)
class HostConfig:
    """The device queue and how streams share it.

    `access_latency` is the hint, by stream, of requests that come without one: how soon the host will want their data.
    """

    group: ClassVar[str] = "host."

    interface: str = field(default="none", validator=one_of("none", "nvme", "sata"))
    """What is between the host and the device queue."""
    queue_depth: int = field(default=64, validator=validators.COUNT)
    """Requests that the device has under way at once, at most."""
    arbitration: str = field(default="round_robin", validator=policy_of("host.arbitration"))
    """Which stream's next request is admitted."""
    weights: dict[str, int] = field(
        factory=dict, validator=by_stream(is_count, f"whole numbers of at least 1, at most {validators.MOST}")
    )
    """Share of admissions by stream, for arbitration=weighted; 1 where nothing is said."""
    arbitration_options: dict[str, Any] = field(factory=dict)
    """Options of the arbitration: the `burst`, and the weights of classes of priority."""
    priorities: dict[str, str] = field(
        factory=dict, validator=by_stream(PRIORITIES.__contains__, f"one of {', '.join(PRIORITIES)} a stream")
    )
    """Class of priority by stream, for arbitration=urgent_weighted; medium where nothing is said."""
    access_latency: dict[str, str] = field(
        factory=dict,
        validator=by_stream(ACCESS_LATENCIES.__contains__, f"one of {', '.join(ACCESS_LATENCIES)} a stream"),
    )
    """Hint, by stream, of requests that come without one."""
    namespace_share: dict[str, float] = field(
        factory=dict, validator=by_stream(lambda v: is_number(v) and 0 < v <= 1, "a share above 0 a stream")
    )
    """Share of the device's capacity, by stream, that is a namespace of its own."""
    rates: RatesConfig = field(factory=RatesConfig)
    only_stream: str | None = None
    """The stream that alone sends requests, on a device prepared for all of them; null: all do."""
    nvme: NvmeConfig = field(factory=NvmeConfig)
