"""From results to `report.md`, with a CSV file and a picture for each figure."""

from collections.abc import Mapping, Sequence
from fractions import Fraction

import attrs

from ssdsim.config import HardwareConfig
from ssdsim.metrics.result import Result

from ...study.former.claims import RULES, over_seeds
from ...study.former.report import Output
from ...study.measures import dies_busy, traffic
from ...study.tables import Row, table
from . import bandwidth, figure8, measures, power_loss
from .bandwidth import Programs
from .evidence import evidence
from .measures import Grid
from .runs import FULL, FULL_VOLUME, SHOWN, VOLUME
from .systems import BASE, DATA, HELD, OTHERS, OURS, SYSTEMS


@attrs.frozen
class Study:
    """Everything that was run."""

    grids: Sequence[Grid]
    """All workloads, a grid a seed."""
    varied: Grid
    """By what was varied, pageFTL and flexFTL alone."""
    full: Grid
    """One workload at the paper's size."""
    power_loss: Mapping[str, Result]
    """Runs named `moment/system`."""
    example: Mapping[str, Result]
    """The same on the device of the paper's example."""
    hardware: HardwareConfig
    scale: Fraction
    seed: int


def sections(study: Study, out: Output) -> list[str]:
    """Return the sections of the report, in order; those of what was not run are empty."""
    grid, varied, initial = study.grids[0], study.varied, measures.initial_quota(study.hardware)
    page_bytes = study.hardware.page_bytes
    recorded = [_recorded(each) for each in study.grids]
    held = [
        *over_seeds(map(measures.iops_comparisons, study.grids)),
        *over_seeds(map(measures.erase_comparisons, study.grids)),
        *over_seeds(measures.bandwidth_comparisons(each, page_bytes) for each in recorded),
        *power_loss.comparisons(study.power_loss, study.example),
    ]
    return [
        setup(study),
        figure8.iops(study.grids, out),
        figure8.erasures(study.grids, out),
        figure8.write_bandwidth(recorded, SHOWN, page_bytes, out),
        figure8.variants(study.grids),
        at_full_size(grid, study.full, study.scale, out),
        quota(grid, initial, out),
        backups(grid, out),
        variations(varied, initial, out),
        power_loss.section(study.power_loss, study.example, out),
        evidence(grid, varied, initial, held, out),
    ]


def _recorded(grid: Grid) -> Mapping[str, Programs]:
    """Return the host's programs of the workload of Fig. 8(c), by system."""
    return {
        name: bandwidth.host_programs(grid.results[f"{SHOWN}/{name}"]) for name in SYSTEMS if SHOWN in grid.workloads
    }


def setup(study: Study) -> str:
    """Say what was run under what."""
    grid = study.grids[0]
    text = (
        "# flexFTL: the paper's experiments\n\n"
        f"Made by `python -m {__package__} --scale {study.scale} --seed {study.seed} --seeds {len(study.grids)}`; "
        "tables and pictures are of the first seed, claims of all. The device is the paper's "
        f"(4.1) with {study.hardware.blocks_per_plane} of its 512 blocks a chip; what it leaves open (erase time, bus, "
        "spare blocks, write buffer) stands in `conf/hardware/flexftl.yaml` and `conf/stack/page_ftl.yaml`. The "
        "workloads are synthetic ones with the ratios of its Table 1; sizes, places, bursts and idle times are ours "
        f"(`conf/workload/`), and the same at any scale. Each writes {VOLUME:g} times the device's pages. At first the "
        f"device holds the workload's data, {DATA:.0%} of its pages, and outdated pages down to where collection "
        "starts. That the host sees no more pages than those was settled on after first runs.\n\n"
        + _held_blocks(study)
        + "The paper does not say how long the host is idle. Sysbench's two workloads, with 'little idle times', are "
        "never. Varmail and Fileserver have 'a fair amount': we take what background collection needs to give back the "
        "quota that a burst takes, a program of an MSB page for each page written. Webserver has 'large idle times': "
        "twice the longest of these. That was settled on before it was run; what other idle times change stands "
        "below. IOPS are requests over all of the time. They and erases are of the second half of what is written."
        "\n\n"
        f"{RULES}\n"
    )
    rows = [_load(grid, name) for name in grid.workloads]
    return text + table(rows)


def _held_blocks(study: Study) -> str:
    """Say what a smaller device is given, if it is one."""
    if study.scale == 1:
        return ""
    listed = ", ".join(f"{name} {count}" for name, count in HELD.items())
    return (
        "A small device has a larger share of its spare blocks held by what does not scale, four free blocks a chip, "
        f"active ones and those for backups (in all, {listed}). So each system is given more blocks, as many as leave "
        "it the share of spare blocks that it has at full size, with the same capacity and quota. This was settled on "
        "after runs without it had been seen, in which rtfFTL above all moved far more pages than on larger devices."
        "\n\n"
    )


def _load(grid: Grid, name: str) -> Row:
    summary = grid.summary(name, BASE)
    wear = [grid.summary(name, system)["wear"]["mean"] for system in SYSTEMS]
    return {
        "workload": name,
        **traffic(summary),
        "idle %": measures.idle_share(summary, grid.idle_s[name]),
        "dies busy %": dies_busy(summary),
        "erases a block, least": min(wear),
        "most": max(wear),
    }


def at_full_size(grid: Grid, full: Grid, scale: Fraction, out: Output) -> str:
    """Show one workload at the paper's size beside the scaled one."""
    rows: list[Row] = [
        {
            "": f"{name}, scale {size}",
            **{f"IOPS above {other}'s, %": of.rise(name, other) for other in OTHERS},
            **{f"erases below {other}'s, %": of.saved(name, other) for other in OTHERS},
            **{f"moved, {system}": of.value(measures.moved, name, system) for system in SYSTEMS},
        }
        for name in full.workloads
        for of, size in ((grid, str(scale)), (full, "1"))
    ]
    if not rows:
        return ""
    return (
        f"## {FULL} at the paper's size\n\n"
        f"Over {FULL_VOLUME:g} times the device's pages, of the first seed; moved are pages for each of the host's.\n\n"
        + out.table("full_size", rows)
    )


def quota(grid: Grid, initial: int, out: Output) -> str:
    """Show q and u of flexFTL over time."""
    results = {name: grid.results[f"{name}/{OURS}"] for name in grid.workloads}
    rows: list[Row] = [{"workload": name, **measures.course(result, initial)} for name, result in results.items()]
    return (
        "## Quota q and buffer utilization u over time\n\n"
        + out.picture("quota", results, initial)
        + "Of flexFTL, at the ends of those windows of the time series in which requests were completed; q in "
        f"multiples of its initial value, {initial:,} pages:\n\n" + out.table("quota", rows)
    )


def backups(grid: Grid, out: Output) -> str:
    """Show the backup pages written for each page of the host."""
    rows: list[Row] = [
        {
            "workload": name,
            **{system: grid.value(measures.backed_up, name, system) for system in SYSTEMS},
            **{f"moved, {system}": grid.value(measures.moved, name, system) for system in SYSTEMS},
        }
        for name in grid.workloads
    ]
    return (
        "## Backup pages and moved pages for each page of the host\n\n"
        "Backups are of moved pages too. Of data pages alone, parityFTL needs one backup for four (two LSB and two "
        "MSB pages), rtfFTL one for two, and flexFTL one for the pages of a block.\n\n" + out.table("backups", rows)
    )


def variations(grid: Grid, initial: int, out: Output) -> str:
    """Show what our choices decide."""
    if not grid.results:
        return ""
    rows: list[Row] = [
        {
            "": name,
            f"idle % under {BASE}": measures.idle_share(grid.summary(name, BASE), grid.idle_s[name]),
            f"IOPS above {BASE}'s, %": grid.rise(name, BASE),
            f"erases below {BASE}'s, %": grid.saved(name, BASE),
            **measures.course(grid.results[f"{name}/{OURS}"], initial),
            "moved": grid.value(measures.moved, name, OURS),
        }
        for name in grid.workloads
    ]
    return (
        "## Other idle times, bursts and shares of data\n\n"
        "What flexFTL gains over pageFTL with idle times and bursts of other lengths, these with idle times in "
        "proportion, and where the working set is another share of the device; q is in multiples of the initial "
        "quota.\n\n" + out.table("varied", rows)
    )
