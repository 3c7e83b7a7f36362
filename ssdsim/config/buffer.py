"""The controller's DRAM: the write buffer and the read cache in it, and what all data shares."""

from typing import ClassVar

from attrs import define, field

from ssdsim.config import validators
from ssdsim.config.validators import checked, is_number, number, one_of, policy_of, whole, whole_floats


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
    access_ns: float = field(default=26.0, validator=validators.DURATION_NS)  # tRCD and tCL, 13 ns each
    """Time that the DRAM of the buffer takes for an access, before data moves."""
    transfer_ns_per_byte: float = field(default=0.15625, validator=number(0, 1e6, "between 0 and 1e6"))
    """Time that a byte takes on its way into the buffer's DRAM or out of it."""
    slot_free_when: str = field(default="programmed", validator=one_of("programmed", "evicted"))
    """When the slot of an evicted page is free again."""
    write_through: bool = False
    """Whether a write is complete only when its pages are in flash, as one with FUA is anyway."""


@define(kw_only=True, field_transformer=whole_floats)
class ReadCacheConfig:
    """A cache of pages that were read, in the DRAM of the write buffer (`buffer.access_ns`); off without a size."""

    group: ClassVar[str] = "read_cache."

    size_mib: float = field(default=0.0, validator=number(0, 1e9, "a size in MiB, 0 to 1e9"))
    """Size of the read cache; 0: there is none."""
    keeps: str = field(default="reads", validator=one_of("reads", "reads_and_writes"))
    """Which data is kept."""
    pages_ahead: int = field(default=0, validator=whole(0, 65_536, "a whole number, 0 to 65536"))
    """Pages that are read ahead of a sequential stream of reads."""


@define(kw_only=True, field_transformer=whole_floats)
class DramConfig:
    """The DRAM that all data passes through; without a bandwidth that takes no time, but for `buffer.access_ns`."""

    group: ClassVar[str] = "dram."

    bandwidth_mib_s: float | None = field(
        default=None, validator=number(1, 1e9, "a bandwidth in MiB/s, 1 to 1e9", or_null=True)
    )
    """Bandwidth that all data and the mapping table share; null: only write buffer and read cache take time."""
    latency_ns: float = field(default=26.0, validator=validators.DURATION_NS)  # tRCD and tCL, 13 ns each
    """Time of an access before data moves: a page at most is moved in one."""
    table_accesses: int = field(default=1, validator=whole(0, 64, "a whole number, 0 to 64"))
    """Accesses to the mapping table for each page of a request, and for each that collection moves."""
    access_bytes: int = field(default=64, validator=whole(1, 65_536, "a whole number of bytes, 1 to 65536"))
    """Bytes that each of them moves: a burst."""
