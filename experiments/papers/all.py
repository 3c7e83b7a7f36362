"""The systems of all five papers, on one TLC and one MLC device.

Every system has the same flash, write buffer, spare space, precondition and requests:

- Flash: 4 channels of 2 chips, a die of 2 planes each, 128 blocks a plane at scale 1, 48 pages of 4 KiB a block. Times
  are those of PA-SSD's TLC and of flexFTL's MLC; an erase takes as much less as a block has fewer pages than theirs.
- A quarter of the pages is spare; collection begins at ssdsim's own numbers of free blocks, and moves as few pages at a
  time as it can. DFTL's cache is ssdsim's own.
- The write buffer has 1 MiB, its pages leave it as soon as a die is free, and a slot is free once its page is in flash.
  So it is as full as dies are busy, which flexFTL goes by. Which pages leave it first is the system's own; where a
  paper has no buffer they are those written longest ago.
- Before a run come writes until write amplification is steady, and then the load itself, unmeasured (steady_state).
- A load touches as many pages as the host sees, reads and writes together. «random» writes single pages anywhere, 32
  at a time. «mixed» reads 70 percent, by Zipf's law. «bursts» writes anywhere, twice the buffer at a time, eight times
  as fast as in the mean. A real trace is cut, or repeated as often as there is room. «cut» is «random» with a loss of
  power once half of the pages are programmed, and counts for safety alone.
- «mixed», «bursts» and traces come at the mean rate at which reads and programs of single pages keep each die busy half
  of the time, if each page is written 2.5 times, about what greedy collection makes of uniform writes.
- SLC mode is left out, as a third of the capacity is no equal ground.

All this was chosen before these runs, but after others: with half of the blocks active blocks and backups of flexFTL
and rtfFTL took most of the spare space; greedy collection had made 2.5 of uniform writes; with each stack's own time of
leaving the buffer, at once or when it is full, that alone decided what writes take; and with 16 pages of a collection
moved at a time the host's writes stood behind moved pages wherever both share active blocks.

Ratios are to the baseline seed by seed, over loads their geometric mean; of response times only those of a thousand
requests count, and none is over next to nothing. ± is half of the interval at 95 percent over seeds. An entry of the
mapping has 8 bytes, as DFTL's, one a page, or a block of FAST's and at most each spare page. A reboot reads spare areas
and what is to be restored, and writes DFTL's table. Response times of a load with a backlog depend on its length.
"""

import argparse
import shlex
import sys
from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import cache
from inspect import cleandoc
from itertools import product
from os import cpu_count
from pathlib import Path
from typing import Any

import attrs
import numpy as np

from ssdsim.command import PROJECT, failures
from ssdsim.command.compose import composed, session
from ssdsim.command.from_python import spelled
from ssdsim.command.runs import is_finished, run_all
from ssdsim.config import HardwareConfig, SimulationConfig, nearest
from ssdsim.errors import ConfigError
from ssdsim.metrics.result import Result
from ssdsim.report.comparison import Point, compared
from ssdsim.report.text import TextTable, half, number
from ssdsim.workload import WRITE, open_workload

from ..study.command import share
from ..study.formulas import mean
from ..study.trace_files import replayed

BLOCKS, FEWEST_BLOCKS, PAGES, BUFFER_PAGES, WRITTEN, BUSY, FEWEST_REQUESTS = 128, 32, 48, 256, 2.5, 0.5, 1000
PARTS = {"TLC": "pa_ssd", "MLC": "flexftl"}  # by device: the preset whose times it has
COMMON = f"""hardware.channels=4 hardware.chips_per_channel=2 hardware.dies_per_chip=1 hardware.planes_per_die=2
hardware.pages_per_block={PAGES} hardware.page_kib=4 hardware.over_provisioning=0.25
buffer.size_mib={BUFFER_PAGES / 256} buffer.write_back=at_once buffer.slot_free_when=programmed
ftl.gc.moves_in_flight=1 precondition=steady_state"""

BASE, WITHOUT_BUFFER = "baseline", "baseline pa_ssd tbm dloop dftl fast"
WITH_BUFFER = "baseline_d baseline_p twinblk superpage paragc spd spd_plus page_ftl parity_ftl rtf_ftl flex_ftl pcftl"
SYSTEMS = {name: f"stack={name} buffer=lru" for name in WITHOUT_BUFFER.split()}
SYSTEMS |= {name: f"stack={name}" for name in WITH_BUFFER.split()}
TYPES = """ftl.page_order=page_type flash.program_order=relaxed scheduler.page_type_aware=true
ftl.page_type=[queue_depth,utilization] ftl.gc.page_type=[utilization]"""
PARITY = "ftl.backup=block_parity ftl.page_order=two_phase ftl.page_type=[uniform] flash.program_order=rps"
TWINS = "ftl.unit=twin flash.multi_plane=[read,program,erase]"
DIES = "ftl.unit=die flash.multi_plane=[read,program,erase] buffer=epo ftl.gc.background_threshold=null"
MIXES = {  # by name: the parents, of which the first is the stack, and what it has of the other
    "PA-SSD's types under SPD+": ("spd_plus pa_ssd", TYPES),
    "PA-SSD's types on twins": ("twinblk pa_ssd", TYPES),
    "PA-SSD with copy-back": ("pa_ssd dloop", "ftl.gc.moves=copyback"),
    "PA-SSD with tokens": ("pa_ssd pcftl", "ftl.plane_allocation=token"),
    "flexFTL without parity": ("flex_ftl page_ftl", "ftl.backup=none"),
    "flexFTL on twins": ("flex_ftl twinblk", TWINS),
    "flexFTL in die writes": ("flex_ftl spd", DIES),
    "TBM with block parity": ("tbm flex_ftl", PARITY),
    "SPD on DFTL": ("spd dftl", "ftl/mapping=dftl"),
}
ALL = SYSTEMS | {name: f"{SYSTEMS[parents.split()[0]]} {words}" for name, (parents, words) in MIXES.items()}

CUT, CLOSED, FOLDER = "cut", "workload.read_share=0 workload.queue_depth=32", PROJECT.parent / "shared/traces/data"
COLUMNS = "workload.time_unit=100ns workload.columns={arrival:c1,op:c2,offset:c3,size:c4}"
TRACES = {  # by load: the file, and what describes it if it is of no format
    "rsrch_1": f"msr_rsrch_1.full.4col.txt.xz {COLUMNS}",
    "prxy_0": "msr_prxy_0.slice20k.csv.xz",
    "Financial1": "umass_Financial1.rows3-50002.disksim.xz",
    "IOzone": "iozone.msr-ssdmodel.100K.disksim.xz",
}
PERCENTILES = {"mean": "mean", "p99": "p99", "p99_9": "p99.9"}
RATIOS = {f"requests.{op}.response_us.{p}": f"{op}, {PERCENTILES[p]}" for op in ("write", "read") for p in PERCENTILES}
RATIOS |= {"write_amplification": "write amplification", "erases": "erases"}
AMOUNTS = {"unevenness": "uneven wear", "power_loss.lost_in_flash": "lost in flash", "reboot_ms": "reboot, ms"}
AMOUNTS |= {"power_loss.lost_buffered": "lost in the buffer", "mapping_kib": "mapping, KiB"}

Key = tuple[str, str]
"""A device, and a load or a system."""


@cache
def device(name: str, scale: Fraction) -> list[str]:
    """Return the overrides of a device."""
    part = composed([f"hardware={PARTS[name]}"]).hardware
    own = {key: getattr(part, key) for key in ("bits_per_cell", "read_us", "program_us", "bus_ns_per_byte")}
    own |= {"erase_us": part.erase_us * PAGES / part.pages_per_block}
    own |= {"blocks_per_plane": max(round(BLOCKS * scale), FEWEST_BLOCKS)}
    return [*COMMON.split(), *(f"hardware.{key}={spelled(amount)}" for key, amount in own.items())]


def seconds(hardware: HardwareConfig, reads: float, writes: float) -> float:
    """Return the time in which the host reads and writes so many pages of a device that is half busy."""
    work_us = reads * np.mean(hardware.read_us) + writes * WRITTEN * np.mean(hardware.program_us)
    return float(work_us) / 1e6 / hardware.dies / BUSY


def replay(words: list[str], hardware: HardwareConfig) -> list[str]:
    """Return the overrides that replay the first part of a trace, which touches at most the pages of the host."""
    chunks = [*open_workload(composed(words).workload, 2**60, hardware.page_bytes, 0).chunks()]
    arrival, op, first, size = np.hstack([[c.arrival_ns, c.op, c.offset_bytes, c.size_bytes] for c in chunks])
    touched = (first + size - 1) // hardware.page_bytes - first // hardware.page_bytes + 1
    limit = int((touched.cumsum() <= hardware.logical_pages).sum())
    pages, written = (int(kind[:limit].sum()) for kind in (touched, touched * (op == WRITE)))
    speedup = float(arrival[limit - 1] - arrival[0]) / 1e9 / seconds(hardware, pages - written, written)
    repeat = hardware.logical_pages // pages
    return [*words, f"workload.limit={limit}", f"workload.repeat={repeat}", f"workload.speedup={speedup}"]


def loads(name: str, scale: Fraction, folder: Path) -> dict[str, list[str]]:
    """Return the overrides of the loads of a device, by name; those of traces that are in the folder."""
    hardware = composed(device(name, scale)).hardware
    rate, mixed_rate = 1 / seconds(hardware, 0, 1), 1 / seconds(hardware, 0.7, 0.3)
    bursts = f"workload.arrival=bursts workload.burst_requests={2 * BUFFER_PAGES} workload.burst_iops={8 * rate:.6g}"
    drawn = {
        "random": CLOSED,
        "mixed": f"workload.read_share=0.7 workload.pattern=zipf workload.rate_iops={mixed_rate:.6g}",
        "bursts": f"workload.read_share=0 workload.rate_iops={rate:.6g} {bursts}",
        CUT: f"{CLOSED} power_loss.after_programs={hardware.logical_pages // 2}",
    }
    common = ["workload=synthetic", f"workload.requests={hardware.logical_pages}"]
    files = {load: told.split() for load, told in TRACES.items() if (folder / told.split()[0]).is_file()}
    traces = {load: replay([*replayed(folder / file), *words], hardware) for load, (file, *words) in files.items()}
    return {load: [*common, *words.split()] for load, words in drawn.items()} | traces


def completed(result: Result, config: SimulationConfig) -> Result:
    """Add to a summary the numbers that are made of several, and take out response times of too few requests."""
    summary, hardware, mapping = result.summary, config.hardware, config.ftl.mapping
    for served in summary["requests"].values():
        served["response_us"] = served["response_us"] if served["count"] >= FEWEST_REQUESTS else {}
    summary["erases"] = sum(summary["flash"]["erases"].values())
    summary["unevenness"] = summary["wear"]["std"] / summary["wear"]["mean"]
    if loss := summary["power_loss"]:
        summary["reboot_ms"] = loss["scan_ms"] + loss["reboot_ms"] + loss["mapping_ms"]
    spare = hardware.planes * hardware.pages_per_plane - hardware.logical_pages
    entries = {"page": hardware.logical_pages, "fast": hardware.logical_pages // hardware.block_pages + spare}
    summary["mapping_kib"] = entries.get(mapping.scheme, mapping.cache_kib * 128) / 128
    return result


def draw(grids: Mapping[str, np.ndarray], names: Sequence[str], columns: Sequence[str], path: Path) -> None:
    """Draw the mean response times of writes over the baseline's, by device, system and load."""
    import matplotlib as mpl  # an extra
    from matplotlib.figure import Figure

    mpl.rcParams |= {"svg.hashsalt": "all", "svg.fonttype": "none"}  # the same picture is the same file, and small
    figure = Figure((6 * len(grids), 1.5 + 0.27 * len(names)), layout="constrained")
    for axes, (name, grid) in zip(figure.subplots(1, len(grids), squeeze=False)[0], grids.items(), strict=True):
        axes.imshow(np.log2(grid), cmap="RdBu_r", vmin=-2, vmax=2, aspect="auto")
        for (row, column), ratio in np.ndenumerate(grid):
            told, ink = "" if np.isnan(ratio) else f"{ratio:.3g}", "white" if abs(np.log2(ratio)) > 1.3 else "black"
            axes.text(column, row, told, ha="center", va="center", size=8, color=ink)
        axes.set_xticks(range(len(columns)), columns, rotation=20)
        axes.set_yticks(range(len(names)), names)
        axes.set_title(f"{name}: response of writes over the baseline's", size=10)
    figure.savefig(path, metadata={"Date": None})


def best(rows: Sequence[Mapping[str, Any]]) -> str:
    """Return the system with the least mean, its ratio, and how many others have intervals that reach its own."""
    if not rows:
        return "-"
    first = min(rows, key=lambda row: row["mean"])
    others = sum(first["high"] is not None and row["low"] <= first["high"] for row in rows) - 1
    ratio = 1 if first["system"] == BASE else first["ratio"]
    told = f"{first['system']} {number(ratio)}{half(first['ratio_low'], first['ratio_high'])}"
    return f"{told}, or {others} more" if others > 0 else told


def page(folder: Path, points: Mapping[Key, Sequence[Point]], refused: Mapping[Key, str]) -> str:
    """Return the page of all results, whose points are by device and load, and draw its picture."""
    every = [(*key, row) for key, means in points.items() for row in compared(means, [*RATIOS, *AMOUNTS], BASE)]
    rows = {(on, load, row["system"], row["field"]): row for on, load, row in every}
    timed = list(dict.fromkeys(load for _, load in points if load != CUT))
    names = [name for name in ALL if any(key[1] == name for key in refused) or any(key[2] == name for key in rows)]

    def ratios(on: str, name: str, field: str) -> list[float]:
        of_loads = [rows.get((on, load, name, field), {"ratio": None})["ratio"] for load in timed]
        return [1.0 if name == BASE else known or np.nan for known in of_loads]

    def cells(on: str, name: str) -> list[str]:
        own = {key: row for key, row in rows.items() if key[::2] == (on, name)}
        means = [np.exp(mean(np.log(ratios(on, name, field)))) for field in RATIOS]
        means += [mean([row["mean"] for key, row in own.items() if key[3] == field]) for field in AMOUNTS]
        late = dict.fromkeys(key[1] for key, row in own.items() if "backlog" in row["validity"])
        against = [*([f"backlog: {', '.join(late)}"] if late else []), *filter(None, [refused.get((on, name))])]
        return ["-" if np.isnan(amount) else number(amount) for amount in means] + ["; ".join(against)]

    grids = {on: np.array([ratios(on, name, next(iter(RATIOS))) for name in names]) for on in PARTS}
    draw(grids, names, timed, folder / "report.svg")
    wins, header = TextTable("device", "load", *RATIOS.values()), [*RATIOS.values(), *AMOUNTS.values(), "against it"]
    for on, load in product(PARTS, timed):
        keys = [[(on, load, name, field) for name in SYSTEMS] for field in RATIOS]
        wins.add_row(on, load, *(best([rows[key] for key in of_field if key in rows]) for of_field in keys))
    systems, mixes = (TextTable("device", "system", *header) for _ in range(2))
    for on, name in product(PARTS, names):
        if name in SYSTEMS:
            systems.add_row(on, name, *cells(on, name))
        for shown in (name, *MIXES[name][0].split()) if name in MIXES else ():
            mixes.add_row(on, f"**{shown}**" if shown == name else shown, *cells(on, shown))
    about, picture = cleandoc(str(__doc__)).replace(".", "", 1), "![Mean response times of writes](report.svg)"
    parts = [f"# {about}", "## Who wins where", wins.markdown(), picture, "## Systems", systems.markdown()]
    return "\n\n".join([*parts, "## Mixes and their parents", mixes.markdown()])


def main(arguments: Sequence[str] | None = None) -> int:
    """Return 0, 1 if a run failed, 2 if something given cannot be used, 128 + a signal if stopped."""
    about = str(__doc__).partition("\n")[0]
    parser = argparse.ArgumentParser(prog="python -m experiments.papers.all", description=about)
    parser.add_argument("--folder", type=Path, default=Path("results/all"), help="of runs and page (%(default)s)")
    parser.add_argument("--scale", type=share, default=Fraction(1), help="of devices and volumes (%(default)s)")
    parser.add_argument("--only", default=",".join(ALL), help="the baseline and these systems, as tbm,spd")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seeds", type=int, default=3, help="from --seed on (%(default)s)")
    parser.add_argument("--traces", type=Path, default=FOLDER, help="the folder of real traces (%(default)s)")
    parser.add_argument("--jobs", type=int, default=cpu_count() or 1, help="runs at a time (default: all cores)")
    parser.add_argument("--list", action="store_true", help="print a command for each unfinished run, and run nothing")
    options = parser.parse_args(arguments)
    return failures.guarded(lambda: _run(options), "Interrupted; the same command goes on from here.")


def _run(options: argparse.Namespace) -> int:
    """Run everything and write the page, or list the commands of the runs."""
    only, folder = options.only.split(","), options.folder / "runs"
    if unknown := [name for name in only if name not in ALL]:
        raise ConfigError(f"--only {unknown[0]}: there is no such system{nearest(unknown[0], ALL)}.")
    if options.scale <= 0:
        raise ConfigError(f"--scale {options.scale}: take a number above 0, such as 1/2 or 16.")
    runs, refused, points = dict[str, SimulationConfig](), dict[Key, str](), dict[Key, dict[str, Point]]()
    with session():
        of_loads = [(on, *load) for on in PARTS for load in loads(on, options.scale, options.traces).items()]
        for (on, load, words), name in product(of_loads, [name for name in ALL if name in (BASE, *only)]):
            told = [*ALL[name].split(), *device(on, options.scale), *words]
            try:
                config = composed(told)
            except ConfigError as error:
                where = "under a cut" if load == CUT else "on this device"
                refused.setdefault((on, name), f"not {where}: {error}".partition(";")[0])
                continue
            for seed in range(options.seed, options.seed + options.seeds):
                runs[place := f"{on}/{load}/{name}/seed {seed}"] = attrs.evolve(config, seed=seed)
                if options.list and not is_finished(runs[place], folder / place):
                    last = [f"seed={seed}", "overwrite=true", "plot=false", f"hydra.run.dir={spelled(folder / place)}"]
                    print(shlex.join(["python", "-m", "experiments", *told, *last]))
    if options.list:
        return 0
    for place, result in run_all(runs, folder, options.jobs).items():
        on, load, name, _ = place.split("/")
        point = points.setdefault((on, load), {}).setdefault(name, Point({"system": name}, []))
        point.runs.append(completed(result, runs[place]))
    text = page(options.folder, {key: [*systems.values()] for key, systems in points.items()}, refused)
    (options.folder / "report.md").write_text(text, encoding="utf-8")
    print(options.folder / "report.md")
    return 0


if __name__ == "__main__":
    sys.exit(main())
