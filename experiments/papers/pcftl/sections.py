"""The sections of the report beside the claims: tables and pictures of the figures, with a CSV file each."""

from collections.abc import Callable, Iterable, Mapping
from functools import partial

from ssdsim.report.markdown import Row, table

from ...study.measures import Grid, Measure, collections, dies_busy, ratio, traffic
from ...study.report import Report
from ...study.study import NotRunError
from . import systems
from .measures import response_ms, sdwpp, valid, variation, wasted
from .parts import PIECES, WHOLE
from .systems import BASE, BLOCKS, CACHES, DEFAULT, EXTRA, HELD, OURS, PAGES, SEARCH_NS, SYSTEMS, Device, Setting


def sections(report: Report) -> list[str]:
    """Return the sections of the report, in order; those of what was not run are empty."""
    figures = (figure_10, figure_11, figure_12, figure_13)
    by_size = "by the size of the write cache"
    of_cache = (
        partial(by_cache, measure=response_ms, name="fig14", title=f"Fig. 14: response time {by_size}"),
        partial(by_cache, measure=sdwpp, name="fig15", title=f"Fig. 15: SDWPP {by_size}"),
    )
    return [setup(report), *(if_run(section, report) for section in (*figures, *of_cache, real, whole))]


def if_run(section: Callable[[Report], str], report: Report) -> str:
    """Return a section, empty if what it shows was not run."""
    try:
        return section(report)
    except NotRunError:
        return ""


def grid(report: Report, part: str, systems: Iterable[str] = SYSTEMS) -> Grid:
    """Return the results of a setting, or whatever else is run with several systems."""
    return Grid({run: result for system in systems for run, result in report.first[f"{part}, {system}"].items()})


def by_system(label: str, measure: Measure, runs: Grid, workload: str) -> Row:
    """Return a measure of all systems, under columns that are labelled with `{}` in the place of their names."""
    return {label.format(system): runs.value(measure, workload, system) for system in SYSTEMS}


def setup(report: Report) -> str:
    """Describe the device, the workloads and the seeds."""
    device = Device(report.options.scale, report.options.seed)
    active = ", ".join(f"{name} {count}" for name, count in HELD.items())
    return (
        f"{report.heading('PCFTL')}. The device is the paper's (Table 1) with {device.blocks(Setting())} of "
        f"its {BLOCKS:,} blocks a plane and {device.extra_blocks(Setting(), OURS)} extra ones for {OURS} (of these "
        f"active, whatever the scale: {active}). Requests, footprints, write cache and DFTL's cached map of "
        f"{systems.CMT_KIB:,} KiB are scaled along. Each plane works by itself, and none is collected in "
        "idle time; a write waits for the collection that it causes; the search of the write cache takes "
        f"{SEARCH_NS} ns a page; a transfer takes 25 us (Table 1) whatever the page, of which there "
        "are always 64 a block; 32 GB are four times the blocks.\n\n"
        "The device starts full down to where collection begins, a third of it valid, what is read first, so that "
        "collection runs throughout. The workloads have the numbers of Table 2 and are not the traces of those names; "
        "`experiments/papers/pcftl/workloads.py` and `conf/workload/` say how they were made. Response times of "
        f"{BASE} under TPC-C with pages of 2 KiB are held against nothing: it cannot carry that load, so that they "
        "grow with the length of the run.\n\n"
        f"Workloads and devices are drawn anew under each of {report.options.seeds} seeds; tables of runs and pictures "
        f"show the first.\n\n{if_run(load_table, report)}"
    )


def load_table(report: Report) -> str:
    """Show the load of the device, and the unevenness of its planes."""
    runs = grid(report, DEFAULT)
    rows = [
        {
            "workload": name,
            **traffic(runs.summary(name, BASE)),
            **by_system("dies busy %, {}", dies_busy, runs, name),
            **by_system("SDWPP %, {}", variation, runs, name),
        }
        for name in runs.workloads
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
    grids = {part: grid(report, part) for part in settings}
    first = next(iter(grids.values()))
    rows: list[Row] = []
    for workload in first.workloads:
        base = first.value(sdwpp, workload, BASE)
        for part, value in settings.items():
            rows.append(
                {
                    "workload": workload,
                    key: value,
                    **by_system("response ms, {}", response_ms, grids[part], workload),
                    **{f"SDWPP, {name}": ratio(grids[part].value(sdwpp, workload, name), base) for name in SYSTEMS},
                    **by_system("collections, {}", collections, grids[part], workload),
                }
            )
    return report.out.picture(name, f"Fig. {name[3:]}", key, rows, drawer="by_setting") + report.shown(name, rows)


def figure_12(report: Report) -> str:
    """Show the number of collections."""
    runs = grid(report, DEFAULT)
    rows = runs.rows({system: (collections, system) for system in SYSTEMS})
    over = [{"workload": row["workload"], **{name: ratio(row[name], row[BASE]) for name in SYSTEMS}} for row in rows]
    picture = report.out.picture("fig12", f"Collections over {BASE}'s (Fig. 12)", "times", over, drawer="bars")
    return f"## Fig. 12: number of collections\n\n{picture}{report.shown('fig12', rows)}"


def figure_13(report: Report) -> str:
    """Show wasted pages and valid pages in victims."""
    runs, pages = grid(report, DEFAULT, [OURS]), Device(report.options.scale).pages(Setting())
    rows = runs.rows({"wasted %": (wasted(pages), OURS), "valid %": (valid, OURS)})
    return (
        f"## Fig. 13: wasted pages, and valid pages in victims\n\nOf {OURS}, in percent of the device's pages "
        f"({pages:,}) and of those of a victim. The share of valid pages that the device starts with was fitted to the "
        f"latter.\n\n{report.out.picture('fig13', rows)}{report.shown('fig13', rows, 'fig13', 'fig8')}"
    )


def by_cache(report: Report, measure: Measure, name: str, title: str) -> str:
    """Return a section of a measure by the size of the cache."""
    grids = {f"{setting.cache_mib:g} MiB": grid(report, part, [OURS]) for part, setting in CACHES.items()}
    smallest = next(iter(grids.values()))
    rows: list[Row] = []
    for workload in smallest.workloads:
        base = smallest.value(measure, workload, OURS)
        sizes = {size: ratio(runs.value(measure, workload, OURS), base) for size, runs in grids.items()}
        rows.append({"workload": workload, **sizes})
    picture = report.out.picture(name, title, rows, drawer="by_cache")
    return f"## {title}\n\nOf {OURS}, over that with the smallest.\n\n{picture}{report.shown(name, rows)}"


def real(report: Report) -> str:
    """Show the pieces of real traces, beside the workloads of these names."""
    rows = [size_row(report, PIECES, name, {}) for name in grid(report, PIECES).workloads]
    return (
        "## Pieces of real traces\n\nRun whole, with caches of full size: the first 853 seconds of Fin1, and 7,000 "
        "requests of TPC-C at the rate of Table 2. No claim is held against them.\n\n"
        + report.out.table("pieces", rows)
    )


def whole(report: Report) -> str:
    """Show the workload that was run at the paper's size, beside the scaled one."""
    names = grid(report, WHOLE).workloads
    scales = ((WHOLE, "1"), (DEFAULT, str(report.options.scale)))
    rows = [size_row(report, part, name, {"scale": scale}) for name in names for part, scale in scales]
    return f"## {' and '.join(names)} at the paper's size\n\n" + report.out.table("whole", rows)


def size_row(report: Report, part: str, name: str, scale: Row) -> Row:
    """Return the row of a workload on a device of some size."""
    runs = grid(report, part)
    return {
        "workload": name,
        **scale,
        **by_system("{} ms", response_ms, runs, name),
        **by_system("{}, SDWPP %", variation, runs, name),
        **by_system("collections, {}", collections, runs, name),
        "valid %": runs.value(valid, name, OURS),
    }
