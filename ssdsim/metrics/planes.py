"""What was written to each plane and erased there."""

import numpy as np
import pyarrow as pa

from ssdsim.metrics.fields import described

COUNTS = ("writes_by_plane", "host_writes_by_plane", "erases_by_plane")
"""What `FlashCounters` counts by plane, each the name of an attribute."""

SCHEMA = described(
    "planes", pa.schema([(name, pa.int64()) for name in ("plane", "host_programs", "programs", "erases")])
)


def table(totals: dict[str, np.ndarray], timed: bool, pages_written: int) -> pa.Table:
    """Return the page writes and erases of each plane, given counts by plane.

    Without timing these come from the blocks, which do not tell whose a page was; nor how many there were, if blocks
    were erased before they were full or have pages that hold nothing, so that they do not add up to `pages_written`.
    """
    programs, host_programs, erases = (totals[name] for name in COUNTS)
    nothing = [None] * len(erases)
    columns = {
        "plane": np.arange(len(erases)),
        "host_programs": host_programs if timed else nothing,
        "programs": programs if timed or programs.sum() == pages_written else nothing,
        "erases": erases,
    }
    return pa.table(columns, schema=SCHEMA)


def page_writes_std(planes: pa.Table) -> float | None:
    """Return the standard deviation of the page writes of the planes, None if these are not known.

    It is the SDWPP of PCFTL's paper, 5.1.
    """
    return None if planes["programs"].null_count else float(planes["programs"].to_numpy().std())
