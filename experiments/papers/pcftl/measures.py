"""The PCFTL paper's measures, from the results of the runs, and what the paper says of them."""

import itertools
from collections.abc import Callable, Iterable, Mapping

from ...study.former.claims import Comparison
from ...study.measures import Grid, Measure, Summary, mean, negative, percent, ratio, rise
from . import paper
from .runs import CACHES, DEFAULT, EXTRA, PAGES
from .systems import BASE, OURS, RIVAL, SYSTEMS, Setting
from .workloads import PLANES, TABLE_2, VARIATION, published

Grids = Mapping[Setting, Grid]
NOT_RUN = Grid({})


def response_ms(summary: Summary) -> float | None:
    """Return the mean response time of all requests in milliseconds."""
    served = [summary["requests"][op] for op in ("read", "write")]
    total = sum(of["count"] * of["response_us"]["mean"] for of in served if of["count"])
    return ratio(total / 1000, sum(of["count"] for of in served))


def sdwpp(summary: Summary) -> float | None:
    """Return the standard deviation of page writes a plane."""
    spread: float | None = summary["page_writes_per_plane_std"]
    return spread


def variation(summary: Summary) -> float | None:
    """Return that deviation in percent of the pages that the host asks to be written, a plane."""
    return percent(ratio(sdwpp(summary), summary["requested_page_writes"] / PLANES))


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


def wasted_each(summary: Summary) -> float | None:
    """Return the pages wasted for each page that collection moves."""
    return ratio(summary["wasted_pages"], summary["gc"]["page_moves"])


def not_copied(summary: Summary) -> float | None:
    """Return the percent of the pages that collection moves which go through the controller."""
    moves = summary["gc"]["page_moves"]
    return percent(ratio(moves - summary["flash"]["copybacks"]["gc"], moves))


def of_paper(grid: Grid) -> list[str]:
    """Return those of the workloads that go by the names of Table 2."""
    return [name for name in grid.workloads if name in TABLE_2]


def at(grids: Grids, setting: Setting) -> Grid:
    """Return the runs of a setting, none if there are none."""
    return grids.get(setting, NOT_RUN)


def below(grid: Grid, measure: Measure, system: str, against: str) -> float | None:
    """Return by how many percent a system lowers a measure of another, mean of the paper's workloads."""
    return mean(grid.reduction(measure, name, system, against) for name in of_paper(grid))


def saved(grids: Grids, measure: Measure, names: Iterable[str], pair: tuple[str, str]) -> float | None:
    """Return by how many percent the first of a pair lowers a measure of the second, mean of page sizes, workloads."""
    return mean(at(grids, setting).reduction(measure, name, *pair) for setting in PAGES for name in names)


def change(
    grids: Grids, ends: tuple[Setting, Setting], measure: Measure, name: str, system: str = OURS
) -> float | None:
    """Return by how many percent a measure falls from the first setting to the last."""
    to = ratio(*(at(grids, setting).value(measure, name, system) for setting in reversed(ends)))
    return None if to is None else 100 * (1 - to)


def cases(found: Iterable[bool | None]) -> float | None:
    """Return in how many percent of the cases that are known something is so."""
    return percent(mean(None if each is None else float(each) for each in found))


def always(what: str, found: Iterable[bool | None]) -> Comparison:
    """Hold the share of cases in which something is so against all."""
    return Comparison(f"{what}, cases", cases(found), 100, slack=0, rule="at least")


def falls(values: Iterable[float | None]) -> bool | None:
    """Return whether each value is lower than the one before; None if one is not known."""
    known = [*values]
    if None in known:
        return None
    return all(b < a for a, b in itertools.pairwise(known))  # type: ignore[operator]


def lowest_cases(grid: Grid, measure: Measure, system: str) -> list[bool | None]:
    """Return for each of the paper's workloads and other systems whether this one has less."""
    found = []
    for name in of_paper(grid):
        for other in SYSTEMS:
            if other != system:
                less = grid.reduction(measure, name, system, other)
                found.append(None if less is None else less > 0)
    return found


def exceeding(of: Callable[[str], float | None], name: str, names: Iterable[str]) -> float | None:
    """Return how many other workloads have more of something than `name`; None if that is not known."""
    this, others = of(name), [of(other) for other in names if other != name]
    known = [value for value in others if value is not None]
    return None if this is None or not known else float(sum(value > this for value in known))


def claims(grids: Grids, pages: int) -> list[Comparison]:
    """Return all that the paper says in numbers beside ours of one seed, on a device of so many pages."""
    return [
        *page_comparisons(grids),
        *extra_comparisons(grids),
        *collection_comparisons(at(grids, DEFAULT)),
        *waste_comparisons(at(grids, DEFAULT), pages),
        *cache_response_comparisons(grids),
        *cache_sdwpp_comparisons(grids),
    ]


def page_comparisons(grids: Grids) -> list[Comparison]:
    """Hold Fig. 10 against what the text says of it."""
    default = at(grids, DEFAULT)
    names = of_paper(default)
    held = [
        Comparison(
            f"{system}, response time below {BASE}'s, mean",
            saved(grids, response_ms, names, (system, BASE)),
            paper.RESPONSE_SAVED[system],
        )
        for system in (OURS, RIVAL)
    ]
    for (known, system), theirs in paper.RESPONSE_SAVED_UNDER.items():
        for name in [known, *(each for each in default.workloads if each != known and published(each) == known)]:
            ours = saved(grids, response_ms, [name], (system, BASE))
            held.append(Comparison(f"{system}, response time below {BASE}'s under {name}", ours, theirs))
    faster = [
        None if less is None else less > 0
        for setting in PAGES
        for name in names
        for system in (OURS, RIVAL)
        for less in [at(grids, setting).reduction(response_ms, name, system, BASE)]
    ]
    ours = saved(grids, response_ms, names, (OURS, RIVAL))
    name, theirs = paper.RESPONSE_BELOW_DLOOP_UNDER
    small = default.reduction(response_ms, name, OURS, RIVAL)
    falling = [
        falls(at(grids, setting).value(response_ms, name, system) for setting in PAGES)
        for name in names
        for system in SYSTEMS
    ]
    return [
        *held,
        Comparison(f"{OURS}, response time below {BASE}'s on 32 GB, mean", None, paper.RESPONSE_SAVED_32_GB),
        always(f"{OURS} and {RIVAL} faster than {BASE}, by workload and page", faster),
        Comparison(f"{OURS}, response time below {RIVAL}'s, mean", ours, paper.RESPONSE_BELOW_DLOOP),
        Comparison(f"{OURS}, response time below {RIVAL}'s under {name}, 2 KiB", small, theirs),
        always("response time falls with each larger page, by workload and system", falling),
        *(
            Comparison(f"{OURS}, SDWPP below {other}'s, mean", saved(grids, sdwpp, names, (OURS, other)), theirs)
            for other, theirs in paper.SDWPP_SAVED.items()
        ),
    ]


def extra_comparisons(grids: Grids) -> list[Comparison]:
    """Hold Fig. 11 against what the text says of it."""
    default, ends = at(grids, DEFAULT), (EXTRA[0], EXTRA[-1])
    names = of_paper(default)
    named, response, gcs = paper.MORE_SPACE
    falling = [
        None if saving is None else saving > 0
        for name in names
        for system in SYSTEMS
        for saving in [change(grids, ends, response_ms, name, system)]
    ]
    more = exceeding(lambda name: change(grids, ends, response_ms, name), named, names)
    return [
        *(
            Comparison(f"{OURS}, SDWPP below {other}'s, 3 percent, mean", below(default, sdwpp, OURS, other), theirs)
            for other, theirs in paper.SDWPP_SAVED_BY_DEFAULT.items()
        ),
        *(
            Comparison(
                f"{system}, SDWPP of a plane's page writes under TPC-C",
                default.value(variation, "TPC-C", system),
                100 * theirs,
            )
            for system, theirs in VARIATION.items()
        ),
        always(f"{OURS}'s SDWPP is the lowest, by workload and rival", lowest_cases(default, sdwpp, OURS)),
        *(
            Comparison(
                f"{OURS}, {what} under {named}, 30 percent below 3 percent", change(grids, ends, of, named), theirs
            )
            for what, of, theirs in (("response time", response_ms, response), ("collections", collections, gcs))
        ),
        Comparison(
            f"{OURS}, workloads that gain more by 30 percent than {named}", more, 0, "", slack=0, rule="at most"
        ),
        always("response time is lower with 30 percent than with 3, by workload and system", falling),
    ]


def collection_comparisons(grid: Grid) -> list[Comparison]:
    """Hold Fig. 12 against what the text says of it."""
    return [
        *(
            Comparison(
                f"{system}, collections above {BASE}'s, mean", negative(below(grid, collections, system, BASE)), theirs
            )
            for system, theirs in paper.MORE_COLLECTIONS.items()
        ),
        Comparison(
            f"{OURS}, collections below {RIVAL}'s, mean",
            below(grid, collections, OURS, RIVAL),
            paper.COLLECTIONS_BELOW_DLOOP,
            slack=0.05,
        ),
        always(f"{BASE} collects least, by workload and rival", lowest_cases(grid, collections, BASE)),
    ]


def waste_comparisons(grid: Grid, pages: int) -> list[Comparison]:
    """Hold Fig. 13 against what the text says of it."""

    def of(name: str) -> float | None:
        return grid.value(wasted(pages), name, OURS)

    (worst_workload, highest), (best_workload, lowest) = paper.WASTED.items()
    names = of_paper(grid)
    return [
        Comparison(f"wasted pages under {worst_workload}", of(worst_workload), highest, slack=0.005),
        Comparison(f"wasted pages under {best_workload}", of(best_workload), lowest, slack=0.005, rule="at most"),
        Comparison(
            f"workloads that waste more than {worst_workload}",
            exceeding(of, worst_workload, names),
            0,
            "",
            slack=0,
            rule="at most",
        ),
        *(
            Comparison(f"valid pages in victims under {name}", grid.value(valid, name, OURS), theirs)
            for name, theirs in paper.VALID.items()
        ),
    ]


def cache_response_comparisons(grids: Grids) -> list[Comparison]:
    """Hold Fig. 14 against what the text says of it."""
    ends, names = (CACHES[0], CACHES[-1]), of_paper(at(grids, CACHES[0]))
    (largest,) = paper.LARGER_CACHE_RESPONSE
    more = exceeding(lambda name: change(grids, ends, response_ms, name), largest, names)
    return [
        *_larger_cache(grids, response_ms, "response time", paper.LARGER_CACHE_RESPONSE),
        Comparison(f"workloads that gain more by 4 MiB than {largest}", more, 0, "", slack=0, rule="at most"),
        *(
            Comparison(
                f"response time under {name}, 2 MiB above 1 MiB",
                rise(*(at(grids, setting).value(response_ms, name, OURS) for setting in (DEFAULT, CACHES[2]))),
                0,
                slack=0,
                rule="at least",
            )
            for name in paper.SLOWER_WITH_2_MIB
        ),
    ]


def cache_sdwpp_comparisons(grids: Grids) -> list[Comparison]:
    """Hold Fig. 15 against what the text says of it."""
    return _larger_cache(grids, sdwpp, "SDWPP", paper.LARGER_CACHE_SDWPP)


def _larger_cache(grids: Grids, measure: Measure, what: str, theirs: Mapping[str, float]) -> list[Comparison]:
    run = at(grids, CACHES[0]).workloads
    return [
        Comparison(
            f"{what} under {name}, 4 MiB below 256 KiB", change(grids, (CACHES[0], CACHES[-1]), measure, name), saving
        )
        for known, saving in theirs.items()
        for name in [known, *(each for each in run if each != known and published(each) == known)]
    ]
