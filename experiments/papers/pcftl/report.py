"""From results to `report.md`, with a CSV file and a picture for each figure."""

import datetime
from collections.abc import Callable, Mapping, Sequence

from ...study.former.claims import HEADER, RULES, Comparison, comparison_table, over_seeds
from ...study.former.report import Output
from ...study.measures import Grid, Measure, dies_busy, mean, ratio, traffic
from ...study.tables import Row, markdown, number, table
from ..spd.measures import WRITE
from ..spd.measures import Grid as SpdGrid
from . import measures, schemes, terms
from .evidence import evidence
from .measures import Grids, collections, response_ms, sdwpp, valid, variation, wasted
from .runs import CACHES, DEFAULT, EXTRA, PAGES, POOLS
from .study import RESULTS, Study
from .systems import BASE, BLOCKS, CMT_KIB, HELD, OURS, SYSTEMS, Setting
from .workloads import VARIATION


def sections(study: Study, out: Output) -> list[str]:
    """Return the sections of the report, in order; those of what was not run are empty."""
    found = [setup(study)]
    if study.loads:
        found += [figure_10(study, out), figure_11(study, out), figure_12(study, out), figure_13(study, out)]
        found += [figure_14(study, out), figure_15(study, out)]
    if study.mapped:
        found.append(figure_23(study.mapped, out))
    return [*found, changed(study, out), whole(study, out), results(study), evidence(study, out)]


def setup(study: Study) -> str:
    """Say what was run under what."""
    blocks, extra = study.device.blocks(DEFAULT), study.device.extra_blocks(DEFAULT, OURS)
    text = (
        "# PCFTL: the paper's experiments, and mapping schemes under SPD\n\n"
        f"Made by `python -m {__package__} --scale {study.scale} --seed {study.seed} --seeds {len(study.seeds)}`. The "
        f"device is the paper's (Table 1) with {blocks} of its {BLOCKS:,} blocks a plane and {extra} extra ones for "
        f"{OURS} ({', '.join(f'{name} {count}' for name, count in HELD.items())} are active ones, which do not scale). "
        "Requests, footprints, write cache and DFTL's cached map are scaled along; pieces of real traces are run "
        f"whole, with those of full size. What the paper leaves open: DFTL caches {CMT_KIB} KiB of its map; a page's "
        "transfer takes Table 1's 25 us whatever its size; with larger pages there are fewer blocks of 64; the search "
        "of the write cache takes no time, but where that is said. The workloads called synthetic have the numbers of "
        "Table 2 and are not the traces of those names; `experiments/papers/pcftl/workloads.py` and `conf/workload/` "
        "say how they were made. Each system's own allocation fills the device.\n\n"
        "The device starts full down to where collection begins, a third of it valid, what is read first, so that "
        "collection runs throughout: of blocks a third of which is valid at random, the lowest few percent hold about "
        "a fifth, as victims do in Fig. 13. The paper does not say what its device holds; this share was settled on by "
        "that figure before anything else was compared.\n\n"
        f"Workloads and devices are drawn anew under each of {len(study.seeds)} seeds. Tables of runs and pictures "
        "show the first; claims of the papers stand beside the mean over all, those that are means of the paper of "
        f"the five synthetic workloads.\n\n{RULES}\n"
    )
    if not study.loads:
        return text
    return text + table([_load(study, name) for name in study.default.workloads]) + "\n" + _unevenness(study)


def _unevenness(study: Study) -> str:
    """Show how uneven planes are under each workload, beside the paper."""
    rows: list[Row] = []
    for name in study.default.workloads:
        for told, grid in (("", study.default), (", places alike", study.further.get("even", Grid({})))):
            if f"{name}/{BASE}" in grid.results:
                shown = {system: grid.value(variation, name, system) for system in SYSTEMS}
                theirs = {f"{system}, paper": 100 * VARIATION[system] for system in SYSTEMS}
                rows.append({"": name + told, **shown, **(theirs if name == "TPC-C" else dict.fromkeys(theirs))})
    return (
        "SDWPP in percent of the pages that the host asks to be written, a plane; the paper gives what this follows "
        "from for TPC-C alone:\n\n" + table(rows) + "\n"
    )


def _load(study: Study, name: str) -> Row:
    summary = study.default.summary(name, BASE)
    busy = {f"dies busy %, {system}": dies_busy(study.default.summary(name, system)) for system in SYSTEMS}
    return {"workload": name, "": study.loads[name].kind, **traffic(summary), **busy}


def _held(study: Study, compare: Callable[[Grids], list[Comparison]]) -> str:
    """Return the table of what `compare` holds against the paper, over all seeds."""
    return comparison_table(over_seeds(map(compare, study.seeds)))


def figure_10(study: Study, out: Output) -> str:
    """Show response time and SDWPP by the size of a page."""
    text = _by_setting(study.grids, {at: at.page_kib for at in PAGES}, "page KiB", "fig10", out)
    return f"## Fig. 10: page size at equal capacity\n\nSDWPP is over {BASE}'s with pages of 2 KiB.\n\n{text}" + _held(
        study, measures.page_comparisons
    )


def figure_11(study: Study, out: Output) -> str:
    """Show response time and SDWPP by the extra blocks."""
    text = _by_setting(study.grids, {at: at.extra for at in EXTRA}, "extra %", "fig11", out)
    rows: list[Row] = [
        {
            "workload": name,
            "": told,
            **_of_systems(study.further[part], name, study.default.value(sdwpp, name, BASE)),
        }
        for told, part in (
            ("all kept free", f"{POOLS[0].name} of 30 %"),
            ("threshold of 3 percent", f"{POOLS[1].name} of 30 %"),
        )
        if part in study.further
        for name in study.further[part].workloads
    ]
    shown = (
        f"## Fig. 11: extra blocks\n\nSDWPP is over {BASE}'s with 3 percent as in Fig. 10. The paper's threshold is "
        "the number of extra blocks (3.5), of which collection works with four fifths (5.3). Were there no others, "
        "none would ever be written, however many there are, and the sweep could show nothing. So here all are there, "
        "free at first, and collection keeps four fifths of them free; the rest comes to hold data.\n\n"
        f"{text}" + _held(study, measures.extra_comparisons)
    )
    if not rows:
        return shown
    return (
        f"{shown}\nWith {EXTRA[-1].extra} percent as the paper may mean it otherwise: only the four fifths are there, "
        "and all are kept free; or they are free at first, and collection keeps as many as with 3 percent:\n\n"
        + out.table("fig11_pools", rows)
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
        + _held(study, lambda grids: measures.collection_comparisons(grids[DEFAULT]))
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
        + _held(study, lambda grids: measures.waste_comparisons(grids[DEFAULT], study.pages))
    )


def figure_14(study: Study, out: Output) -> str:
    """Show the response time by the size of the cache, also with one that takes time to be searched."""
    title = "Fig. 14: response time by the size of the write cache"
    shown = _by_cache(study, response_ms, "fig14", title, out) + _held(study, measures.cache_response_comparisons)
    rows: list[Row] = [
        {"": f"{row['workload']}, {told}", **{at: row.get(at) for at in SIZES}}
        for told, given in terms.cache_grids(study).items()
        if told != terms.AS_ABOVE and CACHES[0] in given
        for row in _cache_rows(given, response_ms)
    ]
    if not rows:
        return shown
    return (
        f"{shown}\nThe same where what the paper leaves open is otherwise: how long the search of the cache takes "
        "(in a smaller cache as many times longer a page), and how soon data is written again:\n\n"
        + out.table("fig14_variants", rows)
    )


def figure_15(study: Study, out: Output) -> str:
    """Show SDWPP by the size of the cache."""
    title = "Fig. 15: SDWPP by the size of the write cache"
    return _by_cache(study, sdwpp, "fig15", title, out) + _held(study, measures.cache_sdwpp_comparisons)


SIZES = [f"{at.cache_mib:g} MiB" for at in CACHES]


def _cache_rows(grids: Grids, measure: Measure) -> list[Row]:
    rows: list[Row] = []
    for workload in grids[CACHES[0]].workloads:
        base = grids[CACHES[0]].value(measure, workload, OURS)
        sizes = {
            f"{at.cache_mib:g} MiB": ratio(grid.value(measure, workload, OURS), base) for at, grid in grids.items()
        }
        rows.append({"workload": workload, **sizes})
    return rows


def _by_cache(study: Study, measure: Measure, name: str, title: str, out: Output) -> str:
    rows = _cache_rows({at: study.grids[at] for at in CACHES}, measure)
    return (
        f"## {title}\n\nOf {OURS}, over that with the smallest.\n\n"
        + out.picture(name, title, rows, by="by_cache")
        + out.table(name, rows)
        + "\n"
    )


def figure_23(grids: Sequence[SpdGrid], out: Output) -> str:
    """Show the write latency of SPD's schemes on three mappings."""
    grid = grids[0]
    rows: list[Row] = [
        {"scheme": scheme, **{mapping: grid.value(WRITE, scheme, mapping) for mapping in schemes.MAPPINGS}}
        for scheme in grid.workloads
    ]
    average: list[object] = ["mean", *(mean(row[mapping] for row in rows) for mapping in schemes.MAPPINGS)]
    pair = (schemes.BASE, schemes.SPD)
    caches: list[Row] = [
        {
            "KiB of cache": kib,
            **{f"{scheme}, ms": grid.value(WRITE, scheme, name) for scheme in pair},
            "SPD above page map, %": schemes.above(grid, name),
            "SPD, map hit %": schemes.hits(grid, name),
        }
        for name, kib in sorted((schemes.CACHES | {schemes.DFTL: CMT_KIB}).items(), key=lambda each: each[1])
    ]
    logs: list[Row] = [
        {
            "log blocks a plane": number(count) if count else "all there is room for",
            **{f"{scheme}, ms": grid.value(WRITE, scheme, name) for scheme in pair},
            "SPD below Baseline-D, %": schemes.saved(grid, name),
            **{f"{scheme}, merges": schemes.costs(grid, scheme, name)["merges"] for scheme in pair},
        }
        for name, count in ({schemes.FAST: 1} | schemes.LOG_BLOCKS).items()
    ]
    costs = [schemes.costs(grid, scheme, mapping) for scheme in pair for mapping in schemes.MAPPINGS]
    return (
        f"## SPD's Fig. 23: write latency under {schemes.NAME} on three mappings\n\n"
        "Milliseconds, without collection, as `experiments.papers.spd` runs it; FAST merges. The paper names neither "
        f"DFTL's cache, here {CMT_KIB} KiB, nor FAST's log blocks, here one a plane.\n\n"
        + out.picture("fig23", f"Write latency under {schemes.NAME} (SPD, Fig. 23)", "ms", rows, by="bars")
        + out.table("fig23", rows, average)
        + "\n"
        + comparison_table(over_seeds(map(schemes.comparisons, grids)))
        + "\nBoth decide the numbers. DFTL by its cache:\n\n"
        + out.table("fig23_caches", caches)
        + "\nFAST by its log blocks:\n\n"
        + out.table("fig23_log_blocks", logs)
        + "\nWhat the mappings need:\n\n"
        + table(costs)
    )


def changed(study: Study, out: Output) -> str:
    """Show what the systems come to on other terms."""
    grids = terms.grids(study) if study.loads else {}
    if not grids:
        return ""
    rows = [terms.row(name, grid) for name, grid in grids.items()]
    return (
        "## One thing changed at a time\n\n"
        f"Percent, means of {', '.join(measures.of_paper(grids[terms.AS_ABOVE]))} at default values, seed "
        f"{study.seed}. As above {OURS} and DLOOP have their whole maps in memory and DFTL {CMT_KIB} KiB of its map; "
        f"{OURS} and DFTL collect in idle time, DLOOP does not; a die has one command at a time.\n\n"
        + out.table("terms", rows)
    )


def whole(study: Study, out: Output) -> str:
    """Show the workload that was run at the paper's size, beside the scaled one."""
    rows: list[Row] = []
    for name in study.whole.workloads:
        for told, grid in (("1", study.whole), (f"{study.scale}", study.default)):
            if f"{name}/{OURS}" not in grid.results:
                continue
            rows.append(
                {
                    "workload": name,
                    "scale": told,
                    **{f"{system} ms": grid.value(response_ms, name, system) for system in SYSTEMS},
                    **{f"{system}, SDWPP %": grid.value(variation, name, system) for system in SYSTEMS},
                    **{f"collections, {system}": grid.value(collections, name, system) for system in SYSTEMS},
                    "valid %": grid.value(valid, name, OURS),
                }
            )
    if not rows:
        return ""
    return f"## At the paper's size\n\nSeed {study.seed}; SDWPP as in the table of workloads.\n\n" + out.table(
        "whole", rows
    )


def results(study: Study) -> str:
    """Return the section that is stored with the project: every claim, and what explains those that we do not meet."""
    held = study.held()
    base, under = terms.claims(study)
    rows = [(*each.row(), _why(each, base, under)) for each in held]
    measured = [each for each in held if each.ours is not None]
    agreeing = len([each for each in measured if each.agrees])
    return (
        f"{RESULTS}\n\n"
        f"`python -m {__package__} --scale {study.scale} --seed {study.seed} --seeds {len(study.seeds)}`: a device and "
        f"workloads of {study.scale} of the paper's size, {len(study.seeds)} seeds, from the tree of "
        f"{datetime.date.today():%Y-%m-%d}. {agreeing} of {len(measured)} numbers agree.\n\n{RULES}\n"
        f"The last column names the runs of seed {study.seed} with one thing changed under which a claim agrees that "
        "else does not, with what it comes to; with default values and all workloads but Fin1 alone, else is "
        "that, too. Where none does, the nearest stands there if it is "
        "nearer by more than half; else a claim that we do not meet is unexplained.\n\n"
        + markdown([*HEADER, "agrees with"], rows)
    )


def _why(each: Comparison, base: Mapping[str, Comparison], under: Mapping[str, Mapping[str, Comparison]]) -> str:
    """Return the runs that explain a claim that we do not meet, or that there are none."""
    if each.agrees or each.ours is None:
        return ""
    alone = base.get(each.what)
    if alone is None or alone.ours is None:
        return "unexplained" if "**" in each.verdict else "-"
    if alone.agrees:
        return f"seed and workloads of the variants, nothing changed ({number(alone.ours)})"
    held = {name: of[each.what] for name, of in under.items() if each.what in of}
    if found := [f"{name} ({number(one.ours)})" for name, one in held.items() if one.agrees]:
        return "; ".join(found)
    away = {name: abs(one.ours - each.paper) for name, one in held.items() if one.ours is not None}
    nearest = min(away, key=lambda name: away[name], default=None)
    if nearest is not None and 2 * away[nearest] < abs(alone.ours - each.paper):
        return f"none; nearest {nearest} ({number(held[nearest].ours)})"
    return "unexplained" if "**" in each.verdict else "-"
