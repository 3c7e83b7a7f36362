"""The tables that a recount starts from, as columns of whole numbers."""

from typing import Any

import attrs
import numpy as np
import pyarrow as pa

REQUESTS = ("read", "write", "trim", "flush")
OPERATIONS = ("read", "program", "erase", "copyback")
SOURCES = ("host", "gc", "mapping", "backup", "merge", "refresh")
CONTENTS = ("none", "data", "asked", "fill", "padding")

READ, WRITE, TRIM, FLUSH = range(len(REQUESTS))

NAMES = {"op": OPERATIONS, "source": SOURCES, "content": CONTENTS}

Columns = dict[str, np.ndarray]


@attrs.frozen
class Loss:
    """A loss of power at `lost_ns`, and what it took: requests, and commands.

    Of a request there are its stream, op, offset, size, and when it came into the device and left it.

    Of those that were left unfinished, the first `cut_short` were so by it, and the others by the end of the run.
    """

    lost_ns: int
    aborted: list[tuple[int, int, int, int, int, int]]
    cut_short: int


@attrs.frozen(eq=False)
class Circumstances:
    """What a run was given, and where it began: what no row of a table tells.

    At the start the commands `under_way` had been queued or begun; those without an end went on `until_ns`, in order.
    Before, each block had been erased so often (`erases`) and held so many pages by type (`programmed`).
    `pending_before` has the valid pages of victims that had been chosen then and not erased, `pending_after` those of
    the end. `planes_joined` is how many planes of a die a command may take; `round_requests` is 0 without rounds.
    """

    config: Any
    streams: list[str]
    start_ns: int
    end_ns: int
    under_way: pa.Table
    until_ns: list[int]
    erases: np.ndarray
    programmed: np.ndarray
    pending_before: list[int]
    pending_after: list[int]
    collection_units: int
    planes_joined: int
    round_requests: int
    loss: Loss | None = None

    @property
    def aborted(self) -> list[tuple[int, int, int, int, int, int]]:
        """The requests that a loss of power took."""
        return [] if self.loss is None else self.loss.aborted

    def pages_aborted(self, op: int) -> int:
        """Return how many pages those of `op` touch."""
        asked = np.array([request[1:4] for request in self.aborted if request[1] == op], np.int64).reshape(-1, 3)
        return int(self.pages_of(asked[:, 0], asked[:, 1], asked[:, 2]).sum())

    def pages_of(self, op: np.ndarray, offset_bytes: np.ndarray, size_bytes: np.ndarray) -> np.ndarray:
        """Return how many pages each request touches, once for each command that NVMe splits it into."""
        page_bytes, host = self.config.hardware.page_bytes, self.config.host
        pages = (offset_bytes + size_bytes - 1) // page_bytes - offset_bytes // page_bytes + 1
        if host.interface == "nvme" and host.nvme.mdts_kib is not None:
            most = host.nvme.mdts_kib * 1024
            for begun in range(most, int(size_bytes.max(initial=0)), most):
                # a page in which one command ends and the next begins is touched twice
                pages += (begun < size_bytes) & (op <= WRITE) & ((offset_bytes + begun) % page_bytes != 0)
        return pages


def numbers(table: pa.Table, names: dict[str, tuple[str, ...]]) -> Columns:
    """Return the columns of a table; those of words hold the places of these in `names`.

    Each of the words has a mask, too: `is_read` of an operation, `of_gc` of a source, `is_data` of a content.
    """
    columns: Columns = {}
    for name in table.schema.names:
        column = table[name].combine_chunks()
        if name in names:
            places = pa.array(names[name])
            # by place, so that nothing here rests on the codes of the tables
            columns[name] = np.asarray(pa.compute.index_in(column.cast(pa.string()), value_set=places), np.int64)
            prefix = "of" if name == "source" else "is"
            columns |= {f"{prefix}_{word}": columns[name] == place for place, word in enumerate(names[name])}
        else:
            columns[name] = np.array(column, np.int64)
    return columns


def requests_of(table: pa.Table, run: Circumstances) -> Columns:
    """Return the columns of the requests, with the time of their ends and their pages, in the order of numbers."""
    columns = numbers(table.sort_by("id"), {"op": REQUESTS})  # numbers are those of admission
    columns["end_ns"] = columns["arrival_ns"] + columns["response_ns"]
    columns.setdefault("posted_ns", columns["end_ns"])  # with queue pairs it leaves the device before it is over
    columns["pages"] = run.pages_of(columns["op"], columns["offset_bytes"], columns["size_bytes"])
    return columns


def commands_of(table: pa.Table, unfinished: pa.Table, run: Circumstances) -> Columns:
    """Return the columns of the commands, those that were not over when power was cut, or the run, at the end.

    Times that had not come for those are -1, and all is counted up to `until_ns`; those that the cut left are `is_cut`.
    Dies and planes are numbered through the device, and `command` numbers what began at the same time on the same die:
    one command, if commands take time.
    """
    hardware = run.config.hardware
    done, open_ = numbers(table, NAMES), numbers(unfinished, NAMES)
    c = {name: np.concatenate([done[name], open_[name]]) for name in done}
    c["is_slc"] = c["page_type"] < 0
    c["page_type"] = np.maximum(c["page_type"], 0)  # pages in SLC mode are as those of the fastest type
    c["is_write"] = c["is_program"] | c["is_copyback"]
    c["is_over"] = np.repeat([True, False], [len(done["op"]), len(open_["op"])])
    c["is_cut"] = ~c["is_over"]
    c["is_cut"][len(done["op"]) + (0 if run.loss is None else run.loss.cut_short) :] = False
    c["until_ns"] = np.concatenate([done["end_ns"], np.array(run.until_ns, np.int64)])
    number_through(c, hardware)
    c["begun"] = c["bus_start_ns"] >= 0
    keys = np.stack([c["die"], c["bus_start_ns"], c["array_start_ns"], c["op"]])
    keys[1, ~c["begun"]] = -1 - np.arange(np.count_nonzero(~c["begun"]))  # each waits alone
    c["command"] = numbered(keys)
    before = numbers(run.under_way, NAMES)
    number_through(before, hardware)
    c["is_new"] = ~are_among(c, before, np.ones(len(before["op"]), bool))  # was handed to the flash in the measured run
    c["is_started"] = c["begun"] & ~are_among(c, before, before["bus_start_ns"] >= 0)
    c["is_sensed"] = (c["array_end_ns"] >= 0) & ~are_among(c, before, before["array_end_ns"] >= 0)  # the array is done
    return c


def numbered(keys: np.ndarray) -> np.ndarray:
    """Return numbers from 0, equal where all of the keys in a column are; in far less time than `np.unique`."""
    order = np.lexsort(keys)
    is_new = (np.diff(keys[:, order], axis=1) != 0).any(axis=0)
    numbers = np.zeros(keys.shape[1], np.int64)
    numbers[order[1:]] = is_new.cumsum()  # the first in order has number 0
    return numbers


def number_through(c: Columns, hardware: Any) -> None:
    """Have dies, planes and blocks numbered through the device."""
    c["die"] += (c["channel"] * hardware.chips_per_channel + c["chip"]) * hardware.dies_per_chip
    c["plane"] += c["die"] * hardware.planes_per_die
    c["block"] += c["plane"] * hardware.physical_blocks


def are_among(c: Columns, others: Columns, mask: np.ndarray) -> np.ndarray:
    """Return a mask of the commands that `others` have in `mask`: queued at the same time for the same page."""
    names = ("queued_ns", "op", "block", "page")
    known = set(zip(*(others[name][mask].tolist() for name in names), strict=True))
    mask = np.zeros(len(c["op"]), bool)
    if known:
        # what was queued later is none of them
        for row in np.flatnonzero(c["queued_ns"] <= max(key[0] for key in known)).tolist():
            mask[row] = tuple(int(c[name][row]) for name in names) in known
    return mask


def takes_no_time(c: Columns, run: Circumstances) -> bool:
    """Return whether a die may begin several commands in an instant, as one is over at once, or reads lie side by side.

    Then those of one instant cannot be told apart.
    """
    hardware = run.config.hardware
    if hardware.lanes_per_die > 1 and round(hardware.read_command_us * 1000) == 0:
        return True
    return bool((c["is_over"] & (c["end_ns"] == c["bus_start_ns"])).any())
