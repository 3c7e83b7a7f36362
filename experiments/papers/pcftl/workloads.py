"""What the translation layers are put under: the five workloads of Table 2, and pieces of two of the traces.

The five are synthetic, the presets of those names: shares, rates, mean sizes and durations are those of the table, and
footprints are such that as many of the pages written were written before; each says in its file what it is made of. A
smaller device gets a share of the requests, over the same share of it.

How uneven they are over planes follows from a rule, stated before anything was run by it. The paper gives standard
deviations in pages for TPC-C alone (5.3): under DLOOP 4,961 of the 19,302 page writes that Table 2 makes of each plane,
a coefficient of variation of 25.7 percent, and 661 under PCFTL. So it cannot be popular pages that make planes uneven:
these stay in their plane under PCFTL too. It has to be the page numbers themselves: of the 64 KiB that make a round of
the 32 planes, some parts are in use more often than others. In all five, requests therefore start at the places of
such a round with frequencies that rise in a straight line, as steeply as gives the pages written, by their number
modulo the planes, TPC-C's coefficient; which data is popular does not depend on it. For the other four the paper lets
nothing be computed but that PCFTL's deviation is as much below DLOOP's in the mean. With
`even_places`, all places are alike.

What is written again is, by Zipf's law, seldom what was written just before. In the piece of Fin1 it mostly is: of its
writes, 53 percent go where one of the 128 before went, and 63 where one of the 2,048 before did, of 66 that go where
any did. With `reused`, as many of the updates of Table 2 come back as soon as there (`REUSE`), and all else is nearly
uniform (`SPREAD`). Rule and values were settled on before such a workload was run.

The pieces lie beside the project, if they do, and are run whole: that of Fin1 is the first 853 seconds, with fewer
writes than the whole trace, that of TPC-C has 7,000 requests and is slowed down to the rate of the table. They are no
part of the means that are held against the paper's.
"""

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

import attrs
import numpy as np

from ssdsim.command.compose import composed
from ssdsim.config import SyntheticConfig
from ssdsim.workload import WRITE, Chunk, SyntheticWorkload

from ...study.traces import made_once, real_pieces
from .systems import PAGE_KIB, PLANES, Device, Setting


@attrs.frozen
class Published:
    """A row of Table 2."""

    write_percent: float
    update_percent: float
    rate_iops: float
    mean_kib: float
    minutes: float


TABLE_2 = {
    "Fin1": Published(76.8, 78, 122, 3, 728),
    "Fin2": Published(17.7, 55, 90.2, 4, 684),
    "Exchange": Published(69.2, 34, 90, 8, 15),
    "Build": Published(58, 39, 45, 12, 15),
    "TPC-C": Published(35.4, 35, 3635, 8, 2),
}
# The page writes of a plane under TPC-C, by Table 2: requests/s, s, writes, pages of 2 KiB, planes.
WRITES_A_PLANE = 3635 * 120 * 0.354 * 4 / 32

DLOOP_PERCENT = 100 * 4961 / WRITES_A_PLANE
"""SDWPP of DLOOP under TPC-C at 3 percent of extra blocks, which 5.3 gives in pages, in percent of these."""

VARIATION = DLOOP_PERCENT / 100  # the coefficient of variation of the page writes of planes under TPC-C

TPCC_PIECE_S = 0.136489
TPCC_PIECE_REQUESTS = 6999

PIECE = " (piece)"  # follows the name of the workload that a piece is of

PIECES = {
    f"Fin1{PIECE}": ("umass_Financial1.rows3-50002.disksim.xz", ["workload.size_unit_bytes=4096"]),
    f"TPC-C{PIECE}": (
        "msps_TPC-C.mqsim-tpcc-small.xz",
        [f"workload.speedup={TABLE_2['TPC-C'].rate_iops * TPCC_PIECE_S / TPCC_PIECE_REQUESTS:.6f}"],
    ),
}
"""Pieces of real traces: the file, and what it does not say itself or is changed."""

FOOTPRINTS = {"Exchange": 0.17, "Build": 0.0485}
"""Of presets whose requests overlap less where places are not alike, so that the share of updates is the table's."""

REUSE = {16: 0.337, 128: 0.526, 1024: 0.610, 2048: 0.632}
"""Of the writes of the piece of Fin1, the share that go where one of so many writes before went."""

UPDATES_OF_PIECE = 0.659
SPREAD = {"zipf_theta": 0.3, "footprint": 0.5}


@attrs.frozen
class Load:
    """A workload: its overrides, and whether it is run whole, on a device of any size."""

    overrides: list[str]
    whole: bool = False


Loads = dict[str, Load]


def pieces() -> Loads:
    """Return the pieces that are there."""
    return {name: Load(overrides, whole=True) for name, overrides in real_pieces(PIECES).items()}


def loads(device: Device, names: Iterable[str], folder: Path, even_places: bool = False, reused: bool = False) -> Loads:
    """Return synthetic workloads for a device, in files in `folder`."""
    return {name: synthetic(name, device, folder, even_places, reused) for name in names}


def synthetic(name: str, device: Device, folder: Path, even_places: bool = False, reused: bool = False) -> Load:
    """Return one of the five, with as many of its requests as the device has of the paper's blocks."""
    made = composed([*device.overrides(Setting(), "DLOOP"), f"workload={name.lower().replace('-', '')}"])
    config, capacity = made.workload, made.hardware.capacity_bytes
    changes = SPREAD if reused else {} if even_places else {"footprint": FOOTPRINTS.get(name, config.footprint)}
    config = attrs.evolve(config, requests=max(round(config.requests * device.scale), 1), **changes)
    rise = 0.0 if even_places else slope(config, VARIATION)
    again = {}
    if reused:
        times = TABLE_2[name].update_percent / 100 / UPDATES_OF_PIECE
        again = {max(round(back * device.scale), 1): times * share for back, share in REUSE.items()}
    given = config, capacity, device.seed, rise, again
    return Load(made_once(name, folder, lambda: chunks(*given), *given))


def chunks(
    config: SyntheticConfig, capacity: int, seed: int, rise: float, again: Mapping[int, float]
) -> Iterator[Chunk]:
    """Yield the requests of `config`, moved to places of which some are in use more often than others.

    Shares of the writes, by how many writes before at most, repeat one of those.
    """
    made = SyntheticWorkload(config, capacity, PAGE_KIB * 1024, seed)
    align, count = made.describe()["align_bytes"], made.describe()["slots"]
    slots = uneven(count, PLANES * PAGE_KIB * 1024 // align, rise)
    rng, written = np.random.default_rng([seed, 1]), np.zeros((2, 0), np.int64)
    for chunk in made.chunks():
        moved = attrs.evolve(chunk, offset_bytes=slots[chunk.offset_bytes // align] * align)
        if again:
            moved, written = repeating(moved, written, again, rng)
        yield moved


def repeating(
    chunk: Chunk, before: np.ndarray, again: Mapping[int, float], rng: np.random.Generator
) -> tuple[Chunk, np.ndarray]:
    """Return `chunk` with writes that repeat others, and the offsets and sizes of all writes so far."""
    writes = np.flatnonzero(chunk.op == WRITE)
    known = np.hstack([before, [chunk.offset_bytes[writes], chunk.size_bytes[writes]]])
    ends = np.array([0, *again])
    drawn = np.searchsorted([*again.values()], rng.random(len(writes)), side="right")
    for place in np.flatnonzero(drawn < len(again)).tolist():
        back = rng.integers(ends[drawn[place]], ends[drawn[place] + 1]) + 1
        here = before.shape[1] + place
        if here:
            known[:, here] = known[:, here - min(int(back), here)]
    offset, size = chunk.offset_bytes.copy(), chunk.size_bytes.copy()
    offset[writes], size[writes] = known[:, before.shape[1] :]
    return attrs.evolve(chunk, offset_bytes=offset, size_bytes=size), known


def uneven(count: int, places: int, rise: float) -> np.ndarray:
    """Return `count` slots in ascending order; those of a place in their round are in use in the first so many rounds.

    How many rise in a straight line from place to place, from 1 - `rise` to 1 + `rise` times the mean.
    """
    rounds = count / places * (1 + rise * _line(places))
    return np.flatnonzero(np.arange(int(rounds.max()) + 1)[:, None] < rounds)[:count]


def slope(config: SyntheticConfig, variation: float) -> float:
    """Return the rise that gives the pages written, by their number modulo the planes, this coefficient of variation.

    A request of several pages evens them out, so that where these are large the starts have to be more uneven.
    """
    sizes = config.size_kib if isinstance(config.size_kib, Mapping) else {config.size_kib: 1.0}
    step = int((config.align_kib or PAGE_KIB) / PAGE_KIB)
    line = _line(PLANES // step)
    flat, tilted = np.zeros(PLANES), np.zeros(PLANES)
    for size, share in sizes.items():
        for place, height in enumerate(line):
            pages = (place * step + np.arange(size // PAGE_KIB)) % PLANES
            flat[pages] += share
            tilted[pages] += share * height
    return float(variation * flat.mean() / tilted.std())


def _line(places: int) -> np.ndarray:
    return (2 * np.arange(places) + 1) / places - 1
