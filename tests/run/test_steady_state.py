"""A device written to steadiness: a run on it does not drift, whatever collects, and whatever the load leaves it."""

import attrs
import numpy as np
import pytest

from ssdsim import preset, simulate
from ssdsim.report.comparison import across

DEVICE = [
    "hardware=tlc_4g",
    "precondition=steady_state",
    "workload=synthetic",
    "workload.read_share=0",
    "workload.requests=8000",
    "hardware.channels=4",
    "hardware.chips_per_channel=1",
    "hardware.dies_per_chip=1",
    "hardware.blocks_per_plane=64",
    "hardware.pages_per_block=48",
    "buffer.size_mib=0.25",
    "check=off",
]
"""8 planes; a tenth of the requests is two blocks of each, about as many as untimed and timed collection differ by."""

MLC = ["hardware/cells=mlc", "hardware.over_provisioning=0.35"]
ROWS = ["precondition.timed=true"]
STACKS = [
    *((name, []) for name in ("baseline", "baseline_d", "baseline_p", "dftl", "dloop", "fast", "pa_ssd", "page_ftl")),
    *((name, []) for name in ("paragc", "pcftl", "slc_mode", "tbm", "twinblk")),
    *((name, MLC) for name in ("flex_ftl", "parity_ftl", "rtf_ftl")),
    *((name, ROWS) for name in ("spd", "spd_plus", "superpage")),
]
LOADS = {
    "one at a time": ["workload.queue_depth=1"],
    "saturated": ["workload.queue_depth=64"],
    "with reads": ["workload.read_share=0.5", "workload.requests=16000"],
    "open loop": ["workload.rate_iops=1200"],
    "with trims": ["workload.trim_share=0.2"],
    "of several pages": ["workload.size_kib=16", "workload.requests=2000"],
}
"""At 1,200 a second dies are busy for three quarters of the time."""

CASES = [
    *STACKS,
    *(("baseline", [f"ftl.gc.victim={name}"]) for name in ("rga", "fifo", "random", "cost_benefit")),
    *(("baseline", load) for load in LOADS.values()),
]
USUAL = {"baseline", "dftl", "baseline ftl.gc.victim=fifo", "baseline workload.trim_share=0.2"}
"""The cases of a usual run."""


def change_from_first_tenth(config):
    """Return the interval, over seeds, of the change of write amplification from the first tenth to the others."""
    changes = []
    for seed in range(1, 6):
        series = simulate(attrs.evolve(config, seed=seed)).timeseries
        writes = np.cumsum([0, *series["host_page_writes"].to_numpy()])
        moves = np.cumsum([0, *series["gc_page_moves"].to_numpy()])
        of_first = np.interp(writes[-1] / 10, writes, moves)
        first, others = 1 + of_first / (writes[-1] / 10), 1 + (moves[-1] - of_first) / (writes[-1] * 0.9)
        changes.append(others / first - 1)
    return across(changes)


def name_of(case):
    """Return the stack and the overrides of a case."""
    return " ".join([case[0], *case[1]])


@pytest.mark.parametrize(
    ("stack", "overrides"),
    [pytest.param(*case, id=name_of(case), marks=[] if name_of(case) in USUAL else pytest.mark.more) for case in CASES],
)
def test_write_amplification_does_not_drift(stack, overrides):
    """A change of less than 5 percent is within the interval; without the load run in it is 20 to 200 percent."""
    lowest, highest = change_from_first_tenth(preset(stack, *DEVICE, *overrides))
    assert lowest < 0.05
    assert highest > -0.05
