"""From results to `report.md`, with a CSV file and a picture for each figure."""

from collections.abc import Mapping, Sequence

from ...study.claims import Comparison, comparison_table
from ...study.measures import Grid, Measure, dies_busy, mean, ratio, traffic
from ...study.report import Output
from ...study.tables import Row, number, table
from ..spd.measures import WRITE
from ..spd.measures import Grid as SpdGrid
from . import measures, paper, schemes
from .evidence import evidence
from .measures import Grids, collections, response_ms, sdwpp, valid, wasted
from .runs import CACHES, DEFAULT, EXTRA, PAGES
from .study import Study
from .systems import BASE, BLOCKS, CMT_KIB, HELD, OURS, SYSTEMS, Setting


def sections(study: Study, out: Output) -> list[str]:
    """Return the sections of the report, in order; those of what was not run are empty."""
    found = [setup(study)]
    if study.loads:
        found += [figure_10(study, out), figure_11(study, out), figure_12(study, out), figure_13(study, out)]
        found += [figure_14(study, out), figure_15(study, out)]
    if study.schemes.results:
        found.append(figure_23(study.schemes, out))
    return [*found, evidence(study, out)]


def setup(study: Study) -> str:
    """Say what was run under what."""
    blocks, extra = study.device.blocks(DEFAULT), study.device.extra_blocks(DEFAULT, OURS)
    text = (
        "# PCFTL: the paper's experiments, and mapping schemes under SPD\n\n"
        f"Made by `python -m {__package__} --scale {study.scale} --seed {study.seed}`. The device is the paper's "
        f"(Table 1) with {blocks} of its {BLOCKS:,} blocks a plane and {extra} extra ones for {OURS} "
        f"({', '.join(f'{name} {count}' for name, count in HELD.items())} are active ones, which do not scale). "
        "Requests, footprints, write cache and DFTL's cached map are scaled along; pieces of real traces are run "
        f"whole, with those of full size. What the paper leaves open: DFTL caches {CMT_KIB} KiB of its map; a page's "
        "transfer takes Table 1's 25 us whatever its size; with larger pages there are fewer blocks of 64. The "
        "workloads called synthetic have the numbers of Table 2 and are not the traces of those names; "
        "`experiments/papers/pcftl/workloads.py` and `conf/workload/` say how they were made.\n\n"
        "The device starts full down to where collection begins, a third of it valid, what is read first, so that "
        "collection runs throughout: of blocks a third of which is valid at random, the lowest few percent hold about "
        "a fifth, as victims do in Fig. 13. The paper does not say what its device holds; this share was settled on by "
        "that figure before anything else was compared. Runs in which all extra blocks were free at first have been "
        "seen too: there the short pieces, which write a few blocks a plane, collect little.\n\n"
    )
    if not study.loads:
        return text
    rows = [_load(study, name) for name in study.default.workloads]
    return text + table(rows)


def _load(study: Study, name: str) -> Row:
    summary = study.default.summary(name, BASE)
    busy = {f"dies busy %, {system}": dies_busy(study.default.summary(name, system)) for system in SYSTEMS}
    return {"workload": name, "": study.loads[name].kind, **traffic(summary), **busy}


def figure_10(study: Study, out: Output) -> str:
    """Show response time and SDWPP by the size of a page."""
    text = _by_setting(study.grids, {at: at.page_kib for at in PAGES}, "page KiB", "fig10", out)
    found = measures.falling(study.grids, study.default.workloads)
    return (
        "## Fig. 10: page size at equal capacity\n\n"
        f"SDWPP is over {BASE}'s with pages of 2 KiB.\n\n{text}"
        + comparison_table(measures.page_comparisons(study.grids))
        + f"\nResponse time falls with each larger page in {found[0]} of {found[1]} cases of workload and system (the "
        "paper: in general).\n"
    )


def figure_11(study: Study, out: Output) -> str:
    """Show response time and SDWPP by the extra blocks."""
    text = _by_setting(study.grids, {at: at.extra for at in EXTRA}, "extra %", "fig11", out)
    rows: list[Row] = [
        {"workload": name, **_of_systems(study.threshold, name, study.default.value(sdwpp, name, BASE))}
        for name in study.threshold.workloads
    ]
    return (
        f"## Fig. 11: extra blocks\n\nSDWPP is over {BASE}'s with 3 percent.\n\n{text}"
        + comparison_table(measures.extra_comparisons(study.grids))
        + f"\nWith {EXTRA[-1].extra} percent, free at first, and the threshold of {EXTRA[0].extra} percent:\n\n"
        + out.table("fig11_threshold", rows)
    )


def _by_setting(grids: Grids, settings: Mapping[Setting, float], key: str, name: str, out: Output) -> str:
    """Return picture and table of what `settings`, which stand in column `key`, come to."""
    rows: list[Row] = []
    for workload in grids[DEFAULT].workloads:
        base = grids[DEFAULT].value(sdwpp, workload, BASE)
        for setting, value in settings.items():
            rows.append({"workload": workload, key: value, **_of_systems(grids[setting], workload, base)})
    shown = out.table(name, rows)
    return out.picture(name, f"Fig. {name[3:]}", key, rows, by="by_setting") + shown + "\n"


def _of_systems(grid: Grid, workload: str, base: float | None) -> Row:
    """Return response times, SDWPP over `base`, and collections of all systems."""
    return {
        **{f"response ms, {system}": grid.value(response_ms, workload, system) for system in SYSTEMS},
        **{f"SDWPP, {system}": ratio(grid.value(sdwpp, workload, system), base) for system in SYSTEMS},
        **{f"collections, {system}": grid.value(collections, workload, system) for system in SYSTEMS},
    }


def figure_12(study: Study, out: Output) -> str:
    """Show the number of collections."""
    grid = study.default
    rows = _by_system(grid, collections)
    over = [{"workload": row["workload"], **{name: ratio(row[name], row[BASE]) for name in SYSTEMS}} for row in rows]
    return (
        "## Fig. 12: number of collections\n\n"
        + out.picture("fig12", f"Collections over {BASE}'s (Fig. 12)", "times", over, by="bars")
        + out.table("fig12", rows)
        + "\n"
        + comparison_table(measures.collection_comparisons(grid))
    )


def _by_system(grid: Grid, measure: Measure) -> list[Row]:
    return [
        {"workload": name, **{system: grid.value(measure, name, system) for system in SYSTEMS}}
        for name in grid.workloads
    ]


def figure_13(study: Study, out: Output) -> str:
    """Show wasted pages and valid pages in victims."""
    grid = study.default
    rows: list[Row] = [
        {
            "workload": name,
            "wasted %": grid.value(wasted(study.pages_for(name)), name, OURS),
            "valid %": grid.value(valid, name, OURS),
            "wasted a moved page": grid.value(measures.wasted_each, name, OURS),
        }
        for name in grid.workloads
    ]
    return (
        f"## Fig. 13: wasted pages, and valid pages in victims\n\nOf {OURS}, in percent of the device's pages "
        f"({study.pages:,}; of the whole device's for pieces) and of those of a victim.\n\n"
        + out.picture("fig13", rows)
        + out.table("fig13", rows)
        + "\n"
        + comparison_table(measures.waste_comparisons(grid, study.pages))
    )


def figure_14(study: Study, out: Output) -> str:
    """Show the response time by the size of the cache."""
    theirs = paper.LARGER_CACHE_RESPONSE
    title = "Fig. 14: response time by the size of the write cache"
    held = measures.cache_comparisons(study.grids, response_ms, "response time", theirs)
    return _by_cache(study.grids, response_ms, "fig14", title, held, out)


def figure_15(study: Study, out: Output) -> str:
    """Show SDWPP by the size of the cache."""
    title = "Fig. 15: SDWPP by the size of the write cache"
    held = measures.cache_comparisons(study.grids, sdwpp, "SDWPP", paper.LARGER_CACHE_SDWPP)
    return _by_cache(study.grids, sdwpp, "fig15", title, held, out)


def _by_cache(grids: Grids, measure: Measure, name: str, title: str, held: Sequence[Comparison], out: Output) -> str:
    rows: list[Row] = []
    for workload in grids[DEFAULT].workloads:
        base = grids[CACHES[0]].value(measure, workload, OURS)
        sizes = {f"{at.cache_mib:g} MiB": ratio(grids[at].value(measure, workload, OURS), base) for at in CACHES}
        rows.append({"workload": workload, **sizes})
    return (
        f"## {title}\n\nOf {OURS}, over that with the smallest.\n\n"
        + out.picture(name, title, rows, by="by_cache")
        + out.table(name, rows)
        + "\n"
        + comparison_table(held)
    )


def figure_23(grid: SpdGrid, out: Output) -> str:
    """Show the write latency of SPD's schemes on three mappings."""
    rows: list[Row] = [
        {"scheme": scheme, **{mapping: grid.value(WRITE, scheme, mapping) for mapping in schemes.MAPPINGS}}
        for scheme in grid.workloads
    ]
    costs = [schemes.costs(grid, scheme, mapping) for scheme in (schemes.BASE, schemes.SPD) for mapping in grid.systems]
    logs = ", ".join(
        f"{count or 'all'} log blocks {number(schemes.saved(grid, name))}" for name, count in schemes.LOG_BLOCKS.items()
    )
    sizes = ", ".join(f"{kib} KiB {number(schemes.above(grid, name))}" for name, kib in schemes.CACHES.items())
    average: list[object] = ["mean", *(mean(row[mapping] for row in rows) for mapping in schemes.MAPPINGS)]
    return (
        f"## SPD's Fig. 23: write latency under {schemes.NAME} on three mappings\n\n"
        "Milliseconds, without collection, as `experiments.papers.spd` runs it; FAST merges. The paper names neither "
        f"DFTL's cache, here {CMT_KIB} KiB, nor FAST's log blocks, here one a plane.\n\n"
        + out.picture("fig23", f"Write latency under {schemes.NAME} (SPD, Fig. 23)", "ms", rows, by="bars")
        + out.table("fig23", rows, average)
        + "\n"
        + comparison_table(schemes.comparisons(grid))
        + f"\nWith more log blocks SPD is below Baseline-D by, percent: {logs}. What is saved follows from how often "
        "each merges in the part of the trace that is run (below), and the paper names no number of log blocks. With "
        f"other caches SPD on DFTL is above SPD on the page map by, percent: {sizes}.\n\n"
        "What the mappings need:\n\n" + table(costs)
    )
