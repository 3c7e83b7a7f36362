"""The runs of the study: all workloads, one of them varied, one on a larger device, and runs that lose power."""

from collections.abc import Iterable, Mapping

import attrs

from ...study.runs import Runs
from . import paper
from .systems import BLOCKS, DATA, OURS, SYSTEMS, Device
from .workloads import Load, load

VOLUME = 1.0
"""Times the device's pages that a run writes; with moved pages and backups, each block is then erased about twice."""

SHOWN = "Varmail"
"""The workload of Fig. 8(c), which is varied too."""

SHOWN_VOLUME = 0.5

RECORDED = "as it is"
BURSTS = {
    RECORDED: ["record=[commands]"],
    "bursts of a quarter": ["workload.burst_requests=1250", "workload.idle_ms=1000"],
    "bursts of four times": ["workload.burst_requests=20000", "workload.idle_ms=16000"],
}
"""Bursts, with the idle time after them, are what our Varmail fixes and the paper does not say.

As it is, commands are recorded for Fig. 8(c).
"""

SHARES = {"half the data": DATA / 2, "more data": 0.75}
"""So is how full the device is."""

CUT = "NTRX"
"""The workload that loses power, as its dies are always busy."""

CUT_VOLUME = 0.1
CUTS = [0.25, 0.5, 0.75]
"""Shares of those pages, after as many programs of any kind power is cut."""

EXAMPLE = (f"hardware.chips_per_channel={paper.CHIPS // 8}", f"hardware.pages_per_block={2 * paper.FAST_PAGES}")
"""The device of the paper's example of a reboot."""

LARGER = 2
"""Times as many blocks that this workload is also given, to see whether the size of the device matters."""


@attrs.frozen
class Plan:
    """What is run, by the names of workloads, variations and moments."""

    loads: Mapping[str, Load]
    varied: Mapping[str, Load]
    larger: Mapping[str, Load]
    cuts: Mapping[str, Load]
    example: Mapping[str, Load]

    def parts(self) -> dict[str, Runs]:
        """Return the runs by what they are for, each named `workload/system`."""
        return {
            "figure 8": _runs(self.loads),
            "varied": _runs(self.varied),
            "larger": _runs(self.larger),
            "power loss": _runs(self.cuts),
            "example": _runs(self.example, [OURS]),
        }


def _runs(loads: Mapping[str, Load], systems: Iterable[str] = tuple(SYSTEMS)) -> Runs:
    return {f"{name}/{system}": made.on(system) for name, made in loads.items() for system in systems}


def plan(device: Device, names: list[str]) -> Plan:
    """Return the runs of the workloads in `names`."""
    return Plan(
        loads={name: load(name, device, VOLUME) for name in names},
        varied=_varied(device) if SHOWN in names else {},
        larger=_larger(device) if CUT in names else {},
        cuts=_cuts(device) if CUT in names else {},
        example=_cuts(attrs.evolve(device, more=(*device.more, *EXAMPLE))) if CUT in names else {},
    )


def _varied(device: Device) -> dict[str, Load]:
    made = {name: load(SHOWN, device, SHOWN_VOLUME, *changes) for name, changes in BURSTS.items()}
    for name, data in SHARES.items():
        made[name] = load(SHOWN, attrs.evolve(device, data=data), SHOWN_VOLUME)
    return made


def _larger(device: Device) -> dict[str, Load]:
    blocks = device.blocks * LARGER
    return {CUT: load(CUT, attrs.evolve(device, blocks=blocks), VOLUME)} if blocks <= BLOCKS else {}


def _cuts(device: Device) -> dict[str, Load]:
    whole = load(CUT, device, CUT_VOLUME)
    at = {f"{share:g}": f"power_loss.after_programs={round(share * whole.pages)}" for share in CUTS}
    return {moment: attrs.evolve(whole, overrides=[*whole.overrides, cut]) for moment, cut in at.items()}
