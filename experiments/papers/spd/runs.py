"""The runs of the study: all workloads in both states of the device, and what Section 6.5 varies."""

from collections.abc import Iterable, Mapping

import attrs

from ...study.runs import Runs, grid
from .loads import Load
from .systems import COLLECTING, FOUR_PLANES, FREE, SEPARATED, STATES, SYSTEMS, UNCOLLECTED, separated_name
from .workloads import TABLE_2

BUFFERED = "RSR_0"
BUFFERS_MIB = [0.25, 0.5, 1, 2, 4, 8, 16]
"""Fig. 21: sizes of the buffer under one workload."""

SEPARATED_LOADS = ["HM_0", "RSR_0", "TS_0"]
VARIED = ["HM_0", "RSR_0"]
"""Workloads that the variants are run under, and that stand for all in them."""

FEWER_DIES = ["hardware.channels=8", "hardware.chips_per_channel=4"]
"""The 32 dies of Section 4.2.2, of four times the blocks, beside the 128 of Table 1."""


def of_all(override: str) -> dict[str, list[str]]:
    """Return the same override for all systems."""
    return {name: [override] for name in SYSTEMS}


VARIANTS = {
    "as above": {},
    "slots free when programmed": of_all("buffer.slot_free_when=programmed"),
    "Baseline-P evicts planes in turn": {"Baseline-P": ["buffer.replacement=plane_turns"]},
    "write points aligned at first": of_all("precondition.whole_blocks=true"),
    "buffer empty at first": of_all("precondition.full_buffer=false"),
    "collections of the warm-up counted": of_all("precondition.collected=false"),
    "ParaGC's other plane near the threshold": {"ParaGC": ["ftl.gc.chip_margin=0.01"]},
    "writes not held by collection": of_all("ftl.gc.holds_writes=false"),
}
"""What the paper leaves open, or we had otherwise before: overrides by system."""

OF_STATE = {FREE: {name: SYSTEMS[name] for name in UNCOLLECTED}, COLLECTING: SYSTEMS}


@attrs.frozen
class Plan:
    """What is run: workloads, those of the range of arrivals by the share in rushes, and what all runs have."""

    loads: Mapping[str, Load]
    rushes: Mapping[str, Mapping[str, Load]]
    common: list[str]
    blocks: int = 0
    """Of a plane."""

    @property
    def of_paper(self) -> dict[str, Load]:
        """The workloads that are the paper's."""
        return self.some(TABLE_2)

    def some(self, names: Iterable[str]) -> dict[str, Load]:
        """Return those of `names` that are run."""
        return {name: self.loads[name] for name in names if name in self.loads}

    def state(self, state: str) -> list[str]:
        """Return the overrides of all runs in a state of the device."""
        return [*self.common, *STATES[state]]

    def figures(self) -> dict[str, Runs]:
        """Return the runs of the figures by what they are for, each named `workload/system`; those of every seed."""
        made = {state: self.all_workloads(state) for state in STATES}
        return made | {"four planes": self.four_planes(), "separated": self.separated()}

    def further(self) -> dict[str, Runs]:
        """Return the runs of what one seed is enough for: the buffer's size, the variants, the range of arrivals."""
        made = {"buffers": self.buffers()}
        for state in STATES:
            made |= {f"{state}, {name}": self.variant(state, changed) for name, changed in VARIANTS.items()}
            made[f"{state}, 32 dies"] = self.fewer_dies(state)
            made |= {f"{state}, {share} in rushes": self.grid_of(state, of, {}) for share, of in self.rushes.items()}
        return made

    def all_workloads(self, state: str) -> Runs:
        """Return the runs of all workloads in a state."""
        return self.grid_of(state, self.loads, {})

    def variant(self, state: str, changed: Mapping[str, list[str]]) -> Runs:
        """Return runs with something changed."""
        return self.grid_of(state, self.some(VARIED), changed)

    def fewer_dies(self, state: str) -> Runs:
        """Return the runs of a device of as many pages in fewer dies."""
        device = [*FEWER_DIES, f"hardware.blocks_per_plane={4 * self.blocks}"]
        workloads = {name: [*load.buffered(), *device] for name, load in self.some(VARIED).items()}
        return grid(OF_STATE[state], workloads, self.state(state))

    def grid_of(self, state: str, loads: Mapping[str, Load], changed: Mapping[str, list[str]]) -> Runs:
        """Return the runs of workloads in a state, with more overrides by system."""
        systems = {name: [*of, *changed.get(name, [])] for name, of in OF_STATE[state].items()}
        return grid(systems, {name: load.buffered() for name, load in loads.items()}, self.state(state))

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
        hot_cold = {separated_name(name): [*SYSTEMS[name], "ftl.active_blocks=hot_cold"] for name in SEPARATED}
        workloads = {name: load.buffered() for name, load in self.some(SEPARATED_LOADS).items()}
        return grid(together | hot_cold, workloads, self.state(COLLECTING))
