"""The experiments of the flexFTL paper.

J. Park, J. Jeong, S. Lee, Y. Song, J. Kim, "Improving Performance and Lifetime of NAND Storage Systems Using Relaxed
Program Sequence" (DAC 2016).

The device is the paper's (4.1) with fewer blocks a chip; what it leaves open (erase time, bus, spare blocks, write
buffer) stands in `conf/hardware/flexftl.yaml` and `conf/stack/page_ftl.yaml`. The workloads are synthetic ones with
the ratios of its Table 1; sizes, places, bursts and idle times are ours (`conf/workload/`), and the same at any scale.
Each writes as many pages as the device has, so that with moved pages and backups each block is erased about twice. At
first the device holds the workload's data, 64 percent of its pages, and outdated pages down to where collection
starts.

A small device has a larger share of its spare blocks held by what does not scale: four free blocks a chip, active ones
and those for backups. So each system is given more blocks, as many as leave it the share of spare blocks that it has
at full size, with the same capacity and quota.

ParityFTL's parity is on the next channel, as the paper has it take the parallelism of channels into account (4.1), and
rtfFTL copies no moved pages, as nothing there says that it does. Nor does it say how long the host is idle. Sysbench's
two workloads, with little idle time, are never. Varmail and Fileserver have a fair amount: what background collection
needs to give back the quota that a burst takes, a program of an MSB page for each page written. Webserver has large
idle times: twice the longest of these. IOPS are requests over all of the time. They and erases are of the second half
of what is written, as at first the blocks are collected that the device was filled with.

Bandwidth (Fig. 8c) is of the host's page programs under Varmail, in the second half of them: a write is complete when
it is in the buffer, which takes the first of a burst at the speed of memory under all systems. A peak is that of a
window of twice the time in which a chip of rtfFTL programs the LSB pages of its pool. Power is cut under NTRX, at
three moments of a short run; the reboot takes the reads of recovery, one after the other as in the paper.
"""

import sys
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cache, partial
from math import ceil
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from ssdsim.command.compose import composed
from ssdsim.config import HardwareConfig
from ssdsim.errors import ConfigError
from ssdsim.metrics.result import Result
from ssdsim.policies import ProgramOrder
from ssdsim.workload import open_workload

from ..study import command
from ..study.formulas import Numbers, above, below
from ..study.paper import Figure, Given, Measure, Measures, Paper, Part, Run, config_of

# The device and the four translation layers.

BLOCKS = 512  # a chip of the whole device (4.1)
FEWEST_BLOCKS = 32  # a tenth of fewer would be no more than collection needs to work with

SYSTEMS = {
    "pageFTL": ["stack=page_ftl"],
    "parityFTL": ["stack=parity_ftl", "ftl.backup_place=next_channel"],
    "rtfFTL": ["stack=rtf_ftl", "ftl.backup_moved=false"],
    "flexFTL": ["stack=flex_ftl"],
}
BASE, PARITY, RTF, OURS = SYSTEMS
OTHERS = (BASE, PARITY, RTF)

RTF_BLOCKS = 8  # active blocks a chip of rtfFTL (4.1), each with an LSB page that is next after idle time

# Blocks of a chip that take no data, however many it has: four free ones for collection, one active, or eight of
# rtfFTL, or a fast and a slow one of flexFTL, and two for backups but with pageFTL.
HELD = {"pageFTL": 5, "parityFTL": 7, "rtfFTL": 14, "flexFTL": 8}

QUOTA = 0.05
DATA = 0.64  # of the device's pages, those that hold data: 80 percent of the 80 that the preset leaves to the user


def device(given: Given, system: str = "", more: Sequence[str] = ()) -> list[str]:
    """Return the overrides of the device, for a system if one is named."""
    scaled = round(BLOCKS * given.scale)
    if scaled < FEWEST_BLOCKS:
        raise ConfigError(f"--scale={given.scale}: leaves {scaled} blocks a chip; take 1/{BLOCKS // FEWEST_BLOCKS}.")
    blocks = scaled + (round(HELD[system] * (1 - scaled / BLOCKS)) if system else 0)
    spare = 1 - float(given.options.get("data", DATA)) * scaled / blocks
    quota = [f"ftl.page_type_options.adaptive.quota={QUOTA * scaled / blocks!r}"] if system == OURS else []
    made = ["hardware=flexftl", f"hardware.blocks_per_plane={blocks}", *more]
    made += [f"hardware.over_provisioning={spare!r}", "precondition=fill", f"seed={given.seed}"]
    return [*made, *SYSTEMS.get(system, []), *quota]


# The loads of Table 1, which are presets, and those that lose power.

LOADS = ["OLTP", "NTRX", "Webserver", "Varmail", "Fileserver"]
INTENSIVE = ("OLTP", "NTRX")  # little idle times between requests (4.1): flexFTL has about the IOPS of pageFTL
MOST_EFFECTIVE = ("Varmail", "Fileserver")  # under these flexFTL gains most
SHOWN = "Varmail"  # the workload of Fig. 8(c), whose commands are recorded

CUT_LOAD, CUT_VOLUME = "NTRX", 0.1  # what loses power: the dies are always busy
CUTS = ("0.25", "0.5", "0.75")  # shares of those pages, after as many programs of any kind power is cut
# The device of the paper's example of a reboot (3.3).
EXAMPLE_DEVICE = ("hardware.chips_per_channel=2", "hardware.pages_per_block=128")

FIGURES_PART, CUT, EXAMPLE = "figures", "power loss", "example of a reboot"
PARTS = {
    FIGURES_PART: Part([*SYSTEMS]),
    CUT: Part([*SYSTEMS], CUTS, once=True),
    EXAMPLE: Part([OURS], CUTS, once=True),
}


@cache
def written(name: str, on: tuple[str, ...], volume: float) -> tuple[int, list[str]]:
    """Return the pages and the overrides of a workload until it has written `volume` times the pages of a device."""
    load = [f"workload={name.lower()}", "workload.footprint=1"]
    config = composed([*on, *load])
    pages = round(volume * config.hardware.planes * config.hardware.pages_per_plane)
    given = config.workload.size_kib
    sizes = given if isinstance(given, Mapping) else {given: 1}
    # a write starts with a page
    in_pages = sum(ceil(float(size) / config.hardware.page_kib) * weight for size, weight in sizes.items())
    requests = round(pages / (in_pages / sum(sizes.values())) / (1 - config.workload.read_share))
    return pages, [*load, f"workload.requests={max(requests, 1)}"]


def overrides(run: Run, given: Given) -> list[str]:
    """Return the overrides of a run."""
    more = EXAMPLE_DEVICE if run.part == EXAMPLE else ()
    on = tuple(device(given, more=more))
    if run.part == FIGURES_PART:
        recorded = ["record=[commands]"] if run.load == SHOWN else []
        return [*device(given, run.system), *written(run.load, on, 1.0)[1], *recorded]
    pages, load = written(CUT_LOAD, on, CUT_VOLUME)
    return [*device(given, run.system, more), *load, f"power_loss.after_programs={round(float(run.load) * pages)}"]


# Measures of summaries and of time series.


def _served(result: Result) -> int:
    return int(sum(result.summary["requests"][op]["count"] for op in ("read", "write")))


def _later(result: Result, *columns: str) -> float:
    """Return the sum of columns over the windows in which the host writes its second half of pages."""
    pages = np.cumsum(result.timeseries["host_page_writes"].to_numpy())
    return float(sum(result.timeseries[name].to_numpy()[pages > pages[-1] / 2].sum() for name in columns))


def busy_iops(result: Result) -> float:
    """Return the requests a second of the time in which the host has any under way, of the whole run."""
    config = config_of(result.folder)
    hardware = config.hardware
    load = open_workload(config.workload, hardware.capacity_bytes, hardware.page_bytes, config.seed)
    # of a closed loop these are the times between its requests
    idle_s = sum(int(chunk.arrival_ns.sum()) for chunk in load.chunks()) / 1e9
    return _served(result) / (result.summary["simulated_s"] - idle_s)


def quota_spent(result: Result) -> float:
    """Return the percent of windows with completed requests at whose end the quota is spent."""
    series = result.timeseries
    completed = series["reads"].to_numpy() + series["writes"].to_numpy() > 0
    return 100 * float((series["lsb_quota"].to_numpy()[completed] <= 0).mean())


def pages_for_two(result: Result) -> float:
    """Return the pages written, with backups, for two pages of data."""
    made = result.summary["flash"]["programs"]
    return 2 + 2 * float(made["backup"] / (made["host"] + made["gc"]))


# Measures of commands.

HOST, DATA_SOURCES = ("host",), ("host", "gc")
COLUMNS = ["array_start_ns", "array_end_ns", "end_ns", "page_type", "channel", "chip"]


@cache
def _programs(folder: Path, sources: Sequence[str]) -> pa.Table:
    kept = [("op", "=", "program"), ("source", "in", [*sources])]
    return pq.read_table(folder / "commands.parquet", columns=COLUMNS, filters=kept)


def _half(result: Result, name: str, sources: Sequence[str]) -> np.ndarray:
    """Return a column of the second half of the programs, in the order in which they were over."""
    table = _programs(result.folder, sources)
    return table[name].slice(table.num_rows // 2).to_numpy()


def program_s(hardware: HardwareConfig) -> float:
    """Return the seconds that an LSB page takes on the bus and in the array."""
    bus_us = hardware.program_command_us + hardware.page_bytes * hardware.bus_ns_per_byte / 1000
    return (bus_us + hardware.program_us[0]) / 1e6


def windows(result: Result, drains: float = 0, seconds: float = 0) -> np.ndarray:
    """Return the MiB/s of windows in which the host programmed, of so many times rtfFTL's drain time, or seconds."""
    hardware = config_of(result.folder).hardware
    width = seconds or drains * RTF_BLOCKS * program_s(hardware)
    count = np.unique(_half(result, "end_ns", HOST) // round(width * 1e9), return_counts=True)[1]
    return count * hardware.page_bytes / 2**20 / width


def peak(result: Result, drains: float = 0, seconds: float = 0) -> float:
    """Return the highest write bandwidth of a window."""
    return float(windows(result, drains, seconds).max())


def of_share(result: Result, part: int) -> float:
    """Return the write bandwidth than which a percentage of the windows of a peak has less."""
    return float(np.percentile(windows(result, drains=2), part))


def mean_of_windows(result: Result, drains: float = 0, seconds: float = 0) -> float:
    """Return the mean write bandwidth of windows in which something was programmed."""
    return float(windows(result, drains, seconds).mean())


def bandwidth(result: Result) -> float:
    """Return the write bandwidth from the first program to the last."""
    ends = _half(result, "end_ns", HOST)
    return float(len(ends) * config_of(result.folder).hardware.page_bytes / 2**20 / (ends[-1] - ends[0]) * 1e9)


def slc(result: Result) -> float:
    """Return the write bandwidth if every plane of the device programs LSB pages alone."""
    hardware = config_of(result.folder).hardware
    return hardware.planes * hardware.page_bytes / 2**20 / program_s(hardware)


def lsb_row(result: Result, sources: Sequence[str], of_chip: bool) -> int:
    """Return the most LSB pages whose programs began one after the other on the device, or on a chip."""
    order = np.argsort(_half(result, "array_start_ns", sources), kind="stable")
    types = _half(result, "page_type", sources)[order]
    chips = (_half(result, "channel", sources).astype(np.int64) << 32 | _half(result, "chip", sources))[order]
    places = [chips == chip for chip in np.unique(chips)] if of_chip else [slice(None)]
    ends = (np.flatnonzero(np.concatenate(([True], types[place] != 0, [True]))) for place in places)
    return max(int(np.diff(breaks).max()) - 1 for breaks in ends)


def lsb_pages_a_backup(result: Result) -> float:
    """Return how many LSB pages of data are programmed for a backup."""
    types, backups = _programs(result.folder, DATA_SOURCES)["page_type"], _programs(result.folder, ("backup",))
    return float(pc.sum(pc.equal(types, 0)).as_py() / backups.num_rows)


def msb_with_backup(result: Result) -> float:
    """Return the time of a mean MSB program and the backup before it, in LSB programs."""

    def mean_ns(programs: pa.Table) -> float:
        return float(pc.mean(pc.subtract(programs["array_end_ns"], programs["array_start_ns"])).as_py())

    data, backups = _programs(result.folder, DATA_SOURCES), _programs(result.folder, ("backup",))
    slow, fast = (mean_ns(data.filter(pc.equal(data["page_type"], page_type))) for page_type in (1, 0))
    return (slow + mean_ns(backups)) / fast


def aggressors(result: Result, order: str) -> int:
    """Return the most programs beside a full wordline of a block of data of the first chip, under a program order."""
    hardware = config_of(result.folder).hardware
    rule = ProgramOrder(hardware.wordlines, hardware.page_types, order)
    assert result.folder is not None
    return max(max(beside_full(rule, pages)) for pages in _blocks(result.folder))


def beside_full(order: ProgramOrder, sequence: Sequence[int]) -> list[int]:
    """Return for each wordline how many pages beside it are programmed after it is full, in so ordered a block.

    Each of them disturbs all of its cells' bits (flexFTL, 2.1). No page may be in `sequence` twice.
    """
    unprogrammed, counts = [order.types] * order.wordlines, [0] * order.wordlines
    for wordline in map(order.wordline_of, sequence):
        unprogrammed[wordline] -= 1
        for beside in (wordline - 1, wordline + 1):
            if 0 <= beside < order.wordlines and not unprogrammed[beside]:
                counts[beside] += 1
    return counts


def _blocks(folder: Path) -> Iterator[list[int]]:
    """Return the pages of data of each block of the first chip in the order of their programs, from erase to erase."""
    kept = [("channel", "=", 0), ("chip", "=", 0), ("op", "in", ["program", "erase"])]
    columns = ["op", "source", "block", "page", "array_start_ns"]
    table = pq.read_table(folder / "commands.parquet", columns=columns, filters=kept)
    pages: dict[int, list[int]] = {}
    for row in table.sort_by("array_start_ns").to_pylist():
        if row["op"] == "erase":
            yield pages.pop(row["block"], [])
        elif row["source"] != "backup":
            pages.setdefault(row["block"], []).append(row["page"])
    yield from pages.values()


SHARES = (0, *range(5, 101, 5))

MEASURES: Measures = {
    "iops": lambda result: _later(result, "reads", "writes") / _later(result, "window_s"),
    "all_iops": lambda result: _served(result) / result.summary["simulated_s"],
    "busy_iops": busy_iops,
    "erased": lambda result: _later(result, "erases"),
    "all_erased": lambda result: sum(result.summary["flash"]["erases"].values()),
    "programs": lambda result: sum(result.summary["flash"]["programs"].values()),
    "peak": partial(peak, drains=2),
    **{f"peak_{drains}": partial(peak, drains=drains) for drains in (1, 4, 8)},
    "peak_100_ms": partial(peak, seconds=0.1),
    "bandwidth": bandwidth,
    **{f"bandwidth_{part}": partial(of_share, part=part) for part in SHARES},
    "of_windows": partial(mean_of_windows, drains=2),
    "of_100_ms": partial(mean_of_windows, seconds=0.1),
    "slc": slc,
    "row": partial(lsb_row, sources=HOST, of_chip=False),
    "chip_row": partial(lsb_row, sources=HOST, of_chip=True),
    "data_row": partial(lsb_row, sources=DATA_SOURCES, of_chip=False),
    "data_chip_row": partial(lsb_row, sources=DATA_SOURCES, of_chip=True),
    "quota_spent": quota_spent,
    "lsb_pages_a_backup": lsb_pages_a_backup,
    "msb_with_backup": msb_with_backup,
    "pages_for_two": pages_for_two,
    "lost": lambda result: result.summary["power_loss"]["lost_in_flash"],
    "reboot": lambda result: result.summary["power_loss"]["reboot_ms"],
    **{f"aggressors_{order}": partial(aggressors, order=order) for order in ("fps", "rps")},
}


def gain(measure: Measure, base: str, loads: str | Sequence[str] | None = None) -> Numbers:
    """Return by how many percent a measure of flexFTL is above that of `base`."""
    return above(measure(OURS, loads), measure(base, loads))


def saved(measure: Measure, base: str) -> Numbers:
    """Return by how many percent a measure of flexFTL is below that of `base`."""
    return below(measure(OURS), measure(base))


def _by_system(formula: str) -> dict[str, str]:
    return {system: formula.format(f"'{system}'") for system in SYSTEMS}


FIGURES = [
    Figure("Fig. 8a (IOPS): IOPS over pageFTL's", _by_system("over(iops({}), iops(BASE))"), averaged=True),
    Figure(
        "Fig. 8a (gain): IOPS of flexFTL above those of the others, percent",
        {system: f"gain(iops, '{system}')" for system in OTHERS},
        averaged=True,
    ),
    Figure(
        "Fig. 8b (erases): block erasures over pageFTL's", _by_system("over(erased({}), erased(BASE))"), averaged=True
    ),
    Figure(
        "Fig. 8b (reduction): block erasures of flexFTL below those of the others, percent",
        {system: f"saved(erased, '{system}')" for system in OTHERS},
        averaged=True,
    ),
    Figure(
        f"Fig. 8c: write bandwidth of windows under {SHOWN} by the percent that have less, over rtfFTL's peak",
        {
            system: f"over([{', '.join(f'bandwidth_{part}({system!r}, SHOWN)' for part in SHARES)}], peak(RTF, SHOWN))"
            for system in SYSTEMS
        },
        [str(part) for part in SHARES],
        lines=True,
    ),
    Figure("Power loss: acknowledged pages lost in flash", _by_system("lost({}, CUTS, CUT)"), CUTS),
    Figure("Power loss: reboot, ms", _by_system("reboot({}, CUTS, CUT)"), CUTS),
]

PAPER = Paper(globals(), Fraction(1, 8), 8, LOADS, PARTS, overrides, MEASURES, FIGURES)
main = partial(command.main, PAPER)

if __name__ == "__main__":
    sys.exit(main())
