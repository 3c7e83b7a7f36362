"""The controller's DRAM: the write buffer and the read cache in it, and what all data shares."""

from attrs import define, field

from ssdsim.config.registry import AXES
from ssdsim.config.validators import Section, completed, number, one_of, whole


@define(kw_only=True, field_transformer=completed)
class BufferConfig(Section, group="buffer."):
    """A write buffer: `docs/pages/model/buffer.md` has rules and sources.

    The default times of its DRAM are those of MQSim (tRCD and tCL of 13 ns, then 4 bytes in 0.625 ns), which are a
    DDR3-1600 of 32 data lines: 0.7 us for 4 KiB.
    """

    replacement: str = field(default="none", validator=AXES["buffer.replacement"])
    """Which pages leave the write buffer; none: there is no buffer."""
    size_mib: float = field(default=16.0, validator=number(1e-6, 1e9))
    """Size of the write buffer, unless `footprint_share` is given."""
    footprint_share: float | None = field(default=None, validator=number(1e-9, 1e6))
    """Size of the write buffer as a share of the bytes that the workloads touch."""
    search_ns: float = 0.0
    """Time that the search for a page takes for each page in the buffer."""
    write_back: str = field(default="when_full", validator=one_of("when_full", "at_once"))
    """When pages leave the buffer: when their room is needed, or at once."""
    pages_in_flight: int | None = None
    """With write_back=at_once, pages kept on their way to flash; null: twice the dies."""
    access_ns: float = 26.0  # tRCD and tCL, 13 ns each
    """Time that the DRAM of the buffer takes for an access, before data moves."""
    transfer_ns_per_byte: float = field(default=0.15625, validator=number(0, 1e6))
    """Time that a byte takes on its way into the buffer's DRAM or out of it."""
    slot_free_when: str = field(default="programmed", validator=one_of("programmed", "evicted"))
    """When the slot of an evicted page is free again: once it is in flash, or when it leaves for it (SSDSim)."""
    write_through: bool = False
    """Whether a write is complete only when its pages are in flash, as one with FUA is anyway."""


@define(kw_only=True, field_transformer=completed)
class ReadCacheConfig(Section, group="read_cache."):
    """A cache of pages that were read, in the DRAM of the write buffer (`buffer.access_ns`); off without a size."""

    size_mib: float = 0.0
    """Size of the read cache; 0: there is none."""
    keeps: str = field(default="reads", validator=one_of("reads", "reads_and_writes"))
    """Which data is kept."""


@define(kw_only=True, field_transformer=completed)
class DramConfig(Section, group="dram."):
    """The DRAM that all data passes through; without a bandwidth that takes no time, but for `buffer.access_ns`."""

    bandwidth_mib_s: float | None = field(default=None, validator=number(1, 1e9))
    """Bandwidth that all data and the mapping table share; null: only write buffer and read cache take time."""
    latency_ns: float = 26.0  # tRCD and tCL, 13 ns each
    """Time of an access before data moves: a page at most is moved in one."""
    table_accesses: int = field(default=1, validator=whole(0, 64))
    """Accesses to the mapping table for each page of a request, and for each that collection moves."""
    access_bytes: int = field(default=64, validator=whole(1, 65_536))
    """Bytes that each of them moves: a burst."""
