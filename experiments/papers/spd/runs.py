"""The runs of the study: all workloads in both states of the device, and what Section 6.5 varies."""

from collections.abc import Mapping

import attrs

from ...study.runs import Runs, grid
from .loads import Load
from .systems import COLLECTING, FOUR_PLANES, FREE, SEPARATED, STATES, SYSTEMS, UNCOLLECTED, apart
from .workloads import TABLE_2

BUFFERED = "RSR_0"
BUFFERS_MIB = [0.25, 0.5, 1, 2, 4, 8, 16]
"""Fig. 21: sizes of the buffer under one workload."""

SPED_UP = ["HM_0", "RSR_0"]
SPEEDS = [1, 10, 100, 1000, 10_000]
SHOWN_SPED_UP = {
    FREE: ["Baseline-D", "TwinBlk", "SuperPage", "SPD"],
    COLLECTING: ["Baseline-D", "ParaGC", "SPD", "SPD+"],
}
SEPARATED_LOADS = ["HM_0", "RSR_0", "TS_0"]
OF_STATE = {FREE: {name: SYSTEMS[name] for name in UNCOLLECTED}, COLLECTING: SYSTEMS}


@attrs.frozen
class Plan:
    """What is run: workloads, those with hot pages as often updated as in the whole trace, and the seed."""

    loads: Mapping[str, Load]
    small: Mapping[str, Load]
    common: list[str]

    @property
    def of_paper(self) -> dict[str, Load]:
        """The workloads that are the paper's."""
        return {name: load for name, load in self.loads.items() if name in TABLE_2}

    def state(self, state: str) -> list[str]:
        """Return the overrides of all runs in a state of the device."""
        return [*self.common, *STATES[state]]

    def parts(self) -> dict[str, Runs]:
        """Return the runs by what they are for, each named `workload/system`."""
        made = {state: self.all_workloads(state) for state in STATES}
        return made | {
            "buffers": self.buffers(),
            "four planes": self.four_planes(),
            "separated": self.separated(),
            "speeds": {name: run for state in STATES for name, run in self.speeds(state).items()},
        }

    def all_workloads(self, state: str) -> Runs:
        """Return the runs of all workloads in a state."""
        workloads = {name: load.buffered() for name, load in self.loads.items()}
        return grid(OF_STATE[state], workloads, self.state(state))

    def buffers(self) -> Runs:
        """Return the runs of Fig. 21, named by the buffer's size."""
        if BUFFERED not in self.loads:
            return {}
        trace = self.loads[BUFFERED]
        sizes = {f"{size:g}": attrs.evolve(trace, buffer_mib=size).buffered() for size in BUFFERS_MIB}
        return grid(OF_STATE[FREE], sizes, self.state(FREE))

    def four_planes(self) -> Runs:
        """Return the runs of Fig. 22, of a device of twice the capacity."""
        systems = {name: [*SYSTEMS[name], *more] for name, more in FOUR_PLANES.items()}
        workloads = {name: [*load.buffered(), "hardware.planes_per_die=4"] for name, load in self.of_paper.items()}
        return grid(systems, workloads, self.state(FREE))

    def separated(self) -> Runs:
        """Return the runs of Fig. 24."""
        together = {name: SYSTEMS[name] for name in SEPARATED}
        hot_cold = {apart(name): [*SYSTEMS[name], "ftl.active_blocks=hot_cold"] for name in SEPARATED}
        workloads = {name: load.buffered() for name, load in self.small.items()}
        return grid(together | hot_cold, workloads, self.state(COLLECTING))

    def speeds(self, state: str) -> Runs:
        """Return runs at several multiples of the rate."""
        workloads = {
            f"{name} x{speed}, {state}": [*self.loads[name].buffered(), f"workload.speedup={speed}"]
            for name in SPED_UP
            if name in self.loads
            for speed in SPEEDS
        }
        return grid({name: SYSTEMS[name] for name in SHOWN_SPED_UP[state]}, workloads, self.state(state))
