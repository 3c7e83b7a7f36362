"""What is seen, in words."""

from ssdsim._core.program_order import TYPE_NAMES
from ssdsim.run.state import Happening, PageState, State

KIB = 1024

DONE = {
    "command_started": "bus in",
    "array_began": "array",
    "data_out_began": "bus out",
    "command_ended": "done",
    "page_sensed": "sensed",
    "page_programmed": "programmed",
    "block_erased": "erased",
}
"""How far a command is, by the name of what has happened to it."""


def us(time_ns: int) -> str:
    """Return a time in us."""
    return f"{time_ns / 1000:,.3f}".removesuffix(".000") + " us"


def kib(size_bytes: int) -> str:
    """Return a size in KiB."""
    return f"{size_bytes / KIB:,g} KiB"


def block_name(block: int, blocks_per_plane: int) -> str:
    """Return a block as plane:block, the block counted in its plane."""
    return f"{block // blocks_per_plane}:{block % blocks_per_plane}"


def type_names(state: State) -> tuple[str, ...]:
    """Return the names of the page types of a device, the fastest first."""
    return tuple(name.upper() for name in TYPE_NAMES[max(state.page_types) + 1])


def page_name(page: int, state: State) -> str:
    """Return a page of a block with its type."""
    return f"{page} {type_names(state)[state.page_types[page]]}"


def asked(op: str, size_bytes: int) -> str:
    """Return what a request asks for."""
    return f"{op} of {kib(size_bytes)}" if size_bytes else op


def sentence(happening: Happening, request: tuple[str, int, int] | None, state: State, blocks_per_plane: int) -> str:
    """Return what has happened; of a request, `request` are operation, size in bytes and arrival in ns."""
    name = happening.name
    if name in ("request_admitted", "request_completed"):
        what = f": {asked(*request[:2])}" if request else ""
        after = f" after {us(happening.at_ns - request[2])}" if request and name == "request_completed" else ""
        return f"request {happening.request} {name.removeprefix('request_')}{after}{what}"
    if name == "power_cut":
        return "power is cut, and the device boots"
    block = block_name(happening.block, blocks_per_plane)
    if name in ("collection_began", "collection_ended"):
        return f"collection of {block} {name.removeprefix('collection_')}"
    return f"die {happening.die}: {happening.op} {_place(happening, block, state)}: {DONE[name]} {_cause(happening)}"


def _place(happening: Happening, block: str, state: State) -> str:
    return block if happening.op == "erase" else f"{block} page {page_name(happening.page, state)}"


def _cause(of: Happening) -> str:
    """Return for what a command is: the host's, as they have one, by the number of the request."""
    parts = [
        of.source if of.source != "host" or of.request < 0 else "",
        f"LPA {of.lpa}" if of.lpa >= 0 else "",
        f"request {of.request}" if of.request >= 0 else "",
    ]
    return f"({', '.join(part for part in parts if part)})"


def pages_name(pages: tuple[PageState, ...], op: str, state: State) -> str:
    """Return the page of a command, and how many more it has."""
    more = f"+{len(pages) - 1}" if len(pages) > 1 else ""
    return more if op == "erase" else page_name(pages[0].page, state) + more
