"""A page that is lost, doubled, swapped, stale, early or misdirected, wherever it is handed over, is reported."""

from random import Random

import attrs
import pytest

from ssdsim.config import PowerLossConfig
from ssdsim.run.simulation import simulate
from support.sabotage import SABOTAGES, Bench
from support.small_devices import STACKS, load, small

POWER = {"none": {}, "any": {"after_programs": 170}, "capacitor": {"after_programs": 170, "capacitor": True}}
SEEDS = (2, 3, 13)
"""Of runs of some hundred requests: one at least must give a sabotage away, and nearly all do so in the first."""
SENTENCE = r"^integrity: .*logical page \d+ .*\.$"


def experiment(stack, power, seed):
    """Return a run of some hundred requests, in which power is lost or not."""
    config = load(small(stack), 260, seed=seed)
    if power == "lost":
        return with_pages_recovered(config)
    given = dict(POWER[power])
    if given and config.ftl.unit == "super_page":
        given["after_programs"] *= 2  # so many more pages are written
    return attrs.evolve(config, power_loss=PowerLossConfig(**given))


def with_pages_recovered(config):
    """Return `config` with power lost at such a time that pages are restored from backups."""
    for tenths_of_ms in range(300, 3000, 37):
        config = attrs.evolve(config, power_loss=PowerLossConfig(at_s=tenths_of_ms / 1e4))
        if simulate(config).summary["power_loss"].get("recovered"):
            return config
    raise AssertionError("no loss of power takes a page with it")


@pytest.mark.parametrize("name", SABOTAGES)
def test_the_oracle_bites(interpreted, monkeypatch, name):
    """On two of the stacks that have that part."""
    wrapped, needs, power = SABOTAGES[name]
    fitting = [stack for stack in STACKS if needs(small(stack))]
    Bench(interpreted, monkeypatch).wrap(*wrapped)
    for stack in Random(name).sample(fitting, min(len(fitting), 2)):
        print(stack)  # shown with a failure
        with pytest.raises(interpreted["ssdsim.errors"].SimulationError, match=SENTENCE):
            for seed in SEEDS:
                interpreted["ssdsim.run.simulation"].simulate(experiment(stack, power, seed))
