"""The figures of a summary that follow from others of it, where the tables do not tell those."""

from collections.abc import Iterator
from typing import Any

from ssdsim.check.recount.claims import Between, Claim, share
from ssdsim.check.recount.power_loss import read_times_ns
from ssdsim.check.recount.tables import Circumstances

OTHERS = "its other figures"


def of_others(summary: dict[str, Any], run: Circumstances) -> Iterator[Claim]:
    """Yield claims from other figures of the summary."""
    mapping, power_loss = summary["mapping"], summary["power_loss"]
    yield Claim(("mapping.hit_ratio",), share(mapping["hits"], mapping["hits"] + mapping["misses"]), OTHERS)
    if run.loss is None or power_loss is None:
        return
    lost = power_loss["lost_in_flash"] + power_loss["lost_buffered"]
    yield Claim(("power_loss.lost_acknowledged",), lost, OTHERS)
    times_ns, pages = read_times_ns(run.config.hardware), power_loss["pages_read"]
    least, most = pages * min(times_ns) / 1e6, pages * max(times_ns) / 1e6  # which page types were read is in no table
    yield Claim(("power_loss.reboot_ms",), Between(least, most) if least < most else least, OTHERS)
