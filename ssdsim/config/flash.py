"""The rules of the back end: who goes next, in what order pages are programmed, when a write is complete."""

from typing import Any, ClassVar

from attrs import define, field

from ssdsim.config import validators
from ssdsim.config.validators import checked, one_of, policy_of, whole_floats

JOINED = ("read", "program", "erase", "copyback")
"""Operations that planes of a die can do at once."""


@define(kw_only=True, field_transformer=whole_floats)
class SuspensionConfig:
    """When a die suspends a program or an erase for others: `docs/pages/model/suspension.md` has rules and sources."""

    group: ClassVar[str] = "flash.suspension."

    policy: str = field(default="never", validator=policy_of("flash.suspension.policy"))
    """For which transactions a command is suspended, of those that may suspend it."""
    options: dict[str, Any] = field(factory=dict)
    """Options of the policy."""
    operations: list[str] = field(
        factory=lambda: ["program", "erase"],
        validator=checked(lambda v: set(v) <= {"program", "erase"}, "a list of program, erase"),
    )
    """Operations that can be suspended."""
    program_least_us: float = field(default=50.0, validator=validators.DURATION)
    """Time that the array works on a program before it can be suspended, each time."""
    erase_least_us: float = field(default=100.0, validator=validators.DURATION)
    """Time that the array works on an erase before it can be suspended, each time."""
    most: int = field(default=10, validator=validators.COUNT)
    """How often a command is suspended at most."""


@define(kw_only=True, field_transformer=whole_floats)
class FlashConfig:
    """Who is given a bus, what crosses it, what joins: `docs/pages/model/flash.md`, `multi_plane.md` have sources."""

    group: ClassVar[str] = "flash."

    bus: str = field(default="starts_first", validator=policy_of("flash.bus"))
    """Which die is given its channel's bus."""
    write_complete: str = field(default="program_end", validator=one_of("program_end", "transfer_end"))
    """When a write is answered: at the end of its program, or of its transfer."""
    unprogrammed_read: str = field(default="memory", validator=one_of("memory", "flash"))
    """Where a page that is still on its way to flash is read from."""
    coalesced_read_us: float | None = field(default=None, validator=validators.DURATION_OR_NONE)
    """Time after which a read is answered that joins one of the same page; null: each is made."""
    partial_read: str = field(default="requested", validator=one_of("requested", "stored"))
    """What crosses the bus when part of a page is read."""
    partial_program: str = field(default="whole_page", validator=one_of("whole_page", "stored", "changed"))
    """What crosses the bus when part of a page is written."""
    partial_write_turn: str = field(default="after_read", validator=one_of("after_read", "on_arrival"))
    """When a write of part of a page takes its page and its place in the queue."""
    collection_holds: str = field(default="die", validator=one_of("die", "channel"))
    """What a collection holds while it moves pages."""
    multi_plane: list[str] = field(
        factory=list, validator=checked(lambda v: set(v) <= set(JOINED), f"a list of {', '.join(JOINED)}")
    )
    """Operations that planes of a die do at once."""
    joined_programs: str = field(default="same_page", validator=one_of("same_page", "any_page"))
    """Which programs join into a multi-plane command."""
    joined_first: str = field(default="host", validator=one_of("host", "same_source"))
    """Which transactions join a multi-plane command before others."""
    plane_data: str = field(default="in_turn", validator=one_of("in_turn", "together"))
    """Whether planes of a multi-plane read ask for the bus in turn or hold it together."""
    plane_groups: int | None = field(default=None, validator=validators.COUNT_OR_NONE)
    """Planes that can join, in groups of so many; null: all of a die."""
    read_planes: str = field(default="wanted", validator=one_of("wanted", "all"))
    """Whether a read opens the planes that are wanted, or the same page of all."""
    program_order: str = field(default="strict", validator=one_of("strict", "relaxed", "fps", "rps", "free"))
    """Rule for the order in which pages of a block are programmed."""
    wordline_buffer: bool = True
    """Whether the controller keeps open wordlines, which a program would else read first."""
    wordline_wait_us: float = field(default=5000.0, validator=validators.DURATION)
    """Time after which a wordline is padded that waits for pages (see hardware.program_unit)."""
    suspension: SuspensionConfig = field(factory=SuspensionConfig)
    """Suspension of programs and erases."""


@define(kw_only=True, field_transformer=whole_floats)
class SchedulerConfig:
    """Which of the transactions that wait for a die goes next.

    The option of `paq` is `pass_limit`, after how many younger ones a transaction goes first. The last of the
    `pass_limits` holds for all further types.
    """

    group: ClassVar[str] = "scheduler."

    policy: str = field(default="read_priority", validator=policy_of("scheduler.policy"))
    """Which of the transactions that wait for a die goes next."""
    options: dict[str, Any] = field(factory=dict)
    """Options of the policy."""
    page_type_aware: bool = False
    """Whether programs of quick page types go before those of slow ones (PAS)."""
    pass_limits: list[int] = field(factory=lambda: [10, 20], validator=validators.PASS_LIMITS)
    """How often a program may be passed by quicker ones, by page type from the second on."""
