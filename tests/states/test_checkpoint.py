"""A preconditioned device that is saved and loaded does what the one does that was preconditioned."""

import json
import multiprocessing
import os
import uuid
import warnings
import zipfile
from pathlib import Path

import attrs
import numpy as np
import pytest

from ssdsim import ConfigError, simulate
from ssdsim.errors import InputError
from ssdsim.metrics.summary import provenance
from ssdsim.states import checkpoint
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


@pytest.fixture(scope="module")
def saved_once(tmp_path_factory):
    """Return a configuration, and what is in the file of its preconditioned device."""
    config, file = configured(*SMALL, *FILLED), tmp_path_factory.mktemp("saved") / "device"
    simulate(with_checkpoint(config, save=str(file)))
    return config, file.read_bytes()


@pytest.fixture
def saved(saved_once, tmp_path):
    """Return a configuration, and a file of one's own that its preconditioned device is in."""
    config, content = saved_once
    file = tmp_path / "device.checkpoint"
    file.write_bytes(content)
    return config, file


@pytest.mark.more
@pytest.mark.parametrize("name", ALL_STACKS)
@pytest.mark.parametrize("mode", [FILLED, WRITTEN, [*FILLED, "precondition.full_buffer=true"]])
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


@pytest.mark.parametrize("name", ["dftl", "fast", "flex_ftl"])
def test_a_loaded_device_does_the_same(name, tmp_path):
    config, file = configured(*chosen(name), *SMALL, *WRITTEN), str(tmp_path / "device")
    assert measured(with_checkpoint(config, save=file)) == measured(with_checkpoint(config, load=file))


# What is refused.


def test_another_device_or_version_is_refused_by_the_key_that_differs(saved, monkeypatch):
    config, file = saved
    larger = attrs.evolve(config.hardware, blocks_per_plane=40)
    others = (attrs.evolve(config, seed=2), "seed=1"), (attrs.evolve(config, hardware=larger), "blocks_per_plane=32")
    for other, key in others:
        with pytest.raises(InputError, match=key):
            simulate(with_checkpoint(other, load=str(file)))
    monkeypatch.setattr(checkpoint, "__version__", "9.9")
    with pytest.raises(InputError, match=r"version=\S+, and here it is 9\.9"):
        simulate(with_checkpoint(config, load=str(file)))


def test_a_damaged_file_is_refused(saved):
    config, file = saved
    content, bad = file.read_bytes(), []
    with zipfile.ZipFile(file) as archive:
        for member in archive.infolist():  # a byte of each array, and of the text
            at = member.header_offset + 30 + len(member.filename) + 20 + member.file_size - 1
            bad.append(content[:at] + bytes([content[at] ^ 1]) + content[at + 1 :])
    bad += [content[:length] for length in (0, 1, 100, len(content) // 2, len(content) - 1)]
    for each in bad:
        file.write_bytes(each)
        with pytest.raises(checkpoint.CheckpointError, match="save it anew"):
            checkpoint.read(file)
    with pytest.raises(InputError, match=r"device\.checkpoint: .*leave it out, or save it anew") as raised:
        simulate(with_checkpoint(config, load=str(file)))
    assert raised.value.exit_status == 2


def of_kind(nodes, kind):
    return next(path for path, node in nodes.items() if node[0] == kind)


def shortened(nodes, arrays):
    path = of_kind(nodes, "array")
    arrays[path] = arrays[path].ravel()[:-1]


CHANGES = {
    "no device": lambda nodes, arrays: nodes.clear(),
    "an array of another length": shortened,
    "an array that is not there": lambda nodes, arrays: arrays.pop(of_kind(nodes, "array")),
    "a class of others": lambda nodes, arrays: nodes.update({"device": ["subprocess:Popen", {"args": "touch ran"}]}),
    "an object too many": lambda nodes, arrays: nodes.update(more=nodes["device"]),
    "a function of others": lambda nodes, arrays: nodes["device"][1].update(dies=["=", "os:system"]),
    "no such path": lambda nodes, arrays: nodes["device"][1].update(dies=["@", "nowhere"]),
    "no such kind": lambda nodes, arrays: nodes["device"][1].update(dies=["what", 1]),
    "a part of another class": lambda nodes, arrays: nodes["device.collector"][1].update(blocks=["@", "device"]),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_a_state_that_does_not_fit_is_refused_in_a_sentence(saved, change):
    config, file = saved
    about, arrays = checkpoint.read(file)
    change(about["nodes"], arrays)
    with file.open("wb") as changed:
        np.savez(changed, about=np.frombuffer(json.dumps(about).encode(), np.uint8), **arrays)
    with pytest.raises(InputError, match=r"device\.checkpoint: .*leave it out") as raised:
        simulate(with_checkpoint(config, load=str(file)))
    assert raised.value.exit_status == 2


def test_a_pickle_in_a_file_is_not_read(tmp_path):
    file = tmp_path / "device"
    with file.open("wb") as harm:
        np.savez(harm, about=np.array([print], object))
    with pytest.raises(checkpoint.CheckpointError, match="allow_pickle=False"):
        checkpoint.read(file)


def test_a_precondition_that_takes_time_is_not_stored(tmp_path):
    config = configured(*SMALL, *WRITTEN, "precondition.timed=true")
    with pytest.raises(ConfigError, match=r"precondition\.timed=false"):
        simulate(with_checkpoint(config, save=str(tmp_path / "device")))


@pytest.mark.parametrize("name", ["thesis.tex", "folder", "dangling"])
def test_only_a_checkpoint_is_replaced(saved, name):
    config, file = saved
    other = file.with_name(name)
    make = {"folder": Path.mkdir, "dangling": lambda path: path.symlink_to("nowhere")}
    make.get(name, lambda path: path.write_text("ssdsim checks"))(other)
    before = other.lstat()
    with pytest.raises(ConfigError, match=rf"{name} is there and is no checkpoint; move it away") as told:
        simulate(with_checkpoint(config, save=str(other)))
    assert told.value.exit_status == 2 and other.lstat().st_mtime_ns == before.st_mtime_ns
    os.utime(file, (0, 0))
    simulate(with_checkpoint(config, save=str(file)))
    assert file.stat().st_mtime > 0 and {path.name for path in file.parent.iterdir()} == {file.name, name}


# The folder of those that are kept.


def test_a_device_is_kept_and_taken(tmp_path, monkeypatch):
    config = keeping(configured(*SMALL, *WRITTEN), tmp_path)
    runs = [simulate(config).summary["simulator"]["precondition_loaded"] for _ in range(2)]
    assert runs == [False, True]
    monkeypatch.setattr("ssdsim.run.preparation.precondition", None)  # which would fail if it were called
    assert measured(config)


def test_a_steady_state_is_of_the_trims_of_its_load_and_of_nothing_else_of_it():
    config = configured(*SMALL, *WRITTEN)

    def under(**changes):
        return checkpoint.depends_on(attrs.evolve(config, workload=attrs.evolve(config.workload, **changes)))

    assert under() == under(read_share=0.1)
    assert under() != under(trim_share=0.2) != under(trim_share=0.2, read_share=0.1)


def test_a_damaged_device_that_was_kept_is_made_anew(tmp_path):
    config = keeping(configured(*SMALL, *FILLED), tmp_path)
    first = measured(config)
    (file,) = tmp_path.glob("*.checkpoint")
    file.write_bytes(file.read_bytes()[:-9])
    with pytest.warns(UserWarning, match="made anew"):
        assert measured(config) == first
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert measured(config) == first


def test_a_kept_device_that_does_not_fit_is_removed(tmp_path, monkeypatch):
    config = keeping(configured(*SMALL, *FILLED), tmp_path)
    first = measured(config)

    def refused(path, *_):
        raise InputError(f"{path}: does not fit this device.")

    with monkeypatch.context() as changed, pytest.raises(InputError, match="has been removed; run again"):
        changed.setattr("ssdsim.states.checkpoint.load", refused)
        measured(config)
    assert not list(tmp_path.iterdir()) and measured(config) == first


def test_the_folder_drops_what_was_used_longest_ago_and_nothing_of_others(tmp_path):
    config = configured(*SMALL, *FILLED)
    simulate(keeping(config, tmp_path))
    (first,) = tmp_path.iterdir()
    theirs, others = tmp_path / f"{'0' * 32}.checkpoint", tmp_path / "others.checkpoint"
    theirs.write_bytes(first.read_bytes())  # whose name is not that of its content
    others.write_bytes(b"weights of a network")
    left, fresh = tmp_path / f"{checkpoint.WRITING}left", tmp_path / f"{checkpoint.WRITING}fresh"
    for path in (left, fresh):  # as a killed run leaves them
        path.write_bytes(b"half")
    for path in (first, theirs, others, left):
        os.utime(path, (0, 0))
    most = 1.5 * first.stat().st_size / 2**30
    simulate(keeping(attrs.evolve(config, seed=2), tmp_path, folder_gib=most))
    (second,) = set(tmp_path.iterdir()) - {theirs, others, fresh}
    assert second != first


@pytest.mark.more
def test_runs_at_a_time_keep_one_device(tmp_path):
    config = keeping(configured(*SMALL, *FILLED), tmp_path)
    with multiprocessing.get_context("spawn").Pool(2) as pool:
        results = pool.map(measured, [config] * 4, chunksize=1)
    assert results == [measured(config)] * 4
    assert [path.suffix for path in tmp_path.iterdir()] == [".checkpoint"]


# A policy of one's own.

OWN = """
import random
from collections import Counter, defaultdict, deque

from {helper} import Turn
from ssdsim.ftl.frontier.separation import Separation

class Streams(Separation):
    def __init__(self, streams, held=None):
        self.hosts, self.moved = range(streams), range(streams, 2 * streams)
        self.seen, self.writes, self.random = defaultdict(list), Counter(), random.Random(7)
        self.turn, self.tag, self.last, self.times = Turn(), b"own", None, deque(maxlen=3)
        self.held = eval(held or "None")

    def kind_of(self, lpa, source, stream, before):
        assert type(self.tag) is bytes
        self.last, self.turn.at = (lpa, frozenset([lpa])), self.turn.at + 1
        self.writes[lpa] += 1
        self.times.append(lpa)
        self.seen[lpa % 5].append(self.turn)
        if callable(self.held):
            self.last = self.held(lpa)
        at = (self.writes[lpa] + self.random.randrange(2) + len(self.seen[1]) + self.turn.at + sum(self.times)) % 2
        return at if source == {host} else self.moved[at]
"""
HELPER = "class Turn:\n    def __init__(self):\n        self.at = 0\n"


@pytest.fixture
def own(tmp_path, monkeypatch):
    """Return the overrides that choose a policy of one's own, and the file of its module."""
    from ssdsim._core.codes import HOST

    folder, one = tmp_path / "own", f"own_{uuid.uuid4().hex}"
    folder.mkdir()
    monkeypatch.syspath_prepend(folder)
    files = folder / f"{one}.py", folder / f"{one}_helper.py"
    files[0].write_text(OWN.format(helper=files[1].stem, host=HOST))
    files[1].write_text(HELPER)
    return [f"ftl.active_blocks={one}.Streams"], files[0]


def own_options(**options):
    given = ",".join(f"{name}: {value}" for name, value in {"streams": 2, **options}.items())
    return f"ftl.active_block_options={{{given}}}"


def test_a_policy_of_ones_own_is_stored_as_it_is(own, tmp_path):
    overrides, source = own
    config, file = configured(*SMALL, *WRITTEN, *overrides, own_options()), str(tmp_path / "device")
    straight = measured(config)
    assert measured(with_checkpoint(config, save=file)) == straight
    assert measured(with_checkpoint(config, load=file)) == straight
    source.write_text(source.read_text() + "# changed\n")
    with pytest.raises(InputError, match="own policies"):
        simulate(with_checkpoint(config, load=file))


@pytest.mark.parametrize(
    ("held", "told"),
    [
        ("open(__file__)", "TextIOWrapper"),
        ("(lambda n: lambda lpa: n)(1)", "lambda"),
    ],
)
def test_a_policy_that_is_no_data_is_not_kept(own, held, told, tmp_path):
    config = configured(*SMALL, *WRITTEN, *own[0], own_options(held=f"'{held}'"))
    folder, file = tmp_path / "kept", tmp_path / "device"
    with pytest.warns(UserWarning, match=f"the device is not kept: .*{told}"):
        first = measured(keeping(config, folder))
    assert first == measured(config) and not folder.exists()
    with pytest.raises(ConfigError, match=rf"checkpoint\.save=.*cannot be written: .*{told}"):
        simulate(with_checkpoint(config, save=str(file)))
    assert not file.exists()
