"""What happens in a run, in words: a sentence for each of `EVENTS`; a block is called plane:block, as in pictures."""

from collections.abc import Sequence

from ssdsim._core.program_order import TYPE_NAMES
from ssdsim.run.stepping import Happening

SENTENCES = {
    "request_admitted": "request {request} is admitted",
    "request_completed": "request {request} is complete",
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


def in_words(happening: Happening, page_types: Sequence[int], blocks_per_plane: int) -> str:
    """Return the words for a happening, without the time; `page_types` has the type of each page of a block."""
    block = f"{happening.block // blocks_per_plane}:{happening.block % blocks_per_plane}"
    names = type_names(page_types)
    kind = f" {names[page_types[happening.page]]}" if len(names) > 1 else ""
    cause = [
        # of what the host asked for its request is told instead
        happening.source if happening.source != "host" or happening.request < 0 else "",
        f"LPA {happening.lpa}" if happening.lpa >= 0 else "",
        f"request {happening.request}" if happening.request >= 0 else "",
    ]
    return SENTENCES[happening.name].format(
        request=happening.request,
        die=happening.die,
        block=block,
        does="copy-back" if happening.op == "copyback" else happening.op,
        # an erase is of the whole block
        page=block if happening.op == "erase" else f"{block} page {happening.page}{kind}",
        cause=f" ({', '.join(filter(None, cause))})",
    )


def type_names(page_types: Sequence[int]) -> list[str]:
    """Return the names of the page types of a device, the fastest first; an empty one where there is one type."""
    # the slowest type there is tells how many there are
    types = max(page_types) + 1
    return [name.upper() for name in TYPE_NAMES[types]] if types > 1 else [""]
