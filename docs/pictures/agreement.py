"""Response times of ours and of MQSim and SSDSim, replayed as the site is built."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
from attrs import frozen

from experiments.validation.agreement import SIMULATORS, reference, responses

from .canvas import BLUE, INK, Canvas

FOLDER = Path(__file__).parents[1] / "data" / "responses"
NAMES = {"mqsim": "MQSim", "ssdsim": "SSDSim"}


@frozen
class Replay:
    """Response times in ns of the same requests, of ours and of theirs."""

    workload: str
    simulator: str
    ours: np.ndarray
    theirs: np.ndarray

    @property
    def equal(self) -> int:
        """How many are equal to the nanosecond."""
        return int(np.count_nonzero(self.ours == self.theirs))


def replays() -> Iterator[Replay]:
    """Yield how each workload compares with each simulator.

    The files hold the first requests of longer ones. Those that were not complete when the last of them arrived are
    left out, as later requests may have held them up.
    """
    for path in sorted(FOLDER.glob("*.csv.xz")):
        table = reference(path)
        arrival = table["arrival_ns"].to_numpy()
        for simulator in SIMULATORS:
            theirs = table[f"{simulator}_ns"].to_numpy()
            complete = arrival + theirs <= arrival[-1]
            ours = responses(path, simulator, "compiled")
            yield Replay(path.name.partition(".")[0], simulator, ours[complete], theirs[complete])


def agreement() -> str:
    """Return the picture: for each workload and simulator the distribution of theirs as a line, with ours as dots."""
    found = list(replays())
    workloads = list(dict.fromkeys(each.workload for each in found))
    canvas = Canvas(100, 46)
    for each in found:
        column, row = workloads.index(each.workload), SIMULATORS.index(each.simulator)
        axes = canvas.figure.add_axes((0.06 + column * 0.19, 0.6 - row * 0.46, 0.155, 0.29), facecolor="#ffffff")
        share = np.arange(1, len(each.theirs) + 1) / len(each.theirs)
        axes.plot(np.sort(each.theirs) / 1e3, share, color=BLUE, linewidth=4)
        axes.plot(np.sort(each.ours)[::16] / 1e3, share[::16], ".", color=INK, markersize=2.5)
        axes.set_title(f"{each.workload}, {NAMES[each.simulator]}:\n{each.equal} of {len(each.ours)} equal", fontsize=7)
        axes.tick_params(labelsize=6)
        axes.set_ylim(0, 1.03)
        if row:
            axes.set_xlabel("response time, us", fontsize=7)
        if not column:
            axes.set_ylabel("share of the requests", fontsize=7)
    return canvas.svg()
