"""Everything that was run, and the paper's numbers beside it."""

from collections.abc import Mapping
from fractions import Fraction

import attrs

from ...study.claims import Comparison
from ...study.measures import Grid
from ..spd.measures import Grid as SpdGrid
from . import measures, paper, schemes
from .measures import Grids, response_ms, sdwpp
from .runs import DEFAULT
from .systems import Device
from .workloads import Load


@attrs.frozen
class Study:
    """Everything that was run."""

    grids: Grids
    """All workloads, by setting."""
    variants: Grid
    """The same with systems that lack a part, of `runs.VARIANTS`."""
    empty: Grid
    """The same on a device that holds only what is read."""
    independent: Grid
    """The same with planes that work by themselves."""
    threshold: Grid
    """The same with the most extra blocks, and collection that starts as late as with the fewest."""
    schemes: SpdGrid
    """Fig. 23's runs, named `scheme/mapping`."""
    loads: Mapping[str, Load]
    device: Device
    pages: int
    scale: Fraction
    seed: int

    def pages_for(self, name: str) -> int:
        """Return the pages of the device that a workload is as long as."""
        return round(self.pages / self.scale) if self.loads[name].whole else self.pages

    @property
    def default(self) -> Grid:
        """The results of Table 1's default values."""
        return self.grids[DEFAULT]

    def held(self) -> list[Comparison]:
        """Return all of the paper's numbers beside ours."""
        if not self.loads:
            return schemes.comparisons(self.schemes)
        return [
            *measures.page_comparisons(self.grids),
            *measures.extra_comparisons(self.grids),
            *measures.collection_comparisons(self.default),
            *measures.waste_comparisons(self.default, self.pages),
            *measures.cache_comparisons(self.grids, response_ms, "response time", paper.LARGER_CACHE_RESPONSE),
            *measures.cache_comparisons(self.grids, sdwpp, "SDWPP", paper.LARGER_CACHE_SDWPP),
            *(schemes.comparisons(self.schemes) if self.schemes.results else []),
        ]
