"""A device that is kept and taken does what the one does that was preconditioned."""

import json
import os
import subprocess
import sys
import uuid
import warnings
from pathlib import Path

import attrs
import numpy as np
import pytest

from ssdsim import ConfigError, simulate
from ssdsim.errors import InputError
from ssdsim.metrics.summary import provenance
from ssdsim.states import kept
from support.tiny_stacks import ALL_STACKS, chosen, configured

SMALL = [
    *("hardware.channels=1", "hardware.chips_per_channel=1", "hardware.blocks_per_plane=32"),
    *("hardware.over_provisioning=0.5", "workload=synthetic", "workload.requests=200", "workload.queue_depth=8"),
    *("record=[requests,commands]", "precondition.max_windows=2", "check=always"),
]
FEW = ["hardware.blocks_per_plane=20"]
FILLED, WRITTEN = ["precondition=fill"], ["precondition=steady_state"]


def measured(config):
    """Return everything that a run of `config` measured, but for what is of the machine and of keeping."""
    result = simulate(config)
    summary = {k: v for k, v in result.summary.items() if k not in {"simulator", "kernel", *provenance(config)}}
    return json.dumps(summary), *(t.to_pydict() for t in (result.requests, result.commands, result.timeseries))


def keeping(config):
    return attrs.evolve(config, precondition=attrs.evolve(config.precondition, keep=True))


@pytest.fixture(autouse=True)
def devices(tmp_path, monkeypatch):
    """Return the folder of kept devices, which is this test's own."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    return tmp_path / "ssdsim"


@pytest.fixture
def taken(monkeypatch):
    """Call `measured` where no device can be made, only taken."""

    def of(config):
        with monkeypatch.context() as changed:
            changed.setattr("ssdsim.run.preparation.precondition", None)
            return measured(config)

    return of


@pytest.mark.more
@pytest.mark.parametrize("name", ALL_STACKS)
@pytest.mark.parametrize("mode", [FILLED, WRITTEN, [*FILLED, "precondition.full_buffer=true"]])
def test_a_device_that_is_taken_does_the_same_on_either_kernel(name, mode, taken):
    try:
        config = configured(*chosen(name), *SMALL, *mode)
    except ConfigError as error:
        assert mode is WRITTEN and "rows are made up as time passes" in str(error)
        return
    straight, keeps = measured(config), keeping(config)
    assert measured(keeps) == taken(keeps) == taken(attrs.evolve(keeps, kernel="simpy")) == straight


@pytest.mark.parametrize("name", ["dftl", "fast", "flex_ftl"])
def test_a_device_that_is_taken_does_the_same(name, taken):
    config = keeping(configured(*chosen(name), *SMALL, *WRITTEN))
    assert measured(config) == taken(config)


def test_a_device_that_is_taken_has_what_comes_after_the_precondition(taken):
    config = keeping(configured(*SMALL, *WRITTEN))
    first = measured(config)
    other = attrs.evolve(config, workload=attrs.evolve(config.workload, queue_depth=2))
    plain = attrs.evolve(other, precondition=attrs.evolve(other.precondition, keep=False))
    assert taken(other) == measured(plain) != first
    assert simulate(config).summary["simulator"]["precondition_loaded"] is True


INTERPRETED = """
import sys
sys.path[:0] = {path}
from test_kept import SMALL, chosen, configured, keeping, measured

for name in {names}:
    config = configured(*chosen(name), *SMALL, *{mode}, "kernel=simpy", "check=end", "workload.requests=50")
    assert measured(keeping(config)) == measured(keeping(config)) == measured(config)
"""


@pytest.mark.parametrize(
    ("names", "mode"),
    [
        pytest.param(["flex_ftl"], FILLED, marks=pytest.mark.more),
        pytest.param(["dftl", "fast", "pcftl", "tbm"], WRITTEN, marks=pytest.mark.more),
    ],
    ids=["filled", "written"],
)
def test_a_device_that_is_taken_does_the_same_from_source(names, mode, tmp_path):
    program = INTERPRETED.format(path=[str(Path(__file__).parent), *sys.path], names=names, mode=mode)
    environment = os.environ | {"SSDSIM_INTERPRETED": "1"}
    subprocess.run([sys.executable, "-c", program], cwd=tmp_path, env=environment, check=True)


def test_a_device_is_of_all_that_shapes_it(monkeypatch):
    config = configured(*SMALL, *WRITTEN)

    def under(**changes):
        return kept.depends_on(attrs.evolve(config, workload=attrs.evolve(config.workload, **changes)))

    assert under() == under(read_share=0.1)  # of its load a steady state is of the trims alone
    assert under() != under(trim_share=0.2) != under(trim_share=0.2, read_share=0.1)
    path = kept.Kept(config).path
    assert kept.Kept(keeping(config)).path == path
    larger = attrs.evolve(config, hardware=attrs.evolve(config.hardware, blocks_per_plane=40))
    monkeypatch.setattr(kept, "__version__", "9.9")
    assert len({path, *(kept.Kept(each).path for each in (config, larger, attrs.evolve(config, seed=2)))}) == 4


# What cannot be used.


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


@pytest.fixture(scope="module")
def kept_once(tmp_path_factory):
    """Return a configuration, what it measures, and what is in the file of its device."""
    config = configured(*SMALL, *FILLED)
    with pytest.MonkeyPatch.context() as changed:
        changed.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("kept")))
        keeps = keeping(config)
        return config, measured(keeps), kept.Kept(keeps).path.read_bytes()


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_a_state_that_does_not_fit_is_made_anew_or_refused_in_a_sentence(kept_once, change):
    config, first, content = kept_once
    config = keeping(config)
    file = kept.Kept(config).path
    file.parent.mkdir(exist_ok=True)
    file.write_bytes(content)
    with np.load(file) as stored:
        arrays = dict(stored)
    about = json.loads(arrays.pop("about").tobytes())
    change(about["nodes"], arrays)
    np.savez(file, about=np.frombuffer(json.dumps(about).encode(), np.uint8), **arrays)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", ".*made anew")
        try:
            assert measured(config) == first
        except InputError as error:
            assert error.exit_status == 2 and "it is removed: run again" in str(error) and not file.exists()
    assert measured(config) == first


def test_a_damaged_file_is_made_anew(kept_once):
    config, first, content = kept_once
    config = keeping(config)
    file, middle = kept.Kept(config).path, len(content) // 2
    file.parent.mkdir()
    with file.open("wb") as harm:
        np.savez(harm, about=np.array([print], object))
    pickled = file.read_bytes()
    for bad in (
        pickled,
        b"",
        content[:middle],
        content[:middle] + bytes([content[middle] ^ 1]) + content[middle + 1 :],
    ):
        file.write_bytes(bad)
        with pytest.warns(UserWarning, match="made anew"):
            assert measured(config) == first
    assert [*file.parent.iterdir()] == [file]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert measured(config) == first


def test_a_precondition_that_takes_time_is_not_kept():
    with pytest.raises(ConfigError, match=r"precondition\.keep=true: .*precondition\.timed=true"):
        simulate(keeping(configured(*SMALL, *WRITTEN, "precondition.timed=true")))


def test_the_folder_drops_what_was_used_longest_ago_and_nothing_of_others(devices, monkeypatch):
    config, others = configured(*SMALL, *FILLED), devices / "thesis.npz"
    simulate(keeping(config))
    (first,) = devices.iterdir()
    others.write_bytes(b"weights of a network")
    for path in (first, others):
        os.utime(path, (0, 0))
    monkeypatch.setattr(kept, "MOST_BYTES", 1.5 * first.stat().st_size)
    simulate(keeping(attrs.evolve(config, seed=2)))
    assert others.exists() and not first.exists() and len([*devices.iterdir()]) == 2


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


def test_a_policy_of_ones_own_is_kept_as_it_is(own, taken):
    overrides, source = own
    config = configured(*SMALL, *WRITTEN, *FEW, *overrides, own_options())
    keeps = keeping(config)
    assert measured(keeps) == taken(keeps) == measured(config)
    before = kept.Kept(keeps).path
    source.write_text(source.read_text() + "# changed\n")
    assert kept.Kept(keeps).path != before


@pytest.mark.parametrize(
    ("held", "told"), [("open(__file__)", "TextIOWrapper"), ("(lambda n: lambda lpa: n)(1)", "lambda")]
)
def test_a_policy_that_is_no_data_is_not_kept(own, held, told, devices):
    config = configured(*SMALL, *WRITTEN, *FEW, *own[0], own_options(held=f"'{held}'"))
    with pytest.warns(UserWarning, match=f"the device is not kept: .*{told}"):
        first = measured(keeping(config))
    assert first == measured(config) and not devices.exists()


def test_a_policy_with_objects_made_on_the_way_is_made_anew(own):
    own[1].write_text(own[1].read_text().replace("self.held(lpa)", "self.held()"))
    config = keeping(configured(*SMALL, *WRITTEN, *FEW, *own[0], own_options(held="'Turn'")))
    first = measured(config)
    with pytest.warns(UserWarning, match=r"there is no own_.*Turn in a device that was just built\); .*made anew"):
        assert measured(config) == first
