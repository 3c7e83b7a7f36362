"""The flash back end: how many of everything there are, and how long each operation takes."""

from typing import ClassVar

from attrs import define, field

from ssdsim.config import validators
from ssdsim.config.validators import checked, is_number, number, one_of, refuse, whole, whole_floats

MOST_WORDLINES = 65535
"""Wordlines a block may have: pages are counted by type in 16 bits."""


@define(kw_only=True, field_transformer=whole_floats)
class HardwareConfig:
    """Geometry and timing of the flash back end.

    Each plane of a multi-plane command after the first holds the bus for its own command and for the dummy busy time
    between planes (tDBSY, `read_plane_busy_us` and so on).
    """

    group: ClassVar[str] = "hardware."

    channels: int = field(default=4, validator=validators.COUNT)
    """Channels, each with a bus of its own."""
    chips_per_channel: int = field(default=2, validator=validators.COUNT)
    """Chips that share a channel's bus."""
    dies_per_chip: int = field(default=2, validator=validators.COUNT)
    """Dies of a chip."""
    command_unit: str = field(default="die", validator=one_of("die", "chip"))
    """What executes one command at a time."""
    planes_per_die: int = field(default=2, validator=validators.COUNT)
    """Planes of a die, which multi-plane commands use at once."""
    blocks_per_plane: int = field(default=86, validator=validators.COUNT)
    """Blocks of a plane, without the extra ones."""
    extra_blocks: int = field(default=0, validator=validators.COUNT_OR_ZERO)
    """Blocks of a plane beyond those, of which the host sees none."""
    pages_per_block: int = field(default=384, validator=validators.COUNT)
    """Pages of a block, of all page types."""
    page_kib: float = field(  # in halves: sectors of 512 bytes
        default=4,
        validator=checked(
            lambda v: is_number(v) and 0 < v <= 1024 and v * 2 == int(v * 2), "a multiple of 0.5, at most 1024"
        ),
    )
    """Size of a page."""
    # the page types that `TYPE_NAMES` has names for
    bits_per_cell: int = field(default=3, validator=whole(1, 4, "1, 2, 3 or 4"))
    """Bits a cell stores, each a page type: 1 SLC, 2 MLC, 3 TLC, 4 QLC."""
    page_type_map: str = field(default="diagonal", validator=one_of("diagonal", "modulo", "mqsim"))
    """Which page of a block has which type."""
    bits_used: int | None = field(default=None, validator=validators.COUNT_OR_NONE)
    """Bits of a cell that are used, the first ones; null: all."""
    read_us: list[float] = field(factory=lambda: [50.0], validator=validators.DURATIONS)
    """Time of the array for a read, by page type or one for all."""
    program_us: list[float] = field(factory=lambda: [450.0, 700.0, 950.0], validator=validators.DURATIONS)
    """Time of the array for a program, by page type or one for all."""
    erase_us: float = field(default=3500.0, validator=validators.DURATION)
    """Time of the array for an erase."""
    program_unit: str = field(default="page", validator=one_of("page", "wordline"))
    """What a program fills: a page, or all pages of a wordline (one-shot)."""
    wordline_program_us: float | None = field(default=None, validator=validators.DURATION_OR_NONE)
    """Time of the array for a program of a wordline; null: the sum of those of its pages."""
    slc_read_us: float = field(default=25.0, validator=validators.DURATION)
    """Time of the array for a read from a block in SLC mode."""
    slc_program_us: float = field(default=200.0, validator=validators.DURATION)
    """Time of the array for a program of a block in SLC mode."""
    slc_erase_us: float = field(default=3500.0, validator=validators.DURATION)
    """Time of the array for the erase of a block in SLC mode."""
    bus_ns_per_byte: float = field(default=2.5, validator=number(0, 1e6, "between 0 and 1e6"))
    """Time of the bus for a byte."""
    read_command_us: float = field(default=0.2, validator=validators.DURATION)
    """Time of the bus for a read command."""
    program_command_us: float = field(default=0.2, validator=validators.DURATION)
    """Time of the bus for a program command."""
    erase_command_us: float = field(default=0.2, validator=validators.DURATION)
    """Time of the bus for an erase command."""
    copyback_command_us: float = field(default=0.2, validator=validators.DURATION)
    """Time of the bus for a copy-back command."""
    read_plane_busy_us: float = field(default=0.0, validator=validators.DURATION)
    """Time of the bus that each further plane of a multi-plane read costs."""
    program_plane_busy_us: float = field(default=0.0, validator=validators.DURATION)
    """Time of the bus that each further plane of a multi-plane program costs."""
    erase_plane_busy_us: float = field(default=0.0, validator=validators.DURATION)
    """Time of the bus that each further plane of a multi-plane erase costs."""
    plane_reads: str = field(default="together", validator=one_of("together", "independent"))
    """Whether planes of a die read only in one command, or each for itself as well."""
    cache_read_us: float | None = field(default=None, validator=validators.DURATION_OR_NONE)
    """Time until data of a read is in the cache register and the next can start (tRCBSY); null: there is none."""
    cache_program_us: float | None = field(default=None, validator=validators.DURATION_OR_NONE)
    """Time until an idle array has data that came over the bus before (tCBSY); null: none comes before."""
    program_suspend_us: float = field(default=20.0, validator=validators.DURATION)
    """Time from the suspension of a program until its die is free."""
    erase_suspend_us: float = field(default=50.0, validator=validators.DURATION)
    """Time from the suspension of an erase until its die is free."""
    resume_us: float = field(default=5.0, validator=validators.DURATION)
    """Time until the array goes on with a suspended command."""
    ready_busy_us: float = field(default=0.0, validator=validators.DURATION)
    """Time on top of a read of the array until the controller knows of its end."""
    over_provisioning: float = field(
        default=0.2, validator=checked(lambda v: is_number(v) and 0 <= v < 1, "a share of the pages, 0 to below 1")
    )
    """Pages that the host does not see."""

    def __attrs_post_init__(self) -> None:
        """Refuse latency lists and block sizes that do not fit the page types."""
        if self.pages_per_block % self.bits_per_cell:  # a wordline is complete: it has a page of each type
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
        if self.page_type_map == "mqsim" and self.page_types > 3:
            raise refuse(
                self, "page_type_map", "mqsim", "diagonal or modulo, where more than 3 bits of a cell are used"
            )
        if self.wordlines > MOST_WORDLINES:
            allowed = f"at most {MOST_WORDLINES} times hardware.bits_per_cell={self.bits_per_cell}"
            raise refuse(self, "pages_per_block", self.pages_per_block, allowed)

    @property
    def page_types(self) -> int:
        """Page types in use: as many pages does a wordline have."""
        return self.bits_per_cell if self.bits_used is None else self.bits_used

    @property
    def array_program_us(self) -> list[float]:
        """Time of the array for a program with a page of each type, or one for all."""
        if self.program_unit == "page":
            return self.program_us
        if self.wordline_program_us is not None:
            return [self.wordline_program_us]
        return [sum((self.program_us * self.bits_per_cell)[: self.page_types])]

    @property
    def pages_programmed(self) -> int:
        """Pages of a plane that a program fills at once."""
        return self.page_types if self.program_unit == "wordline" else 1

    def pages_open(self, planes: int, by_rows: bool) -> int:
        """Return how many pages of aligned blocks of so many planes are written until the first is in flash, at most.

        They are written wordline by wordline, or `by_rows` a page of each plane in turn.
        """
        return self.pages_programmed * (planes if by_rows else 1)

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
    def dies_per_unit(self) -> int:
        """Dies that are commanded as one."""
        return self.dies_per_chip if self.command_unit == "chip" else 1

    @property
    def command_units(self) -> int:
        """What executes one command at a time: number of dies, or of chips."""
        return self.dies // self.dies_per_unit

    @property
    def lanes_per_die(self) -> int:
        """Commands that a die executes at a time at most: reads, or two programs."""
        reads = self.planes_per_die if self.plane_reads == "independent" else 1
        if self.cache_read_us is not None:
            reads *= 2
        return max(reads, 1 if self.cache_program_us is None else 2)

    @property
    def planes_per_unit(self) -> int:
        """Planes of what executes one command at a time."""
        return self.planes_per_die * self.dies_per_unit

    @property
    def page_bytes(self) -> int:
        """Bytes of data a page holds."""
        return int(self.page_kib * 1024)

    @property
    def physical_blocks(self) -> int:
        """Blocks of one plane, the extra ones included."""
        return self.blocks_per_plane + self.extra_blocks

    @property
    def pages_per_plane(self) -> int:
        """Physical pages of one plane that are in use."""
        return self.physical_blocks * self.block_pages

    @property
    def logical_pages_per_plane(self) -> int:
        """Logical pages for each plane, after over-provisioning."""
        # 1e-9: 1 - 0.2 of 10 is 8, for all its binary digits
        return int(self.blocks_per_plane * self.block_pages * (1 - self.over_provisioning) + 1e-9)

    @property
    def logical_pages(self) -> int:
        """Logical pages that the host sees."""
        return self.logical_pages_per_plane * self.planes

    @property
    def capacity_bytes(self) -> int:
        """Bytes that the host sees."""
        return self.logical_pages * self.page_bytes
