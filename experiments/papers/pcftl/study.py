"""Everything that was run, and the paper's numbers beside it."""

from collections.abc import Mapping, Sequence
from fractions import Fraction

import attrs

from ...study.former.claims import Comparison, over_seeds
from ...study.measures import Grid
from ..spd.measures import Grid as SpdGrid
from . import measures, schemes
from .measures import NOT_RUN, Grids
from .runs import DEFAULT
from .systems import Device
from .workloads import Load

RESULTS = "## Claims of the paper"
"""How the section begins that is stored with the project."""


@attrs.frozen
class Study:
    """Everything that was run."""

    seeds: Sequence[Grids]
    """All workloads, by seed and setting; Fig. 11 is whole under the first seed alone."""
    further: Mapping[str, Grid]
    """What `Plan.further` names, under the first seed."""
    whole: Grid
    """A workload at the paper's size; empty if it was not asked for."""
    schemes: Sequence[SpdGrid]
    """Fig. 23's runs by seed, named `scheme/mapping`; the first has further mappings."""
    loads: Mapping[str, Load]
    device: Device
    pages: int
    scale: Fraction
    seed: int

    def pages_for(self, name: str) -> int:
        """Return the pages of the device that a workload is as long as."""
        return round(self.pages / self.scale) if self.loads[name].whole else self.pages

    @property
    def grids(self) -> Grids:
        """All workloads under the first seed, by setting."""
        return self.seeds[0]

    @property
    def default(self) -> Grid:
        """The results of Table 1's default values."""
        return self.grids[DEFAULT]

    @property
    def variants(self) -> Grid:
        """The results of systems that lack a part, or have another's."""
        return self.further.get("parts", NOT_RUN)

    @property
    def mapped(self) -> list[SpdGrid]:
        """Fig. 23's runs by seed, none if they were not asked for."""
        return [grid for grid in self.schemes if grid.results]

    def held(self) -> list[Comparison]:
        """Return all of the papers' numbers beside ours, over all seeds; those of what was not run are not measured."""
        found = [measures.claims(grids, self.pages) for grids in self.seeds] if self.loads else []
        return over_seeds(found) + over_seeds(map(schemes.comparisons, self.mapped))
