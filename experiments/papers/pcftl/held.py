"""How each claim is measured, by its name."""

from collections.abc import Callable

from ...study.study import Held, Results
from .measures import (
    NAMES,
    Of,
    above,
    against,
    ahead,
    at,
    average,
    behind,
    collections,
    less,
    not_copied,
    of,
    response,
    saved,
    sdwpp,
    share,
    steps,
    valid,
    variation,
    wasted,
)
from .systems import BASE, CACHES, DEFAULT, EXTRA, LARGER, OURS, PAGES, RIVAL, SYSTEMS

SDWPP = of(sdwpp)
COLLECTIONS = of(collections)
FASTER = (OURS, BASE), (RIVAL, BASE)


def flat(value: Of, system: str) -> Held:
    """Return what measures the rise of SDWPP from the smallest pages to the largest, of DFTL's with the smallest."""
    small, large = (DEFAULT, system), ([*PAGES][-1], system)
    return average(
        less(saved(value, small, (DEFAULT, BASE), name), saved(value, large, (DEFAULT, BASE), name)) for name in NAMES
    )


def in_kib(results: Results, part: str, system: str, workload: str) -> float | None:
    """Return SDWPP in KiB in place of pages."""
    pages = SDWPP(results, part, system, workload)
    return None if pages is None else pages * PAGES[part].page_kib


def flats(value: Of) -> dict[str, Held]:
    """Return what measures that SDWPP is flat over the sizes of pages."""
    return {f"fig10.sdwpp_flat_{system.lower()}": flat(value, system) for system in SYSTEMS}


def figure_10() -> dict[str, Held]:
    """Return what measures the claims of Fig. 10, the size of pages."""
    small, large = ([*PAGES][1], BASE), [(part, BASE) for part in [*PAGES][2:]]
    ours_of = {name: average(against(SDWPP, OURS, BASE, names=[name])) for name in NAMES}
    return {
        "fig10.pcftl_below_dftl": average(against(response, OURS, BASE)),
        "fig10.dloop_below_dftl": average(against(response, RIVAL, BASE)),
        "fig10.always_below_dftl": share(held for pair in FASTER for held in against(response, *pair)),
        "fig10.falls": share(held for system in SYSTEMS for held in steps(response, PAGES, system)),
        "fig10.pcftl_below_dloop": average(against(response, OURS, RIVAL)),
        "fig10.pcftl_mostly_below_dloop": share(against(response, OURS, RIVAL)),
        "fig10.pcftl_below_dloop_tpcc": saved(response, (DEFAULT, OURS), (DEFAULT, RIVAL), "TPC-C"),
        "fig10.pcftl_below_dftl_fin1": average(against(response, OURS, BASE, names=["Fin1"])),
        "fig10.pcftl_below_dftl_fin2": average(against(response, OURS, BASE, names=["Fin2"])),
        "fig10.pcftl_below_dftl_tpcc": average(against(response, OURS, BASE, names=["TPC-C"])),
        "fig10.dloop_below_dftl_tpcc": average(against(response, RIVAL, BASE, names=["TPC-C"])),
        "fig10.dftl_tpcc_small_pages": share(saved(response, each, small, "TPC-C") for each in large),
        "fig10.sdwpp_below_dftl": average(against(SDWPP, OURS, BASE)),
        "fig10.sdwpp_below_dloop": average(against(SDWPP, OURS, RIVAL)),
        "fig10.sdwpp_lowest_fin1": share(ahead(ours_of.__getitem__, "Fin1")),
        "text.below_dftl_32_gb": average(against(response, OURS, BASE, LARGER)),
        **flats(SDWPP),
    }


FIRST, *_, LAST = EXTRA


def gains(value: Of) -> Callable[[str], Held]:
    """Return what measures by how much PCFTL lowers a value under a workload, with the most extra blocks."""
    return lambda name: saved(value, (LAST, OURS), (FIRST, OURS), name)


def gaining(value: Of) -> dict[str, Held]:
    """Return what measures PCFTL's gain of response time by extra blocks."""
    return {"fig11.fin2_response": gains(value)("Fin2"), "fig11.fin2_response_most": share(ahead(gains(value), "Fin2"))}


def figure_11() -> dict[str, Held]:
    """Return what measures the claims of Fig. 11, extra blocks."""
    rivals = [held for other in (BASE, RIVAL) for held in against(SDWPP, OURS, other, EXTRA)]
    ends = {
        system: average(saved(SDWPP, (LAST, system), (FIRST, system), name) for name in NAMES) for system in SYSTEMS
    }
    return {
        "fig11.always_below_dftl": share(held for pair in FASTER for held in against(response, *pair, EXTRA)),
        "fig11.falls": share(held for system in SYSTEMS for held in steps(response, EXTRA, system)),
        "fig11.collections_fall": share(held for system in SYSTEMS for held in steps(COLLECTIONS, EXTRA, system)),
        **gaining(response),
        "fig11.fin2_collections": gains(COLLECTIONS)("Fin2"),
        "fig11.fin2_collections_most": share(ahead(gains(COLLECTIONS), "Fin2")),
        "fig11.sdwpp_lowest": share(rivals),
        "fig11.sdwpp_below_dftl": average(against(SDWPP, OURS, BASE, [DEFAULT])),
        "fig11.sdwpp_below_dloop": average(against(SDWPP, OURS, RIVAL, [DEFAULT])),
        "fig11.sdwpp_falls_dftl": ends[BASE],
        "fig11.sdwpp_falls_dloop": ends[RIVAL],
        "fig11.sdwpp_pcftl_rises": share(above(step) for step in steps(SDWPP, EXTRA, OURS)),
        "fig11.tpcc_dftl": at(of(variation), (DEFAULT, BASE), "TPC-C"),
        "fig11.tpcc_pcftl": at(of(variation), (DEFAULT, OURS), "TPC-C"),
    }


def figure_12() -> dict[str, Held]:
    """Return what measures the claims of Fig. 12, collections."""
    more = {system: against(COLLECTIONS, system, BASE, [DEFAULT]) for system in (OURS, RIVAL)}
    return {
        "fig12.pcftl_above_dftl": above(average(more[OURS])),
        "fig12.dloop_above_dftl": above(average(more[RIVAL])),
        "fig12.dftl_least": share(above(held) for of_system in more.values() for held in of_system),
        "fig12.pcftl_below_dloop": average(against(COLLECTIONS, OURS, RIVAL, [DEFAULT])),
    }


def figure_13(pages: int) -> dict[str, Held]:
    """Return what measures the claims of Fig. 13, on a device of so many pages."""

    def wastes(name: str) -> Held:
        return at(of(wasted(pages)), (DEFAULT, OURS), name)

    def of_victim(name: str) -> Held:
        return at(of(valid), (DEFAULT, OURS), name)

    return {
        "fig13.wasted_exchange": wastes("Exchange"),
        "fig13.wasted_exchange_most": share(ahead(wastes, "Exchange")),
        "fig13.wasted_fin2": wastes("Fin2"),
        "fig13.wasted_fin2_least": share(behind(wastes, "Fin2")),
        "fig13.valid_fin1_least": share(behind(of_victim, "Fin1")),
        "fig13.valid_build_most": share(ahead(of_victim, "Build")),
        "fig8.never_ending": average(at(of(not_copied), (DEFAULT, OURS), name) for name in NAMES),
    }


SMALLEST, *_, LARGEST = CACHES


def by_cache(value: Of, name: str, start: str = SMALLEST, to: str = LARGEST) -> Held:
    """Return what measures by how much a value falls from one size of the write cache to another."""
    return saved(value, (to, OURS), (start, OURS), name)


def figures_14_and_15() -> dict[str, Held]:
    """Return what measures the claims of Figs. 14 and 15, the size of the write cache."""
    sizes = [*CACHES]
    slower = {name: above(by_cache(response, name, "cache 1 MiB", "cache 2 MiB")) for name in ("Fin1", "Exchange")}
    falling = [held for name in NAMES for held in steps(response, sizes[:3] if name in slower else sizes, OURS, [name])]
    falling += [by_cache(response, name, "cache 2 MiB") for name in slower]
    return {
        "fig14.fin2": by_cache(response, "Fin2"),
        "fig14.fin2_most": share(ahead(lambda name: by_cache(response, name), "Fin2")),
        "fig14.falls": share(falling),
        **{f"fig14.{name.lower()}_slower_with_2_mib": held for name, held in slower.items()},
        "fig14.beyond_2_mib": average(by_cache(response, name, "cache 2 MiB") for name in NAMES),
        "fig15.fin1": by_cache(SDWPP, "Fin1"),
        "fig15.exchange": by_cache(SDWPP, "Exchange"),
        "fig15.falls": share(steps(SDWPP, sizes, OURS)),
        "fig15.beyond_2_mib": average(by_cache(SDWPP, name, "cache 2 MiB") for name in NAMES),
    }


def measures(pages: int) -> dict[str, Held]:
    """Return what measures the claims, on a device of so many pages."""
    return figure_10() | figure_11() | figure_12() | figure_13(pages) | figures_14_and_15()
