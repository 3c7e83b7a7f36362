"""What in the runs explains where our numbers and the paper's part."""

from collections.abc import Sequence

from ...study.claims import Comparison
from ...study.measures import Measure, Summary, dies_busy, erases, mean, percent, ratio
from ...study.report import Output, parting
from ...study.tables import Row, number
from . import measures
from .measures import PLUS, WRITE, Grid
from .report import CASES, Study
from .systems import BASE, apart

CHANNEL_MS = 0.1024
"""Time of a page on its channel (Table 1)."""


def evidence(study: Study, held: Sequence[Comparison], out: Output) -> str:
    """Return the section: what of `held` parts, what the runs show about it, and how all depends on the load."""
    free = [_free_row(study.free, name) for name in study.free.workloads]
    collecting = [_collecting_row(study.collecting, name) for name in study.collecting.workloads]
    return (
        parting(held, reasons(study))
        + "\nWithout GC:\n\n"
        + out.table("load_without_gc", free)
        + "\nWith GC:\n\n"
        + out.table("load_with_gc", collecting)
        + _speeds(study, out)
    )


def reasons(study: Study) -> list[str]:
    """Return what the numbers of the runs say about the differences, a paragraph each."""
    free, collecting = study.free, study.collecting
    found = [_idle_dies(free), _one_page_more(free), _pairs(free), _reads(free), _victims(collecting)]
    return [each for each in [*found, _partners(collecting), _blocked(collecting), _separation(study)] if each]


def average(grid: Grid, measure: Measure, system: str) -> float | None:
    """Return the mean of a measure over the paper's workloads."""
    return mean(grid.value(measure, name, system) for name in grid.of_paper)


def alone(summary: Summary) -> float | None:
    """Return the percent of page writes that found no other at their die."""
    return percent((summary["multi_plane"]["cases"] or {}).get(CASES[0]))


def longest(summary: Summary) -> float | None:
    """Return the longest response time of a write, in milliseconds."""
    served = summary["requests"]["write"]
    return served["response_us"]["max"] / 1000 if served["count"] else None


def _idle_dies(grid: Grid) -> str:
    busy, single = average(grid, dies_busy, BASE), average(grid, alone, BASE)
    if busy is None or single is None:
        return ""
    return (
        f"At the volumes' own rates the dies are busy {number(busy)} percent of the time without GC, and evictions "
        f"take the dies in turn: {number(single)} percent of {BASE}'s page writes find nothing else at their die. So "
        "there is little for TwinBlk to join, and Figs. 2 and 10 show far less that is unaligned or parallel than the "
        "paper, whose writes must have met at the dies more often. In the last table they do so too, at a multiple of "
        "the rate."
    )


def _one_page_more(grid: Grid) -> str:
    pairs = [(grid.results[f"{name}/{BASE}"], grid.results[f"{name}/SPD"]) for name in grid.of_paper]
    before, after = (mean(measures.taken_at_once(each[at]) for each in pairs) for at in (0, 1))
    if before is None or after is None:
        return ""
    return (
        "What SPD saves without GC where writes do not meet comes from the second page that it evicts, whose room the "
        f"next write finds free: {number(after)} percent of writes do not wait at all, {number(before)} under {BASE}. "
        f"Against that stand {CHANNEL_MS:g} ms more on the channel for each eviction."
    )


def _pairs(grid: Grid) -> str:
    pairs = average(grid, measures.joined, "Baseline-P")
    if pairs is None:
        return ""
    return (
        "Baseline-P evicts to both planes of a die at once, whether or not these stand at the same page: multi-plane "
        f"commands make {number(pairs)} percent of its page writes, and the second page of the others waits for the "
        "first. The paper does not say what it evicts when; there it is at most a little better than Baseline-D."
    )


def _partners(grid: Grid) -> str:
    together = average(grid, lambda of: ratio(erases(of), measures.collections(of)), "ParaGC")
    if together is None:
        return ""
    return (
        f"ParaGC erases {number(together)} blocks a collection, average of the workloads: planes of a die fall below "
        "the threshold at different times, so what it saves depends on how near to it the other plane may be to join "
        "in (`ftl.gc.chip_margin`)."
    )


def _reads(grid: Grid) -> str:
    more = grid.mean_reduction(lambda summary: sum(summary["flash"]["reads"].values()), "SuperPage")
    if more is None:
        return ""
    return (
        "Reads wait only for the command that their die executes. How long that is depends on how many dies are busy "
        "with the same pages, so that SPD and Baseline-P shorten them; SuperPage lengthens them, as it reads "
        f"{number(-more)} percent more pages than Baseline-D for what updates leave out. The paper's hardly differ."
    )


def _victims(grid: Grid) -> str:
    moved = {system: average(grid, moves_a_block, system) for system in (BASE, "TwinBlk", "SuperPage", "SPD")}
    if None in moved.values():
        return ""
    listed = ", ".join(f"{system} {number(moves)}" for system, moves in moved.items())
    return (
        f"Victims are blocks of the warm-up, at random four fifths valid, under all schemes (pages moved a block: "
        f"{listed}, of 256). So a scheme can neither choose much worse than another, as the paper's TwinBlk does, nor "
        "much better, and erases differ far less. TwinBlk moves its pages in rows for most of a collection, so that it "
        "costs about what SPD's costs."
    )


def _blocked(grid: Grid) -> str:
    collection, waited = (average(grid, each, "SPD") for each in (measures.gc_cost_each, measures.blocked_each))
    plus = average(grid, measures.blocked_each, PLUS)
    if collection is None or waited is None or plus is None:
        return ""
    return (
        f"A collection of SPD takes {number(collection)} ms, and writes to its die wait for its end "
        f"(`ftl.gc.holds_writes`): a blocked page write takes {number(waited)} ms under SPD and {number(plus)} under "
        "SPD+, average of the workloads. How many writes come within a collection is up to the rushes of the synthetic "
        "traces, half of their requests: they decide Figs. 13 and 18 to 20. In the paper less of the time is blocked, "
        "and SPD+ saves less of it. That writes wait for the whole of a collection is how Fig. 7 shows it, but it was "
        "settled on after runs without it had been seen: there SPD came nearer to the paper's share of blocked time, "
        "and SPD+ saved nothing."
    )


def _separation(study: Study) -> str:
    grid = study.separated
    together, separate = (average(grid, moves_a_block, system) for system in (BASE, apart(BASE)))
    if together is None or separate is None:
        return ""
    return (
        f"Hot and cold blocks leave {number(separate)} pages to move in a block, {number(together)} without. In the "
        "part of a trace that is run, victims are still the blocks of the warm-up, which were not separated."
    )


def moves_a_block(summary: Summary) -> float | None:
    """Return the pages moved for each block erased."""
    return ratio(summary["gc"]["page_moves"], erases(summary))


def _free_row(grid: Grid, workload: str) -> Row:
    summary = grid.summary(workload, BASE)
    return {
        "workload": workload,
        "dies busy %": dies_busy(summary),
        "queue, most": summary["queue_depth"]["max"],
        "pages written a write": pages_a_write(grid, workload),
        **{
            f"writes taken at once, {system} %": measures.taken_at_once(grid.results[f"{workload}/{system}"])
            for system in (BASE, "SPD")
        },
        "pages more written by SuperPage %": _rise(grid, workload, "SuperPage"),
        "by SPD %": _rise(grid, workload, "SPD"),
    }


def pages_a_write(grid: Grid, workload: str) -> float | None:
    """Return the page writes to flash for each write of the host."""
    summary = grid.summary(workload, BASE)
    return ratio(summary["host_page_writes"], summary["requests"]["write"]["count"])


def _rise(grid: Grid, workload: str, system: str) -> float | None:
    reduced = grid.reduction(lambda summary: summary["flash"]["programs"]["host"], workload, system)
    return None if reduced is None else -reduced


def _collecting_row(grid: Grid, workload: str) -> Row:
    summary = grid.summary(workload, BASE)
    gc = summary["gc"]
    seconds = len(summary["utilization"]["die"]) * summary["simulated_s"]
    return {
        "workload": workload,
        "dies busy %": dies_busy(summary),
        "collection, % of the dies' time": 100 * measures.gc_cost(summary) / seconds,
        "moves a page written": ratio(gc["page_moves"], summary["host_page_writes"]),
        **{
            f"moves a block, {system}": grid.value(moves_a_block, workload, system)
            for system in grid.systems
            if system not in ("Baseline-P", PLUS)
        },
        "blocked page writes %": percent(ratio(gc["blocked_writes"], summary["flash"]["programs"]["host"])),
        **{f"longest write, {system} ms": grid.value(longest, workload, system) for system in (BASE, "SPD", PLUS)},
    }


def _speeds(study: Study, out: Output) -> str:
    grid = study.speeds
    if not grid.results:
        return ""
    rows: list[Row] = [
        {
            "run": name,
            f"{BASE} ms": grid.value(WRITE, name, BASE),
            "queue mean": grid.summary(name, BASE)["queue_depth"]["mean"],
            f"alone, {BASE} %": grid.value(alone, name, BASE),
            **{f"{system} %": grid.reduction(WRITE, name, system) for system in grid.systems if system != BASE},
            "time of blocked page writes, SPD %": grid.value(measures.blocked, name, "SPD"),
        }
        for name in grid.workloads
    ]
    return (
        "\nThe same at multiples of the volumes' rates; nothing else changes. Reductions of the mean write latency of "
        f"{BASE}.\n\n" + out.table("speeds", rows)
    )
