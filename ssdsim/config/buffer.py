"""The write buffer in the controller's DRAM."""

from typing import ClassVar

from attrs import define, field

from ssdsim.config.validators import COUNT_OR_NONE, DURATION, checked, is_number, one_of, policy_of

# at most a second
NANOSECONDS = checked(lambda value: is_number(value) and 0 <= value <= 1e9, "a time in nanoseconds, 0 to 1e9")


@define(kw_only=True)
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
    search_ns: float = field(default=0.0, validator=DURATION)
    """Time that the search for a page takes for each page in the buffer."""
    write_back: str = field(default="when_full", validator=one_of("when_full", "at_once"))
    """When pages leave the buffer: when their room is needed, or at once."""
    pages_in_flight: int | None = field(default=None, validator=COUNT_OR_NONE)
    """With write_back=at_once, pages kept on their way to flash; null: twice the dies."""
    access_ns: float = field(default=26.0, validator=NANOSECONDS)  # tRCD and tCL, 13 ns each
    """Time that the DRAM of the buffer takes for an access, before data moves."""
    transfer_ns_per_byte: float = field(
        default=0.15625, validator=checked(lambda v: is_number(v) and 0 <= v <= 1e6, "between 0 and 1e6")
    )
    """Time that a byte takes on its way into the buffer's DRAM or out of it."""
    slot_free_when: str = field(default="programmed", validator=one_of("programmed", "evicted"))
    """When the slot of an evicted page is free again."""
