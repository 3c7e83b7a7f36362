"""What a run is foretold to take, held against what it takes."""

import json
import os
import subprocess
import sys
from pathlib import Path

import attrs
import pytest

from ssdsim import ConfigError, HardwareConfig, SimulationConfig, SyntheticConfig, TraceConfig
from ssdsim.assembly import memory
from ssdsim.assembly.memory import available, check_memory
from ssdsim.run import progress as foretelling
from ssdsim.run.progress import estimate

PROJECT = Path(__file__).parents[2]
MIB = 2**20
MEASURED = """
import json, sys
from ssdsim import preset, simulate
from ssdsim.run.progress import estimate

config = preset("baseline", "workload=synthetic", "workload.requests=500", *sys.argv[1:])
foretold = int(estimate(config).split()[1].replace(",", "")) * 2**20
simulate(config)
peak = int(open("/proc/self/status").read().split("VmHWM:")[1].split()[0]) * 1024
print(json.dumps([foretold, peak]))
"""


def test_memory_is_what_is_foretold_within_a_fifth():
    """The device takes some 65 MiB, beside 100 of the process."""
    if not Path("/proc/self/status").is_file():
        pytest.skip("the peak cannot be known")
    environment = {**os.environ, "PYTHONPATH": str(PROJECT)}
    told = subprocess.run(
        [sys.executable, "-c", MEASURED, "hardware=tlc_128g", "precondition=fill"],
        env=environment,
        capture_output=True,
        check=True,
    )
    foretold, peak = json.loads(told.stdout)
    assert 0.8 * peak < foretold < 1.2 * peak


def test_integrity_takes_more_than_its_tables():
    plain, followed = (memory.estimated(SimulationConfig(integrity=word)) for word in ("off", "on"))
    logical = HardwareConfig().logical_pages
    pages = 86 * 32 * 384
    assert followed - plain == 32 * pages + 40 * logical + memory.ORACLE_BYTES * logical


def test_a_long_run_of_generated_loads_says_how_long_at_least(monkeypatch):
    """Three million requests of two pages, a tenth of them trims, at 1.5 steps of 2 us a page."""
    monkeypatch.setattr(foretelling, "seconds_a_step", lambda: 2e-6)
    load = SyntheticConfig(requests=3_000_000, queue_depth=1, size_kib={4: 1, 8: 1}, trim_share=0.1, read_share=0.5)
    config = SimulationConfig(hardware=HardwareConfig(page_kib=4), workload=load)
    assert estimate(config).endswith(" MiB of memory, at least 16 s")
    assert estimate(attrs.evolve(config, workloads={"b": load})).endswith("at least 32 s")
    for short in (
        {"timing": "off"},
        {"workloads": {"b": TraceConfig(path="x")}},
        {"workload": attrs.evolve(load, requests=9)},
    ):
        assert estimate(attrs.evolve(config, **short)).endswith(" MiB of memory")


def test_memory_that_is_not_there_is_told(monkeypatch):
    monkeypatch.setattr(foretelling, "available", lambda: 2**20)
    assert ", of which the machine has 1 left" in estimate(SimulationConfig())


def test_a_step_takes_time():
    assert foretelling.seconds_a_step() > 0


def test_what_the_machine_cannot_hold_is_refused_with_the_number():
    config = SimulationConfig(hardware=HardwareConfig(blocks_per_plane=2_000_000))
    if available() is None:
        pytest.skip("what there is cannot be known")
    with pytest.raises(ConfigError, match=r"takes at least [\d,]+ MiB, and the machine has [\d,]+ MiB left; set it"):
        check_memory(config)
