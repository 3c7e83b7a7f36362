"""A preconditioned device that is saved and loaded does what the one does that was preconditioned."""

import json
import warnings

import attrs
import pytest

from ssdsim import ConfigError, simulate
from ssdsim.errors import InputError
from ssdsim.metrics.summary import provenance
from ssdsim.run import checkpoint
from support.tiny_stacks import ALL_STACKS, chosen, configured

SMALL = [
    *("hardware.channels=1", "hardware.chips_per_channel=1", "hardware.blocks_per_plane=32"),
    *("hardware.over_provisioning=0.5", "workload=synthetic", "workload.requests=200", "workload.queue_depth=8"),
    *("record=[requests,commands]", "precondition.max_windows=2", "check=always"),
]
FILLED, WRITTEN = ["precondition=fill"], ["precondition=steady_state"]


def measured(config):
    """Return everything that a run of `config` measured, but for what is of the machine and the checkpoint."""
    result = simulate(config)
    summary = {k: v for k, v in result.summary.items() if k not in {"simulator", "kernel", *provenance(config)}}
    return json.dumps(summary), *(t.to_pydict() for t in (result.requests, result.commands, result.timeseries))


def with_checkpoint(config, **given):
    return attrs.evolve(config, checkpoint=attrs.evolve(config.checkpoint, **given))


def keeping(config, folder, **given):
    kept = attrs.evolve(config, precondition=attrs.evolve(config.precondition, keep=True))
    return with_checkpoint(kept, folder=str(folder), **given)


@pytest.fixture
def saved(tmp_path):
    """Return a configuration, and the file that its preconditioned device is in."""
    config, file = configured(*SMALL, *FILLED), tmp_path / "device.checkpoint"
    simulate(with_checkpoint(config, save=str(file)))
    return config, file


@pytest.mark.more
@pytest.mark.parametrize("name", ALL_STACKS)
@pytest.mark.parametrize("mode", [FILLED, WRITTEN], ids=["fill", "writes"])
def test_a_loaded_device_does_the_same_on_either_kernel(name, mode, tmp_path):
    try:
        config, file = configured(*chosen(name), *SMALL, *mode), str(tmp_path / "device")
    except ConfigError as error:
        assert mode is WRITTEN and "rows are made up as time passes" in str(error)
        return
    straight = measured(config)
    assert measured(with_checkpoint(config, save=file)) == straight
    assert measured(with_checkpoint(config, load=file)) == straight
    assert measured(with_checkpoint(attrs.evolve(config, kernel="simpy"), load=file)) == straight


@pytest.mark.parametrize("name", ["dftl", "fast", "pcftl"])
def test_a_loaded_device_does_the_same(name, tmp_path):
    config, file = configured(*chosen(name), *SMALL, *WRITTEN), str(tmp_path / "device")
    assert measured(with_checkpoint(config, save=file)) == measured(with_checkpoint(config, load=file))


def test_a_device_is_kept_and_taken(tmp_path, monkeypatch):
    config = keeping(configured(*SMALL, *WRITTEN), tmp_path)
    first = measured(config)
    monkeypatch.setattr("ssdsim.run.simulation.Simulation.prepare", None)  # which would fail if it were called
    assert measured(config) == first
    other_load = attrs.evolve(config, workload=attrs.evolve(config.workload, queue_depth=2))
    assert measured(other_load) != first


def test_another_device_is_refused_by_the_key_that_differs(saved):
    config, file = saved
    for other, key in (
        (attrs.evolve(config, seed=2), "seed=1"),
        (
            attrs.evolve(config, hardware=attrs.evolve(config.hardware, blocks_per_plane=40)),
            "hardware.blocks_per_plane=32",
        ),
    ):
        with pytest.raises(InputError, match=key):
            simulate(with_checkpoint(other, load=str(file)))


def test_another_version_or_architecture_is_refused_by_name(saved, monkeypatch):
    config, file = saved
    with monkeypatch.context() as changed:
        changed.setattr(checkpoint, "__version__", "9.9")
        with pytest.raises(InputError, match=r"version=0\.1\.0, and here it is 9\.9"):
            simulate(with_checkpoint(config, load=str(file)))
    monkeypatch.setattr(checkpoint.platform, "machine", lambda: "riscv64")
    with pytest.raises(InputError, match="architecture="):
        simulate(with_checkpoint(config, load=str(file)))


def test_any_flipped_byte_and_any_missing_end_is_refused(saved):
    config, file = saved
    content, depends = file.read_bytes(), checkpoint.depends_on(config)
    for at in [*range(64), *range(64, len(content), len(content) // 200), *range(len(content) - 5, len(content))]:
        file.write_bytes(content[:at] + bytes([content[at] ^ 1]) + content[at + 1 :])
        with pytest.raises(checkpoint.CheckpointError):
            checkpoint.load(file, depends, [])
        file.write_bytes(content[:at])
        with pytest.raises(checkpoint.CheckpointError):
            checkpoint.load(file, depends, [])


def test_a_damaged_device_that_was_kept_is_made_anew(tmp_path):
    config = keeping(configured(*SMALL, *FILLED), tmp_path)
    first = measured(config)
    (file,) = tmp_path.glob("*.checkpoint")
    content = file.read_bytes()
    file.write_bytes(content[:-9])
    with pytest.warns(UserWarning, match="made anew"):
        assert measured(config) == first
    assert file.read_bytes() == content
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert measured(config) == first


def test_the_folder_drops_what_was_used_longest_ago(tmp_path):
    config = configured(*SMALL, *FILLED)
    simulate(keeping(config, tmp_path))
    (first,) = tmp_path.iterdir()
    most = 1.5 * first.stat().st_size / 2**30
    simulate(keeping(attrs.evolve(config, seed=2), tmp_path, folder_gib=most))
    assert not first.exists() and len(list(tmp_path.iterdir())) == 1


def test_a_precondition_that_takes_time_is_not_stored(tmp_path):
    config = configured(*SMALL, *WRITTEN, "precondition.timed=true")
    with pytest.raises(ConfigError, match=r"precondition\.timed=false"):
        simulate(with_checkpoint(config, save=str(tmp_path / "device")))
