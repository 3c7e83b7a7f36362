"""What a step of a run changes, as small pieces of plain data that JSON can hold.

A state is a table for each of `TABLES`, with a column for each of its fields; a change names table, column and row. The
pages of the device are numbered through, block after block, and have the number of their state in `PAGE_STATES`.
"""

from base64 import b64encode
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

import attrs
import numpy as np

from ssdsim.run.simulation import Simulation
from ssdsim.run.stepping import PAGE_STATES, BlockState, BufferState, BusState, DieState, State, StreamState

KINDS = {
    "streams": StreamState,
    "buffer": BufferState,
    "dies": DieState,
    "buses": BusState,
    "blocks": BlockState,
}
TABLES: dict[str, tuple[str, ...]] = {
    "run": ("now_ns", "admitted", "done"),
    **{table: tuple(field.name for field in attrs.fields(cls)) for table, cls in KINDS.items()},
}
"""Tables of a state with their columns; `run` has one row, `buffer` one or none."""

OF_TIME = {("run", "now_ns"), ("buses", "busy_ns")}
"""What changes as time goes by, though nothing happens."""

Cells = dict[str, dict[str, dict[int, Any]]]
"""Values by table, column and row."""


def rows(state: State, table: str) -> Sequence[Any]:
    """Return the rows of a table of `state`."""
    if table == "run":
        return (state,)
    content = getattr(state, table)
    if table == "buffer":  # one thing, or none
        return () if content is None else (content,)
    return content


def plain(value: Any) -> Any:
    """Return a value of a cell as JSON has it: the pages of a command are lists of their fields."""
    if not isinstance(value, tuple):
        return value
    return [list(attrs.astuple(item)) if attrs.has(type(item)) else item for item in value]


def whole(state: State) -> dict[str, dict[str, list[Any]]]:
    """Return all tables of `state`, by column."""
    return {
        table: {name: [plain(getattr(row, name)) for row in rows(state, table)] for name in columns}
        for table, columns in TABLES.items()
    }


def changed(before: State, after: State) -> Cells:
    """Return the cells of `after` that are not as in `before`, a state of the same device."""
    cells: Cells = {}
    for table, columns in TABLES.items():
        # strict: the same device has the same rows
        for index, (old, new) in enumerate(zip(rows(before, table), rows(after, table), strict=True)):
            if old != new:  # whole rows first, as most have not changed
                for name in columns:
                    value = getattr(new, name)
                    if value != getattr(old, name):
                        cells.setdefault(table, {}).setdefault(name, {})[index] = plain(value)
    return cells


def is_quiet(cells: Mapping[str, Mapping[str, Any]]) -> bool:
    """Return whether only time has gone by."""
    return all((table, name) in OF_TIME for table, columns in cells.items() for name in columns)


def exchanged(before: Sequence[int], after: Sequence[int]) -> tuple[list[int], list[int]]:
    """Return the numbers that are to be taken out of `before`, and those to be put at its end, to have `after`."""
    # in the order of the queue: old numbers stay before new ones
    gone, there = set(before).difference(after), set(before)
    came = [number for number in after if number not in there]
    # the order has changed, too: take all out and put all in
    if [*(number for number in before if number not in gone), *came] != list(after):
        return list(before), list(after)
    return sorted(gone), came


class Pages:
    """The states of all pages of a device, as last looked at."""

    def __init__(self, simulation: Simulation):
        self.simulation = simulation
        # by block, as pages are looked at by block
        self.of_block = [self.look(block) for block in range(simulation.device.blocks.count)]

    def look(self, block: int) -> bytes:
        """Return the states of the pages of a block now."""
        return bytes(map(PAGE_STATES.index, self.simulation.pages(block)))

    def packed(self) -> str:
        """Return all states: four a byte, the first in the lowest bits, in base 64."""
        codes = np.frombuffer(b"".join(self.of_block), np.uint8)
        # the last byte is filled up with state 0, which nobody asks for
        by_four = np.pad(codes, (0, -len(codes) % 4)).reshape(-1, 4)
        # uint8: the shifted states do not overlap
        return b64encode((by_four << np.array([0, 2, 4, 6], np.uint8)).sum(axis=1, dtype=np.uint8).tobytes()).decode()

    def changed(self, state: State, cells: Cells) -> Iterator[tuple[int, int, int]]:
        """Yield first page, number of pages and new state of each run of pages that have changed.

        They lie in blocks that have other values in `cells`, or are set aside: only of these a page can be written that
        no value of the block in `state` tells of.
        """
        touched = {block for column in cells.get("blocks", {}).values() for block in column}
        touched.update(block for block, row in enumerate(state.blocks) if row.state == "set aside")
        for block in sorted(touched):
            old, new = self.of_block[block], self.look(block)
            self.of_block[block] = new
            place = block * len(new)
            # a run of pages that have changed to one state
            for (has_changed, code), run in groupby(zip(map(int.__ne__, old, new), new, strict=True)):
                length = sum(1 for _ in run)
                if has_changed:
                    yield place, length, code
                place += length
