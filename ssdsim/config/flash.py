"""The rules of the back end: who goes next, in what order pages are programmed, when a write is complete."""

from typing import Any

from attrs import define, field

from ssdsim._core.codes import OPERATIONS
from ssdsim.config.registry import AXES
from ssdsim.config.validators import Section, completed, list_of, one_of, some_of, whole


@define(kw_only=True, field_transformer=completed)
class SuspensionConfig(Section, group="flash.suspension."):
    """When a die suspends a program or an erase for others: `docs/pages/model/suspension.md` has rules and sources."""

    policy: str = field(default="never", validator=one_of("never", "always"))
    """Whether a command is suspended for the transactions that may suspend it."""
    operations: list[str] = field(factory=lambda: ["program", "erase"], validator=some_of("program", "erase"))
    """Operations that can be suspended."""
    program_least_us: float = 50.0
    """Time that the array works on a program before it can be suspended, each time."""
    erase_least_us: float = 100.0
    """Time that the array works on an erase before it can be suspended, each time."""
    most: int = 10
    """How often a command is suspended at most."""

    @property
    def wanted(self) -> bool:
        """Whether commands are suspended."""
        return self.policy == "always"


@define(kw_only=True, field_transformer=completed)
class FlashConfig(Section, group="flash."):
    """Who is given a bus, what crosses it, what joins: `docs/pages/model/flash.md`, `multi_plane.md` have sources."""

    bus: str = field(default="starts_first", validator=AXES["flash.bus"])
    """Which die is given its channel's bus."""
    write_complete: str = field(default="program_end", validator=one_of("program_end", "transfer_end"))
    """When a write is answered: at the end of its program, or of its transfer."""
    unprogrammed_read: str = field(default="memory", validator=one_of("memory", "flash"))
    """Where a page that is still on its way to flash is read from."""
    coalesced_read_us: float | None = None
    """Time after which a read is answered that joins one of the same page; null: each is made."""
    partial_read: str = field(default="requested", validator=one_of("requested", "stored"))
    """What crosses the bus when part of a page is read: what was asked for, or all that is stored of the page."""
    partial_program: str = field(default="whole_page", validator=one_of("whole_page", "stored", "changed"))
    """What crosses the bus when part of a page is written: all of it, what it stores then, or what is new."""
    partial_write_turn: str = field(default="after_read", validator=one_of("after_read", "on_arrival"))
    """When a write of part of a page takes its page and its place in the queue."""
    collection_holds: str = field(default="die", validator=one_of("die", "channel"))
    """What a collection holds: its die by the command, or die and bus from its first read to its erase (SSDSim)."""
    multi_plane: list[str] = field(factory=list, validator=some_of(*OPERATIONS))
    """Operations that planes of a die do at once."""
    joined_programs: str = field(default="same_page", validator=one_of("same_page", "any_page"))
    """Which programs join into a multi-plane command: those of one page offset, or any two (SSDSim)."""
    joined_first: str = field(default="host", validator=one_of("host", "same_source"))
    """Which transactions join a multi-plane command before others: the host's, or those of the source of its first."""
    plane_data: str = field(default="in_turn", validator=one_of("in_turn", "together"))
    """Whether planes of a multi-plane read ask for the bus in turn or hold it together."""
    plane_groups: int | None = None
    """Planes that can join, in groups of so many; null: all of a die."""
    read_planes: str = field(default="wanted", validator=one_of("wanted", "all"))
    """Whether a read opens the planes that are wanted, or the same page of all."""
    program_order: str = field(default="strict", validator=one_of("strict", "relaxed", "fps", "rps", "free"))
    """Rule for the order in which pages of a block are programmed."""
    wordline_buffer: bool = True
    """Whether the controller keeps open wordlines, which a program would else read first."""
    suspension: SuspensionConfig = field(factory=SuspensionConfig)
    """Suspension of programs and erases."""


@define(kw_only=True, field_transformer=completed)
class SchedulerConfig(Section, group="scheduler."):
    """Which of the transactions that wait for a die goes next.

    The option of `paq` is `pass_limit`, after how many younger ones a transaction goes first. The last of the
    `pass_limits` holds for all further types.
    """

    policy: str = field(default="read_priority", validator=AXES["scheduler.policy"])
    """Which of the transactions that wait for a die goes next."""
    options: dict[str, Any] = field(factory=dict)
    """Options of the policy."""
    page_type_aware: bool = False
    """Whether programs of quick page types go before those of slow ones (PAS)."""
    pass_limits: list[int] = field(factory=lambda: [10, 20], validator=list_of(whole(0, 10**9)))
    """How often a program may be passed by quicker ones, by page type from the second on."""
