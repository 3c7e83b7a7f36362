"""What the paper claims, and SPD's Fig. 23; and what was chosen after results were seen."""

from ...study.claims import Claim

SDWPP_OF_TPCC = {"DFTL": 5083, "DLOOP": 4961, "PCFTL": 661}
"""Section 5.3: SDWPP under TPC-C at 3 percent of extra blocks, in pages: the only one that is not relative."""

WRITES_A_PLANE = 3635 * 120 * 0.354 * 4 / 32
"""The page writes of a plane under TPC-C, by Table 2: requests/s, s, writes, pages of 2 KiB, planes."""

OF_TPCC = {system: 100 * spread / WRITES_A_PLANE for system, spread in SDWPP_OF_TPCC.items()}
"""The same in percent of these."""

HALF = 0.5
"""Slack where nothing else is said: half of the last digit of whole percents. Of 0.1 percent it is 0.05."""

READ = 2.0
"""Slack of what only a figure tells: 2 percent of an axis that ends at about 1."""


def order(name: str, what: str, where: str, unit: str = "%") -> Claim:
    """Return a claim that something is more than something else, told by how much more."""
    return Claim(name, what, 0, where, unit, "more than", 0)


def cases(name: str, what: str, where: str, least: float = 100) -> Claim:
    """Return a claim that something is so in all cases, or in so many percent at least."""
    return Claim(name, what, least, where, rule="at least", slack=0, null=None, counts=True)


FIG_10 = [
    Claim("fig10.pcftl_below_dftl", "response time of PCFTL below DFTL's, mean", 47, "5.2, abstract"),
    Claim("fig10.dloop_below_dftl", "response time of DLOOP below DFTL's, mean", 45, "5.2"),
    order(
        "fig10.always_below_dftl", "the least that PCFTL and DLOOP are below DFTL, of all workloads and pages", "5.2"
    ),
    cases("fig10.falls", "steps to larger pages at which response time falls, of all workloads and systems", "5.2"),
    Claim("fig10.pcftl_below_dloop", "response time of PCFTL below DLOOP's, mean", 2, "5.2"),
    cases("fig10.pcftl_mostly_below_dloop", "cases in which PCFTL is below DLOOP, all but one of 20", "5.2", 95),
    Claim("fig10.pcftl_below_dloop_tpcc", "PCFTL below DLOOP under TPC-C, 2 KiB", -1, "5.2"),
    Claim("fig10.pcftl_below_dftl_fin1", "PCFTL below DFTL under Fin1", 55.1, "5.2", slack=0.05),
    Claim("fig10.pcftl_below_dftl_fin2", "PCFTL below DFTL under Fin2", 24.2, "5.2", slack=0.05),
    Claim("fig10.pcftl_below_dftl_tpcc", "PCFTL below DFTL under TPC-C", 69.5, "5.2", slack=0.05),
    Claim("fig10.dloop_below_dftl_tpcc", "DLOOP below DFTL under TPC-C", 69.6, "5.2", slack=0.05),
    order("fig10.dftl_tpcc_small_pages", "DFTL under TPC-C with larger pages below that with 4 KiB, the least", "5.2"),
    Claim("fig10.sdwpp_below_dftl", "SDWPP of PCFTL below DFTL's, mean", 80, "5.2, abstract"),
    Claim("fig10.sdwpp_below_dloop", "SDWPP of PCFTL below DLOOP's, mean", 74, "5.2, abstract"),
    order(
        "fig10.sdwpp_lowest_fin1", "how much more SDWPP PCFTL saves under Fin1 than under any other", "5.2", " points"
    ),
    *(
        Claim(
            f"fig10.sdwpp_flat_{system.lower()}",
            f"SDWPP of {system} with 16 KiB less that with 2, of DFTL's with 2",
            0,
            "Fig. 10, 5.2",
            slack=READ,
        )
        for system in SDWPP_OF_TPCC
    ),
]

FIG_11 = [
    order(
        "fig11.always_below_dftl",
        "the least that PCFTL and DLOOP are below DFTL, all workloads and extra blocks",
        "5.3",
    ),
    cases("fig11.falls", "steps to more extra blocks at which response time falls, all workloads and systems", "5.3"),
    cases("fig11.collections_fall", "steps to more extra blocks at which collections fall", "5.3"),
    Claim("fig11.fin2_response", "response time of PCFTL under Fin2, 30 percent below 3", 21.4, "5.3", slack=0.05),
    order("fig11.fin2_response_most", "how much more response time falls under Fin2 than elsewhere", "5.3", " points"),
    Claim("fig11.fin2_collections", "collections of PCFTL under Fin2, 30 percent below 3", 26.8, "5.3", slack=0.05),
    order("fig11.fin2_collections_most", "how much more collections fall under Fin2 than elsewhere", "5.3", " points"),
    order(
        "fig11.sdwpp_lowest", "the least that PCFTL's SDWPP is below the others', all workloads, extra blocks", "5.3"
    ),
    Claim("fig11.sdwpp_below_dftl", "SDWPP of PCFTL below DFTL's with 3 percent, mean", 80, "5.3"),
    Claim("fig11.sdwpp_below_dloop", "SDWPP of PCFTL below DLOOP's with 3 percent, mean", 73, "5.3"),
    order("fig11.sdwpp_falls_dftl", "fall of DFTL's SDWPP from 3 to 30 percent, mean", "5.3"),
    order("fig11.sdwpp_falls_dloop", "fall of DLOOP's SDWPP from 3 to 30 percent, mean", "5.3"),
    order("fig11.sdwpp_pcftl_rises", "largest rise of PCFTL's SDWPP at a step to more extra blocks", "5.3"),
    Claim("fig11.tpcc_dftl", "SDWPP of DFTL under TPC-C, of a plane's writes", OF_TPCC["DFTL"], "5.3", slack=0.05),
    Claim("fig11.tpcc_pcftl", "SDWPP of PCFTL under TPC-C, of a plane's writes", OF_TPCC["PCFTL"], "5.3", slack=0.05),
    Claim(
        "fig11.tpcc_dloop",
        "SDWPP of DLOOP under TPC-C, of a plane's writes",
        OF_TPCC["DLOOP"],
        "5.3",
        left_out="the workloads are made by it",
    ),
]

FIG_12 = [
    Claim("fig12.pcftl_above_dftl", "collections of PCFTL above DFTL's, mean", 2.4, "5.4", slack=0.05),
    Claim("fig12.dloop_above_dftl", "collections of DLOOP above DFTL's, mean", 3.7, "5.4", slack=0.05),
    order("fig12.dftl_least", "the least that others collect more than DFTL, of all workloads", "5.4"),
    Claim("fig12.pcftl_below_dloop", "collections of PCFTL below DLOOP's, mean", 1.3, "5.4", slack=0.05),
]

FITTED = "what the device holds at first was fitted to it"
FIG_13 = [
    Claim("fig13.wasted_exchange", "pages wasted under Exchange, of all", 1.18, "5.5", slack=0.005),
    order("fig13.wasted_exchange_most", "how many more pages Exchange wastes than any other", "5.5", " points"),
    Claim("fig13.wasted_fin2", "pages wasted under Fin2, of all", 0.09, "5.5", rule="at most", slack=0.005),
    order("fig13.wasted_fin2_least", "how many more pages any other wastes than Fin2", "5.5", " points"),
    Claim("fig13.valid_fin1", "valid pages in victims under Fin1", 17.7, "5.5", left_out=FITTED),
    Claim("fig13.valid_build", "valid pages in victims under Build", 24.0, "5.5", left_out=FITTED),
    order(
        "fig13.valid_fin1_least", "how many more valid pages victims of any other have than Fin1's", "5.5", " points"
    ),
    order(
        "fig13.valid_build_most", "how many more valid pages Build's victims have than any other's", "5.5", " points"
    ),
]

FIGS_14_AND_15 = [
    Claim("fig14.fin2", "response time under Fin2, 4 MiB below 256 KiB", 12.1, "5.6", slack=0.05),
    order("fig14.fin2_most", "how much more a larger cache saves under Fin2 than elsewhere", "5.6", " points"),
    cases("fig14.falls", "steps to a larger cache at which response time falls, but the two below", "5.6"),
    order("fig14.fin1_slower_with_2_mib", "response time under Fin1, 2 MiB above 1 MiB", "5.6"),
    order("fig14.exchange_slower_with_2_mib", "response time under Exchange, 2 MiB above 1 MiB", "5.6"),
    Claim("fig14.beyond_2_mib", "response time, 4 MiB below 2 MiB, mean", 0, "5.6", rule="at most", slack=READ),
    Claim("fig15.fin1", "SDWPP under Fin1, 4 MiB below 256 KiB", 29, "5.6"),
    Claim("fig15.exchange", "SDWPP under Exchange, 4 MiB below 256 KiB", 27, "5.6"),
    cases("fig15.falls", "steps to a larger cache at which SDWPP falls", "5.6"),
    Claim("fig15.beyond_2_mib", "SDWPP, 4 MiB below 2 MiB, mean", 0, "5.6", rule="at most", slack=READ),
]

SUMS = "a sum of given times, not a result"
TEXT = [
    Claim("text.below_dftl_32_gb", "response time of PCFTL below DFTL's on 32 GB, mean", 57.3, "1", slack=0.05),
    Claim("text.copy_back", "time of a copy-back below that of a move between planes", 30.7, "3.2", left_out=SUMS),
    Claim("text.plane_info", "Plane Info of 256 planes", 2.25, "3.3", " KiB", left_out=SUMS),
    Claim("fig8.never_ending", "pages moved without copy-back", 0, "3.4, Fig. 8", rule="at most", slack=0),
]

FIG_23 = [
    Claim("fig23.spd_dftl_above_page_map", "write latency of SPD, DFTL above page map", 22.47, "SPD, 6.5", slack=0.005),
    Claim(
        "fig23.spd_below_baseline_d_with_fast",
        "write latency with FAST, SPD below Baseline-D",
        23.43,
        "SPD, 6.5",
        slack=0.005,
    ),
    order("fig23.dftl_slower", "the least that the page map is below DFTL, of all schemes", "SPD, 6.5"),
    order("fig23.fast_slower", "the least that DFTL is below FAST, of all schemes", "SPD, 6.5"),
    order("fig23.spd_fastest_with_fast", "the least that SPD is below the others with FAST", "SPD, 6.5"),
]

CLAIMS = [*FIG_10, *FIG_11, *FIG_12, *FIG_13, *FIGS_14_AND_15, *TEXT, *FIG_23]

AFTERWARDS: list[str] = []
