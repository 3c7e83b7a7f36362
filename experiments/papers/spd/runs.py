"""The runs of the study by part: all workloads in both states of the device, and what Section 6.5 varies."""

from collections.abc import Iterable, Mapping

import attrs

from ...study.runs import Runs, grid
from .systems import BASE, BY_TWO, COLLECTING, COMMON, FREE, OF_STATE, STATES, SYSTEMS, mapped_name, separated_name
from .workloads import TABLE_2, Load

# The parts of what Section 6.5 varies, beside those of the two states of the device.
FOUR_PLANES, BUFFERS, MAPPINGS, SEPARATING = "four planes", "buffers", "mappings", "separated"

ONE, BUFFERS_MIB = "RSR_0", [0.25, 0.5, 1, 2, 4, 8, 16]  # Figs. 21 and 23: their one workload, sizes of its buffer

APART = [BASE, "SPD", "SPD+"]  # Fig. 24: the systems shown with hot and cold blocks
SEPARATED = ["HM_0", "RSR_0", "TS_0"]  # Fig. 24: the workloads that are run at its larger scale


@attrs.frozen
class Plan:
    """What is run under a seed: workloads, and what all runs have."""

    loads: Mapping[str, Load]
    seed: int
    more: tuple[str, ...] = ()
    """Overrides that come last."""

    def with_all(self, *more: str) -> "Plan":
        """Return the plan with more overrides."""
        return attrs.evolve(self, more=(*self.more, *more))

    def some(self, names: Iterable[str]) -> "Plan":
        """Return the plan with those of `names` alone that are run."""
        return attrs.evolve(self, loads={name: self.loads[name] for name in names if name in self.loads})

    def runs(self, state: str, systems: Mapping[str, list[str]], workloads: Mapping[str, list[str]]) -> Runs:
        """Return the runs of systems under workloads in a state of the device."""
        known = {name: [*overrides, *self.more] for name, overrides in workloads.items()}
        return grid(systems, known, [*COMMON, *STATES[state], f"seed={self.seed}"])

    def buffered(self, names: Iterable[str] | None = None) -> dict[str, list[str]]:
        """Return the overrides of those of `names`, or all, that are run."""
        return {name: self.loads[name].buffered() for name in names or self.loads if name in self.loads}

    def parts(self) -> dict[str, Runs]:
        """Return all parts of the study but that of Fig. 24."""
        varied = {FOUR_PLANES: self.four_planes(), BUFFERS: self.buffers(), MAPPINGS: self.mappings()}
        return self.free() | self.collecting() | varied

    def free(self) -> dict[str, Runs]:
        """Return the part without collection."""
        return {FREE: self.runs(FREE, OF_STATE[FREE], self.buffered())}

    def collecting(self) -> dict[str, Runs]:
        """Return the part with collection."""
        return {COLLECTING: self.runs(COLLECTING, SYSTEMS, self.buffered())}

    def changed(self, state: str, system: str, *more: str) -> Runs:
        """Return the runs of one system in a state, with more overrides."""
        return self.with_all(*more).runs(state, {system: SYSTEMS[system]}, self.buffered())

    def four_planes(self, names: Iterable[str] = BY_TWO) -> Runs:
        """Return the runs of Fig. 22, of a device of twice the capacity."""
        systems = {name: [*SYSTEMS[name], *BY_TWO[name]] for name in names}
        workloads = {name: [*load, "hardware.planes_per_die=4"] for name, load in self.buffered(TABLE_2).items()}
        return self.runs(FREE, systems, workloads)

    def separating(self) -> dict[str, Runs]:
        """Return the part of Fig. 24."""
        together = {name: SYSTEMS[name] for name in APART}
        hot_cold = {separated_name(name): [*SYSTEMS[name], "ftl.active_blocks=hot_cold"] for name in APART}
        return {SEPARATING: self.runs(COLLECTING, together | hot_cold, self.buffered(SEPARATED))}

    def buffers(self) -> Runs:
        """Return the runs of Fig. 21, named by the buffer's size."""
        if ONE not in self.loads:
            return {}
        load = self.loads[ONE]
        sizes = {f"{size:g}": attrs.evolve(load, buffer_mib=size).buffered() for size in BUFFERS_MIB}
        return self.runs(FREE, OF_STATE[FREE], sizes)

    def mappings(self) -> Runs:
        """Return the runs of Fig. 23, but those with FAST."""
        systems = {name: SYSTEMS[name] for name in (BASE, "SPD")}
        mapped = {mapped_name(name): [*system, "ftl/mapping=dftl"] for name, system in systems.items()}
        return self.runs(FREE, systems | mapped, self.buffered([ONE]))
