"""Arrivals fitted to pieces of real traces, by one rule that was settled on arrivals alone.

The pieces have ten thousand requests and more and last for minutes: 853 s of UMass's Financial1, 300 s of a Microsoft
production server, 939 s and 243 s of two volumes of MSR Cambridge. Reads and writes were fitted apart where a piece has
a thousand of each. Levels have the correlation times and variances whose index of dispersion of counts is nearest to
the piece's, from 1 ms to a tenth of it (Heffes and Lucantoni, IEEE JSAC 4(6), 1986; Andersen and Nielsen, 1998), and
batches have what these leave. How rare and tall they are is what gives drawn pieces the queues of the piece, of a
server that is busy for 0.3 to 0.9 of its time (Wang et al., ICDE 2002). The program that fitted them is in the history
of this file.
"""

from collections.abc import Sequence
from typing import Any

from ssdsim.command.from_python import spelled

Arrivals = dict[str, Any]
"""Keys of a workload but for its rate: `arrival=levels`, and what that asks for."""

Levels = Sequence[tuple[float, float, float]]
"""Share of the time, share of the requests and seconds of each level."""


def _keys(levels: Levels, batch: float, write_levels: Levels = (), write_batch: float = 1.0) -> Arrivals:
    def named(levels: Levels) -> list[dict[str, float]]:
        return [dict(zip(("share", "traffic", "length_s"), level, strict=True)) for level in levels]

    reads = {"levels": named(levels), "batch_requests": batch}
    return {"arrival": "levels", **reads, "write_levels": named(write_levels), "write_batch_requests": write_batch}


FITTED = {
    "Financial1": _keys([(0.695, 0.908, 260.0)], 1.0, [(0.527, 0.713, 42.2), (0.286, 0.76, 0.702)], 2.16),
    "DevelopmentToolsRelease": _keys(
        [(0.274, 0.422, 4.36), (0.27, 0.428, 0.217)], 1.0, [(0.13, 0.918, 28.9), (0.384, 0.916, 0.204)], 1.06
    ),
    "prxy_0": _keys([(0.0218, 0.1, 6.45), (0.0231, 0.0929, 0.646)], 2.48),
    "MSR 20-80": _keys(
        [(0.00862, 1.0, 0.402), (0.805, 1.0, 0.129)], 2.18, [(0.00846, 0.131, 0.201), (0.00522, 0.141, 0.0101)], 6.38
    ),
}
"""By piece, to three digits: nothing here is set by hand. Those of reads apart from writes, where there are both."""


def overrides(arrivals: Arrivals) -> list[str]:
    """Return the overrides that have an open-loop workload, or a trace, come so."""
    return [f"workload.{name}={spelled(value)}" for name, value in arrivals.items()]
