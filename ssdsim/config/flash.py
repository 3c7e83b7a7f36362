"""The rules of the back end: who goes next, in what order pages are programmed, when a write is complete."""

from typing import Any, ClassVar

from attrs import define, field

from ssdsim._core.codes import OPERATIONS
from ssdsim.config.validators import COUNT_OR_NONE, DURATION_OR_NONE, PASS_LIMITS, checked, one_of, policy_of


@define(kw_only=True)
class FlashConfig:
    """Who is given a channel's bus, and when a read or a write is answered.

    A read of a page that is still on its way to flash is served from controller `memory`, or sent to the `flash` as if
    the page were there, as MQSim and SSDSim do. With `coalesced_read_us` a read of a page for which there is
    another read whose data is not yet on the bus is not read again but answered after that time.

    A read of part of a page moves over the bus what was `requested`, or all that is `stored` of it, as in SSDSim. A
    write of part of a page first reads what it leaves of it, and only that (`ftl.partial_write=read_modify_write`); its
    program then moves the `whole_page`, as flash needs it: what is not sent to the page register is not programmed. In
    MQSim it moves just what is `changed`, in SSDSim what is `stored` of the page then, which after a first write of a
    part is that part. Behind a write buffer the part of a page is taken to begin with the page. Such a write takes its
    page and its turn `after_read`, so that a page that is not whole holds up no other of its block, whose pages are
    programmed in order; or `on_arrival`, as in MQSim and SSDSim, if it has room then and is written alone.

    A collection holds its die command by command, and the bus while something of it crosses that. With
    `collection_holds=channel`, as in SSDSim, it holds the bus, too, from its first read until its erase begins, and
    begins when the host has no work on the channel, unless it is urgent.

    Queued operations that `multi_plane` names run at once in several planes of a die if they have the same page offset
    (PAC) and, with `ftl.bac`, the same block offset (BAC), copy-backs wherever they are; with `plane_groups`, only
    planes of a group that large. With `joined_programs=any_page` programs need no common offset: SSDSim's greedy
    commands pass over pages until they have one, which are not lost here. The host's transactions join first, or with
    `joined_first=same_source` those of collection do where the command begins with one (MQSim). The data of such a read
    is moved out plane by plane, each of which asks for the bus anew (`plane_data=in_turn`), or all together while the
    bus is held (MQSim). With `read_planes` all, each read opens the same page of all planes of the die, and moves only
    what is wanted of it (SPD's SuperPage, 6.1).

    Pages of a block are programmed by the rule `program_order`: strictly in one order, or by PA-SSD's relaxed rule, or
    in flexFTL's fixed program sequence (fps) or relaxed one (rps, which is that relaxed rule); `free`, they are
    programmed in any order, as no flash allows but MQSim's, so that a younger page may join another plane's. Without a
    `wordline_buffer` in the controller a program reads the pages of its wordline that were programmed before, in its
    array time.
    """

    group: ClassVar[str] = "flash."

    bus: str = field(default="starts_first", validator=policy_of("flash.bus"))
    """Which die is given its channel's bus."""
    write_complete: str = field(default="program_end", validator=one_of("program_end", "transfer_end"))
    """When a write is answered: at the end of its program, or of its transfer."""
    unprogrammed_read: str = field(default="memory", validator=one_of("memory", "flash"))
    """Where a page that is still on its way to flash is read from."""
    coalesced_read_us: float | None = field(default=None, validator=DURATION_OR_NONE)
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
        factory=list,
        validator=checked(lambda v: set(v) <= set(OPERATIONS), f"a list of {', '.join(OPERATIONS)}"),
    )
    """Operations that planes of a die do at once."""
    joined_programs: str = field(default="same_page", validator=one_of("same_page", "any_page"))
    """Which programs join into a multi-plane command."""
    joined_first: str = field(default="host", validator=one_of("host", "same_source"))
    """Which transactions join a multi-plane command before others."""
    plane_data: str = field(default="in_turn", validator=one_of("in_turn", "together"))
    """Whether planes of a multi-plane read ask for the bus in turn or hold it together."""
    plane_groups: int | None = field(default=None, validator=COUNT_OR_NONE)
    """Planes that can join, in groups of so many; null: all of a die."""
    read_planes: str = field(default="wanted", validator=one_of("wanted", "all"))
    """Whether a read opens the planes that are wanted, or the same page of all."""
    program_order: str = field(default="strict", validator=one_of("strict", "relaxed", "fps", "rps", "free"))
    """Rule for the order in which pages of a block are programmed."""
    wordline_buffer: bool = True
    """Whether the controller keeps open wordlines, which a program would else read first."""


@define(kw_only=True)
class SchedulerConfig:
    """Which of the transactions that wait for a die goes next.

    The `options` are those of the policy; `paq` has `pass_limit`, after how many younger ones a transaction goes first.

    If `page_type_aware`, programs of quick page types go before those of slow ones. A program of the second type is
    passed at most as often as the first of the `pass_limits`, one of the third as the second; the last holds for all
    further types.
    """

    group: ClassVar[str] = "scheduler."

    policy: str = field(default="read_priority", validator=policy_of("scheduler.policy"))
    """Which of the transactions that wait for a die goes next."""
    options: dict[str, Any] = field(factory=dict)
    """Options of the policy."""
    page_type_aware: bool = False
    """Whether programs of quick page types go before those of slow ones (PAS)."""
    pass_limits: list[int] = field(factory=lambda: [10, 20], validator=PASS_LIMITS)
    """How often a program may be passed by quicker ones, by page type from the second on."""
