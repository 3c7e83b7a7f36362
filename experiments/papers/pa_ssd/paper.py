"""What the PA-SSD paper says of its results; reductions in percent, of the baseline where nothing else is said."""

from collections.abc import Iterator

from ...study.claims import Claim
from .systems import COMBINED, REORDERED

HEAVY = ("tMSFS", "tBS")
LIGHT = ("tFin", "tRA", "tDAP", "tRBESS", "tDTR", "tExch")
WORKLOADS = (*LIGHT, *HEAVY)

MEAN_PROGRAM_US = (500 + 2000 + 5500) / 3
THRESHOLD = 10
"""Requests in the device queue above which sQD takes LSB pages."""

MOST_PAGES = 8
"""Pages of the largest writes of Fig. 6."""

PAS_REDUCTION = {
    "tFin": (0, 0, 0, 0, 0),
    "tRA": (2, 7, 7, 2, 2),
    "tDAP": (21, 25, 25, 13, 13),
    "tRBESS": (60, 76, 71, 7, 7),
    "tDTR": (40, 47, 33, 9, 30),
    "tExch": (44, 67, 70, 22, 25),
    "tMSFS": (42, 51, 78, 1, 11),
    "tBS": (33, 50, 47, 38, 45),
}
"""Table 3: by how much PAS lowers the writes' response time of each scheme, in the order of `systems.REORDERED`."""

PAS_REDUCTION_AVERAGE = (30, 40, 41, 11, 17)
PAS_SLACK = 1.5
THIRD_ROUND_REDUCTION = {"sLF": 66, "sQD+sU": 79, "sQD+sUB": 93}
"""Section 6.4: of the writes' response time in the third round of tMSFS (Fig. 17)."""


def key(system: str) -> str:
    """Return a system's name as it stands in the name of a claim."""
    return system.replace("+", "_").lower()


def more(name: str, what: str, where: str) -> Claim:
    """Return the claim that one thing is more than another: a difference above 0."""
    return Claim(name, what, 0, where, rule="more than", slack=0)


def _motivation() -> Iterator[Claim]:
    yield Claim("fig1.baseline_slow", "tDAP, slow writes on the baseline", 50, "Fig. 1a, 1", rule="at least", slack=0)
    yield more("fig1.fewer_slow", "tDAP, slow writes, the baseline's less those under sQD+sUB+PAS", "Fig. 1b, 1")
    yield more("fig1.write", "tDAP, write response time, reduction by sQD+sUB+PAS", "Fig. 1c, 1")
    yield more("fig1.read", "tDAP, read response time, reduction by sQD+sUB+PAS", "Fig. 1d, 1")
    for speed in ("fast", "medium", "slow"):
        yield Claim(f"fig6.{speed}_of_one_page", f"writes of a page that are {speed}", 100 / 3, "3")
    for speed, share in (("fast", 1), ("medium", 19), ("slow", 80)):
        yield Claim(f"fig6.{speed}", f"writes of four pages that are {speed}", share, "Fig. 6, 3")
    yield more("fig6.slow_rises", "slow writes, of eight pages less of one", "Fig. 6, 3")
    yield more("fig6.fast_falls", "fast writes, of one page less of eight", "Fig. 6, 3")
    yield more("fig6.medium_falls", "medium writes, of one page less of eight", "Fig. 6, 3")
    yield Claim("fig11.csb_first", "CSB, MSB, LSB in turn, mean response below MSB, CSB, LSB", 16.7, "Fig. 11, 4.4.1")
    yield Claim("fig11.lsb_first", "LSB, CSB, MSB in turn, mean response below MSB, CSB, LSB", 47.6, "Fig. 11, 4.4.1")
    yield Claim("fig11.lsb_or_csb", "LSB, CSB, MSB in turn, mean response below CSB, MSB, LSB", 37.1, "Fig. 11, 4.4.1")
    unsaid = "no number is given"
    yield Claim("unbuffered", "cost of wordlines that are not buffered is negligible", 0, "4.3.1", left_out=unsaid)
    memory = "follows from Table 1 alone, without a run"
    yield Claim("memory", "memory for three numbers of pages a block, KiB", 576, "4.5", unit=" KiB", left_out=memory)
    queues = "no number of a run is the length of a chip's queue"
    yield Claim("queues", "chips' queues of tFin and tRA have one or two in them", 2, "6.2", unit="", left_out=queues)


def _responses() -> Iterator[Claim]:
    where = {"write": "Fig. 13a, 6.1", "read": "Fig. 13b, 6.1"}
    numbers = {
        "write": {"sU": 10, "sLF": 85, "sSB+sU": 54, "sQD+sU": 60},
        "read": {"sU": 18, "sLF": 42, "sSB+sU": 36, "sQD+sU": 45},
    }
    for op, of in numbers.items():
        figure = where[op][5:8]
        for system, paper in of.items():
            what = f"{op} response time, average reduction by {system}"
            yield Claim(f"fig{figure}.{key(system)}", what, paper, where[op])
        for system, times, place in (
            ("sQD+sU", {"write": 2.5, "read": 1.8}, "6.1"),
            ("sQD+sUB+PAS", {"write": 2.6, "read": 1.5}, "abstract, 8"),
        ):
            what = f"{op} performance of {system}, average"
            name = f"fig{figure}.{key(system)}_times"
            yield Claim(name, what, times[op], place, unit="x", slack=0.05, null=1.0)
        what = f"{op} response time, reduction by sQD+sU, average of the heavy less of the light workloads"
        yield more(f"fig{figure}.sqd_su_heavy", what, "6.1")


def _orders() -> Iterator[Claim]:
    where = "Fig. 13a, 6.1"
    for name in LIGHT:
        what = f"{name}, write response time, sLF below the best of the other schemes"
        yield more(f"fig13a.slf_lowest.{name}", what, where)
    for name in HEAVY:
        what = f"{name}, write response time, the best of the other schemes below sLF"
        yield more(f"fig13a.slf_not_lowest.{name}", what, where)
        what = f"{name}, write response time, sQD+sUB below sQD+sU"
        yield more(f"fig13a.sqd_sub_lower.{name}", what, where)
    for name in ("tFin", "tMSFS"):
        what = f"{name}, write response time, reduction by sSB+sU"
        yield more(f"fig13a.ssb_small.{name}", what, where)
    what = "write response time, largest rise by sSB+sUB"
    yield more("fig13a.ssb_sub_longer", what, where)
    for name in ("tFin", "tRA"):
        what = f"{name}, write response time, sQD+sU below sU"
        yield Claim(f"fig13a.sqd_like_su.{name}", what, 0, where, slack=5)
    for name, of, paper in (("light", LIGHT, -6), ("heavy", HEAVY, 56)):
        what = f"writes, sQD+sUB below sQD+sU, average of {', '.join(of)}"
        yield Claim(f"fig13a.sqd_sub_{name}", what, paper, "6.1")
    yield Claim("fig13a.msfs", "tMSFS, write response time, reduction by sQD+sUB", 99, "6.1")


def _shares() -> Iterator[Claim]:
    what = "collections, largest difference to the baseline's"
    yield Claim("collections", what, 1, "6.1", rule="at most", slack=0)
    yield Claim("fig14.su_fast", "tDAP, fast writes under sU", 34, "Fig. 14, 6.1")
    yield Claim("fig14.su_slow", "tDAP, slow writes under sU", 33, "Fig. 14, 6.1")
    yield more("fig14.baseline", "tDAP, slow writes on the baseline, more than of each other kind", "Fig. 14, 6.1")
    what = "tDAP, slow writes under any scheme"
    yield Claim("fig14.slow", what, 100 / 3, "Fig. 14, 6.1", rule="at most", null=50)
    what = "tDAP, slow writes under any scheme, fewer than of each other kind"
    yield Claim("fig14.slow_fewest", what, 0, "Fig. 14, 6.1", rule="at least", slack=2, null=None)
    for system in ("sLF", "sSB+sU", "sQD+sU"):
        yield more(f"fig14.fast.{key(system)}", f"tDAP, fast writes, under {system} more than sU", "Fig. 14, 6.1")
        yield more(f"fig14.slow.{key(system)}", f"tDAP, slow writes, under {system} fewer than sU", "Fig. 14, 6.1")
    for scheme in ("sSB", "sQD"):
        what = f"tDAP, most less fewest of the three kinds, {scheme}+sU's above {scheme}+sUB's"
        yield more(f"fig14.even.{key(scheme)}", what, "Fig. 14, 6.1")
    for system in COMBINED:
        rule, null = ("less than", 100.0) if system == "sLF" else ("more than", 100 / 3)
        what = f"{system}, sub-requests given the page type specified"
        yield Claim(f"fig15.{key(system)}", what, 98, "Fig. 15, 6.1", rule=rule, slack=0, null=null)


def _reordered() -> Iterator[Claim]:
    for name, of in PAS_REDUCTION.items():
        for system, paper in zip(REORDERED, of, strict=True):
            what = f"{name}, {system}+PAS below {system}"
            yield Claim(f"table3.{name}.{key(system)}", what, paper, "Table 3", slack=PAS_SLACK)
    for system, paper in zip(REORDERED, PAS_REDUCTION_AVERAGE, strict=True):
        what = f"average, {system}+PAS below {system}"
        yield Claim(f"table3.average.{key(system)}", what, paper, "Table 3, 6.2", slack=PAS_SLACK)
    for system in ("sSB+sU", "sSB+sUB"):
        what = f"average saved by PAS, under {system} more than sU"
        yield more(f"table3.better.{key(system)}", what, "6.2")
    for system in ("sQD+sU", "sQD+sUB"):
        what = f"average saved by PAS, under {system} less than sU"
        yield more(f"table3.lower.{key(system)}", what, "6.2")
    yield Claim("table3.deviation", "standard deviation, average, sQD+sUB+PAS below sQD+sUB", 55, "6.2")


def _course() -> Iterator[Claim]:
    where = "Fig. 16a, 6.3"
    what = "tFin, baseline's write response time above the mean program"
    yield Claim("fig16a.baseline", what, 21, where)
    yield Claim("fig16a.su", "tFin, write response time, reduction by sU", 13, where)
    yield Claim("fig16a.lasted", "tFin, sLF has LSB pages for, of the run", 100 * (12.1 - 1) / 12.1, where, null=100)
    for system in ("sQD+sU", "sQD+sUB"):
        what = f"tFin, write response time, {system} below sU, of the whole"
        yield Claim(f"fig16a.{key(system)}", what, 0, where, slack=5)
    yield more("fig16a.slf", "tFin, write response time, sLF below sU", where)
    where = "Fig. 16b, 6.3"
    for system, quarters in (("sLF", 7), ("sQD+sUB", 22)):
        what = f"tMSFS, {system} has LSB pages for, of the run"
        yield Claim(f"fig16b.{key(system)}", what, 100 * quarters / 24, where, null=100)
    what = "tMSFS, sQD+sUB has LSB pages for, times as long as sLF"
    yield Claim("fig16b.times", what, 3, where, unit="x", slack=0.05, null=1.0)
    yield more("fig16b.longer", "tMSFS, sQD+sU has LSB pages for, longer than sLF, of the run", where)


def _long_run() -> Iterator[Claim]:
    for system, paper in THIRD_ROUND_REDUCTION.items():
        what = f"third round of tMSFS, reduction by {system}"
        yield Claim(f"fig17.{key(system)}", what, paper, "Fig. 17, 6.4")
        what = f"fewest LSB pages left before the third round of tMSFS under {system}, of those at the start"
        yield Claim(f"fig17.used_up.{key(system)}", what, 3, "6.4", rule="at most", slack=0, null=100)


CLAIMS = [
    *_motivation(),
    *_responses(),
    *_orders(),
    *_shares(),
    *_reordered(),
    *_course(),
    *_long_run(),
]
"""Every claim in the published text."""

AFTERWARDS = [
    "2026-11-25: tDAP and tExch have arrivals under which more than ten requests are in the device, as the text "
    "says of them (6.1 with Fig. 14, 6.2), and the one piece that gives them any is MSR 20-80 (21 and 24 percent "
    "of their writes meet more than ten; with the three others at most 0.7). Before, they had those of "
    "DevelopmentToolsRelease: see Arrivals, above. PAS then saved 5.88 percent of tExch's writes under sU, and "
    "sQD+sU 27.5 percent on average.",
    "2026-11-25: the device is scaled by planes before blocks. Before, it had all planes of 24 blocks, and the "
    "least success of sU was 96.2 percent, and tRA's reduction by sU 6.68.",
    "2026-11-25: success rates are of all sub-requests, which is what 4.3.2 says. Before, they were of the "
    "workload that has the least: 96.2 (sU), 87.4 (sSB+sU), 96.2 (sSB+sUB), 61.4 (sQD+sU), 63.7 (sQD+sUB).",
    "2026-11-25: LSB pages are used up when less than 3 percent of those that can be used are left. Before, those "
    "of the free block that each plane keeps for collection counted, too, which was 13 percent of them, so that "
    "they lasted for 100 percent of every run by force.",
    "2026-11-25: whether LSB pages are used up before the third round is said of the moment when they are fewest, "
    "not of the end of the second round, at which 16.7 (sLF), 12.6 (sQD+sU) and 8.5 percent (sQD+sUB) were left.",
    "2026-11-25: claims of order, of Figs. 1, 6 and 11, of how long LSB pages last and the cells of Table 3 were "
    "added, and the slacks of Table 3 (1.5), of what is similar (5) and of Fig. 14 (2) set, with results of other "
    "claims known.",
    "2026-11-25: five seeds. Three before, by which 74 of 134 claims agreed, of the 120 that are not trivial 68, and "
    "20 of those were open.",
    "2026-11-25: what sSB+sU saves of tFin and tMSFS is held against the baseline. Before, it was against sU, by "
    "which it was 72.6 and 70.9 percent.",
    "2026-11-25: other depths of the queue are run under all workloads. Before, only under tDTR, tMSFS and tBS, as if "
    "no other had more than 32 requests under way, which tDAP, tRBESS and tExch have; under 32, sQD+sU then saved "
    "33.8 percent of writes and 30.9 of reads.",
    "2026-11-25: first come, first served, and the best scheme without PAS, were added to what the paper leaves open, "
    "with all other results known.",
]
"""What was chosen after results were seen."""
