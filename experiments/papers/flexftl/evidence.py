"""What in the runs explains where our numbers and the paper's part."""

from collections.abc import Callable, Iterable

from ...study.claims import Comparison
from ...study.measures import dies_busy, mean, percent, ratio
from ...study.report import Output, parting
from ...study.tables import Row, number
from . import measures, paper
from .measures import Grid
from .runs import LARGER
from .systems import BASE, OTHERS, OURS


def evidence(grid: Grid, larger: Grid, initial: int, held: Iterable[Comparison], out: Output) -> str:
    """Return the section: what of `held` parts, and what the runs show about it."""
    rows = [_row(grid, workload, system) for workload in grid.workloads for system in grid.systems]
    return (
        parting(held, (_programs(grid), _dies(grid), _bursts(grid, initial), _idle(grid)))
        + "\n"
        + out.table("evidence", rows)
        + _sizes(grid, larger, out)
    )


def _row(grid: Grid, workload: str, system: str) -> Row:
    summary = grid.summary(workload, system)
    served, made = summary["requests"], summary["flash"]["programs"]
    return {
        "": f"{workload}, {system}",
        "read ms": served["read"]["response_us"]["mean"] / 1000,
        "write ms": served["write"]["response_us"]["mean"] / 1000,
        "dies busy %": dies_busy(summary),
        "programs of collection %": percent(ratio(made["gc"], sum(made.values()))),
        "of backups %": percent(ratio(made["backup"], sum(made.values()))),
        "pages moved a block": ratio(made["gc"], summary["flash"]["erases"]["gc"]),
    }


def _average(grid: Grid, value: Callable[[str, str], float | None], against: str) -> str:
    return number(mean(value(name, against) for name in grid.workloads), 2)


def _programs(grid: Grid) -> str:
    """Say that erases follow programs."""

    def fewer(name: str, against: str) -> float | None:
        return grid.reduction(measures.programs, name, OURS, against)

    listed = " and ".join(
        f"{_average(grid, fewer, other)} percent fewer pages than {other} (erases: {_average(grid, grid.saved, other)})"
        for other in paper.ERASES_SAVED
    )
    return (
        f"Erases follow programs: flexFTL programs {listed}, average of the workloads. One backup for four pages is a "
        "fifth of all programs and one for two a third, so the paper's 23 and 28 percent on average mean that its "
        "parityFTL moves more, and that its rtfFTL backs up less, than follows from that."
    )


def _dies(grid: Grid) -> str:
    """Say what bounds the workloads that are never idle."""
    busy = [
        f"{name} {', '.join(f'{system} {number(dies_busy(grid.summary(name, system)), 2)}' for system in grid.systems)}"
        for name in paper.AS_PAGE_FTL
        if name in grid.workloads
    ]
    return (
        f"Under workloads that are never idle the dies are the bound (percent of time busy: {'; '.join(busy)}): IOPS "
        "are what collection and backups leave. That takes writes that go past busy chips (`ftl.plane_allocation=f`), "
        "which was settled on after runs with chips in turn had been seen; there two fifths of the dies were idle "
        "behind those that were being collected, and backups cost less. So was the place of parityFTL's parity, its "
        "own chip: at first it went to the next channel, where the pages that needed it waited behind that chip's work."
        if busy
        else ""
    )


def _bursts(grid: Grid, initial: int) -> str:
    """Say what flexFTL gains in bursts."""
    told = []
    for name in (name for name, seconds in grid.idle_s.items() if seconds):
        spent = measures.course(grid.results[f"{name}/{OURS}"], initial)["spent, % of windows"]
        reads = (
            grid.summary(name, system)["requests"]["read"]["response_us"]["mean"] / 1000 for system in (OURS, BASE)
        )
        told.append(
            f"{name}: IOPS {number(grid.rise(name, BASE))} percent above {BASE}'s, q spent at the end of "
            f"{number(spent)} percent of the windows, a read {' and '.join(map(number, reads))} ms with the two"
        )
    return (
        "In a burst the buffer is full, and flexFTL writes LSB pages as long as q lasts; reads gain too, as they wait "
        f"for shorter programs ({'; '.join(told)}). So it is with our Webserver: its few writes come at the speed of "
        "its bursts, and fill the buffer. In the paper, which sees no gain there, they may not; and its smaller gains "
        "elsewhere may be those of bursts that q does not last for, as with ours of four times the length (above)."
        if told
        else ""
    )


def _idle(grid: Grid) -> str:
    """Say how long the host is idle."""
    shares = {
        name: measures.idle_share(grid.summary(name, BASE), seconds) for name, seconds in grid.idle_s.items() if seconds
    }
    listed = ", ".join(f"{name} {number(share)} and {number(10000 / share - 100)}" for name, share in shares.items())
    return (
        "How long the host is idle is ours. If bursts took no time at all, IOPS over all of the time would rise by "
        f"what idle times leave (percent of the time idle under {BASE}, and that rise: {listed}). The paper's largest "
        f"gain over {BASE} is of another measure, or its idle times are shorter."
        if shares
        else ""
    )


def _sizes(grid: Grid, larger: Grid, out: Output) -> str:
    """Show what a device of few blocks does to the comparison."""
    rows: list[Row] = [
        {
            "": f"{name}{size}",
            **{f"IOPS above {other}'s, %": of.rise(name, other) for other in OTHERS},
            **{f"erases below {other}'s, %": of.saved(name, other) for other in OTHERS},
            **{f"moved, {system}": of.value(measures.moved, name, system) for system in grid.systems},
        }
        for name in larger.workloads
        for of, size in ((grid, ""), (larger, f", {LARGER} times the blocks"))
    ]
    if not rows:
        return ""
    return f"\nThe same on a device of {LARGER} times the blocks, to see whether the size matters:\n\n" + out.table(
        "sizes", rows
    )
