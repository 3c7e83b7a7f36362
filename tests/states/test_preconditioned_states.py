"""Each state of a device against its definition, by statistics, with shares and sizes that are all different."""

import numpy as np
import pytest

from ssdsim import SyntheticConfig
from ssdsim._core.codes import READ, WRITE
from ssdsim.host.untimed import UntimedReplay
from ssdsim.run.preparation import PagesLeft, ScatteredLoad
from ssdsim.run.simulation import Simulation
from ssdsim.states.preconditioning import write_to_steady_state
from ssdsim.workload import Chunk
from ssdsim.workload.chunk import FLUSH, TRIM
from support.tiny_device import tiny_config

PAGE = 4096
PLANES, BLOCKS, PAGES = 6, 70, 33
"""Of the device: planes, blocks of a plane, pages of a block."""

SPARE = 0.28
LOGICAL = int(BLOCKS * PAGES * (1 - SPARE))
"""Logical pages of a plane."""


ONE_READ = SyntheticConfig(requests=1, queue_depth=1, read_share=1.0, size_kib=4)


def fresh(precondition, load=ONE_READ):
    """Return a simulation that has not begun."""
    hardware = {"channels": PLANES, "blocks_per_plane": BLOCKS, "pages_per_block": PAGES, "over_provisioning": SPARE}
    given = {"hardware": hardware, "precondition": precondition, "workload": load, "check": "end", "integrity": "off"}
    return Simulation(tiny_config(given))


def is_chance(observed, expected, variance):
    """Return whether the squared deviations add up to what they do by chance, within 5 standard deviations."""
    observed, expected, variance = np.broadcast_arrays(observed, expected, variance)
    excess = ((observed - expected) ** 2 / variance).sum() - observed.size
    return abs(excess) < 5 * np.sqrt(2 * observed.size)


def are_drawn(observed, sizes, drawn):
    """Return whether `observed` are what classes of these `sizes` have of so many members `drawn` of all."""
    sizes = np.asarray(sizes, float)
    share = drawn / sizes.sum()
    return is_chance(observed, sizes * share, sizes * share * (1 - share) + 1e-9)


def places(simulation):
    """Return the page of each logical page, or -1."""
    count = simulation.config.hardware.logical_pages
    return np.array([simulation.device.mapping.table.get(lpa) for lpa in range(count)])


# Filled at once.


@pytest.mark.parametrize(("fill_share", "valid_share"), [(0.63, 0.41), (0.87, 0.76)])
def test_a_fill_takes_blocks_and_makes_pages_valid_by_their_shares_anywhere(fill_share, valid_share):
    wish = {"mode": "fill", "fill_share": fill_share, "valid_share": valid_share, "valid_reads": False}
    simulation = fresh(wish)
    simulation.begin()
    blocks = simulation.device.blocks
    written, valid = (blocks.column(name).reshape(PLANES, BLOCKS) for name in ("written", "valid"))
    whole = int(fill_share * BLOCKS)
    wanted = round(valid_share * whole * PAGES)
    assert ((written == PAGES).sum(axis=1) == whole).all()
    assert (written.sum(axis=1) == whole * PAGES).all()
    assert (valid.sum(axis=1) == wanted).all()
    assert (blocks.column("erases") == 0).all()
    ppas = places(simulation)
    mapped = np.flatnonzero(ppas >= 0)
    assert len(mapped) == PLANES * wanted
    assert len(set(ppas[mapped])) == len(mapped)
    assert are_drawn(valid[written == PAGES], np.full(PLANES * whole, PAGES), PLANES * wanted)  # by block
    assert are_drawn(np.bincount(ppas[mapped] % PAGES, minlength=PAGES), np.full(PAGES, PLANES * whole), len(mapped))
    regions = 50 * np.arange(len(ppas)) // len(ppas)
    assert are_drawn(np.bincount(regions[mapped], minlength=50), np.bincount(regions), len(mapped))  # by number


def test_what_is_aged_is_dead_but_for_what_is_read():
    load = SyntheticConfig(requests=900, queue_depth=1, read_share=0.7, size_kib=4, footprint=0.3)
    simulation = fresh({"mode": "fill", "fill_share": 0.71, "valid_share": 0.0, "valid_reads": True}, load)
    simulation.begin()
    chunk = next(iter(simulation.workloads["main"].chunks()))
    read = set((chunk.offset_bytes[chunk.op == READ] // PAGE).tolist())
    assert set(np.flatnonzero(places(simulation) >= 0)) == read
    written = simulation.device.blocks.column("written").reshape(PLANES, BLOCKS).sum(axis=1)
    assert (written == int(0.71 * BLOCKS) * PAGES).all()


# Written to steadiness.

WRITES = {"mode": "writes", "fill_share": 0.83, "window_share": 1.7, "max_windows": 3, "tolerance": 0.0}
NUMBERED = int(0.83 * PLANES * LOGICAL)
"""Logical pages that are written."""

WINDOW = int(1.7 * PLANES * LOGICAL)


def test_all_is_written_once_in_order_and_then_evenly_at_random():
    sent, simulation = [], fresh(WRITES)
    untimed = UntimedReplay(simulation.device.layer, PAGE)

    def send(chunk):
        assert (chunk.op == WRITE).all()
        assert (chunk.size_bytes == PAGE).all()
        sent.append(chunk.offset_bytes / PAGE)
        untimed.run(chunk)

    report = write_to_steady_state(simulation.config, simulation.device, send, lambda share: None)
    lpas = np.concatenate(sent)
    assert lpas[:NUMBERED].tolist() == list(range(NUMBERED))
    assert len(lpas) == NUMBERED + 3 * WINDOW
    assert report["windows"] == 3
    for first in range(NUMBERED, len(lpas), WINDOW):
        drawn = lpas[first : first + WINDOW].astype(int)
        counts = np.bincount(drawn, minlength=NUMBERED)
        assert len(counts) == NUMBERED
        assert is_chance(counts, WINDOW / NUMBERED, WINDOW / NUMBERED)
        assert abs(np.corrcoef(drawn[1:], drawn[:-1])[0, 1]) < 5 / np.sqrt(WINDOW)
    drawn = lpas[NUMBERED:].astype(int)
    for regions in (2, 7, 20):
        sizes = np.bincount(regions * np.arange(NUMBERED) // NUMBERED)
        counts = np.bincount(regions * drawn // NUMBERED)
        assert is_chance(counts, sizes * len(drawn) / NUMBERED, sizes * len(drawn) / NUMBERED)


# Run in.


def test_a_load_is_run_in_evenly_with_its_sizes_and_times():
    rows, together, pages = 5000, 3, 1_000
    random = np.random.default_rng(5)
    op = random.choice([READ, WRITE, TRIM, FLUSH], size=rows, p=[0.3, 0.5, 0.1, 0.1]).astype(np.uint8)
    first = random.integers(0, 20, rows)
    within = random.choice([0, 512], size=rows)
    size = np.where(op == FLUSH, 0, random.choice([PAGE, 2 * PAGE + 512, 1024], size=rows))
    offset = np.where(op == FLUSH, 0, first * PAGE + within)
    arrival = np.sort(random.integers(0, 10**9, rows))

    class Load:
        requests, queue_depth = rows, None

        def chunks(self):
            yield Chunk(arrival, op, offset, size)

    touched = np.where(size > 0, (offset % PAGE + size + PAGE - 1) // PAGE, 0)
    wanted = 2 * int(touched[op == WRITE].sum())
    left = PagesLeft(wanted, 10 * wanted)
    chunks = list(ScatteredLoad(Load(), left, pages, together, PAGE, np.random.default_rng(1)).chunks())
    assert left.to_write <= 0 < left.to_touch
    for name, column in (("op", op), ("size_bytes", size)):
        seen = np.concatenate([getattr(chunk, name) for chunk in chunks])
        assert seen.tolist() == [*column, *column]
    times = np.concatenate([chunk.arrival_ns for chunk in chunks])
    assert times.tolist() == [*arrival, *(arrival + arrival[-1])]
    places = np.concatenate([chunk.offset_bytes for chunk in chunks])
    moves = np.tile(op != FLUSH, 2)
    assert (places[~moves] == 0).all()
    was = np.tile(offset, 2)[moves]
    places = places[moves]
    assert (places % PAGE == was % PAGE).all()
    assert (places // PAGE % together == was // PAGE % together).all()
    assert (places + np.tile(size, 2)[moves] <= pages * PAGE).all()
    counts = np.bincount(places // PAGE // 20, minlength=pages // 20)
    assert is_chance(counts[:-1], len(places) / (pages / 20), len(places) / (pages / 20))
