"""The runs of the study: all workloads under every seed, one varied, one at full size, and runs that lose power."""

from collections.abc import Iterable, Mapping, Sequence

import attrs

from ...study.runs import Runs
from . import paper
from .systems import BASE, BLOCKS, DATA, OURS, SYSTEMS, VARIANTS, Device
from .workloads import Load, load

VOLUME = 1.0
"""Times the device's pages that a run writes; with moved pages and backups, each block is then erased about twice."""

SHOWN = "Varmail"
"""The workload of Fig. 8(c), whose commands are recorded, and which is varied too."""

RECORDED = ["record=[commands]"]
VARIED_VOLUME = 0.5

VARIED: dict[str, tuple[str, list[str]]] = {
    "Varmail, half the idle time": (SHOWN, ["workload.idle_ms=312"]),
    "Varmail, twice the idle time": (SHOWN, ["workload.idle_ms=1250"]),
    "Varmail, six times the idle time": (SHOWN, ["workload.idle_ms=3750"]),
    "Varmail, bursts of a quarter": (SHOWN, ["workload.burst_requests=1250", "workload.idle_ms=156"]),
    "Varmail, bursts of four times": (SHOWN, ["workload.burst_requests=20000", "workload.idle_ms=2500"]),
    paper.NOT_ABOVE_PAGE_FTL: (paper.NOT_ABOVE_PAGE_FTL, []),
    "Webserver, bursts within the buffer": (
        paper.NOT_ABOVE_PAGE_FTL,
        ["workload.burst_requests=500", "workload.idle_ms=142"],
    ),
}
"""Idle times, and bursts with idle times in proportion: what our workloads fix and the paper does not say."""

SHARES = {"Varmail, half the data": DATA / 2, "Varmail, more data": 0.75}
"""So is how full the device is."""

CHOICES = "NTRX"
"""The workload under which what the paper leaves open of other systems is run: the dies are always busy."""

CUT = "NTRX"
"""The workload that loses power, for the same reason."""

CUT_VOLUME = 0.1
CUTS = [0.25, 0.5, 0.75]
"""Shares of those pages, after as many programs of any kind power is cut."""

EXAMPLE = (f"hardware.chips_per_channel={paper.CHIPS // 8}", f"hardware.pages_per_block={2 * paper.FAST_PAGES}")
"""The device of the paper's example of a reboot."""

FULL, FULL_VOLUME = SHOWN, 0.25
"""The workload that is also run at the paper's size, over so many times its pages."""


@attrs.frozen
class Plan:
    """What is run, by the names of workloads, variations and moments; the first of `loads` is the first seed's."""

    loads: Sequence[Mapping[str, Load]]
    varied: Mapping[str, Load]
    full: Mapping[str, Load]
    cuts: Mapping[str, Load]
    example: Mapping[str, Load]

    def parts(self) -> dict[str, Runs]:
        """Return the runs by what they are for, each named `workload/system`."""
        seeds = {f"seed {place}": _figure_8(of) for place, of in enumerate(self.loads)}
        return {
            **seeds,
            "varied": _runs(self.varied, [BASE, OURS]),
            "full": _runs(self.full),
            "power loss": _runs(self.cuts, [*SYSTEMS, *VARIANTS]),
            "example": _runs(self.example, [OURS]),
        }


def _runs(loads: Mapping[str, Load], systems: Iterable[str] = tuple(SYSTEMS)) -> Runs:
    return {f"{name}/{system}": made.on(system) for name, made in loads.items() for system in systems}


def _figure_8(loads: Mapping[str, Load]) -> Runs:
    runs = _runs(loads)
    open_choices = {name: made for name, made in loads.items() if name in (CHOICES, SHOWN)}
    runs |= _runs(open_choices, VARIANTS)
    return {name: [*of, *RECORDED] if name.startswith(f"{SHOWN}/") else of for name, of in runs.items()}


def plan(device: Device, names: list[str], seeds: int) -> Plan:
    """Return the runs of the workloads in `names`, under so many seeds from that of `device` on."""
    devices = [attrs.evolve(device, seed=device.seed + place) for place in range(seeds)]
    return Plan(
        loads=[{name: load(name, of, VOLUME) for name in names} for of in devices],
        varied=_varied(device, names),
        full={FULL: load(FULL, attrs.evolve(device, blocks=BLOCKS), FULL_VOLUME)} if FULL in names else {},
        cuts=_cuts(device) if CUT in names else {},
        example=_cuts(attrs.evolve(device, more=(*device.more, *EXAMPLE))) if CUT in names else {},
    )


def _varied(device: Device, names: list[str]) -> dict[str, Load]:
    made = {
        what: load(name, device, VARIED_VOLUME, *changes) for what, (name, changes) in VARIED.items() if name in names
    }
    for what, data in SHARES.items() if SHOWN in names else ():
        made[what] = load(SHOWN, attrs.evolve(device, data=data), VARIED_VOLUME)
    return made


def _cuts(device: Device) -> dict[str, Load]:
    whole = load(CUT, device, CUT_VOLUME)
    at = {f"{share:g}": f"power_loss.after_programs={round(share * whole.pages)}" for share in CUTS}
    return {moment: attrs.evolve(whole, overrides=[*whole.overrides, cut]) for moment, cut in at.items()}
