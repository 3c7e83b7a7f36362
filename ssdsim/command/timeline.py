"""What each bus, die and plane did when, as a file for https://ui.perfetto.dev or chrome://tracing.

The run has to have been made with `record=[requests,commands]`; with `record=commands` alone there are no requests in
the picture. A file of a long run is more than a viewer opens: choose a window of simulated time.
"""

import argparse
from collections.abc import Sequence
from pathlib import Path

from ssdsim.errors import InputError
from ssdsim.metrics.parquet import damage_told
from ssdsim.report.timeline import MOST, timeline

from . import failures, parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the timeline, say where it is, and return 0, or 2 for a folder that it cannot be made of."""
    options = parser("timeline", __doc__)
    options.add_argument("folder", type=Path, help="the folder of a run")
    options.add_argument("--from", dest="begin", type=float, default=0.0, metavar="S", help="begin of the window, s")
    options.add_argument("--to", dest="end", type=float, metavar="S", help="its end, s (default: that of the run)")
    options.add_argument("--most", type=int, default=MOST, metavar="N", help=f"commands at most (default: {MOST:,})")
    options.add_argument("--output", type=Path, metavar="FILE", help="default: timeline.json in the folder")
    given = options.parse_args(arguments)
    return failures.guarded(lambda: _write(given))


def _write(given: argparse.Namespace) -> int:
    if given.most < 1:
        raise InputError(f"--most {given.most}: must be at least 1.")
    if given.end is not None and given.end <= given.begin:
        raise InputError(f"--to {given.end}: must be later than --from {given.begin}.")
    with damage_told(given.folder):
        made = timeline(given.folder, given.begin, given.end, given.most)
    path = given.output or given.folder / "timeline.json"
    made.save(path)
    if made.commands < made.of_commands:
        print(f"The first {made.commands:,} of {made.of_commands:,} commands: choose a window, or raise --most.")
    print(path)
    return 0
