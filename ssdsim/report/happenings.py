"""What happens in a run, in words: a sentence for each of `EVENTS`, and names of what it happens to.

A block is called plane:block, counted in its plane, as it is found in a picture of the device.
"""

from collections.abc import Sequence

from ssdsim._core.program_order import TYPE_NAMES
from ssdsim.run.stepping import Happening

KIB = 1024

SENTENCES = {
    "request_admitted": "request {request} is admitted{asked}",
    "request_completed": "request {request} is complete{after}{asked}",
    "command_started": "die {die}: {does} of {page} begins{cause}",
    "array_began": "die {die}: {does} of {page} is in the array{cause}",
    "data_out_began": "die {die}: data of {page} leave{cause}",
    "command_ended": "die {die}: {does} of {page} is done{cause}",
    "page_sensed": "die {die}: {page} is sensed{cause}",
    "page_programmed": "die {die}: {page} is programmed{cause}",
    "block_erased": "die {die}: {page} is erased{cause}",
    "collection_began": "collection of {block} begins",
    "collection_ended": "collection of {block} has ended",
    "power_cut": "power is cut, and the device boots again",
}
DOES = {"copyback": "copy-back"}
"""Operations that are called otherwise than in `OPERATIONS`."""


def in_words(
    happening: Happening, page_types: Sequence[int], blocks_per_plane: int, request: tuple[str, int, int] | None = None
) -> str:
    """Return the words for a happening, without the time.

    `page_types` has the type of each page of a block. Of a request, `request` has the operation, the size in bytes and
    the arrival in ns, if they are known.
    """
    block = block_name(happening.block, blocks_per_plane)
    return SENTENCES[happening.name].format(
        request=happening.request,
        asked=f": {asked(*request[:2])}" if request else "",
        after=f" after {us(happening.at_ns - request[2])}" if request else "",
        die=happening.die,
        block=block,
        does=DOES.get(happening.op or "", happening.op),
        # an erase is of the whole block
        page=block if happening.op == "erase" else f"{block} page {page_name(happening.page, page_types)}",
        cause=_cause(happening),
    )


def _cause(happening: Happening) -> str:
    """Return for what a command is: the host's, as they have one, by the number of the request."""
    parts = [
        # of what the host asked for its request is told instead
        happening.source if happening.source != "host" or happening.request < 0 else "",
        f"LPA {happening.lpa}" if happening.lpa >= 0 else "",
        f"request {happening.request}" if happening.request >= 0 else "",
    ]
    return f" ({', '.join(part for part in parts if part)})"


def block_name(block: int, blocks_per_plane: int) -> str:
    """Return a block, counted through the device, as plane:block."""
    return f"{block // blocks_per_plane}:{block % blocks_per_plane}"


def type_names(page_types: Sequence[int]) -> tuple[str, ...]:
    """Return the names of the page types of a device, the fastest first."""
    # the slowest type there is tells how many there are
    return tuple(name.upper() for name in TYPE_NAMES[max(page_types) + 1])


def page_name(page: int, page_types: Sequence[int]) -> str:
    """Return a page of a block with its type, if there are several."""
    names = type_names(page_types)
    return f"{page} {names[page_types[page]]}" if len(names) > 1 else str(page)


def asked(op: str, size_bytes: int) -> str:
    """Return the words for a request: its operation and, if it has one, its size."""
    return f"{op} of {kib(size_bytes)}" if size_bytes else op


def us(time_ns: int) -> str:
    """Return a time in us."""
    return f"{time_ns / 1000:,.3f}".removesuffix(".000") + " us"  # us: ns that are none are not written


def kib(size_bytes: int) -> str:
    """Return a size in KiB."""
    return f"{size_bytes / KIB:,g} KiB"
