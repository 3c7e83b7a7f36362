"""Draw a window of a run as a page of HTML that plays it event by event, for slides and notebooks.

What follows the file are overrides as of `run`. The page opens in any browser without a network; with #frame=17 behind
its name it opens at that event. It shows the blocks of the device, what dies and buses do, requests, streams and the
write buffer. An example: window.html --skip-to block_erased workload=synthetic hardware.blocks_per_plane=32
"""

from argparse import Namespace
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

from ssdsim.errors import InputError
from ssdsim.report.player import MOST_FRAMES, USUAL, check, record
from ssdsim.run.simulation import Simulation
from ssdsim.run.stepping import EVENTS

from . import failures, parser
from .compose import prepared, session


def main(arguments: Sequence[str]) -> int:
    """Write the page, say where it is, and return 0, or 2 if what is given makes none."""
    options = parser("player", __doc__)
    options.add_argument("file", type=Path, help="where the page goes, such as window.html")
    options.add_argument("overrides", nargs="*", metavar="KEY=VALUE")
    options.add_argument("--config", metavar="FOLDER", help="the run of a folder again, or that of a YAML file")
    options.add_argument("--from", dest="begin", type=float, metavar="S", help="begin of the window, s of the run")
    skip_help = f"begin at the next of these: {', '.join(EVENTS)}"
    options.add_argument("--skip-to", choices=EVENTS, metavar="EVENT", help=skip_help)
    events_help = f"events at most (default: {USUAL}, up to {MOST_FRAMES})"
    options.add_argument("--events", type=int, default=USUAL, metavar="N", help=events_help)
    given = options.parse_intermixed_args(arguments)
    return failures.guarded(lambda: _play(given))


def _play(given: Namespace) -> int:
    if given.file.suffix != ".html":
        raise InputError(f"{given.file}: must end with .html; the file comes before the overrides.")
    if not find_spec("jinja2"):  # before the run, and not after it
        raise InputError("player: needs jinja2; install ssdsim[report].")
    with session():
        simulation = Simulation(prepared(given.overrides, place=given.config).config)
    check(simulation, given.events)
    simulation.begin()
    # after the time, so that it is the next such event from there
    for option, target in (("--from", given.begin and round(given.begin * 1e9)), ("--skip-to", given.skip_to)):
        if target is not None and not simulation.run_until(target):
            raise InputError(
                f"{option}: the run is over before that, at {simulation.now / 1e9:g} s; take a longer run."
            )
    recording = record(simulation, given.events)
    recording.save(given.file, " ".join(given.overrides) or "A window of a run")
    print(given.file)
    return 0
