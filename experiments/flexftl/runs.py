"""The runs of the study: all workloads, one of them varied, and runs that lose power."""

from collections.abc import Mapping

import attrs

from experiments.flexftl import paper
from experiments.flexftl.systems import DATA, OURS, SYSTEMS, holding
from experiments.flexftl.workloads import Load, load
from experiments.study import grid

Runs = dict[str, list[str]]

VOLUME = 1.0
"""Times the device's pages that a run writes; with moved pages and backups, each block is then erased a few times."""

SHOWN = "Varmail"
"""The workload of Fig. 8(c), which is varied too."""

SHOWN_VOLUME = 0.5

MORE_DATA = 0.75
"""As much as the smallest device can hold beside active blocks and free ones."""

RECORDED = "as it is"
VARIED = {
    RECORDED: ["record=[commands]"],
    "bursts of a quarter": ["workload.burst_requests=1250", "workload.idle_ms=1000"],
    "bursts of four times": ["workload.burst_requests=20000", "workload.idle_ms=16000"],
    "half the data": holding(DATA / 2),
    "more data": holding(MORE_DATA),
}
"""What our Varmail fixes and the paper does not say: bursts, with the idle time after them, and how full the device is.

As it is, commands are recorded for Fig. 8(c).
"""

QUICK = {name: SYSTEMS[name] for name in SYSTEMS if name != "rtfFTL"}
"""Those under which the others are shown; rtfFTL's runs take longest."""

CUT = "NTRX"
"""The workload that loses power, as its dies are always busy."""

LARGER = 2
LARGER_VOLUME = 0.5
"""Times as many blocks that this workload is also given, to see what few of them do, and how much it writes there."""

CUT_VOLUME = 0.1
CUTS = [0.25, 0.5, 0.75]
"""Shares of those pages, after as many programs of any kind power is cut."""

EXAMPLE = [f"hardware.chips_per_channel={paper.CHIPS // 8}", f"hardware.pages_per_block={2 * paper.FAST_PAGES}"]
"""The device of the paper's example of a reboot."""


@attrs.frozen
class Plan:
    """What is run: the overrides of device, precondition and seed, the workloads, and variations of single ones."""

    setting: list[str]
    loads: Mapping[str, Load]
    varied: Mapping[str, Load]
    larger: Mapping[str, Load]

    def parts(self) -> dict[str, Runs]:
        """Return the runs by what they are for."""
        return {
            "figure 8": _grid(self.loads),
            "recorded": _grid({name: load for name, load in self.varied.items() if name == RECORDED}),
            "varied": _grid({name: load for name, load in self.varied.items() if name != RECORDED}, QUICK),
            "larger": _grid(self.larger),
            "power loss": self.cuts(self.setting, SYSTEMS),
            "example": self.cuts([*self.setting, *EXAMPLE], {OURS: SYSTEMS[OURS]}),
        }

    def cuts(self, setting: list[str], systems: Mapping[str, list[str]]) -> Runs:
        """Return the runs that lose power, named `moment/system`."""
        if CUT not in self.loads:
            return {}
        cut = load(CUT, setting, CUT_VOLUME)
        moments = {
            f"{share:g}": [*cut.overrides, f"power_loss.after_programs={round(share * cut.pages)}"] for share in CUTS
        }
        return grid(systems, moments)


def _grid(loads: Mapping[str, Load], systems: Mapping[str, list[str]] = SYSTEMS) -> Runs:
    return grid(systems, {name: load.overrides for name, load in loads.items()})


def plan(setting: list[str], names: list[str], larger: list[str]) -> Plan:
    """Return the runs of the workloads in `names`; `larger` overrides the size of the device, or is empty."""
    varied = VARIED if SHOWN in names else {}
    larger_names = [CUT] if CUT in names and larger else []
    return Plan(
        setting,
        {name: load(name, setting, VOLUME) for name in names},
        {name: load(SHOWN, setting, SHOWN_VOLUME, *changes) for name, changes in varied.items()},
        {name: load(name, [*setting, *larger], LARGER_VOLUME) for name in larger_names},
    )
