"""The flash back end: how many of everything there are, and how long each operation takes."""

from attrs import define, field

from ssdsim.config.validators import Allowed, Section, completed, is_number, list_of, number, one_of, require, whole

TIMES = list_of(number(0, 1e9))


@define(kw_only=True, field_transformer=completed)
class HardwareConfig(Section, group="hardware."):
    """Geometry and timing of the flash back end.

    Each plane of a multi-plane command after the first holds the bus for its own command and for the dummy busy time
    between planes (tDBSY, `read_plane_busy_us` and so on).
    """

    channels: int = 4
    """Channels, each with a bus of its own."""
    chips_per_channel: int = 2
    """Chips that share a channel's bus."""
    dies_per_chip: int = 2
    """Dies of a chip."""
    command_unit: str = field(default="die", validator=one_of("die", "chip"))
    """What executes one command at a time; dies of a chip that does are idle meanwhile."""
    planes_per_die: int = 2
    """Planes of a die, which multi-plane commands use at once."""
    blocks_per_plane: int = 86
    """Blocks of a plane, without the extra ones."""
    extra_blocks: int = field(default=0, validator=whole(0))
    """Blocks of a plane beyond those, of which the host sees none."""
    pages_per_block: int = 384
    """Pages of a block, of all page types."""
    page_kib: float = field(  # in halves: sectors of 512 bytes
        default=4,
        validator=Allowed(lambda v: is_number(v) and 0 < v <= 1024 and v % 0.5 == 0, "a multiple of 0.5, at most 1024"),
    )
    """Size of a page."""
    # the page types that `TYPE_NAMES` has names for
    bits_per_cell: int = field(default=3, validator=whole(1, 4))
    """Bits a cell stores, each a page type: 1 SLC, 2 MLC, 3 TLC, 4 QLC."""
    page_type_map: str = field(default="diagonal", validator=one_of("diagonal", "modulo", "mqsim"))
    """Which page of a block has which type."""
    bits_used: int | None = None
    """Bits of a cell that are used, the first ones; null: all."""
    read_us: list[float] = field(factory=lambda: [50.0], validator=TIMES)
    """Time of the array for a read, by page type or one for all."""
    program_us: list[float] = field(factory=lambda: [450.0, 700.0, 950.0], validator=TIMES)
    """Time of the array for a program, by page type or one for all."""
    erase_us: float = 3500.0
    """Time of the array for an erase, in SLC mode, too."""
    program_unit: str = field(default="page", validator=one_of("page", "wordline"))
    """What a program fills: a page, or all pages of a wordline (one-shot)."""
    wordline_program_us: float | None = None
    """Time of the array for a program of a wordline; null: the sum of those of its pages."""
    slc_read_us: float = 25.0
    """Time of the array for a read from a block in SLC mode."""
    slc_program_us: float = 200.0
    """Time of the array for a program of a block in SLC mode."""
    bus_ns_per_byte: float = field(default=2.5, validator=number(0, 1e6))
    """Time of the bus for a byte."""
    read_command_us: float = 0.2
    """Time of the bus for a read command."""
    program_command_us: float = 0.2
    """Time of the bus for a program command."""
    erase_command_us: float = 0.2
    """Time of the bus for an erase command."""
    copyback_command_us: float = 0.2
    """Time of the bus for a copy-back command."""
    read_plane_busy_us: float = 0.0
    """Time of the bus that each further plane of a multi-plane read costs."""
    program_plane_busy_us: float = 0.0
    """Time of the bus that each further plane of a multi-plane program costs."""
    erase_plane_busy_us: float = 0.0
    """Time of the bus that each further plane of a multi-plane erase costs."""
    plane_reads: str = field(default="together", validator=one_of("together", "independent"))
    """Whether planes of a die read only in one command, or each for itself as well."""
    cache_read_us: float | None = None
    """Time until data of a read is in the cache register and the next can start (tRCBSY); null: there is none."""
    cache_program_us: float | None = None
    """Time until an idle array has data that came over the bus before (tCBSY); null: none comes before."""
    program_suspend_us: float = 20.0
    """Time from the suspension of a program until its die is free."""
    erase_suspend_us: float = 50.0
    """Time from the suspension of an erase until its die is free."""
    resume_us: float = 5.0
    """Time until the array goes on with a suspended command."""
    ready_busy_us: float = 0.0
    """Time on top of a read of the array until the controller knows of its end."""
    over_provisioning: float = field(
        default=0.2, validator=Allowed(lambda v: is_number(v) and 0 <= v < 1, "a number, 0 to below 1")
    )
    """Pages that the host does not see."""

    def __attrs_post_init__(self) -> None:
        """Refuse latency lists and block sizes that do not fit the page types."""
        bits = f"hardware.bits_per_cell={self.bits_per_cell}"
        whole_wordlines = self.pages_per_block % self.bits_per_cell == 0  # a wordline has a page of each type
        require(self, "pages_per_block", whole_wordlines, f"a multiple of {bits}")
        for name in ("read_us", "program_us"):
            require(
                self, name, len(getattr(self, name)) in (1, self.bits_per_cell), f"a list of one time, or of {bits}"
            )
        require(self, "bits_used", self.page_types <= self.bits_per_cell, f"at most {bits}")
        few_types = self.page_type_map != "mqsim" or self.page_types <= 3
        require(self, "page_type_map", few_types, "diagonal or modulo, where more than 3 bits of a cell are used")
        # pages are counted by type in 16 bits
        require(self, "pages_per_block", self.wordlines <= 65535, f"at most 65535 times {bits}")

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
        """Return how many pages of aligned blocks of so many planes are written until the first is in flash."""
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
