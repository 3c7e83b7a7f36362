"""The oracle of a summary: each figure is counted again from the tables, and one that is off is told."""

import attrs
import pytest

from ssdsim.config import PowerLossConfig, PreconditionConfig
from ssdsim.testing import RequestList
from support.recount import counted, differences, recounted
from support.requests import writes
from support.small_devices import load, mixed, small
from support.tiny_device import run_streams

LOSSES = {"no": {}, "plain": {"after_programs": 170}, "capacitor": {"after_programs": 170, "capacitor": True}}
CASES = [
    *(("baseline", "no"), ("dftl", "plain"), ("fast", "no"), ("flex_ftl", "capacitor"), ("modern", "no")),
    *(("pa_ssd", "plain"), ("pcftl", "no"), ("slc_mode", "no"), ("spd_plus", "capacitor"), ("superpage", "plain")),
]


def busy(stack, loss="no"):
    """Return a run of some hundred requests of three streams on a small device."""
    config = load(small(stack), 260, seed=3)
    others = {
        "open": RequestList(rows=[(at * 90_000, *row[1:]) for at, row in enumerate(mixed(config, 60, seed=7))]),
        "closed": RequestList(rows=mixed(config, 40, seed=8), queue_depth=2),
    }
    lost = dict(LOSSES[loss])
    if lost and config.ftl.unit == "super_page":
        lost["after_programs"] *= 2  # so many more pages are written
    return attrs.evolve(config, workloads=others, power_loss=PowerLossConfig(**lost))


@pytest.mark.parametrize(("stack", "loss"), CASES)
def test_every_figure_of_every_stack_is_that_of_the_tables(stack, loss):
    result, claims = counted(busy(stack, loss))
    summary = result.summary
    assert list(differences(summary, claims)) == []
    assert summary["requests"]["write"]["count"] > 100
    assert loss == "no" or summary["power_loss"]["at_s"] > 0


def test_a_command_that_the_run_leaves_unfinished_in_the_instant_of_a_loss_of_power_was_not_destroyed_by_it():
    """Nothing takes time here, not even the reboot; the last write fills a block, and another one is being erased."""
    times = {"read_us": [0.0], "program_us": [0.0], "erase_us": 0.0, "bus_ns_per_byte": 0.0}
    commands = dict.fromkeys(("read_command_us", "program_command_us", "erase_command_us"), 0.0)
    device = {"hardware": times | commands, "power_loss": {"after_programs": 3}}
    rows = writes(*(number % 16 for number in range(30)))
    out = run_streams([{"rows": rows, "queue_depth": 1}], device | {"check": "recount", "integrity": "off"})
    assert out.summary["power_loss"]["destroyed_erases"] == 0


@pytest.mark.parametrize("stack", ["baseline", "spd", "pa_ssd"])
def test_what_was_under_way_when_the_measured_run_began_is_told_apart(stack):
    prepared = PreconditionConfig(mode="writes", timed=True, fill_share=0.5, max_windows=2)
    recounted(attrs.evolve(busy(stack), precondition=prepared, workloads={}, integrity="off"))
