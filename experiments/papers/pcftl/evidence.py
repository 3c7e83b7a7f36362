"""What in the runs explains where our numbers and the paper's part."""

from ...study.measures import Grid, Measure, Summary, dies_busy, mean, percent, ratio
from ...study.report import Output, parting
from ...study.tables import Row, number
from . import paper
from .measures import collections, of_paper, response_ms, sdwpp, wasted, wasted_each, written
from .runs import BUSY, CHANNELS, EAGER, EXTRA, IDLE_TOO, PLACED, THROUGH_CONTROLLER, UNCACHED, VARIANTS, WHOLE_MAP
from .study import Study
from .systems import BASE, OURS, RIVAL, SYSTEMS


def evidence(study: Study, out: Output) -> str:
    """Return the section: what parts, and what the runs show about it."""
    if not study.loads:
        return parting(study.held(), [])
    rows = [_row(study.default, name, system) for name in study.default.workloads for system in SYSTEMS]
    return (
        parting(study.held(), (says(study) for says in (_response, _evenness, _collections, _space, _waste)))
        + "\n"
        + out.table("evidence", rows)
        + "\n"
        + _variants(study, out)
    )


def _row(grid: Grid, workload: str, system: str) -> Row:
    summary = grid.summary(workload, system)
    served, mapping = summary["requests"], summary.get("mapping") or {}
    requests = sum(served[op]["count"] for op in ("read", "write"))
    return {
        "": f"{workload}, {system}",
        "read ms": _milliseconds(summary, "read"),
        "write ms": _milliseconds(summary, "write"),
        "dies busy %": dies_busy(summary),
        "map hit %": percent(mapping.get("hit_ratio")),
        "map reads a request": ratio(mapping.get("reads"), requests),
        "map writes a request": ratio(mapping.get("writes"), requests),
        "cache hit %": percent(summary["buffer"]["hit_ratio"]),
        "pages written": int(summary["host_page_writes"]),
        "pages moved a collection": ratio(summary["gc"]["page_moves"], collections(summary)),
        "SDWPP": sdwpp(summary),
    }


def _milliseconds(summary: Summary, op: str) -> float | None:
    of = summary["requests"][op]
    return of["response_us"]["mean"] / 1000 if of["count"] else None


def _variants(study: Study, out: Output) -> str:
    """Show what systems without a part come to."""
    grid = study.default
    rows: list[Row] = []
    for name in grid.workloads:
        for variant in (*SYSTEMS, *study.variants.systems):
            of = grid if variant in SYSTEMS else study.variants
            row: Row = {"": f"{name}, {variant}"}
            for what, measure in (("response", response_ms), ("SDWPP", sdwpp), ("collections", collections)):
                row[f"{what} over {BASE}'s"] = ratio(of.value(measure, name, variant), grid.value(measure, name, BASE))
            rows.append(row)
    return "What the parts of the systems do:\n\n" + out.table("variants", rows)


def _below(study: Study, measure: Measure, variant: str, against: str) -> float | None:
    """Return by how many percent a measure is below that of another system or variant, mean of the paper's."""
    return mean(_below_under(study, name, measure, variant, against) for name in _names(study.default))


def _below_under(study: Study, name: str, measure: Measure, variant: str, against: str) -> float | None:
    ours, theirs = (
        (study.default if each in SYSTEMS else study.variants).value(measure, name, each) for each in (variant, against)
    )
    to = ratio(ours, theirs)
    return None if to is None else 100 * (1 - to)


def _names(grid: Grid) -> list[str]:
    return of_paper(grid) or grid.workloads


def _response(study: Study) -> str:
    """Say what of the response time is whose."""
    below = {name: number(_below(study, response_ms, name, BASE)) for name in (OURS, RIVAL, *VARIANTS)}
    alone = [
        number(mean(study.independent.reduction(response_ms, name, *pair) for name in _names(study.independent)))
        for pair in ((OURS, BASE), (RIVAL, BASE), (OURS, RIVAL))
    ]
    return (
        f"Response time below {BASE}'s, mean of the workloads at default values, percent: {OURS} {below[OURS]}, "
        f"without its cache {below[UNCACHED]}, without collection in idle time {below[BUSY]}, and with pages moved "
        f"through the controller {below[THROUGH_CONTROLLER]}; {RIVAL} {below[RIVAL]}, with {OURS}'s collection in idle "
        f"time {below[IDLE_TOO]}, and with channels before planes {below[CHANNELS]}; {BASE} itself with its whole map "
        f"in memory {below[WHOLE_MAP]}. The paper does not say in which order it numbers planes; we take those of a "
        "die first, so that a request of several pages keeps one die busy, whose planes work together only where "
        "commands can be joined. In the paper's Fig. 7 each plane works by itself; so modelled, for all three, "
        f"{OURS} is {alone[0]} and {RIVAL} {alone[1]} percent below {BASE}, and {OURS} {alone[2]} below {RIVAL}."
    )


def _evenness(study: Study) -> str:
    """Say what makes writes even."""

    def alone(name: str, variant: str) -> str:
        return number(_below_under(study, name, sdwpp, variant, RIVAL))

    listed = ", ".join(f"{each} {alone(each, UNCACHED)} and {alone(each, PLACED)}" for each in study.default.workloads)
    empty = mean(study.empty.reduction(sdwpp, name, OURS, RIVAL) for name in _names(study.empty))
    absorbed = ", ".join(
        f"{name} {number(study.default.reduction(written, name, OURS, RIVAL))}" for name in study.default.workloads
    )
    return (
        f"SDWPP below {RIVAL}'s by the token without the cache, and by the cache without the token, percent: {listed}. "
        f"A popular page stays in the plane where it was put first, under {OURS} as under {RIVAL}: the token evens out "
        "first writes, and the cache what it absorbs. Our synthetic workloads spread first writes evenly over page "
        "numbers, which the traces need not. On a device that at first holds only what is read, so that more first "
        f"writes are new, {OURS} lowers SDWPP by {number(empty)} percent, against "
        f"{number(_below(study, sdwpp, OURS, RIVAL))}. Of the page writes the cache absorbs, percent: {absorbed}. The "
        f"paper's {paper.COLLECTIONS_BELOW_DLOOP} percent fewer collections leave room for about as many."
    )


def _collections(study: Study) -> str:
    """Say what makes the numbers of collections differ."""
    whole = number(_below(study, collections, WHOLE_MAP, BASE))
    more = [number(_negative(_below(study, collections, name, WHOLE_MAP))) for name in (OURS, RIVAL)]
    quiet = number(_below(study, collections, BUSY, OURS))
    eager = number(_negative(_below(study, collections, EAGER, OURS)))
    return (
        f"{BASE} also writes pages of its map, and collects them: with its whole map in memory it collects {whole} "
        f"percent less. {OURS} and {RIVAL} collect {more[0]} and {more[1]} percent more than that, for the pages that "
        f"they waste; without collection in idle time {OURS} collects {quiet} percent less. In idle time it fills up "
        f"its pool. That was settled on after runs in which it also collected all blocks three quarters of which were "
        f"dead ({eager} percent more collections), which Fig. 12 rules out."
    )


def _space(study: Study) -> str:
    """Say what extra blocks are good for."""
    name = "Fin2" if "Fin2" in study.loads else study.default.workloads[0]

    def fewer(grid: Grid) -> str:
        to = (
            ratio(grid.value(of, name, OURS), study.default.value(of, name, OURS)) for of in (response_ms, collections)
        )
        return " and ".join(number(None if each is None else 100 * (1 - each)) for each in to)

    return (
        "A threshold that is the number of extra blocks in the pool (3.5) keeps them free: but for active blocks none "
        f"is ever written, however many there are. Response time and collections of {OURS} under {name} are lowered by "
        f"{fewer(study.grids[EXTRA[-1]])} percent with 30 percent in place of 3; with the threshold of 3 percent, and "
        f"all blocks beyond it free at first, by {fewer(study.threshold)}. The paper's {paper.MORE_SPACE[1]} and "
        f"{paper.MORE_SPACE[2]} need some of them to be written before collection starts."
    )


def _waste(study: Study) -> str:
    """Say how many pages are wasted for each page moved, and what the paper's numbers make of it."""
    grid = study.default
    listed = ", ".join(f"{name} {number(grid.value(wasted_each, name, OURS), 2)}" for name in grid.workloads)
    text = f"Pages wasted for each page moved: {listed}. About every second move finds the wrong parity."
    if "Fin2" not in study.loads:
        return text
    pages = written(grid.summary("Fin2", OURS)) / float(study.scale)
    of_all = ratio(paper.WASTED["Fin2"], grid.value(wasted(study.pages), "Fin2", OURS))
    return (
        f"{text} At that rate the paper's {paper.WASTED['Fin2']} percent under Fin2 are those of "
        f"{number(None if of_all is None else of_all * pages)} page writes; by Table 2 the trace has {number(pages)}. "
        "So the paper's device, which collects from early on under Exchange, has room for most of what Fin2 writes."
    )


def _negative(value: float | None) -> float | None:
    return None if value is None else -value
