"""What the panels show, as text in colours; letters say all that colours do."""

from collections.abc import Iterable, Sequence
from functools import lru_cache

from rich.style import Style
from rich.text import Text

from ssdsim.report.happenings import block_name, in_words, kib, page_name, type_names, us
from ssdsim.report.hues import BLUE, GREEN, ORANGE, PURPLE, SKY, VERMILION, YELLOW
from ssdsim.run.state import BlockState, DieState, PageState, State

from .session import Session, Told

FREE = "#303438"
HUES = {"valid": BLUE, "dead": ORANGE, "free": FREE}
"""Of pages."""

OPERATION_MARKS = {
    "read": ("R", SKY),
    "program": ("P", YELLOW),
    "erase": ("E", VERMILION),
    "copyback": ("B", "#ffffff"),
    "coarse": ("C", YELLOW),
}
STATE_MARKS = {"active": ("a", GREEN), "collecting": ("c", PURPLE), "set aside": ("x", "#999999")}
PAGE_MARKS = {"valid": "v", "dead": "d", "free": "\N{MIDDLE DOT}"}
NEXT = "n"
"""What marks a page that can be written next."""

PHASES = {"idle": "idle", "bus": "bus in", "array": "array", "data_out": "bus out"}
HEAD = f"{'die':<4}{'phase':<8}{'does':<9}{'for':<8}{'block':<7}{'page':<9}{'LPA':>7}{'request':>8}"
QUEUE, QUEUES = 4, ("hr", "hw", "gr", "gw")
"""Over the numbers of the transactions that wait for a die: host reads and writes, and those of collections."""


@lru_cache(4096)
def ground(hue: str, bold: bool = False) -> Style:
    """Return letters that can be read on a ground of this hue."""
    red, green, blue = (int(hue[place : place + 2], 16) for place in (1, 3, 5))  # of #rrggbb
    is_light = 0.299 * red + 0.587 * green + 0.114 * blue > 120  # brightness to the eye, of 255, as in ITU-R BT.601
    return Style(color="#000000" if is_light else "#ffffff", bgcolor=hue, bold=bold)


@lru_cache(4096)
def mixed(valid: float, dead: float) -> str:
    """Return the hue of a block with these shares of its pages valid and dead, and the others free."""
    # never below 0, though both shares are rounded
    parts = [(valid, HUES["valid"]), (dead, HUES["dead"]), (max(1 - valid - dead, 0), HUES["free"])]
    channels = (sum(share * int(hue[place : place + 2], 16) for share, hue in parts) for place in (1, 3, 5))
    return "#" + "".join(f"{min(round(channel), 255):02x}" for channel in channels)


def shade(block: BlockState, pages: int) -> tuple[str, str]:
    """Return a letter and a hue for how much of a block is valid: tenths, or a dot if it is free."""
    if block.state == "free":
        return PAGE_MARKS["free"], FREE
    valid = block.valid / pages
    # 9 stands for ten tenths, too; hundredths, so that few hues are mixed and kept
    return str(min(int(valid * 10), 9)), mixed(
        round(valid, 2), round(max(block.programmed - block.valid, 0) / pages, 2)
    )


def head(session: Session) -> Text:
    """Return where the run is."""
    state = session.state
    requests = f"{len(state.outstanding)} in the device, {state.done:,} completed"
    return Text.assemble((us(state.now_ns), "bold"), f"   event {session.steps:,}   requests: {requests}")


def dies(state: State, blocks_per_plane: int) -> Text:
    """Return a line a die, and what the buses do."""
    queues = "".join(f"{name:>{QUEUE}}" for name in QUEUES)
    return Text("\n").join([Text(HEAD + queues, "dim"), *(_die(die, state, blocks_per_plane) for die in state.dies)])


def buses(state: State) -> Text:
    """Return for each bus whether it is held, and for how much of the time it has been."""
    told = Text.assemble(("bus", "dim"))
    for bus in state.buses:
        share = bus.busy_ns / state.now_ns if state.now_ns else 0.0
        told.append(f"  {bus.channel} ")
        told.append("held" if bus.taken else "free", ground(GREEN) if bus.taken else "dim")
        told.append(f" ({share:.0%})", "dim")
    return told


def _die(die: DieState, state: State, blocks_per_plane: int) -> Text:
    line = Text(f"{die.index:<4}")
    if die.op is None:
        line.append(f"{'idle':<{len(HEAD) - 4}}", "dim")  # 4: the number before it
    else:
        first = die.pages[0]
        line.append(f"{PHASES[die.phase]:<8}")
        line.append(die.op, ground(OPERATION_MARKS[die.op][1]))
        line.append(" " * (9 - len(die.op)))
        line.append(f"{die.source:<8}{block_name(first.block, blocks_per_plane):<7}")
        line.append(f"{_pages(die.pages, die.op, state):<9}{_number(first.lpa):>7}{_number(first.request):>8}")
    for number in (die.host_reads, die.host_writes, die.gc_reads, die.gc_writes):
        line.append(f"{number:>{QUEUE}}", "bold" if number else "dim")
    return line


def _pages(command_pages: tuple[PageState, ...], op: str, state: State) -> str:
    """Return the page of a command, and how many more it has."""
    more = f"+{len(command_pages) - 1}" if len(command_pages) > 1 else ""
    # an erase is of all pages
    return more if op == "erase" else page_name(command_pages[0].page, state.page_types) + more


def _number(value: int) -> str:
    return "" if value < 0 else str(value)


def requests(session: Session, most: int) -> Text:
    """Return streams, write buffer and the oldest requests in the device, in `most` lines."""
    state = session.state
    lines = [f"{stream.name}: {stream.outstanding} in the device, {stream.waiting} waiting" for stream in state.streams]
    if state.buffer is not None:
        lines.append(
            f"write buffer: {state.buffer.used} of {state.buffer.capacity} pages, {state.buffer.leaving} leaving"
        )
    for request in session.requests[: max(most - len(lines), 0)]:
        size = kib(request.size_bytes) if request.size_bytes else ""
        lines.append(
            f"{request.number:>7} {request.op:<5} {size:>8} {(state.now_ns - request.arrival_ns) / 1000:>12,.3f} us"
        )
    return Text("\n".join(lines[:most]))


def events(told: Sequence[Told], state: State, blocks_per_plane: int, most: int) -> Text:
    """Return the last happenings, the newest at the bottom, in `most` lines."""
    lines = []
    for entry in told[-most:] if most > 0 else ():  # told[-0:] would be all
        told_request = entry.request
        request = None if told_request is None else (told_request.op, told_request.size_bytes, told_request.arrival_ns)
        what = in_words(entry.happening, state.page_types, blocks_per_plane, request)
        lines.append(f"{entry.happening.at_ns / 1000:>13,.3f}  {what}")
    return Text("\n".join(lines))


def pages(session: Session, block: int, width: int) -> Text:
    """Return the pages of a block: a line a page type, as many wordlines across as there is room for."""
    state = session.state
    block_state, page_states = state.blocks[block], session.pages(block)
    counts = ", ".join(f"{page_states.count(name)} {name}" for name in PAGE_MARKS)
    text = Text(f"{block_state.state}, {counts}, erases: {block_state.erases}")
    names = type_names(state.page_types)
    by_type = [[page for page, its in enumerate(state.page_types) if its == kind] for kind in range(len(names))]
    room = max((width - 9) // 10 * 10, 10)  # whole tens, as the head names every tenth
    wordlines = max(map(len, by_type))  # a type may have fewer pages
    for begin in range(0, wordlines, room):
        end = min(begin + room, wordlines)
        text.append("\nwordline ", "dim")
        text.append("".join(f"{column:<10}" for column in range(begin, end, 10)), "dim")
        for name, numbers in zip(names, by_type, strict=True):
            text.append(f"\n{name:<9}")
            text.append_text(_row(numbers[begin:end], page_states, block_state.next_pages))
    return text


def _row(numbers: Iterable[int], each_state: Sequence[str], next_pages: Sequence[int]) -> Text:
    row = Text()
    for page in numbers:
        if page in next_pages:
            row.append(NEXT, ground(GREEN, bold=True))
        else:
            row.append(PAGE_MARKS[each_state[page]], ground(HUES[each_state[page]]))
    return row
