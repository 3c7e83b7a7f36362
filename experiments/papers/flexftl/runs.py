"""The runs of the study: all workloads under every seed, one at full size, and some that lose power."""

from collections.abc import Iterable, Mapping, Sequence

import attrs

from ...study.runs import Runs
from ...study.study import Parts
from .systems import BLOCKS, OURS, SYSTEMS, Device
from .workloads import Load, load

VOLUME = 1.0
"""Times the device's pages that a run writes; with moved pages and backups, each block is then erased about twice."""

SHOWN = "Varmail"  # the workload of Fig. 8(c), whose commands are recorded

RECORDED = ["record=[commands]"]

CUT = "NTRX"  # the workload that loses power: the dies are always busy

CUT_VOLUME = 0.1
CUTS = [0.25, 0.5, 0.75]  # shares of those pages, after as many programs of any kind power is cut

CHIPS, FAST_PAGES, READ_US = 16, 64, 40
# Section 3.3: the fast pages of two blocks a chip, read one after the other.
REBOOT_MS = CHIPS * 2 * FAST_PAGES * READ_US / 1000

# The device of the paper's example of a reboot.
EXAMPLE = (f"hardware.chips_per_channel={CHIPS // 8}", f"hardware.pages_per_block={2 * FAST_PAGES}")

FULL, FULL_VOLUME = SHOWN, 0.25  # the workload that is also run at the paper's size, over so many times its pages

CUT_PART, EXAMPLE_PART, FULL_PART = "power loss", "example of a reboot", "full size"


def part(workload: str, system: str) -> str:
    """Return the name of the part with the one run of a system under a workload."""
    return f"{workload}, {system}"


def figure_8(loads: Mapping[str, Load], systems: Iterable[str] = tuple(SYSTEMS), more: Sequence[str] = ()) -> Parts:
    """Return the runs of `systems` under `loads`, with `more` overrides, a part each."""
    return {
        part(name, system): {f"{name}/{system}": [*made.on(system), *more, *(RECORDED if name == SHOWN else [])]}
        for name, made in loads.items()
        for system in systems
    }


def loads_of(device: Device, names: Iterable[str], *changes: str) -> dict[str, Load]:
    """Return the workloads called `names` for `device`, each with `changes`."""
    return {name: load(name, device, VOLUME, *changes) for name in names}


def further(device: Device, names: Sequence[str]) -> Parts:
    """Return the runs of the first seed alone: one at the paper's size, and those that lose power."""
    whole = {FULL: load(FULL, attrs.evolve(device, blocks=BLOCKS), FULL_VOLUME)} if FULL in names else {}
    example = attrs.evolve(device, more=(*device.more, *EXAMPLE))
    return {
        FULL_PART: _runs(whole, SYSTEMS),
        CUT_PART: _runs(_cuts(device), SYSTEMS) if CUT in names else {},
        EXAMPLE_PART: _runs(_cuts(example), [OURS]) if CUT in names else {},
    }


def _runs(loads: Mapping[str, Load], systems: Iterable[str]) -> Runs:
    return {f"{name}/{system}": made.on(system) for name, made in loads.items() for system in systems}


def _cuts(device: Device) -> dict[str, Load]:
    whole = load(CUT, device, CUT_VOLUME)
    cuts = {f"{share:g}": f"power_loss.after_programs={round(share * whole.pages)}" for share in CUTS}
    return {moment: attrs.evolve(whole, overrides=[*whole.overrides, cut]) for moment, cut in cuts.items()}
