"""Write amplification under uniform random single-page writes: measured against theory, timed against untimed."""

import pytest

from ssdsim import (
    FtlConfig,
    GarbageCollectionConfig,
    HardwareConfig,
    HostConfig,
    PreconditionConfig,
    SimulationConfig,
    SyntheticConfig,
    simulate,
)
from support.closed_forms import d_choices, fifo, greedy, random_selection, utilization
from support.thinned import grid, some

SPARE = [0.08, 0.15, 0.25]
POLICIES = {"greedy": lambda share: greedy(share, 64), "fifo": fifo, "random": random_selection}
STEADY = PreconditionConfig(mode="writes", fill_share=1.0, tolerance=0.0, max_windows=8)
"""With a tolerance of zero all windows are written: four times the logical pages."""


def uniform_writes(
    spare, *, blocks=1000, pages=64, requests=500_000, threshold=(2, 2), precondition=STEADY, shared=False, **rest
):
    """Return a configuration of one plane under uniform writes; `threshold` is soft and hard, `rest` is for the GC."""
    geometry = dict.fromkeys(["channels", "chips_per_channel", "dies_per_chip", "planes_per_die", "bits_per_cell"], 1)
    soft, hard = threshold
    footprint = precondition.fill_share
    return SimulationConfig(
        timing="off",
        hardware=HardwareConfig(
            **geometry,
            blocks_per_plane=blocks,
            pages_per_block=pages,
            page_kib=4,
            over_provisioning=spare,
            program_us=[200.0],
        ),
        ftl=FtlConfig(
            active_blocks="shared" if shared else "separate",
            gc=GarbageCollectionConfig(soft_threshold=soft, hard_threshold=hard, **rest),
        ),
        host=HostConfig(queue_depth=64),
        precondition=precondition,
        workload=SyntheticConfig(requests=requests, read_share=0, size_kib=4, queue_depth=16, footprint=footprint),
    )


def share_in_use(config):
    """Return the utilization that the theory is to be given for `config`."""
    hardware, gc = config.hardware, config.ftl.gc
    return utilization(
        int(hardware.logical_pages * config.precondition.fill_share),
        hardware.blocks_per_plane,
        hardware.pages_per_block,
        gc.soft_threshold,
        shared=config.ftl.active_blocks == "shared",
    )


def measured(config):
    return simulate(config).summary["write_amplification"]


@pytest.mark.parametrize(("victim", "spare", "shared"), grid(0.15, POLICIES, SPARE, [False, True]))
def test_an_untimed_run(victim, spare, shared):
    """Within 1 percent; the standard error of a million writes is 0.35 percent at worst (random, spare 0.25)."""
    config = uniform_writes(spare, victim=victim, shared=shared)
    assert measured(config) == pytest.approx(POLICIES[victim](share_in_use(config)), rel=0.01)


@pytest.mark.parametrize(("spare", "choices"), grid(0.15, SPARE, [1, 2, 4, 8]))
def test_d_choices(spare, choices):
    config = uniform_writes(spare, victim="rga", options={"choices": choices})
    assert measured(config) == pytest.approx(d_choices(share_in_use(config), 64, choices), rel=0.01)


@pytest.mark.parametrize("shared", some(0.5, [False, True]))
def test_the_blocks_that_take_no_part_count_as_theory_says(shared):
    """In a plane of 200 blocks with 12 idle ones, leaving these out of the account is wrong by a third."""
    config = uniform_writes(0.15, victim="fifo", blocks=200, threshold=(12, 12), shared=shared)
    assert measured(config) == pytest.approx(fifo(share_in_use(config)), rel=0.02)
    assert measured(config) > 1.3 * fifo(0.85)


@pytest.mark.parametrize(("spare", "fill_share", "victim"), grid(0.15, SPARE, [1.0, 0.9], POLICIES))
def test_preconditioning_by_writes_settles_where_theory_says(victim, fill_share, spare):
    precondition = PreconditionConfig(mode="writes", fill_share=fill_share)
    config = uniform_writes(spare, victim=victim, precondition=precondition, requests=200_000)
    theory = POLICIES[victim](share_in_use(config))
    summary = simulate(config).summary
    assert summary["precondition"]["settled"]
    assert summary["precondition"]["write_amplification"] == pytest.approx(theory, rel=0.03)
    assert summary["write_amplification"] == pytest.approx(theory, rel=0.03)


@pytest.mark.parametrize(
    ("victim", "threshold", "tolerance"),
    [("fifo", (3, 3), 0.01), ("greedy", (4, 2), 0.02)],
)
def test_a_timed_run_agrees_with_an_untimed_one(victim, threshold, tolerance):
    """Between its thresholds collection yields to the host, so a few more blocks are in use when it has a clock."""
    config = uniform_writes(0.15, victim=victim, threshold=threshold, blocks=1024, pages=32, requests=200_000)
    untimed = measured(config)
    config.timing = "on"
    assert measured(config) == pytest.approx(untimed, rel=tolerance)
