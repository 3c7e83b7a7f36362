"""A preconditioned device that is saved and loaded does what the one does that was preconditioned."""

import json
import multiprocessing
import os
import subprocess
import sys
import uuid
import warnings
from pathlib import Path

import attrs
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ssdsim import ConfigError, Simulation, simulate
from ssdsim.errors import InputError
from ssdsim.flash.transactions import FEW
from ssdsim.metrics import logs
from ssdsim.metrics.summary import provenance
from ssdsim.states import checkpoint, signature
from support.fuzzed_checkpoints import TAIL_BYTES, sealed
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
    monkeypatch.setattr("ssdsim.run.preparation.precondition", None)  # which would fail if it were called
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


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(where=st.floats(0, 1, exclude_max=True), flipped=st.integers(1, 255), last=st.integers(1, 5))
def test_any_changed_byte_and_any_missing_end_is_refused(saved, where, flipped, last):
    config, file = saved
    content, depends = file.read_bytes(), checkpoint.depends_on(config)
    damaged = file.with_name("damaged")
    for at in (int(where * len(content)), int(where * 64), len(content) - last):
        for bad in (content[:at] + bytes([content[at] ^ flipped]) + content[at + 1 :], content[:at]):
            damaged.write_bytes(bad)
            with pytest.raises(checkpoint.CheckpointError, match="save it anew"):
                checkpoint.load(damaged, depends, [])


def rewritten(file, change):
    """Write `file` with a changed header and the right seal."""
    magic, header, rest = file.read_bytes().split(b"\n", 2)
    content = json.loads(header)
    content = change(content) or content
    file.write_bytes(sealed(magic + b"\n" + json.dumps(content).encode() + b"\n" + rest[:-TAIL_BYTES]))


def first_state(content):
    return next(node for node in content["nodes"] if "object" in node)


RUNS_CODE = {"object": "subprocess:Popen", "state": ["fields", {"args": "touch ran"}]}
TAMPERED = {
    "no header": lambda content: [1],
    "no nodes": lambda content: content.update(nodes=None),
    "no device": lambda content: content.update(nodes=[]),
    "nodes of no kind": lambda content: content.update(nodes=[1, "array"]),
    "array of objects": lambda content: content["nodes"].append({"array": ["|O", [1]], "of": ""}),
    "array too long": lambda content: content["nodes"].append({"array": ["<i8", [1 << 70]], "of": ""}),
    "no such node": lambda content: first_state(content).update(state=["@", 1 << 40]),
    "no state": lambda content: first_state(content).update(state=["tuple", []]),
    "no such kind": lambda content: first_state(content).update(state=["what", 1]),
    "class of others": lambda content: content["nodes"].append(RUNS_CODE),
    "function of others": lambda content: first_state(content).update(state=["named", "os:system"]),
    "function by way of ours": lambda content: first_state(content).update(
        state=["named", "ssdsim.states.checkpoint:os.system"]
    ),
    "function of ours that imports": lambda content: first_state(content).update(
        state=["named", "ssdsim.assembly.own_policies:own_class"]
    ),
    "class of ours that writes": lambda content: content["nodes"].append(
        {"object": "ssdsim.metrics.folder:ResultFolder", "state": None}
    ),
    "call of a function of ours": lambda content: first_state(content).update(
        state=["partial", [["named", "ssdsim.states.checkpoint:save"], ["tuple", []], None]]
    ),
    "method of others": lambda content: first_state(content).update(state=["method", ["@", 0], "__class__"]),
    "deep": lambda content: first_state(content).update(state=deep()),
    "memory of another size": lambda content: lengthened(content),
    "nothing where a part was": lambda content: unwired(content),
    "a state cut short": lambda content: compiled_state(content)["state"][1].pop(),
    "no facts": lambda content: content.update(facts=3),
}


def lengthened(content):
    """Have one array of bytes be shorter, and the next one longer by as much."""
    first, second = [node["array"] for node in content["nodes"] if node.get("array", [""])[0] == "|u1"][:2]
    first[1][0] -= 1
    second[1][0] += 1


def compiled_state(content):
    """Return the first object whose state is a tuple, as that of compiled classes is."""
    return next(node for node in content["nodes"] if "object" in node and node["state"][0] == "tuple")


def unwired(content):
    """Take away the first reference to another object from the state of a compiled one."""
    whole = [node["state"][1] for node in content["nodes"] if "object" in node and node["state"][0] == "tuple"]
    state, at = next(
        (state, at)
        for state in whole
        for at, each in enumerate(state)
        if isinstance(each, list) and each[0] == "@" and "object" in content["nodes"][each[1]]
    )
    state[at] = None


def deep():
    nested = 1
    for _ in range(300):
        nested = ["tuple", [nested]]
    return nested


@pytest.mark.parametrize("change", TAMPERED.values(), ids=TAMPERED)
def test_a_state_that_does_not_fit_is_refused_in_a_sentence(saved, change):
    config, file = saved
    rewritten(file, change)
    with pytest.raises(InputError, match=r"device\.checkpoint: .*leave it out") as raised:
        simulate(with_checkpoint(config, load=str(file), trust=True))
    assert raised.value.exit_status == 2


@pytest.mark.parametrize(("number", "told"), [(2**32 - 1, "a table of pages goes beyond"), (7, "check: ")])
@pytest.mark.parametrize("which", [0, 1])
def test_a_table_of_pages_that_cannot_be_is_refused(saved, which, number, told):
    """Compiled code takes what stands there for a place in memory."""
    config, file = saved
    magic, header, rest = file.read_bytes().split(b"\n", 2)
    nodes = json.loads(header)["nodes"]
    tables = [node["state"][1] for node in nodes if node.get("object") == "ssdsim._core.table:IndexTable"]
    at = 0
    for node in nodes[: tables[which]]:
        at += np.dtype(node["array"][0]).itemsize * int(np.prod(node["array"][1])) if "array" in node else 0
    values = np.frombuffer(
        changed := bytearray(rest[:-TAIL_BYTES]), np.uint32, int(np.prod(nodes[tables[which]]["array"][1])), at
    )
    values[np.flatnonzero(values)[3]] = number
    file.write_bytes(sealed(magic + b"\n" + header + b"\n" + changed))
    with pytest.raises(InputError, match=rf"does not fit this device \(SimulationError, {told}"):
        simulate(with_checkpoint(config, load=str(file), trust=True))


@pytest.mark.parametrize("number", [-1, FEW, 2**40])
def test_a_transaction_that_cannot_be_is_refused(saved, number):
    """Compiled code takes its number for a place in memory: here, that of the one behind the first."""
    config, file = saved
    free = np.array([0, *range(2, FEW), 0]).tobytes()  # each but none is behind the one before
    content = file.read_bytes()
    assert content.count(free) == 1
    changed = np.array([0, number, *range(3, FEW), 0]).tobytes()
    file.write_bytes(sealed(content[:-TAIL_BYTES].replace(free, changed)))
    with pytest.raises(InputError, match=r"does not fit this device \(SimulationError, a transaction goes beyond 256"):
        simulate(with_checkpoint(config, load=str(file), trust=True))


def test_what_somebody_else_saved_is_loaded_only_if_trusted(saved, tmp_path, monkeypatch):
    config, file = saved
    straight = measured(config)
    assert measured(with_checkpoint(config, load=str(file))) == straight
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "another"))
    with pytest.raises(InputError, match=r"was saved by somebody else.*set checkpoint\.trust=true") as told:
        simulate(with_checkpoint(config, load=str(file)))
    assert told.value.exit_status == 2
    assert measured(with_checkpoint(config, load=str(file), trust=True)) == straight
    assert signature.key_file().stat().st_mode & 0o077 == 0


def test_what_is_signed_without_a_key_is_nobodys(saved, monkeypatch):
    config, file = saved
    monkeypatch.setenv("XDG_DATA_HOME", os.devnull)  # where no key can be kept
    simulate(with_checkpoint(config, save=str(file)))
    with pytest.raises(InputError, match="was saved by somebody else"):
        simulate(with_checkpoint(config, load=str(file)))


def test_a_kept_device_of_somebody_else_is_made_anew(tmp_path, monkeypatch):
    config = keeping(configured(*SMALL, *FILLED), tmp_path)
    first = measured(config)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "another"))
    with pytest.warns(UserWarning, match=r"saved by somebody else.*made anew"):
        assert measured(config) == first


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


def test_a_kept_device_that_does_not_fit_is_removed(tmp_path, monkeypatch):
    config = keeping(configured(*SMALL, *FILLED), tmp_path)
    first = measured(config)

    def refused(path, *_, **__):
        raise InputError(f"{path}: does not fit this device.")

    with monkeypatch.context() as changed, pytest.raises(InputError, match="has been removed; run again"):
        changed.setattr("ssdsim.states.checkpoint.load", refused)
        measured(config)
    assert not list(tmp_path.iterdir()) and measured(config) == first


def test_the_folder_drops_what_was_used_longest_ago(tmp_path):
    config = configured(*SMALL, *FILLED)
    simulate(keeping(config, tmp_path))
    (first,) = tmp_path.iterdir()
    most = 1.5 * first.stat().st_size / 2**30
    simulate(keeping(attrs.evolve(config, seed=2), tmp_path, folder_gib=most))
    assert not first.exists() and len(list(tmp_path.iterdir())) == 1


def test_the_folder_drops_nothing_of_others(tmp_path):
    config, others = configured(*SMALL, *FILLED), tmp_path / "others.checkpoint"
    simulate(keeping(config, tmp_path))
    (first,) = tmp_path.iterdir()
    theirs = tmp_path / f"{'0' * 32}.checkpoint"  # the name is no digest with this user's key
    theirs.write_bytes(first.read_bytes())
    others.write_bytes(b"weights of a network")
    notes = tmp_path / ".writing-notes"
    notes.write_text("half")
    for path in (theirs, others, notes):
        os.utime(path, (0, 0))
    simulate(keeping(attrs.evolve(config, seed=2), tmp_path, folder_gib=1e-9))
    assert not first.exists() and set(tmp_path.iterdir()) == {theirs, others, notes}


def written(path):
    """Return which file this is, how long, and when it was written (a look at it alone changes its time of access)."""
    status = path.lstat()
    return status.st_ino, status.st_size, status.st_mtime_ns


@pytest.mark.parametrize("when", [{}, {"at_requests": 50}], ids=["the device", "the run"])
@pytest.mark.parametrize("name", ["thesis.tex", "folder", "run.requests", "dangling"])
def test_only_a_checkpoint_is_replaced(tmp_path, name, when):
    config, file = configured(*SMALL, *FILLED), tmp_path / name
    make = {"folder": Path.mkdir, "dangling": lambda path: path.symlink_to("nowhere")}
    make.get(name, lambda path: path.write_text("ssdsim checks"))(file)
    before = written(file)
    save = tmp_path / "run" if name == "run.requests" and when else file
    with pytest.raises(ConfigError, match=rf"{name} is there and is no checkpoint; move it away") as told:
        simulate(with_checkpoint(config, save=str(save), **when))
    assert told.value.exit_status == 2 and written(file) == before and list(tmp_path.iterdir()) == [file]


def test_a_checkpoint_of_ours_is_replaced(tmp_path, monkeypatch):
    monkeypatch.setattr(logs, "ROWS", 64)
    config, file = configured(*SMALL, *FILLED), tmp_path / "new" / "run"
    wanted = with_checkpoint(config, save=str(file), at_requests=150)
    first = measured(wanted)
    assert file.with_name("run.requests").exists()
    file.unlink()  # as if the first run had been killed before it was saved
    assert measured(wanted) == first and file.exists()


def test_what_has_come_meanwhile_is_not_replaced(saved_once, tmp_path):
    config, _ = saved_once
    file = tmp_path / "run"
    run = Simulation(with_checkpoint(config, save=str(file), at_requests=50))
    file.write_text("notes")
    with pytest.warns(UserWarning, match="is no checkpoint"):
        run.run()
    assert file.read_text() == "notes"


def test_a_precondition_that_takes_time_is_not_stored(tmp_path):
    config = configured(*SMALL, *WRITTEN, "precondition.timed=true")
    with pytest.raises(ConfigError, match=r"precondition\.timed=false"):
        simulate(with_checkpoint(config, save=str(tmp_path / "device")))


OWN = """
import random
from collections import Counter, defaultdict

from {helper} import Turn, even
from ssdsim.ftl.frontier.separation import Separation

class Streams(Separation):
    def __init__(self, streams, held=None):
        self.hosts, self.moved = range(streams), range(streams, 2 * streams)
        self.seen, self.writes, self.random = defaultdict(list), Counter(), random.Random(7)
        self.turn, self.tag, self.last, self.rule = Turn(), b"own", None, None
        self.held = eval(held or "None")

    def kind_of(self, lpa, source, stream, before):
        assert type(self.tag) is bytes
        self.last, self.turn.at = (lpa, frozenset([lpa])), self.turn.at + 1
        self.rule = self.rule or (even if self.turn.at > 9 else None)
        self.writes[lpa] += 1 if self.rule is None else self.rule(self.turn.at)
        self.seen[lpa % 5].append(self.turn)
        at = (self.writes[lpa] + self.random.randrange(2) + len(self.seen[1]) + self.turn.at) % len(self.hosts)
        return at if source == {host} else self.moved[at]
"""
HELPER = "class Turn:\n    def __init__(self):\n        self.at = 0\n\ndef even(at):\n    return at % 2 == 0\n"


@pytest.fixture
def own(tmp_path, monkeypatch):
    """Return the overrides that choose a policy of one's own, and the files of its modules."""
    from ssdsim._core.codes import HOST

    folder, one = tmp_path / "own", f"own_{uuid.uuid4().hex}"
    folder.mkdir()
    monkeypatch.syspath_prepend(folder)
    files = folder / f"{one}.py", folder / f"{one}_helper.py"
    files[0].write_text(OWN.format(helper=files[1].stem, host=HOST))
    files[1].write_text(HELPER)
    return [f"ftl.active_blocks={one}.Streams"], files


def own_options(**options):
    given = ",".join(f"{name}: {value}" for name, value in {"streams": 2, **options}.items())
    return f"ftl.active_block_options={{{given}}}"


def test_a_policy_of_ones_own_is_stored_as_it_is(own, tmp_path):
    overrides, files = own
    config, file = configured(*SMALL, *WRITTEN, *overrides, own_options()), str(tmp_path / "device")
    straight = measured(config)
    assert measured(with_checkpoint(config, save=file)) == straight
    assert measured(with_checkpoint(config, load=file)) == straight
    keys = {checkpoint.Kept(config).path(checkpoint.depends_on(config))}
    for source in files:
        source.write_text(source.read_text() + "# changed\n")
        keys.add(checkpoint.Kept(config).path(checkpoint.depends_on(config)))
    assert len(keys) == 3
    with pytest.raises(InputError, match="own policies"):
        simulate(with_checkpoint(config, load=file))


@pytest.mark.parametrize("held", ["lambda:1", "open(__file__)"])
def test_a_policy_that_is_no_data_is_not_kept(own, held, tmp_path):
    config = configured(*SMALL, *WRITTEN, *own[0], own_options(held=f"'{held}'"))
    folder, file = tmp_path / "kept", tmp_path / "device"
    with pytest.warns(UserWarning, match="the device is not kept: .*(lambda|TextIOWrapper)"):
        first = measured(keeping(config, folder))
    assert first == measured(config) and not folder.exists()
    with pytest.raises(ConfigError, match=r"checkpoint\.save=.*cannot be written: .*(lambda|TextIOWrapper)"):
        simulate(with_checkpoint(config, save=str(file)))
    assert not file.exists()


@pytest.mark.more
def test_runs_at_a_time_keep_one_device(tmp_path):
    config = keeping(configured(*SMALL, *FILLED), tmp_path)
    with multiprocessing.get_context("spawn").Pool(2) as pool:
        results = pool.map(measured, [config] * 4, chunksize=1)
    assert results == [measured(config)] * 4
    assert [path.suffix for path in tmp_path.iterdir()] == [".checkpoint"]


def test_what_a_killed_run_was_writing_is_dropped(tmp_path):
    left, fresh = tmp_path / f"{checkpoint.WRITING}left", tmp_path / f"{checkpoint.WRITING}fresh"
    for path in (left, fresh):
        path.write_bytes(b"half")
    os.utime(left, (0, 0))
    simulate(keeping(configured(*SMALL, *FILLED), tmp_path))
    assert fresh.exists() and not left.exists()


def test_the_summary_tells_whether_the_device_was_loaded(tmp_path):
    config = keeping(configured(*SMALL, *FILLED), tmp_path)
    assert [simulate(config).summary["simulator"]["precondition_loaded"] for _ in range(2)] == [False, True]


INTERPRETED = """
import sys
sys.path[:0] = {path}
from test_checkpoint import SMALL, chosen, configured, measured, with_checkpoint

for name in {names}:
    config = configured(*chosen(name), *SMALL, *{mode}, "kernel=simpy", "check=end", "workload.requests=50")
    straight = measured(with_checkpoint(config, save="device"))
    assert measured(with_checkpoint(config, load="device")) == straight
"""


@pytest.mark.parametrize(
    ("names", "mode"),
    [(["flex_ftl"], FILLED), pytest.param(["dftl", "fast", "pcftl", "tbm"], WRITTEN, marks=pytest.mark.more)],
    ids=["filled", "written"],
)
def test_a_loaded_device_does_the_same_from_source(names, mode, tmp_path):
    program = INTERPRETED.format(path=[str(Path(__file__).parent), *sys.path], names=names, mode=mode)
    environment = os.environ | {"SSDSIM_INTERPRETED": "1"}
    subprocess.run([sys.executable, "-c", program], cwd=tmp_path, env=environment, check=True)
