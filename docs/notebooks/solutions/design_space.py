"""Solutions of 09_design_space."""

from collections.abc import Iterable
from itertools import product
from math import ceil, log2
from typing import Any

from ssdsim import preset, simulate

LOAD = {
    "hardware.channels": 2,
    "hardware.chips_per_channel": 2,
    "hardware.dies_per_chip": 1,
    "hardware.planes_per_die": 1,
    "hardware.blocks_per_plane": 64,
    "hardware.pages_per_block": 96,
    "workload.requests": 4000,
    "workload.rate_iops": 2500,
    "workload.read_share": 0.5,
    "workload.pattern": "zipf",
    "workload.zipf_theta": 0.8,
}
SHARES = (0.18, 0.2, 0.3, 0.4, 0.5)
Point = tuple[float, ...]


def measure(bits: int, kept: float, **keys: Any) -> dict[str, Any]:
    """Return the summary of a design under the load."""
    design = {"hardware.bits_used": bits, "hardware.over_provisioning": kept}
    config = preset(workload="synthetic", precondition="steady_state", **{**LOAD, **design, **keys})
    return simulate(config).summary


def time_ms(summary: dict[str, Any]) -> float:
    """Return the mean response time of the writes."""
    return float(summary["requests"]["write"]["response_us"]["mean"]) / 1000


def keeps_up(summary: dict[str, Any]) -> bool:
    """Return whether the queue did not grow as long as the run went on."""
    return all(each["code"] != "backlog" for each in summary["validity"])


def point(summary: dict[str, Any]) -> Point:
    """Return capacity in MB, response time in ms and write amplification."""
    return summary["workload"]["footprint_bytes"] / 1e6, time_ms(summary), summary["write_amplification"]


def beats(one: Point, other: Point) -> bool:
    """Return whether a point is at least as good in all, and better in one: the first upwards, others downwards."""
    return one != other and one[0] >= other[0] and all(a <= b for a, b in zip(one[1:], other[1:], strict=True))


def front(points: Iterable[Point]) -> list[Point]:
    """Return those that no other beats."""
    points = list(points)
    return sorted(each for each in points if not any(beats(other, each) for other in points))


def exercise_1() -> None:
    """A, B and D: B beats C, and D beats E. With F only A and F: F beats B and D, too."""
    designs = {"A": (90, 5), "B": (80, 1.2), "C": (70, 1.3), "D": (60, 0.9), "E": (60, 1.0)}
    names = {where: name for name, where in designs.items()}
    assert {names[each] for each in front(designs.values())} == {"A", "B", "D"}
    assert front([*designs.values(), (80, 0.8)]) == [(80, 0.8), (90, 5)]


def least_kept(bits: int, most_ms: float) -> tuple[float, int]:
    """Return the least over-provisioning, to within 0.01, that is quick enough, and the runs that it took."""
    low, high, runs = 0.15, 0.6, 1
    if time_ms(measure(bits, high)) > most_ms:
        return 1.0, runs
    while high - low > 0.01:
        middle, runs = (low + high) / 2, runs + 1
        low, high = (low, middle) if time_ms(measure(bits, middle)) <= most_ms else (middle, high)
    return high, runs


def exercise_2() -> None:
    """Two bits with about 26 percent kept: 50 MB. One bit needs 19 percent or so, and three bits more than 60.

    It takes 7 runs for a number of bits, and 1 for three bits, where not even the most is enough; a grid as fine would
    take 46 each. Bisection is right as long as more over-provisioning is never slower by more than chance.
    """
    found = {bits: least_kept(bits, 0.88) for bits in (1, 2, 3)}
    assert found[1][1] == found[2][1] == 1 + ceil(log2((0.6 - 0.15) / 0.01)) == 7
    assert found[3] == (1.0, 1)
    assert 0.15 < found[1][0] < 0.22 < found[2][0] < 0.3
    pages = 4 * 64 * 32  # a bit
    capacity_mb = {bits: pages * bits * (1 - kept) * 4096 / 1e6 for bits, (kept, _) in found.items()}
    assert max(capacity_mb, key=lambda bits: capacity_mb[bits]) == 2


def exercise_3() -> None:
    """As many as without it: 11 of 15, and the same ones.

    The designs that are beaten keep little back, so that both their response time and their write amplification are
    high: the two objectives go together, and the third one saves nobody. A front can only grow, as who is not beaten
    in two objectives is not beaten in three, unless two points are equal in the two.
    """
    points = [point(summary) for bits, kept in product((1, 2, 3), SHARES) if keeps_up(summary := measure(bits, kept))]
    assert len(points) == 15
    three, two = front(points), front(each[:2] for each in points)
    assert [each[:2] for each in three] == two
    assert 8 < len(two) < len(points)


def exercise_4() -> None:
    """It keeps up. At the slow end of the front writes are twice as fast, at the fast end 1.2 times.

    What a lighter load takes away is waiting. Near its limit a device does little else than wait; far from it the time
    is that of the program and the bus, which no load changes.
    """
    light = {"workload.rate_iops": 1000}
    full = measure(3, 0.1, **light)
    assert not keeps_up(measure(3, 0.1)) and keeps_up(full)
    assert time_ms(full) < 5
    slow, fast = (time_ms(measure(*each)) / time_ms(measure(*each, **light)) for each in ((3, 0.18), (1, 0.5)))
    assert slow > 2
    assert 1 < fast < 1.4
