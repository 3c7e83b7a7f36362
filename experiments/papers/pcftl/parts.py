"""The runs of the study: all workloads under what Table 1 varies, by system."""

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from pathlib import Path

import attrs

from ...study.runs import Runs
from .systems import CACHES, EXTRA, LARGER, OURS, PAGES, SYSTEMS, Device, Setting
from .workloads import TABLE_2, Load, loads, pieces

WHOLE, PIECES = "whole", "pieces"  # the parts at the paper's size, and of pieces of real traces
LONG = "Fin1"  # takes as long as all others together


@attrs.frozen
class Plan:
    """What is run under a seed: workloads on the device."""

    device: Device
    loads: Mapping[str, Load]
    folder: Path

    def parts(
        self, settings: Mapping[str, Setting], systems: Iterable[str] = SYSTEMS, more: Sequence[str] = ()
    ) -> dict[str, Runs]:
        """Return the parts of systems under settings."""
        return {
            f"{name}, {system}": self.runs(setting, system, more)
            for name, setting in settings.items()
            for system in systems
        }

    def runs(self, setting: Setting, system: str, more: Sequence[str] = ()) -> Runs:
        """Return the runs of a system under all workloads."""
        return {
            f"{name}/{system}": [*self.device.overrides(setting, system, load.whole), *load.overrides, *more]
            for name, load in self.loads.items()
        }

    def figures(self) -> dict[str, Runs]:
        """Return the parts of the paper's figures."""
        return self.parts(CACHES, [OURS]) | self.parts(PAGES | EXTRA | LARGER)

    def made(self, even_places: bool = False, reused: bool = False) -> "Plan":
        """Return the same with workloads that are made otherwise."""
        names = [name for name in self.loads if name in TABLE_2]
        return attrs.evolve(self, loads=loads(self.device, names, self.folder, even_places, reused))

    def short(self) -> "Plan":
        """Return the same without the workload that takes as long as all others, if there are others."""
        others = {name: load for name, load in self.loads.items() if name != LONG}
        return attrs.evolve(self, loads=others or self.loads)


def real(device: Device, folder: Path) -> dict[str, Runs]:
    """Return the parts of the pieces of real traces, each on a device that has caches of full size."""
    return Plan(device, pieces(), folder).parts({PIECES: Setting()})


def whole(seed: int, folder: Path) -> dict[str, Runs]:
    """Return the parts of the workload whose SDWPP the paper gives in pages, at the paper's size."""
    device = Device(Fraction(1), seed)
    return Plan(device, loads(device, ["TPC-C"], folder), folder).parts({WHOLE: Setting()})
