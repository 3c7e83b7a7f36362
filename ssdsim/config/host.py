"""What stands before the translation layer: the device queue, and the write buffer in the controller's DRAM."""

from typing import Any, ClassVar

from attrs import define, field

from ssdsim.config import validators
from ssdsim.config.nvme import NvmeConfig
from ssdsim.config.rates import RatesConfig
from ssdsim.config.validators import checked, is_count, is_number, number, one_of, policy_of, whole_floats

ACCESS_LATENCIES = ("none", "idle", "normal", "low")
"""Access latencies that a host may hint at, by the number that NVMe's dataset management has for each."""

PRIORITIES = ("urgent", "high", "medium", "low")
"""Classes of priority of NVMe's submission queues, by number."""


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
        factory=dict,
        validator=checked(
            lambda v: all(is_count(w) for w in v.values()), f"whole numbers of at least 1, at most {validators.MOST}"
        ),
    )
    """Share of admissions by stream, for arbitration=weighted; 1 where nothing is said."""
    arbitration_options: dict[str, Any] = field(factory=dict)
    """Options of the arbitration: the `burst`, and the weights of classes of priority."""
    priorities: dict[str, str] = field(
        factory=dict,
        validator=checked(lambda v: set(v.values()).issubset(PRIORITIES), f"one of {', '.join(PRIORITIES)} a stream"),
    )
    """Class of priority by stream, for arbitration=urgent_weighted; medium where nothing is said."""
    access_latency: dict[str, str] = field(
        factory=dict,
        validator=checked(
            lambda v: set(v.values()).issubset(ACCESS_LATENCIES), f"one of {', '.join(ACCESS_LATENCIES)} a stream"
        ),
    )
    """Hint, by stream, of requests that come without one."""
    namespace_share: dict[str, float] = field(
        factory=dict,
        validator=checked(
            lambda v: all(is_number(share) and 0 < share <= 1 for share in v.values()), "a share above 0 a stream"
        ),
    )
    """Share of the device's capacity, by stream, that is a namespace of its own."""
    namespace_mib: dict[str, float] = field(
        factory=dict,
        validator=checked(
            lambda v: all(is_number(mib) and 0 < mib <= 1e9 for mib in v.values()),
            "a size in MiB above 0 a stream, at most 1e9",
        ),
    )
    """Size, by stream, of a namespace of its own, unless it has a share."""
    rates: RatesConfig = field(factory=RatesConfig)
    only_stream: str | None = None
    """The stream that alone sends requests, on a device prepared for all of them; null: all do."""
    nvme: NvmeConfig = field(factory=NvmeConfig)


@define(kw_only=True, field_transformer=whole_floats)
class BufferConfig:
    """A write buffer: `docs/pages/model/buffer.md` has rules and sources.

    The default times of its DRAM are those of MQSim (tRCD and tCL of 13 ns, then 4 bytes in 0.625 ns), which are a
    DDR3-1600 of 32 data lines: 0.7 us for 4 KiB.
    """

    group: ClassVar[str] = "buffer."

    replacement: str = field(default="none", validator=policy_of("buffer.replacement"))
    """Which pages leave the write buffer; none: there is no buffer."""
    size_mib: float = field(
        default=16.0, validator=checked(lambda v: is_number(v) and 0 < v <= 1e9, "a size in MiB above 0, at most 1e9")
    )
    """Size of the write buffer, unless `footprint_share` is given."""
    footprint_share: float | None = field(
        default=None,
        validator=checked(
            lambda v: v is None or (is_number(v) and 0 < v <= 1e6), "a share above 0 (at most 1e6), or null"
        ),
    )
    """Size of the write buffer as a share of the bytes that the workloads touch."""
    search_ns: float = field(default=0.0, validator=validators.DURATION)
    """Time that the search for a page takes for each page in the buffer."""
    write_back: str = field(default="when_full", validator=one_of("when_full", "at_once"))
    """When pages leave the buffer: when their room is needed, or at once."""
    pages_in_flight: int | None = field(default=None, validator=validators.COUNT_OR_NONE)
    """With write_back=at_once, pages kept on their way to flash; null: twice the dies."""
    access_ns: float = field(
        default=26.0, validator=number(0, 1e9, "a time in nanoseconds, 0 to 1e9")
    )  # tRCD and tCL, 13 ns each
    """Time that the DRAM of the buffer takes for an access, before data moves."""
    transfer_ns_per_byte: float = field(default=0.15625, validator=number(0, 1e6, "between 0 and 1e6"))
    """Time that a byte takes on its way into the buffer's DRAM or out of it."""
    slot_free_when: str = field(default="programmed", validator=one_of("programmed", "evicted"))
    """When the slot of an evicted page is free again."""
    write_through: bool = False
    """Whether a write is complete only when its pages are in flash, as one with FUA is anyway."""
