"""A window of a run as a page of HTML that plays it event by event, for slides and notebooks.

What follows the file are overrides as of `run`. The page opens in any browser without a network; with
#frame=17&block=0:3 behind its name it opens at that event with that block chosen. It shows the blocks of the device,
what dies and buses do, queues, streams and the write buffer. An example of what to give: window.html
--skip-to collection_began workload=synthetic hardware.blocks_per_plane=32
"""

import argparse
from collections.abc import Sequence
from pathlib import Path

from ssdsim.config import MOST_NS
from ssdsim.errors import InputError
from ssdsim.metrics.result import needed
from ssdsim.report.player import MOST_FRAMES, USUAL, check, record
from ssdsim.run.simulation import Simulation
from ssdsim.run.stepping import EVENTS

from . import failures, parser
from .compose import prepared, session


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the page, say where it is, and return 0, or 2 if what is given makes none."""
    options = parser("player", __doc__)
    options.add_argument("file", type=Path, help="where the page goes, such as window.html")
    options.add_argument("overrides", nargs="*", metavar="KEY=VALUE")
    options.add_argument("--config", metavar="FOLDER", help="the run of a folder again, or that of a YAML file")
    options.add_argument("--from", dest="begin", type=float, metavar="S", help="begin of the window, s of the run")
    options.add_argument(
        "--skip-to", choices=EVENTS, metavar="EVENT", help=f"begin at the next of these: {', '.join(EVENTS)}"
    )
    options.add_argument(
        "--events", type=int, default=USUAL, metavar="N", help=f"events at most (default: {USUAL}, up to {MOST_FRAMES})"
    )
    options.add_argument("--title", help="of the page (default: the overrides)")
    given = options.parse_intermixed_args(arguments)
    return failures.guarded(lambda: _play(given))


def _play(given: argparse.Namespace) -> int:
    if given.file.suffix != ".html":
        raise InputError(f"{given.file}: must end with .html; the file comes before the overrides.")
    if not given.file.absolute().parent.is_dir():  # before the run, and not after it
        raise InputError(f"{given.file}: there is no folder {given.file.parent}; make it first.")
    if given.begin is not None and not 0 <= given.begin * 1e9 < MOST_NS:
        raise InputError(f"--from {given.begin}: must be a time in s, from 0 on and below {MOST_NS / 1e9:g}.")
    needed("jinja2")
    with session():
        config = prepared(given.overrides, place=given.config).config
    simulation = Simulation(config)
    check(simulation, given.events)
    _skip(simulation, given.begin, given.skip_to)
    recording = record(simulation, given.events)
    recording.save(given.file, given.title or " ".join(given.overrides) or "A window of a run")
    if simulation.is_over and len(recording) < given.events:
        print(f"The run is over after {len(recording):,} of {given.events:,} events.")
    print(given.file)
    return 0


def _skip(simulation: Simulation, begin_s: float | None, event: str | None) -> None:
    """Go to where the window begins; raise InputError if the run does not come to it."""
    simulation.begin()
    if begin_s is not None:
        begin_ns = round(begin_s * 1e9)
        if begin_ns < simulation.now:
            raise InputError(
                f"--from {begin_s}: the measured run begins at {simulation.now / 1e9:g} s; take a later time."
            )
        if not simulation.run_until(begin_ns):
            raise InputError(f"--from {begin_s}: the run is over at {simulation.now / 1e9:g} s; take an earlier time.")
    # after the time, so that it is the next such event from there
    if event is not None and not simulation.run_until(event):
        raise InputError(f"--skip-to {event}: none is to come before the run is over; take a longer run, or another.")
