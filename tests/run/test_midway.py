"""A run that is saved on its way goes on from there as if it had never stopped."""

import os
import signal
import subprocess
import sys
import tempfile
import time
import uuid
from pathlib import Path

import attrs
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ssdsim import ConfigError, Simulation, SyntheticConfig, load_config, simulate
from ssdsim.errors import InputError
from ssdsim.flash.transactions import FEW
from ssdsim.flash.views import dies_of
from ssdsim.metrics import logs
from ssdsim.metrics.result import Result
from support.strategies import experiments, power_losses
from support.thinned import grid
from support.tiny_device import Run
from support.tiny_stacks import ALL_STACKS, chosen, configured

SMALL = [
    *("hardware.channels=1", "hardware.chips_per_channel=1", "hardware.blocks_per_plane=32"),
    *("hardware.over_provisioning=0.5", "workload=synthetic", "workload.requests=300", "workload.queue_depth=8"),
    "record=[requests,commands]",
]
EVERY = settings.default.max_examples


def facts(config):
    return Run(simulate(config)).facts()


def saving(config, **given):
    return attrs.evolve(config, checkpoint=attrs.evolve(config.checkpoint, **given))


@pytest.fixture
def small():
    return configured(*SMALL)


@pytest.fixture
def file(tmp_path):
    return str(tmp_path / "run.checkpoint")


@pytest.mark.parametrize(("name", "kernel"), grid(0.34, ALL_STACKS, ["compiled", "simpy"]))
def test_every_stack_goes_on(name, kernel, file):
    config = configured(*chosen(name), *SMALL, f"kernel={kernel}")
    straight = facts(config)
    assert facts(saving(config, save=file, at_requests=170)) == straight
    assert facts(saving(config, load=file)) == straight


@settings(max_examples=max(EVERY // 5, 1))
@given(experiments(), st.none() | power_losses(), st.sampled_from(["compiled", "simpy"]), st.integers(1, 300))
def test_any_run_goes_on_from_any_request(experiment, drawn, power_loss, kernel, every):
    """It is saved again and again, and what is read is what was saved last."""
    device, loads = drawn
    device["metrics"] = {"blame": True}
    if power_loss is not None:
        device["power_loss"] = power_loss
        if device["flash"]["program_order"] == "free":  # which cannot be read back
            device["flash"]["program_order"] = "strict"
    straight = experiment(loads, device, kernel=kernel).facts()
    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/run"
        device["checkpoint"] = {"save": path, "every_requests": every}
        assert experiment(loads, device, kernel=kernel).facts() == straight
        if Path(path).exists():
            device["checkpoint"] = {"load": path}
            assert experiment(loads, device, kernel=kernel).facts() == straight


@settings(max_examples=max(EVERY // 5, 1))
@given(experiments(), st.none() | power_losses(), st.sampled_from(["compiled", "simpy"]), st.integers(0, 3000))
def test_any_run_goes_on_from_any_event(tiny, listed, drawn, power_loss, kernel, events):
    device, loads = drawn
    if power_loss is not None:
        device["power_loss"] = power_loss
        if device["flash"]["program_order"] == "free":
            device["flash"]["program_order"] = "strict"
    main, *others = (listed(**load) for load in loads)
    more = dict(zip(("second", "third"), others, strict=False))
    config = tiny(
        {**device, "metrics": {"blame": True}, "kernel": kernel, "record": [], "workload": main, "workloads": more}
    )
    run = Simulation(config)
    for _ in range(events):
        if not run.step():
            return
    with tempfile.TemporaryDirectory() as folder:
        if run.step():
            run.save(f"{folder}/run")
        run.run()
        straight = Run(run.finish()).facts()
        if Path(folder, "run").exists():
            assert facts(saving(config, load=f"{folder}/run")) == straight


def test_a_run_with_many_pages_on_their_way_goes_on(file):
    """More than there is room for in a device that is new."""
    loaded = ["workload.requests=100", "workload.queue_depth=100", "workload.size_kib=64", "workload.read_share=0"]
    config = configured(*SMALL, *loaded)
    straight = facts(config)
    assert facts(saving(config, save=file, at_requests=10)) == straight
    resumed = Simulation(saving(config, load=file))
    resumed.begin()
    assert len(resumed.context.device.transactions.op) > FEW
    resumed.run()
    assert Run(resumed.finish()).facts() == straight


VIEWERS = """
from ssdsim.policies import BusArbiter, SchedulingPolicy


class Patient(SchedulingPolicy):
    def __init__(self):
        self.latest, self.turns, self.queues = None, {}, set()

    def choose(self, reads, writes):
        self.queues = {reads, writes}
        return self.first(reads) or self.first(writes)

    def taken(self, die, transaction):
        self.latest = die, transaction
        self.turns[die] = self.turns.get(die, 0) + 1


class Newest(BusArbiter):
    def __init__(self):
        self.asking, self.asked = [], set()

    def ask(self, die):
        self.asking.append(die)
        self.asked.add(die)

    def choose(self):
        assert self.asked <= set(self.dies)
        return self.asking.pop() if self.asking else None
"""


@pytest.mark.parametrize("kernel", ["compiled", "simpy"])
def test_policies_that_keep_views_go_on(kernel, file, tmp_path, monkeypatch):
    module = f"own_{uuid.uuid4().hex}"
    (tmp_path / f"{module}.py").write_text(VIEWERS)
    monkeypatch.syspath_prepend(tmp_path)
    own = [f"scheduler.policy={module}.Patient", f"flash.bus={module}.Newest", "hardware.chips_per_channel=3"]
    config = configured(*SMALL, *own, "hardware.blocks_per_plane=16", f"kernel={kernel}")
    straight = facts(config)
    assert facts(saving(config, save=file, at_requests=170)) == straight
    resumed = Simulation(saving(config, load=file))
    resumed.begin()
    device = resumed.context.device
    (die, transaction), turns = device.scheduling_policy.own.latest, device.scheduling_policy.own.turns
    assert die.dies is device.dies and transaction.transactions is device.transactions
    assert set(turns) == set(dies_of(device.dies)) and sum(turns.values()) >= 170
    resumed.run()
    assert Run(resumed.finish()).facts() == straight


def test_a_run_from_source_goes_on(tmp_path):
    program = f"""
import sys
sys.path[:0] = {[str(Path(__file__).parent), *sys.path]}
from test_midway import SMALL, chosen, configured, facts, saving

config = configured(*chosen("flex_ftl"), *SMALL, "kernel=simpy", "workload.requests=60")
straight = facts(saving(config, save="run", at_requests=31))
assert facts(saving(config, load="run")) == straight
"""
    environment = os.environ | {"SSDSIM_INTERPRETED": "1"}
    subprocess.run([sys.executable, "-c", program], cwd=tmp_path, env=environment, check=True)


def test_it_is_saved_at_a_time_and_goes_on_on_a_loaded_device(small, file):
    straight = facts(small)
    half = 0.5 * straight["tables"]["timeseries"]["time_s"][-1] or 0.01
    assert facts(saving(small, save=file, at_s=half)) == straight
    run = Simulation(saving(small, load=file))
    run.begin()
    assert run.now >= half * 1e9 and 0 < run.context.records.recorder.done < 300
    run.run()
    assert Run(run.finish()).facts() == straight


def test_a_stepped_run_is_saved_and_resumed_with_hooks(small, file):
    config = attrs.evolve(small, record=[])
    run, seen = Simulation(config), []
    run.on("page_programmed", seen.append)
    run.run_until(2_000_000)
    before = len(seen)
    run.save(file)
    run.run()
    straight = Run(run.finish()).facts()
    resumed, again = Simulation(saving(config, load=file)), []
    resumed.on("page_programmed", again.append)
    resumed.run()
    assert Run(resumed.finish()).facts() == straight and again == seen[before:]


ENDLESS = """
import sys
sys.path[:0] = {path}
from test_midway import configured, logs, saving, simulate, SMALL

logs.ROWS = 4096
config = configured(*SMALL, "workload.requests=12000", "kernel={kernel}")
simulate(saving(config, save="run", every_requests=5000), "first")
"""


@pytest.mark.parametrize("kernel", ["compiled", pytest.param("simpy", marks=pytest.mark.more)])
def test_a_killed_run_goes_on_from_its_last_checkpoint(kernel, tmp_path, monkeypatch):
    """Its tables are longer than what is kept in memory, and are in files."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(logs, "ROWS", 4096)
    program = ENDLESS.format(path=[str(Path(__file__).parent), *sys.path], kernel=kernel)
    with subprocess.Popen([sys.executable, "-c", program], cwd=tmp_path) as process:
        while not Path("run").exists() and process.poll() is None:
            time.sleep(0.01)
        time.sleep(0.05)  # so that it is killed at no special moment
        process.send_signal(signal.SIGKILL)
    config = configured(*SMALL, "workload.requests=12000", f"kernel={kernel}")
    simulate(saving(config, load="run", save="run", every_requests=5_000), "second")
    simulate(config, "straight")
    for name in ("requests", "commands", "timeseries", "latency", "planes"):
        assert Path("second", f"{name}.parquet").read_bytes() == Path("straight", f"{name}.parquet").read_bytes()
    one, other = (Run(Result.load(folder)).summary for folder in ("second", "straight"))
    assert {**one, "simulator": None} == {**other, "simulator": None}
    assert load_config("second").checkpoint.load == "run"


@pytest.fixture
def saved(small, file):
    simulate(saving(small, save=file, at_requests=100))
    return file


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"seed": 2}, "seed=1, and here it is 2"),
        ({"kernel": "simpy"}, "kernel=compiled, and here it is simpy"),
        ({"record": ["requests"]}, "record="),
        ({"workload": SyntheticConfig(requests=400, queue_depth=8)}, r"workload\.requests=300"),
    ],
)
def test_a_run_of_another_experiment_is_refused(small, saved, change, told):
    with pytest.raises(InputError, match=told) as raised:
        simulate(saving(attrs.evolve(small, **change), load=saved))
    assert raised.value.exit_status == 2


@pytest.mark.parametrize("harm", [lambda path: path.unlink(), lambda path: path.write_bytes(path.read_bytes()[:-8])])
@pytest.mark.parametrize("table", ["requests", "commands"])
def test_rows_that_are_missing_are_told(small, file, harm, table, monkeypatch):
    monkeypatch.setattr(logs, "ROWS", 64)
    simulate(saving(small, save=file, at_requests=100))
    harm(Path(f"{file}.{table}"))
    path = Path(f"{file}.{table}")
    if path.exists():  # what came after the checkpoint may be missing
        path.write_bytes(path.read_bytes()[:64])
    with pytest.raises(InputError, match=rf"{table}: (does not belong to|belongs to) the checkpoint"):
        simulate(saving(small, load=file))


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"checkpoint": {"at_requests": 5}}, r"checkpoint\.at_requests=5: .*checkpoint\.save=null; name a file"),
        ({"checkpoint": {"every_requests": 5, "save": "x"}, "timing": "off"}, "every_requests=5: .*timing=off"),
    ],
)
def test_a_run_that_cannot_be_saved_is_refused_first(tiny, given, told):
    with pytest.raises(ConfigError, match=told):
        simulate(tiny(given))


def test_a_run_is_saved_while_it_goes(small, file):
    run = Simulation(small)
    with pytest.raises(ConfigError, match=r"checkpoint\.every_requests"):
        run.save(file)
    run.run()
    with pytest.raises(ConfigError, match="over"):
        run.save(file)
    assert not Path(file).exists()


def test_a_file_that_cannot_be_written_does_not_end_the_run(small, file, monkeypatch):
    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("ssdsim.run.midway.save", full)
    with pytest.warns(UserWarning, match=r"checkpoint\.save=.*cannot be written: .*; the run goes on"):
        written = facts(saving(small, save=file, at_requests=100))
    assert written == facts(small)
