"""The PCFTL paper's measures, from the results of the runs, and what the paper says of them."""

import itertools
from collections.abc import Iterable, Mapping

from ...study.claims import Comparison
from ...study.measures import Grid, Measure, Summary, mean, negative, percent, ratio
from . import paper
from .runs import CACHES, DEFAULT, EXTRA, PAGES
from .systems import BASE, OURS, RIVAL, Setting
from .workloads import TABLE_2, published

Grids = Mapping[Setting, Grid]


def response_ms(summary: Summary) -> float | None:
    """Return the mean response time of all requests in milliseconds."""
    served = [summary["requests"][op] for op in ("read", "write")]
    total = sum(of["count"] * of["response_us"]["mean"] for of in served if of["count"])
    return ratio(total / 1000, sum(of["count"] for of in served))


def sdwpp(summary: Summary) -> float | None:
    """Return the standard deviation of page writes a plane."""
    spread: float | None = summary["sdwpp"]
    return spread


def collections(summary: Summary) -> int:
    """Return the number of collections."""
    return int(summary["gc"]["collections"])


def written(summary: Summary) -> int:
    """Return the pages of the host that were written to flash."""
    return int(summary["host_page_writes"])


def valid(summary: Summary) -> float | None:
    """Return the percent of valid pages in victims."""
    return percent(summary["gc"]["victim_valid_share"])


def wasted(pages: int) -> Measure:
    """Return the measure of the pages wasted for parity in percent of the `pages` of the device."""
    return lambda summary: 100 * summary["wasted_pages"] / pages


def of_paper(grid: Grid) -> list[str]:
    """Return those of the workloads that go by the names of Table 2."""
    return [name for name in grid.workloads if name in TABLE_2]


def saved(
    grids: Grids, settings: Iterable[Setting], measure: Measure, names: Iterable[str], pair: tuple[str, str]
) -> float | None:
    """Return by how many percent the first of a pair lowers a measure of the second, mean of settings and workloads."""
    return mean(grids[setting].reduction(measure, name, *pair) for setting in settings for name in names)


def change(grids: Grids, ends: list[Setting], measure: Measure, name: str, system: str = OURS) -> float | None:
    """Return by how many percent a measure falls from the first setting to the last."""
    first, last = (grids[setting].value(measure, name, system) for setting in (ends[0], ends[-1]))
    to = ratio(last, first)
    return None if to is None else 100 * (1 - to)


def page_comparisons(grids: Grids) -> list[Comparison]:
    """Hold Fig. 10 against what the text says of it."""
    names = of_paper(grids[DEFAULT])
    if not names:
        return []
    held = [
        Comparison(
            f"{system}, response time below {BASE}'s, mean",
            saved(grids, PAGES, response_ms, names, (system, BASE)),
            paper.RESPONSE_SAVED[system],
        )
        for system in (OURS, RIVAL)
    ]
    for (known, system), theirs in paper.RESPONSE_SAVED_UNDER.items():
        for name in grids[DEFAULT].workloads:
            if published(name) == known:
                ours = saved(grids, PAGES, response_ms, [name], (system, BASE))
                held.append(Comparison(f"{system}, response time below {BASE}'s under {name}", ours, theirs))
    below = saved(grids, PAGES, response_ms, names, (OURS, RIVAL))
    held.append(Comparison(f"{OURS}, response time below {RIVAL}'s, mean", below, paper.RESPONSE_BELOW_DLOOP))
    return held + [
        Comparison(f"{OURS}, SDWPP below {other}'s, mean", saved(grids, PAGES, sdwpp, names, (OURS, other)), theirs)
        for other, theirs in paper.SDWPP_SAVED.items()
    ]


def falling(grids: Grids, names: Iterable[str]) -> tuple[int, int]:
    """Return in how many cases of system and workload response time falls with each larger page, and of how many."""
    cases = [
        [grids[setting].value(response_ms, name, system) or 0.0 for setting in PAGES]
        for name in names
        for system in grids[DEFAULT].systems
    ]
    return sum(all(b < a for a, b in itertools.pairwise(case)) for case in cases), len(cases)


def extra_comparisons(grids: Grids) -> list[Comparison]:
    """Hold Fig. 11 against what the text says of it."""
    names = of_paper(grids[DEFAULT])
    held = [
        Comparison(
            f"{OURS}, SDWPP below {other}'s with 3 percent, mean",
            saved(grids, [DEFAULT], sdwpp, names, (OURS, other)),
            theirs,
        )
        for other, theirs in paper.SDWPP_SAVED_BY_DEFAULT.items()
        if names
    ]
    name, response, gcs = paper.MORE_SPACE
    if name in names:
        for what, measure, theirs in (("response time", response_ms, response), ("collections", collections, gcs)):
            ours = change(grids, EXTRA, measure, name)
            held.append(Comparison(f"{OURS}, {what} under {name}, 30 percent below 3 percent", ours, theirs))
    return held


def collection_comparisons(grid: Grid) -> list[Comparison]:
    """Hold Fig. 12 against what the text says of it."""
    names = of_paper(grid)
    if not names:
        return []
    held = [
        Comparison(
            f"{system}, collections above {BASE}'s, mean",
            mean(negative(grid.reduction(collections, name, system, BASE)) for name in names),
            theirs,
        )
        for system, theirs in paper.MORE_COLLECTIONS.items()
    ]
    below = mean(grid.reduction(collections, name, OURS, RIVAL) for name in names)
    return [
        *held,
        Comparison(f"{OURS}, collections below {RIVAL}'s, mean", below, paper.COLLECTIONS_BELOW_DLOOP, slack=0.05),
    ]


def waste_comparisons(grid: Grid, pages: int) -> list[Comparison]:
    """Hold Fig. 13 against what the text says of it."""
    held = [
        Comparison(f"wasted pages under {name}", grid.value(wasted(pages), name, OURS), theirs, slack=0.005)
        for name, theirs in paper.WASTED.items()
        if name in grid.workloads
    ]
    return held + [
        Comparison(f"valid pages in victims under {name}", grid.value(valid, name, OURS), theirs)
        for name, theirs in paper.VALID.items()
        if name in grid.workloads
    ]


def cache_comparisons(grids: Grids, measure: Measure, what: str, theirs: Mapping[str, float]) -> list[Comparison]:
    """Hold Fig. 14 or 15 against what the text says of it."""
    return [
        Comparison(f"{what} under {name}, 4 MiB below 256 KiB", change(grids, CACHES, measure, name), saving)
        for known, saving in theirs.items()
        for name in grids[DEFAULT].workloads
        if published(name) == known
    ]


def wasted_each(summary: Summary) -> float | None:
    """Return the pages wasted for each page that collection moves."""
    return ratio(summary["wasted_pages"], summary["gc"]["page_moves"])
