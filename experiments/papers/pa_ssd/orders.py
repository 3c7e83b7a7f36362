"""Three writes of different page types that come to one chip at once, in the orders of Fig. 11."""

from collections.abc import Sequence
from pathlib import Path

from ...study.runs import Runs
from ...study.traces import replayed
from .workloads import PAGE_KIB

HINTS = {"LSB": "low", "CSB": "normal", "MSB": "idle"}  # what the host says for a write to get a page of a type (sHG)

ORDERS_PART = "orders of three writes"
ORDERS = ("MSB CSB LSB", "CSB MSB LSB", "LSB CSB MSB")
BEFORE = ("LSB",) * 8 + ("CSB",) * 4  # written one by one before, for there to be a page of each type to program
STRIDE = 16  # pages from one to the next of the same plane: the small device has 4 chips of 4 planes

APART_NS = 10**9
SYSTEM = ("hardware=pa_ssd_small", "stack=pa_ssd", "precondition=none", "scheduler.page_type_aware=false")


def rows(order: str) -> list[str]:
    """Return the lines of the trace: the writes before, and the three at one time."""
    types = [*BEFORE, *order.split()]
    times = [APART_NS * min(place, len(BEFORE)) for place in range(len(types))]
    size = PAGE_KIB * 1024
    return [
        f"{time},write,{STRIDE * size * place},{size},{HINTS[page_type]}"
        for place, (time, page_type) in enumerate(zip(times, types, strict=True))
    ]


def written(order: str, folder: Path) -> Sequence[str]:
    """Return the overrides that replay the trace of an order, which is written to `folder`."""
    path = folder / f"{order.replace(' ', '_')}.csv"
    folder.mkdir(parents=True, exist_ok=True)
    header = "arrival_ns,op,offset_bytes,size_bytes,access_latency"
    path.write_text("\n".join([header, *rows(order)]) + "\n", encoding="utf-8")
    return replayed(path)


def runs(folder: Path) -> Runs:
    """Return the runs of all orders."""
    page_type = "ftl.page_type=[host_guided,uniform]"
    return {f"{order}/in turn": [*SYSTEM, page_type, "record=[requests]", *written(order, folder)] for order in ORDERS}
