"""What was written to each plane and erased there."""

import numpy as np
import pyarrow as pa

COUNTS = ("writes_by_plane", "host_writes_by_plane", "erases_by_plane")
"""What `FlashCounters` counts by plane, each the name of an attribute."""


def table(totals: dict[str, np.ndarray], timed: bool, pages_written: int) -> pa.Table:
    """Return the page writes and erases of each plane, given counts by plane.

    Without timing these come from the blocks, which do not tell whose a page was; nor how many there were, if blocks
    were erased before they were full or have pages that hold nothing, so that they do not add up to `pages_written`.
    """
    programs, host_programs, erases = (totals[name] for name in COUNTS)
    nothing = [None] * len(erases)
    return pa.table(
        {
            "plane": np.arange(len(erases)),
            "host_programs": pa.array(host_programs if timed else nothing, pa.int64()),
            "programs": pa.array(programs if timed or programs.sum() == pages_written else nothing, pa.int64()),
            "erases": erases,
        }
    )


def sdwpp(planes: pa.Table) -> float | None:
    """Return the standard deviation of the page writes of the planes (PCFTL, 5.1), None if these are not known."""
    return None if planes["programs"].null_count else float(planes["programs"].to_numpy().std())
