"""What a run is foretold to take, held against what it takes."""

import json
import os
import subprocess
import sys
from pathlib import Path

import attrs
import pytest

from ssdsim import ConfigError, HardwareConfig, SimulationConfig, SyntheticConfig, TraceConfig, estimate
from ssdsim.assembly import memory
from ssdsim.assembly.memory import available, check_memory
from ssdsim.run import estimate as foretelling
from ssdsim.run.estimate import Estimate, page_operations

PROJECT = Path(__file__).parents[2]
MIB = 2**20
MEASURED = """
import json, sys
from ssdsim import estimate, preset, simulate

config = preset("baseline", "workload=synthetic", "workload.requests=500", *sys.argv[1:])
foretold = estimate(config).memory_bytes
simulate(config)
peak = int(open("/proc/self/status").read().split("VmHWM:")[1].split()[0]) * 1024
print(json.dumps([foretold, peak]))
"""


@pytest.mark.parametrize(
    "words",
    [
        ["hardware.blocks_per_plane=16", "hardware.over_provisioning=0.5"],
        ["hardware=tlc_128g"],
        ["hardware=tlc_128g", "hardware.blocks_per_plane=64", "hardware.over_provisioning=0.3", "ftl/mapping=dftl"],
    ],
    ids=["small", "large", "a mapping table"],
)
def test_memory_is_what_is_foretold_within_a_fifth(words):
    """The large one takes some 65 MiB more than the small one, beside 100 of the process."""
    if not Path("/proc/self/status").is_file():
        pytest.skip("the peak cannot be known")
    environment = {**os.environ, "PYTHONPATH": str(PROJECT)}
    told = subprocess.run([sys.executable, "-c", MEASURED, *words], env=environment, capture_output=True, check=True)
    foretold, peak = json.loads(told.stdout)
    assert 0.8 * peak < foretold < 1.2 * peak


def test_pages_are_those_of_the_requests_by_their_sizes():
    """Three of four requests touch a page of 4 KiB, one touches two; a tenth of 1000 are trims."""
    load = SyntheticConfig(requests=1000, queue_depth=1, size_kib={2: 2, 4: 1, 6: 1}, trim_share=0.1, read_share=0.5)
    assert page_operations(load, 4096) == 900 * 5 / 4
    assert page_operations(TraceConfig(path="x"), 4096) is None


def test_streams_add_up_and_one_that_is_not_known_hides_the_sum():
    load = SyntheticConfig(requests=100, queue_depth=1)
    config = SimulationConfig(workload=load, workloads={"b": load})
    assert estimate(config).page_operations == 200
    assert estimate(attrs.evolve(config, workloads={"b": TraceConfig(path="x")})).page_operations is None


def test_integrity_takes_more_than_its_tables():
    plain, followed = (memory.estimated(SimulationConfig(integrity=word)) for word in ("off", "on"))
    logical = HardwareConfig().logical_pages
    pages = 86 * 32 * 384
    assert followed - plain == 32 * pages + 40 * logical + memory.ORACLE_BYTES * logical


def test_a_sentence_says_so_and_what_the_machine_leaves():
    assert str(Estimate(300 * MIB, 400 * MIB, None)) == "about 300 MiB of memory"
    shown = "about 300 MiB of memory, of which the machine leaves 200, at least 12,345 page operations"
    assert str(Estimate(300 * MIB, 200 * MIB, 12345)) == shown


def test_a_long_run_says_how_long_at_least(monkeypatch):
    """Three million pages at 1.5 steps of 2 us each; a short run, and one that is not timed, say nothing."""
    monkeypatch.setattr(foretelling, "seconds_a_step", lambda: 2e-6)
    load = SyntheticConfig(requests=3_000_000, queue_depth=1, size_kib=4)
    config = SimulationConfig(hardware=HardwareConfig(page_kib=4), workload=load)
    assert estimate(config).seconds == pytest.approx(9)
    assert estimate(attrs.evolve(config, timing="off")).seconds is None
    assert estimate(attrs.evolve(config, workload=attrs.evolve(load, requests=1000))).seconds is None
    told = {9.04: "9 s", 119: "120 s", 130: "2.2 min", 7200: "2 h", 400_000: "4.6 days"}
    assert {s: str(Estimate(MIB, None, 1, s)).split("at least ")[-1] for s in told} == told


def test_a_step_takes_time():
    assert foretelling.seconds_a_step() > 0


def test_what_the_machine_cannot_hold_is_refused_with_the_number():
    config = SimulationConfig(hardware=HardwareConfig(blocks_per_plane=2_000_000))
    if not list(available()):
        pytest.skip("what there is cannot be known")
    with pytest.raises(
        ConfigError, match=r"which takes at least [\d,]+ MiB, and .* leaves [\d,]+ MiB; set it to at most"
    ):
        check_memory(config)
