"""The sections of the report beside the claims: tables and pictures of the figures, with a CSV file each."""

from collections.abc import Callable, Iterable, Mapping

from ssdsim.report.markdown import Row, table

from ...study.measures import Grid, Measure, dies_busy, ratio, traffic
from ...study.report import Report
from ...study.study import NotRunError
from .measures import collections, grid, response_ms, sdwpp, valid, variation, wasted
from .parts import PIECES
from .systems import (
    BASE,
    BLOCKS,
    CACHES,
    CMT_KIB,
    DEFAULT,
    EXTRA,
    HELD,
    OURS,
    PAGES,
    SEARCH_NS,
    SYSTEMS,
    WHOLE,
    Device,
    Setting,
)


def sections(report: Report) -> Iterable[str]:
    """Return the sections of the report, in order; those of what was not run are empty."""
    made: list[Callable[[Report], str]] = [
        figure_10,
        figure_11,
        figure_12,
        figure_13,
        figure_14,
        figure_15,
        real,
        whole,
    ]
    return [setup(report), *(known(section, report) for section in made)]


def known(section: Callable[[Report], str], report: Report) -> str:
    """Return a section, empty if what it shows was not run."""
    try:
        return section(report)
    except NotRunError:
        return ""


def setup(report: Report) -> str:
    """Describe the device, the workloads and the seeds."""
    given = report.options
    device = Device(given.scale, given.seed)
    active = ", ".join(f"{name} {count}" for name, count in HELD.items())
    return (
        "# PCFTL: the paper's experiments\n\n"
        f"Made by `python -m {__package__} --scale {given.scale} --seed {given.seed} --seeds {given.seeds}`. "
        f"The device is the paper's (Table 1) with {device.blocks(Setting())} of "
        f"its {BLOCKS:,} blocks a plane and {device.extra_blocks(Setting(), OURS)} extra ones for {OURS} (of these "
        f"active, whatever the scale: {active}). Requests, footprints, write cache and DFTL's cached map of "
        f"{CMT_KIB:,} KiB are scaled along. Each plane works by itself, and none is collected in "
        "idle time; a write waits for the collection that it causes; the search of the write cache takes "
        f"{SEARCH_NS} ns a page; a transfer takes 25 us (Table 1) whatever the page, of which there "
        "are always 64 a block; 32 GB are four times the blocks.\n\n"
        "The device starts full down to where collection begins, a third of it valid, what is read first, so that "
        "collection runs throughout. The workloads have the numbers of Table 2 and are not the traces of those names; "
        "`experiments/papers/pcftl/workloads.py` and `conf/workload/` say how they were made. Response times of "
        f"{BASE} under TPC-C with pages of 2 KiB are held against nothing: it cannot carry that load, so that they "
        "grow with the length of the run.\n\n"
        f"Workloads and devices are drawn anew under each of {given.seeds} seeds; tables of runs and pictures show the "
        f"first.\n\n{known(loads, report)}"
    )


def loads(report: Report) -> str:
    """Show the load of the device, and the unevenness of its planes."""
    found = grid(report.first, DEFAULT)
    rows: list[Row] = [
        {
            "workload": name,
            **traffic(found.summary(name, BASE)),
            **{f"dies busy %, {system}": dies_busy(found.summary(name, system)) for system in SYSTEMS},
            **{f"SDWPP %, {system}": found.value(variation, name, system) for system in SYSTEMS},
        }
        for name in found.workloads
    ]
    return table(rows) + "\nSDWPP is of the pages that the host asks to be written, a plane.\n"


def figure_10(report: Report) -> str:
    """Show response time and SDWPP by the size of a page."""
    sizes = {part: setting.page_kib for part, setting in PAGES.items()}
    shown = by_setting(report, sizes, "page KiB", "fig10")
    return f"## Fig. 10: page size at equal capacity\n\nSDWPP is over {BASE}'s with the smallest.\n\n{shown}"


def figure_11(report: Report) -> str:
    """Show response time and SDWPP by the extra blocks."""
    shares = {part: setting.extra for part, setting in EXTRA.items()}
    shown = by_setting(report, shares, "extra %", "fig11")
    return (
        "## Fig. 11: extra blocks\n\nAll are free at first, and collection keeps four fifths of them free; the rest "
        f"comes to hold data. SDWPP is over {BASE}'s with the fewest.\n\n{shown}"
    )


def by_setting(report: Report, settings: Mapping[str, int], key: str, name: str) -> str:
    """Return picture, table and claims of what `settings`, which stand in column `key`, come to."""
    first = grid(report.first, next(iter(settings)))
    rows: list[Row] = [
        {
            "workload": workload,
            key: value,
            **of_systems(grid(report.first, part), workload, first.value(sdwpp, workload, BASE)),
        }
        for workload in first.workloads
        for part, value in settings.items()
    ]
    shown = report.out.table(name, rows) + "\n" + report.table(name)
    return report.out.picture(name, f"Fig. {name[3:]}", key, rows, by="by_setting") + shown


def of_systems(found: Grid, workload: str, base: float | None) -> Row:
    """Return response times, SDWPP over `base`, and collections of all systems."""
    return {
        **{f"response ms, {system}": found.value(response_ms, workload, system) for system in SYSTEMS},
        **{f"SDWPP, {system}": ratio(found.value(sdwpp, workload, system), base) for system in SYSTEMS},
        **{f"collections, {system}": found.value(collections, workload, system) for system in SYSTEMS},
    }


def figure_12(report: Report) -> str:
    """Show the number of collections."""
    found = grid(report.first, DEFAULT)
    rows: list[Row] = [
        {"workload": name, **{system: found.value(collections, name, system) for system in SYSTEMS}}
        for name in found.workloads
    ]
    over = [{"workload": row["workload"], **{name: ratio(row[name], row[BASE]) for name in SYSTEMS}} for row in rows]
    picture = report.out.picture("fig12", f"Collections over {BASE}'s (Fig. 12)", "times", over, by="bars")
    shown = report.out.table("fig12", rows) + "\n" + report.table("fig12")
    return f"## Fig. 12: number of collections\n\n{picture}{shown}"


def figure_13(report: Report) -> str:
    """Show wasted pages and valid pages in victims."""
    found, pages = grid(report.first, DEFAULT, [OURS]), host_pages(report)
    rows: list[Row] = [
        {
            "workload": name,
            "wasted %": found.value(wasted(pages), name, OURS),
            "valid %": found.value(valid, name, OURS),
        }
        for name in found.workloads
    ]
    return (
        f"## Fig. 13: wasted pages, and valid pages in victims\n\nOf {OURS}, in percent of the device's pages "
        f"({pages:,}) and of those of a victim. The share of valid pages that the device starts with was fitted to the "
        "latter.\n\n"
        + report.out.picture("fig13", rows)
        + report.out.table("fig13", rows)
        + "\n"
        + report.table("fig13", "fig8")
    )


def host_pages(report: Report) -> int:
    """Return the pages of the device that the host sees."""
    return Device(report.options.scale).pages(Setting())


def figure_14(report: Report) -> str:
    """Show the response time by the size of the cache."""
    return by_cache(report, response_ms, "fig14", "Fig. 14: response time by the size of the write cache")


def figure_15(report: Report) -> str:
    """Show SDWPP by the size of the cache."""
    return by_cache(report, sdwpp, "fig15", "Fig. 15: SDWPP by the size of the write cache")


def by_cache(report: Report, measure: Measure, name: str, title: str) -> str:
    """Return a section of a measure by the size of the cache."""
    grids = {f"{at.cache_mib:g} MiB": grid(report.first, part, [OURS]) for part, at in CACHES.items()}
    smallest = next(iter(grids.values()))
    rows: list[Row] = [
        {
            "workload": each,
            **{
                size: ratio(found.value(measure, each, OURS), smallest.value(measure, each, OURS))
                for size, found in grids.items()
            },
        }
        for each in smallest.workloads
    ]
    picture = report.out.picture(name, title, rows, by="by_cache")
    shown = report.out.table(name, rows) + "\n" + report.table(name)
    return f"## {title}\n\nOf {OURS}, over that with the smallest.\n\n{picture}{shown}"


def real(report: Report) -> str:
    """Show the pieces of real traces, beside the workloads of these names."""
    rows = [at_size(report, PIECES, name, "") for name in grid(report.first, PIECES).workloads]
    return (
        "## Pieces of real traces\n\nRun whole, with caches of full size: the first 853 seconds of Fin1, and 7,000 "
        "requests of TPC-C at the rate of Table 2. No claim is held against them.\n\n"
        + report.out.table("pieces", rows)
    )


def whole(report: Report) -> str:
    """Show the workload that was run at the paper's size, beside the scaled one."""
    names = grid(report.first, WHOLE).workloads
    scales = ((WHOLE, "1"), (DEFAULT, str(report.options.scale)))
    rows = [at_size(report, part, name, scale) for name in names for part, scale in scales]
    return f"## {' and '.join(names)} at the paper's size\n\n" + report.out.table("whole", rows)


def at_size(report: Report, part: str, name: str, scale: str) -> Row:
    """Return the row of a workload on a device of some size."""
    found = grid(report.first, part)
    return {
        "workload": name,
        **({"scale": scale} if scale else {}),
        **{f"{system} ms": found.value(response_ms, name, system) for system in SYSTEMS},
        **{f"{system}, SDWPP %": found.value(variation, name, system) for system in SYSTEMS},
        **{f"collections, {system}": found.value(collections, name, system) for system in SYSTEMS},
        "valid %": found.value(valid, name, OURS),
    }
