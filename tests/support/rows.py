"""Devices whose planes are written by the row, random loads for them, and runs that are watched event by event."""

from itertools import groupby

import numpy as np
from hypothesis import strategies as st

from ssdsim._core.blocks import STATES
from ssdsim._core.kernel import Environment
from support.requests import GAP
from support.tiny_device import (
    ERASE,
    ERASE_COMMAND,
    PAGE,
    PROGRAM,
    PROGRAM_COMMAND,
    READ,
    READ_COMMAND,
    TRANSFER,
    merge,
    run_streams,
)

ACTIVE, FULL = STATES.index("active"), STATES.index("full")
ALIGNED = {"unit": "twin"}
SPD_PLUS = {"unit": "die", "gc": {"combine_writes": True}}
UNITS = {"page": {}, "super_page": {"unit": "super_page"}, "die": {"unit": "die"}, "spd_plus": SPD_PLUS}

READ_TWO = 2 * READ_COMMAND + READ + 2 * TRANSFER
WRITE_TWO = 2 * (PROGRAM_COMMAND + TRANSFER) + PROGRAM
ERASE_TWO = 2 * ERASE_COMMAND + ERASE
"""Times of two planes at once, in ns."""

AT_LAST = (100 * GAP, "trim", 0, PAGE)
"""A request that is done at once, and so late that the collection is over: the run ends with the last request."""


def device(unit, planes=2, blocks=10, logical=16, buffer=0, **more):
    """Return changes that make dies of aligned blocks, of four pages, and a buffer of so many pages if any."""
    changes = {
        "hardware": {
            "planes_per_die": planes,
            "blocks_per_plane": blocks,
            "over_provisioning": 1 - logical / blocks / 4,
        },
        "flash": {"multi_plane": ["read", "program", "erase"]},
        "ftl": merge(ALIGNED, UNITS[unit]),
        "buffer": {"replacement": "epo" if buffer else "none", "size_mib": max(buffer, 1) * PAGE / 2**20},
    }
    return merge(changes, more)


@st.composite
def loads(draw, unit):
    """Draw such a device and requests that have it collect."""
    planes, dies = draw(st.sampled_from([2, 2, 3, 4])), draw(st.integers(1, 2))
    logical = 16
    changes = device(
        unit,
        planes,
        draw(st.sampled_from([10, 12])),
        logical,
        draw(st.integers(1, 10)) if unit in ("die", "spd_plus") else draw(st.sampled_from([0, 3])),
        hardware={"dies_per_chip": dies},
        ftl={
            "active_blocks": draw(st.sampled_from(["shared", "separate", "hot_cold"])),
            "hot_window_s": 1e-3,
            "bac": draw(st.booleans()),
            "partial_write": draw(st.sampled_from(["pad", "read_modify_write"])),
            "gc": {
                "victim": draw(st.sampled_from(["greedy", "fifo", "random"])),
                "holds_writes": draw(st.booleans()),
            },
        },
    )
    pages = logical * planes * dies
    random = np.random.default_rng(draw(st.integers(0, 2**32)))
    step = draw(st.sampled_from([0, 1000, 60_000]))
    ops = random.choice(
        ["write", "read", "trim", "flush"], p=draw(st.sampled_from([(1, 0, 0, 0), (0.7, 0.2, 0.08, 0.02)])), size=300
    )
    rows = []
    for number, op in enumerate(ops.tolist()):
        first, count = int(random.integers(pages)), int(random.integers(1, 5))
        size = 512 if random.random() < 0.1 else min(count, pages - first) * PAGE
        rows.append((number * step, op, 0, 0) if op == "flush" else (number * step, op, first * PAGE, size))
    return rows, changes


def watched(monkeypatch, modules, rows, changes, look):
    """Run `rows` and call `look` with the device after every event; return the run."""
    measuring = modules["ssdsim.run.context"]
    made = []

    class Watched(Environment):
        def step(self):
            super().step()
            look(made[0])

    class Device(measuring.Device):
        def __init__(self, config):
            super().__init__(config)
            made.append(self)

    monkeypatch.setattr(measuring, "make_environment", lambda kernel: Watched())
    monkeypatch.setattr(measuring, "Device", Device)
    return run_streams([{"rows": rows}], changes, modules=modules)


def steps(out, source=None, since=0):
    """Return each command from `since` on, as its operation and the logical page and place in the die of each page."""
    found = [r for r in out.commands if r["bus_start_ns"] >= since and source in (None, r["source"])]
    found.sort(key=lambda r: (r["bus_start_ns"], r["channel"], r["plane"]))
    return [
        (r[0]["op"], [(each["lpa"], each["plane"], each["page"]) for each in r])
        for r in (list(rows) for _, rows in groupby(found, key=lambda r: (r["bus_start_ns"], r["channel"])))
    ]


def write_points(device):
    """Return, for all aligned blocks that are being written, the pages of each plane that have been handed out."""
    blocks = device.blocks
    shape = (blocks.units, blocks.span, blocks.blocks_per_plane)
    states, written = (blocks.column(name).reshape(shape).swapaxes(1, 2) for name in ("state", "written"))
    active = (states == ACTIVE).any(axis=2)
    assert np.isin(states[active], [ACTIVE, FULL]).all()
    return written[active].tolist()
