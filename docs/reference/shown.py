"""The page of what policies are shown: the device, and its transactions, dies, blocks and requests."""

import inspect
from collections.abc import Iterator, Mapping
from typing import Any

from ssdsim._core.blocks import STATES, Blocks
from ssdsim.device_view import DeviceView
from ssdsim.flash.views import Die, Queue, Transaction
from ssdsim.host.request import Request

HEAD = """\
# What policies see

`self.device` of every policy is the device that it is part of. Scheduling policies and bus arbiters are shown
transactions, dies and queues, page-type schemes the request that they choose for. Whoever is given `blocks` asks these
by the number of a block, a page or a unit, which is a plane or, where blocks are aligned, a die.

Numbers count from 0 over the whole device, and times are in ns. Of what is shown only the order of a queue may be
changed.
"""


def said(member: Any) -> str:
    """Return the first line of a docstring, without its verb and its full stop."""
    text = (inspect.getdoc(member) or "").partition("\n")[0].removeprefix("Return ").rstrip(".")
    return text[:1].lower() + text[1:]


TRANSACTION = {
    "op": "what it does: `READ`, `PROGRAM`, `ERASE` or `COPYBACK`",
    "source": "what it is for: `HOST`, `GC`, `MAPPING`, `MERGE`, `BACKUP` or `REFRESH`",
    "lpa": "logical page, -1 for none",
    "ppa": "physical page; of an erase -1",
    "block": "block",
    "page": "page within its block",
    "plane": "plane",
    "die": "die",
    "page_type": "type of its page, 0 for the fastest (LSB)",
    "stream": "number of the host's stream, -1 for none",
    "before": "physical page that a write takes the place of, or that data is moved from; -1 for none",
    "bytes": "bytes of its data that cross the bus",
    "sequence": "number in order of arrival at its die",
    "passed": "how often another went before it",
    "queued_ns": "when it came to its die",
    "bus_start_ns": "when its command began on the bus",
    "array_start_ns": "when the array began",
    "array_end_ns": "when the array ended",
    "data_start_ns": "when the data of a read began on the bus",
    "partner": "the next transaction of its multi-plane command, or None",
    "rest": "of a program, the read that has to come first, or None",
    "request": "the request that it is a part of, or None",
}
REQUEST = {
    "id": "number in order of admission",
    "stream": "number of its stream",
    "op": "`READ`, `WRITE`, `TRIM` or `FLUSH`",
    "offset_bytes": "where it begins, in bytes",
    "size_bytes": "its length, in bytes",
    "arrival_ns": "when it arrived",
    "admitted_ns": "when it was admitted to the device queue",
    "access_latency": "the host's hint: 0 none, 1 idle, 2 normal, 3 low",
    "queue_length": "requests in the device queue when it was admitted, itself included",
}
BLOCKS = {
    **dict.fromkeys(("valid", "written", "on_their_way", "erases", "state", "may_erase", "plane_of"), "block"),
    "unwritten_of": "block, page_type",
    **dict.fromkeys(("is_valid", "is_programmed", "type_of", "block_of"), "ppa"),
    **dict.fromkeys(("free_blocks", "free_pages", "dead_pages"), "unit"),
}
DEVICE = {
    "hardware": "geometry and times of the flash: the keys of `hardware`, and `dies`, `planes`, `physical_blocks`, "
    "`block_pages`, `page_types`, `page_bytes`, `logical_pages` and more",
    "streams": "names of the streams by number, the main one first",
    "now_ns": said(DeviceView.now_ns),
}


def shown() -> str:
    """Return the page."""
    tables = {
        "`self.device`": DEVICE,
        "A transaction": TRANSACTION | {"command()": said(Transaction.command)},
        "A queue": {
            "head": said(Queue.head),
            "len(queue)": "how many transactions wait in it; iterated oldest first",
            "move(transaction, before)": said(Queue.move),
        },
        "A die": {"index": "its number"} | properties(Die),
        "A block": {f"{name}({given})": said(getattr(Blocks, name)) for name, given in BLOCKS.items()},
        "A request": REQUEST | {"bytes_of(lpa, page_bytes)": said(Request.bytes_of)},
    }
    return "\n".join([HEAD, *(line for title, rows in tables.items() for line in _table(title, rows))])


def properties(cls: type) -> dict[str, str]:
    """Return the first line of the docstring of each property of a class."""
    return {name: said(member) for name, member in vars(cls).items() if isinstance(member, property)}


def _table(title: str, rows: Mapping[str, str]) -> Iterator[str]:
    yield f"## {title}\n\n| name | meaning |\n| --- | --- |"
    yield from (f"| `{name}` | {text} |" for name, text in rows.items())
    if title == "A block":
        yield f"\nStates are {', '.join(f'{number} {name}' for number, name in enumerate(STATES))}."
    yield ""
