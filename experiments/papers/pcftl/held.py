"""How each claim is measured, by its name."""

from ...study.study import Held
from .measures import (
    NAMES,
    Of,
    above,
    against,
    ahead,
    at,
    average,
    behind,
    carried,
    collections,
    less,
    not_copied,
    of,
    response_ms,
    saved,
    sdwpp,
    share,
    steps,
    valid,
    variation,
    wasted,
)
from .systems import BASE, CACHES, DEFAULT, EXTRA, LARGER, OURS, PAGES, RIVAL, SYSTEMS, WHOLE

SDWPP = of(sdwpp)
COLLECTIONS = of(collections)
FASTER = (OURS, BASE), (RIVAL, BASE)
FEWEST, *_, MOST = EXTRA
SMALLEST, *_, LARGEST = CACHES


def responses(value: Of) -> dict[str, Held]:
    """Return the measures of the claims on response times, which are a `value`."""
    larger = {"text.below_dftl_32_gb": average(against(value, OURS, BASE, LARGER))}
    return by_page(value) | by_extra_blocks(value) | by_cache(value) | larger


def by_page(value: Of) -> dict[str, Held]:
    """Return the measures of the claims on response times by the size of pages."""
    small, large = ([*PAGES][1], BASE), [(part, BASE) for part in [*PAGES][2:]]
    return {
        "fig10.pcftl_below_dftl": average(against(value, OURS, BASE)),
        "fig10.dloop_below_dftl": average(against(value, RIVAL, BASE)),
        "fig10.always_below_dftl": share(held for pair in FASTER for held in against(value, *pair)),
        "fig10.falls": share(held for system in SYSTEMS for held in steps(value, PAGES, system)),
        "fig10.pcftl_below_dloop": average(
            against(value, OURS, RIVAL, [DEFAULT], [name for name in NAMES if name != "TPC-C"])
            + against(value, OURS, RIVAL, [part for part in PAGES if part != DEFAULT])
        ),
        "fig10.pcftl_mostly_below_dloop": share(against(value, OURS, RIVAL)),
        "fig10.pcftl_below_dloop_tpcc": saved(value, (DEFAULT, OURS), (DEFAULT, RIVAL), "TPC-C"),
        "fig10.pcftl_below_dftl_fin1": average(against(value, OURS, BASE, names=["Fin1"])),
        "fig10.pcftl_below_dftl_fin2": average(against(value, OURS, BASE, names=["Fin2"])),
        "fig10.pcftl_below_dftl_tpcc": average(against(value, OURS, BASE, names=["TPC-C"])),
        "fig10.dloop_below_dftl_tpcc": average(against(value, RIVAL, BASE, names=["TPC-C"])),
        "fig10.dftl_tpcc_small_pages": share(saved(value, each, small, "TPC-C") for each in large),
    }


def gain(value: Of, name: str) -> Held:
    """Return the reduction of a value by PCFTL under a workload as a measure, with the most extra blocks."""
    return saved(value, (MOST, OURS), (FEWEST, OURS), name)


def by_extra_blocks(value: Of) -> dict[str, Held]:
    """Return the measures of the claims on response times by extra blocks."""
    return {
        "fig11.always_below_dftl": share(held for pair in FASTER for held in against(value, *pair, EXTRA)),
        "fig11.falls": share(held for system in SYSTEMS for held in steps(value, EXTRA, system)),
        "fig11.fin2_response": gain(value, "Fin2"),
        "fig11.fin2_response_most": share(ahead(lambda name: gain(value, name), "Fin2")),
    }


def larger_cache(value: Of, name: str, start: str = SMALLEST, to: str = LARGEST) -> Held:
    """Return the fall of a value from one size of the write cache to another as a measure."""
    return saved(value, (to, OURS), (start, OURS), name)


def by_cache(value: Of) -> dict[str, Held]:
    """Return the measures of the claims on response times by the size of the write cache."""
    sizes = [*CACHES]
    slower = {name: above(larger_cache(value, name, "cache 1 MiB", "cache 2 MiB")) for name in ("Fin1", "Exchange")}
    falling = [held for name in NAMES for held in steps(value, sizes[:3] if name in slower else sizes, OURS, [name])]
    falling += [larger_cache(value, name, "cache 2 MiB") for name in slower]
    return {
        "fig14.fin2": larger_cache(value, "Fin2"),
        "fig14.fin2_most": share(ahead(lambda name: larger_cache(value, name), "Fin2")),
        "fig14.falls": share(falling),
        **{f"fig14.{name.lower()}_slower_with_2_mib": held for name, held in slower.items()},
        "fig14.beyond_2_mib": average(larger_cache(value, name, "cache 2 MiB") for name in NAMES),
    }


def flat(system: str) -> Held:
    """Return the rise of SDWPP from the smallest pages to the largest as a measure, of DFTL's with the smallest."""
    ends = [average(of_dftl(part, system, name) for name in NAMES) for part in (DEFAULT, [*PAGES][-1])]
    return less(*ends)


def of_dftl(part: str, system: str, name: str) -> Held:
    """Return the reduction of SDWPP from DFTL's with the smallest pages as a measure, as Fig. 10 has it."""
    return saved(SDWPP, (part, system), (DEFAULT, BASE), name)


def spread_by_page() -> dict[str, Held]:
    """Return the measures of the claims on SDWPP by the size of pages."""
    ours_of = {name: average(of_dftl(part, OURS, name) for part in PAGES) for name in NAMES}
    return {
        "fig10.sdwpp_below_dftl": average(against(SDWPP, OURS, BASE)),
        "fig10.sdwpp_below_dloop": average(against(SDWPP, OURS, RIVAL)),
        "fig10.sdwpp_lowest_fin1": share(ahead(ours_of.__getitem__, "Fin1")),
        **{f"fig10.sdwpp_flat_{system.lower()}": flat(system) for system in SYSTEMS},
    }


def spread_by_extra_blocks() -> dict[str, Held]:
    """Return the measures of the claims on SDWPP and collections by extra blocks."""
    rivals = [held for other in (BASE, RIVAL) for held in against(SDWPP, OURS, other, EXTRA)]
    ends = {
        system: average(saved(SDWPP, (MOST, system), (FEWEST, system), name) for name in NAMES) for system in SYSTEMS
    }
    return {
        "fig11.collections_fall": share(held for system in SYSTEMS for held in steps(COLLECTIONS, EXTRA, system)),
        "fig11.fin2_collections": gain(COLLECTIONS, "Fin2"),
        "fig11.fin2_collections_most": share(ahead(lambda name: gain(COLLECTIONS, name), "Fin2")),
        "fig11.sdwpp_lowest": share(rivals),
        "fig11.sdwpp_below_dftl": average(against(SDWPP, OURS, BASE, [DEFAULT])),
        "fig11.sdwpp_below_dloop": average(against(SDWPP, OURS, RIVAL, [DEFAULT])),
        "fig11.sdwpp_falls_dftl": ends[BASE],
        "fig11.sdwpp_falls_dloop": ends[RIVAL],
        "fig11.sdwpp_pcftl_rises": share(above(step) for step in steps(SDWPP, EXTRA, OURS)),
        "fig11.tpcc_dftl": at(of(variation), (WHOLE, BASE), "TPC-C"),
        "fig11.tpcc_pcftl": at(of(variation), (WHOLE, OURS), "TPC-C"),
    }


def spread_by_cache() -> dict[str, Held]:
    """Return the measures of the claims on SDWPP by the size of the write cache."""
    return {
        "fig15.fin1": larger_cache(SDWPP, "Fin1"),
        "fig15.exchange": larger_cache(SDWPP, "Exchange"),
        "fig15.falls": share(steps(SDWPP, CACHES, OURS)),
        "fig15.beyond_2_mib": average(larger_cache(SDWPP, name, "cache 2 MiB") for name in NAMES),
    }


def numbers() -> dict[str, Held]:
    """Return the measures of the claims on the number of collections."""
    more = {system: against(COLLECTIONS, system, BASE, [DEFAULT]) for system in (OURS, RIVAL)}
    return {
        "fig12.pcftl_above_dftl": above(average(more[OURS])),
        "fig12.dloop_above_dftl": above(average(more[RIVAL])),
        "fig12.dftl_least": share(above(held) for of_system in more.values() for held in of_system),
        "fig12.pcftl_below_dloop": average(against(COLLECTIONS, OURS, RIVAL, [DEFAULT])),
    }


def victims(pages: int) -> dict[str, Held]:
    """Return the measures of the claims on victims and wasted pages, on a device of so many pages."""

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


def measures(pages: int) -> dict[str, Held]:
    """Return the measures of the claims, on a device of so many pages."""
    spreads = spread_by_page() | spread_by_extra_blocks() | spread_by_cache()
    return responses(carried(response_ms)) | spreads | numbers() | victims(pages)
