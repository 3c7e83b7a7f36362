"""Solutions of 05_planes_and_spd."""

from statistics import mean
from typing import Any

from ssdsim import SimulationConfig, preset, simulate

BUS_NS = 200 + 4096 * 25
"""Command and data of a page on the bus."""

PROGRAM_NS = 1_500_000
MIXED = {"workload.requests": 3000, "workload.size_kib": {4: 2, 8: 1, 16: 1}}


def small(stack: str, **keys: Any) -> SimulationConfig:
    """Return the notebook's device and workload."""
    return preset(stack, hardware="spd_small", workload="synthetic", **{"workload.read_share": 0, **keys})


def half(precondition: str) -> float:
    """Return half of the requests a second that Baseline-D completes with 64 of them outstanding."""
    keys = {**MIXED, "precondition": precondition, "workload.queue_depth": 64}
    return float(simulate(small("baseline_d", **keys)).summary["iops"]) / 2


def measure(stack: str, precondition: str, rate: float, **keys: Any) -> list[dict[str, Any]]:
    """Return the summaries of two seeds."""
    keys = {"precondition": precondition, "workload.rate_iops": rate, **MIXED, **keys}
    return [simulate(small(stack, seed=seed, **keys)).summary for seed in (1, 2)]


def response_us(summaries: list[dict[str, Any]], op: str = "write", part: str = "mean") -> float:
    """Return the mean response time, or a part of it."""
    return mean(each["requests"][op]["response_us"][part] for each in summaries)


def exercise_1() -> None:
    """Four commands take 4 x 1602.6 = 6410.4 us, one command 4 x 102.6 + 1500 = 1910.4 us: 3.36 times as fast.

    With n planes it is n (bus + program) / (n bus + program) times as fast, which never exceeds
    (bus + program) / bus = 15.6: the pages still cross the bus one after another.
    """
    one_die = {
        "hardware.channels": 1,
        "hardware.chips_per_channel": 1,
        "hardware.planes_per_die": 4,
        "buffer": "none",
        "precondition": "none",
        "ftl.plane_allocation": "PDWC",
        "workload.requests": 1,
        "workload.size_kib": 16,
        "workload.queue_depth": 1,
    }
    for joins, by_hand in (([], 4 * (BUS_NS + PROGRAM_NS)), (["program"], 4 * BUS_NS + PROGRAM_NS)):
        summary = simulate(small("baseline", **one_die, **{"flash.multi_plane": joins})).summary
        assert response_us([summary]) == by_hand / 1000
    assert round(4 * (BUS_NS + PROGRAM_NS) / (4 * BUS_NS + PROGRAM_NS), 2) == 3.36
    assert round((BUS_NS + PROGRAM_NS) / BUS_NS, 1) == 15.6


def exercise_2() -> None:
    """Then nine programs of ten join, not one of sixteen, and nearly all of the distance to SPD is closed.

    So what makes Baseline-P slow is the rule that the pages must be aligned. The little that is left are programs
    of single pages.
    """
    rate = half("none")
    strict, kind = (
        measure("baseline_p", "none", rate, **{"flash.joined_programs": rule}) for rule in ("same_page", "any_page")
    )
    spd = response_us(measure("spd", "none", rate))
    shares = [mean(each["multi_plane"]["write_share"] for each in of) for of in (strict, kind)]
    assert shares[0] < 0.1 and shares[1] > 0.85
    closed = (response_us(strict) - response_us(kind)) / (response_us(strict) - spd)
    assert 0.9 < closed < 1


def exercise_3() -> None:
    """Reads are about a quarter faster with SPD, far more than in the paper, and `gc` is most of the difference.

    SPD's collections keep the dies busy for less time, so that a read meets them less often. In the paper reads go
    first; here they do, too, but no command that has begun is interrupted.
    """
    base, spd = (
        measure(stack, "spd_warm", half("spd_warm"), **{"workload.read_share": 0.5}) for stack in ("baseline_d", "spd")
    )
    assert 0.15 < 1 - response_us(spd, "read") / response_us(base, "read") < 0.35
    gains = {part: response_us(base, "read", part) - response_us(spd, "read", part) for part in ("mean", "gc", "queue")}
    assert gains["gc"] > gains["queue"] > 0
    assert gains["gc"] > gains["mean"] / 2


def exercise_4() -> None:
    """SPD pads a page for every four pages that it writes, and it is still the fastest of the seven.

    Half a Die-Write is as slow as a whole one, but not slower than the single program of another system. The price
    is space: a padded page holds nothing, and is collected some time.
    """
    rate = half("none")
    keys = {"buffer.footprint_share": 0.001}
    stacks = ["baseline_d", "baseline_p", "twinblk", "superpage", "paragc", "spd", "spd_plus"]
    found = {stack: measure(stack, "none", rate, **keys) for stack in stacks}
    padded = mean(each["padded_pages"] / each["host_page_writes"] for each in found["spd"])
    assert 0.2 < padded < 0.3
    assert min(stacks, key=lambda stack: response_us(found[stack])) in ("spd", "spd_plus")
