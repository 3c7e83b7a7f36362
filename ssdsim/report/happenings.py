"""What happens in a run, in words."""

from ssdsim.run.state import Happening

DOES = {"read": "read", "program": "program", "erase": "erase", "copyback": "copy-back"}
WORDS = {
    "request_admitted": "request {request} is admitted",
    "request_completed": "request {request} is complete",
    "command_started": "die {die} begins the {does} of {page}{owner}",
    "array_began": "die {die}: array begins the {does} of {page}{owner}",
    "data_out_began": "die {die} sends the data of {page}{owner}",
    "command_ended": "die {die} has done the {does} of {page}{owner}",
    "page_sensed": "die {die} has sensed {page}{owner}",
    "page_programmed": "die {die} has programmed {page}{owner}",
    "block_erased": "die {die} has erased {page}{owner}",
    "collection_began": "collection of block {block} in plane {plane} begins",
    "collection_ended": "collection of block {block} in plane {plane} has ended",
    "power_cut": "power is cut, and the device boots again",
}
"""A sentence for each of `EVENTS`."""


def in_words(happening: Happening) -> str:
    """Return what has happened, without the time."""
    page = (
        f"block {happening.block}" if happening.op == "erase" else f"page {happening.page} of block {happening.block}"
    )
    of = f", request {happening.request}" if happening.request >= 0 else ""
    return WORDS[happening.name].format(
        request=happening.request,
        die=happening.die,
        plane=happening.plane,
        block=happening.block,
        does=DOES.get(happening.op or "", ""),
        page=page,
        owner=f" ({happening.source}{of})",
    )
