"""How the claims of the paper are measured, by their names."""

from collections.abc import Callable, Mapping
from functools import partial

import numpy as np

from ssdsim.config import HardwareConfig
from ssdsim.metrics.result import Result
from ssdsim.policies import ProgramOrder

from ...study.measures import negative, ratio, rise
from ...study.study import Held, Results
from . import commands, measures, paper
from .commands import Programs, host_programs
from .measures import Measure, gain, known_mean, result, saving
from .runs import CUT_PART, EXAMPLE_PART, SHOWN
from .systems import BASE, OTHERS, OURS
from .workloads import NAMES

Gain = Callable[[Results, Measure, str, str], float | None]
IDLE = [name for name in NAMES if name not in paper.INTENSIVE]
BACKED_UP = ["parityFTL", "rtfFTL"]


def held(hardware: HardwareConfig) -> dict[str, Held]:
    """Return the measure of each claim on a device."""
    window_s = commands.DRAINS * commands.drain_s(hardware)
    return {
        **iops(measures.later_iops),
        **erasures(measures.later_erases),
        **pages(),
        **peaks(hardware, window_s),
        **mean_bandwidths(partial(Programs.average, page_bytes=hardware.page_bytes)),
        **rows(host_programs),
        "quota.spent": quota_spent,
        **backups(),
        "power.lost": pages_lost,
        "power.reboot": longest_reboot,
        **orders(hardware.wordlines, hardware.page_types),
    }


def _mean_of(of: Gain, measure: Measure, against: str, names: list[str], results: Results) -> float | None:
    return known_mean(of(results, measure, name, against) for name in names)


def _most_of(of: Gain, measure: Measure, against: str, results: Results) -> float:
    return max(_known(of(results, measure, name, against)) for name in NAMES)


def _known(value: float | None) -> float:
    assert value is not None
    return value


def iops(measure: Measure) -> dict[str, Held]:
    """Return the measures of Fig. 8(a), given what IOPS are."""
    made: dict[str, Held] = {}
    for against in OTHERS:
        name = f"fig8a.{against.lower()}"
        made[f"{name}_largest"] = partial(_most_of, gain, measure, against)
        made[f"{name}_mean"] = partial(_mean_of, gain, measure, against, NAMES)
    for against in BACKED_UP:
        name = f"fig8a.{against.lower()}"
        made[f"{name}_intensive"] = partial(_intensive, measure, against)
        made[f"{name}_below"] = partial(_below_base, measure, against)
    for workload in (*paper.INTENSIVE, paper.NOT_ABOVE_PAGE_FTL):
        made[f"fig8a.{workload.lower()}"] = partial(gain, measure=measure, workload=workload, against=BASE)
    return made | {
        "fig8a.others": partial(_least_gain, measure),
        "fig8a.most_effective": partial(_most_effective, measure),
    }


def _gains(measure: Measure, names: list[str], results: Results) -> list[float]:
    return [_known(gain(results, measure, name, BASE)) for name in names]


def _least_gain(measure: Measure, results: Results) -> float:
    """Return the least gain over pageFTL under all workloads but the web server."""
    return min(_gains(measure, [name for name in NAMES if name != paper.NOT_ABOVE_PAGE_FTL], results))


def _most_effective(measure: Measure, results: Results) -> float:
    """Return the distance of the gains said to be the largest from all others."""
    others = [name for name in NAMES if name not in paper.MOST_EFFECTIVE]
    return min(_gains(measure, [*paper.MOST_EFFECTIVE], results)) - max(_gains(measure, others, results))


def _intensive(measure: Measure, against: str, results: Results) -> float:
    """Return the excess of the mean gain under workloads without idle times over that under the others."""
    intensive, others = (_mean_of(gain, measure, against, [*names], results) for names in (paper.INTENSIVE, IDLE))
    return _known(intensive) - _known(others)


def _below_base(measure: Measure, system: str, results: Results) -> float | None:
    """Return by how many percent a measure of `system` is below pageFTL's, in the mean."""
    return known_mean(
        negative(rise(*(measure(name, result(results, name, each)) for each in (system, BASE)))) for name in NAMES
    )


def erasures(measure: Measure) -> dict[str, Held]:
    """Return the measures of Fig. 8(b), given which erases count."""
    made: dict[str, Held] = {}
    for against in BACKED_UP:
        name = f"fig8b.{against.lower()}"
        made[f"{name}_largest"] = partial(_most_of, saving, measure, against)
        made[f"{name}_mean"] = partial(_mean_of, saving, measure, against, NAMES)
    return made


def pages() -> dict[str, Held]:
    """Return the measures of the pages that systems program."""
    return {
        f"fig8b.{against.lower()}_pages": partial(_mean_of, saving, measures.all_programs, against, NAMES)
        for against in BACKED_UP
    }


def peaks(hardware: HardwareConfig, window_s: float) -> dict[str, Held]:
    """Return the measures of peaks in Fig. 8(c), given the width of its windows."""
    peak = partial(_peak, hardware.page_bytes, window_s)
    return {
        "fig8c.peak": lambda results: ratio(peak(OURS, results), peak("rtfFTL", results)),
        "fig8c.rival": lambda results: rise(
            peak("rtfFTL", results), max(peak(BASE, results), peak("parityFTL", results))
        ),
        "fig8c.slc": lambda results: 100 * peak(OURS, results) / commands.slc_mib_s(hardware),
    }


def _peak(page_bytes: int, window_s: float, system: str, results: Results) -> float:
    return float(host_programs(result(results, SHOWN, system)).by_window(page_bytes, window_s).max())


def mean_bandwidths(bandwidth: Callable[[Programs], float]) -> dict[str, Held]:
    """Return the measures of means in Fig. 8(c), given what a mean is of."""

    def measure(_: str, found: Result) -> float:
        return bandwidth(host_programs(found))

    return {
        f"fig8c.{against.lower()}_mean": partial(gain, measure=measure, workload=SHOWN, against=against)
        for against in BACKED_UP
    }


def rows(programs: Callable[[Result], Programs]) -> dict[str, Held]:
    """Return the measures of LSB pages in a row, given which programs count."""

    def of(system: str, results: Results) -> Programs:
        return programs(result(results, SHOWN, system))

    return {
        "quota.lsb_row": lambda results: of("rtfFTL", results).longest_row(),
        "quota.lsb_row_of_chip": lambda results: of("rtfFTL", results).longest_row_of_chip(),
        "quota.longer_row": lambda results: rise(of(OURS, results).longest_row(), of("rtfFTL", results).longest_row()),
    }


def quota_spent(results: Results) -> float:
    """Return the excess of windows with the quota spent under workloads without idle times, in percent points."""

    def spent(names: tuple[str, ...]) -> float:
        return float(np.mean([measures.quota_spent(result(results, name, OURS)) for name in names]))

    return spent(paper.INTENSIVE) - spent(paper.MOST_EFFECTIVE)


def backups() -> dict[str, Held]:
    """Return the measures of what backups cost."""

    def of(measure: Callable[[Result], float], system: str) -> Held:
        return lambda results: measure(result(results, SHOWN, system))

    return {
        "backup.msb": of(commands.msb_with_backup, "rtfFTL"),
        "backup.pages": of(lambda found: measures.pages_for_two(found.summary), "rtfFTL"),
        "backup.parityftl_share": of(commands.lsb_pages_a_backup, "parityFTL"),
        "backup.flexftl_share": of(commands.lsb_pages_a_backup, OURS),
    }


def pages_lost(results: Results) -> float | None:
    """Return the most pages in flash that flexFTL loses when power is cut."""
    cuts: Mapping[str, Result] = results[CUT_PART]
    return max(cuts[name].summary["power_loss"]["lost_in_flash"] for name in cuts if name.endswith(f"/{OURS}"))


def longest_reboot(results: Results) -> float:
    """Return the longest reboot of the paper's example in ms."""
    return max(found.summary["power_loss"]["reboot_ms"] for found in results[EXAMPLE_PART].values())


def orders(wordlines: int, page_types: int) -> dict[str, Held]:
    """Return the measures of how many programs disturb a full wordline."""

    def of(system: str, rule: str) -> Held:
        order = ProgramOrder(wordlines, page_types, rule)
        return lambda results: commands.most_aggressors(result(results, SHOWN, system), order)

    return {"order.pageftl": of(BASE, "fps"), "order.flexftl": of(OURS, "rps")}
