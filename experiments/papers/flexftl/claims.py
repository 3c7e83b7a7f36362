"""What the flexFTL paper claims (`claims.tsv`), how each claim is measured, and what was chosen later."""

from collections.abc import Callable
from functools import partial
from statistics import fmean

from ssdsim.config import HardwareConfig
from ssdsim.metrics.result import Result
from ssdsim.policies import ProgramOrder

from ...study.claims import published
from ...study.numbers import ByWorkload, Number, computed, of_all, others, run_value
from ...study.study import Held, Results
from . import commands, measures
from .commands import Programs, host_programs
from .measures import Measure
from .runs import CUT_PART, EXAMPLE_PART, SHOWN, part
from .systems import BASE, OTHERS, OURS
from .workloads import INTENSIVE, MOST_EFFECTIVE, NAMES, NOT_ABOVE_PAGE_FTL

CLAIMS, AFTERWARDS = published(__file__)
"""Every claim of the published text. Largest and mean are over the five workloads."""

BACKED_UP = ["parityFTL", "rtfFTL"]


def run_number(measure: Measure, workload: str, system: str) -> Number:
    """Return a measure of a run."""
    return run_value(part(workload, system), workload, system, partial(measure, workload))


def gain(measure: Measure, workload: str, base: str) -> Number:
    """Return by how many percent a measure of flexFTL is above that of `base`."""
    return run_number(measure, workload, OURS).above(run_number(measure, workload, base))


def gains(measure: Measure, base: str) -> ByWorkload:
    """Return the gains of flexFTL over `base`, by workload."""
    return {name: gain(measure, name, base) for name in NAMES}


def savings(measure: Measure, base: str) -> ByWorkload:
    """Return by how many percent a measure of flexFTL is below that of `base`, by workload."""
    return {name: -number for name, number in gains(measure, base).items()}


def held(hardware: HardwareConfig) -> dict[str, Held]:
    """Return the measure of each claim on a device."""
    window_s = commands.DRAINS * commands.drain_s(hardware)
    return {
        **iops(measures.later_iops),
        **erasures(measures.later_erases),
        **{f"fig8b.{base.lower()}_pages": mean(savings(measures.all_programs, base)) for base in BACKED_UP},
        **peaks(hardware, window_s),
        **mean_bandwidths(partial(Programs.average, page_bytes=hardware.page_bytes)),
        **rows(host_programs),
        "quota.spent": quota_spent(INTENSIVE) - quota_spent(MOST_EFFECTIVE),
        **backups(),
        # 3.3: no page is lost, and a reboot reads the fast pages of two blocks a chip
        "power.lost": pages_lost,
        "power.reboot": longest_reboot,
        **orders(hardware.wordlines, hardware.page_types),
    }


def mean(numbers: ByWorkload) -> Number:
    """Return the mean over workloads, all of which have to be there."""
    return of_all(fmean, numbers.values())


def iops(measure: Measure) -> dict[str, Held]:
    """Return the measures of Fig. 8(a), given what IOPS are."""
    made: dict[str, Held] = {}
    for base in OTHERS:
        # 4.2: largest and mean over the five workloads
        made[f"fig8a.{base.lower()}_largest"] = of_all(max, gains(measure, base).values())
        made[f"fig8a.{base.lower()}_mean"] = mean(gains(measure, base))
    for base in BACKED_UP:
        by_name = gains(measure, base)
        # 4.2: gains over those that back up are larger where the host is hardly idle
        intensive = of_all(fmean, (by_name[name] for name in INTENSIVE))
        made[f"fig8a.{base.lower()}_intensive"] = intensive - of_all(fmean, others(by_name, *INTENSIVE))
        # 4.1: pageFTL is the maximum under FPS, as it backs nothing up
        rises = {name: run_number(measure, name, base).above(run_number(measure, name, BASE)) for name in NAMES}
        made[f"fig8a.{base.lower()}_below"] = mean({name: -rise for name, rise in rises.items()})
    over_base = gains(measure, BASE)
    most_effective = of_all(min, (over_base[name] for name in MOST_EFFECTIVE))
    return {
        **made,
        # 4.2: similar under the first two, and not above under Webserver
        **{f"fig8a.{name.lower()}": over_base[name] for name in (*INTENSIVE, NOT_ABOVE_PAGE_FTL)},
        "fig8a.others": of_all(min, others(over_base, NOT_ABOVE_PAGE_FTL)),
        # 4.2: the lesser of these gains is beyond the largest of the others
        "fig8a.most_effective": most_effective - of_all(max, others(over_base, *MOST_EFFECTIVE)),
    }


def erasures(measure: Measure) -> dict[str, Held]:
    """Return the measures of Fig. 8(b), given which erases count."""
    saved = {f"fig8b.{base.lower()}": savings(measure, base) for base in BACKED_UP}
    largest: dict[str, Held] = {f"{name}_largest": of_all(max, by_name.values()) for name, by_name in saved.items()}
    return largest | {f"{name}_mean": mean(by_name) for name, by_name in saved.items()}


def of_shown(measure: Callable[[Result], float], system: str) -> Number:
    """Return a measure of a run of the workload of Fig. 8(c)."""
    return run_value(part(SHOWN, system), SHOWN, system, measure)


def peaks(hardware: HardwareConfig, window_s: float) -> dict[str, Held]:
    """Return the measures of peaks in Fig. 8(c), given the width of its windows."""

    def peak(result: Result) -> float:
        return float(host_programs(result).by_window(hardware.page_bytes, window_s).max())

    ours, rival, *lesser = (of_shown(peak, name) for name in (OURS, "rtfFTL", BASE, "parityFTL"))
    slc = commands.slc_mib_s(hardware)
    return {
        # 4.2: flexFTL's peak over that of its nearest rival
        "fig8c.peak": ours.over(rival),
        "fig8c.rival": rival.above(of_all(max, lesser)),
        # 3: as high as if all planes programmed LSB pages alone
        "fig8c.slc": computed(lambda mib_s: 100 * mib_s / slc, ours),
    }


def mean_bandwidths(bandwidth: Callable[[Programs], float]) -> dict[str, Held]:
    """Return the measures of means in Fig. 8(c), given what a mean is of."""

    def measure(_: str, result: Result) -> float:
        return bandwidth(host_programs(result))

    return {f"fig8c.{base.lower()}_mean": gain(measure, SHOWN, base) for base in BACKED_UP}


def rows(programs: Callable[[Result], Programs]) -> dict[str, Held]:
    """Return the measures of LSB pages in a row, given which programs count."""
    ours, rtf = (of_shown(lambda result: programs(result).longest_row(), name) for name in (OURS, "rtfFTL"))
    return {
        # 4.1: rtfFTL returns to LSB pages of its pool; 5: eight of them a chip
        "quota.lsb_row": rtf,
        "quota.lsb_row_of_chip": of_shown(lambda result: programs(result).longest_row_of_chip(), "rtfFTL"),
        "quota.longer_row": ours.above(rtf),
    }


def quota_spent(names: tuple[str, ...]) -> Number:
    """Return the percent of windows with the quota spent, a mean over workloads."""
    return of_all(fmean, (run_number(lambda _, result: measures.quota_spent(result), name, OURS) for name in names))


def backups() -> dict[str, Held]:
    """Return the measures of what backups cost."""
    return {
        # 1: what copies of pages cost rtfFTL
        "backup.msb": of_shown(commands.msb_with_backup, "rtfFTL"),
        "backup.pages": of_shown(lambda result: measures.pages_for_two(result.summary), "rtfFTL"),
        # 4.1, 5: a page of parity for two LSB pages, or for 128 (3, 5)
        "backup.parityftl_share": of_shown(commands.lsb_pages_a_backup, "parityFTL"),
        "backup.flexftl_share": of_shown(commands.lsb_pages_a_backup, OURS),
    }


def pages_lost(results: Results) -> float | None:
    """Return the most pages in flash that flexFTL loses when power is cut."""
    cuts = [result for name, result in results[CUT_PART].items() if name.endswith(f"/{OURS}")]
    return max(result.summary["power_loss"]["lost_in_flash"] for result in cuts)


def longest_reboot(results: Results) -> float:
    """Return the longest reboot of the paper's example in ms."""
    return max(result.summary["power_loss"]["reboot_ms"] for result in results[EXAMPLE_PART].values())


def orders(wordlines: int, page_types: int) -> dict[str, Held]:
    """Return the measures of how many programs disturb a full wordline."""
    rules = {BASE: ProgramOrder(wordlines, page_types, "fps"), OURS: ProgramOrder(wordlines, page_types, "rps")}
    most = {name: partial(commands.most_aggressors, order=order) for name, order in rules.items()}
    return {f"order.{name.lower()}": of_shown(measure, name) for name, measure in most.items()}
