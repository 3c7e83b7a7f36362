"""A user's own policies: a plain Python file in the current folder, named by dotted path, with no compile step."""

import sys
from types import SimpleNamespace

import pytest

from ssdsim import ConfigError, FlashError, SimulationError
from ssdsim.assembly.own_policies import import_class
from ssdsim.errors import InputError, PolicyError
from support.requests import writes
from support.tiny_device import PAGE

SOURCE = """
from ssdsim.policies import Arbitration, BusArbiter, PlaneAllocation, SchedulingPolicy, VictimPolicy

asked = []


class MostValid(VictimPolicy):
    def __init__(self, dead=1):
        self.dead = dead

    def select(self, plane):
        blocks = [self.full.at(plane, i) for i in range(self.full.count(plane))]
        useful = [block for block in blocks if self.full.valid(block) <= 4 - self.dead]
        asked.append((plane, len(useful)))
        return max(useful, key=self.full.valid, default=-1)


class WritesFirst(SchedulingPolicy):
    def choose(self, reads, writes):
        return self.first(writes) or self.first(reads)


class LastComeFirstServed(BusArbiter):
    def __init__(self):
        self.asking = []

    def ask(self, die):
        self.asking.append(die)

    def choose(self):
        return self.asking.pop() if self.asking else None


class LastPlane(PlaneAllocation):
    keeps_plane = True

    def plane_for(self, lpa, stream):
        return self.device.hardware.planes - 1


class LastStreamFirst(Arbitration):
    def choose(self):
        return next((stream for stream in reversed(self.streams) if stream.ready()), None)


class Never(SchedulingPolicy):
    def select(self, die):
        return None


class NoVictim(VictimPolicy):
    def select(self, plane):
        return -1


class FirstBlock(VictimPolicy):
    def select(self, plane):
        return 0


class NeverAdmits(Arbitration):
    def choose(self):
        return None


class Misspelt(VictimPolicy):
    def selct(self, plane):
        return -1


class Word(VictimPolicy):
    def select(self, plane):
        return "the first"


class NoDie(BusArbiter):
    def ask(self, die):
        self.die = die

    def choose(self):
        return 3


class NoTransaction(SchedulingPolicy):
    def choose(self, reads, writes):
        return [self.first(reads)]


class NoStream(Arbitration):
    def choose(self):
        return "main"


class BrokenStart(VictimPolicy):
    def __init__(self, share=0):
        self.share = 1 / share

    def select(self, plane):
        return -1


class BrokenVictim(VictimPolicy):
    def select(self, plane):
        raise ValueError("of the user's own making")


class BrokenScheduler(SchedulingPolicy):
    def select(self, die):
        raise ValueError("of the user's own making")
"""


@pytest.fixture(scope="module", autouse=True)
def own_policies(tmp_path_factory):
    """Stand in a folder that holds `own_policies.py`."""
    with pytest.MonkeyPatch.context() as patch:
        folder = tmp_path_factory.mktemp("user")
        (folder / "own_policies.py").write_text(SOURCE)
        patch.setattr(sys, "path", list(sys.path))
        patch.chdir(folder)
        yield
        sys.modules.pop("own_policies", None)


def scattered(count):
    """Return writes of pages that are all there from the start, every fifth of eight in turn."""
    return writes(*(i * 5 % 8 for i in range(count)))


KEYS = {
    "victim": lambda name: {"ftl": {"gc": {"victim": name}}},
    "scheduler": lambda name: {"scheduler": {"policy": name}},
    "bus": lambda name: {"flash": {"bus": name}},
    "plane": lambda name: {"ftl": {"plane_allocation": name}},
    "arbitration": lambda name: {"host": {"arbitration": name}},
}


def loads_for(key):
    """Return the streams of a run that asks a policy of this kind: a single one needs no arbitration."""
    return [{"rows": scattered(40)}] * (2 if key == "arbitration" else 1)


def test_a_victim_policy_with_options(run):
    rows = [(0, "write", i * i * 7 % 13 % 8 * PAGE, PAGE) for i in range(300)]
    gc = {"victim": "own_policies.MostValid", "options": {"dead": 2}}
    out = run(rows, {"ftl": {"gc": gc}})
    assert sys.modules["own_policies"].asked
    assert 0 < out.summary["gc"]["page_moves"] <= 2 * out.summary["gc"]["collections"]


def test_a_scheduler(run):
    rows = [
        *((at, "write", lpa * PAGE, PAGE) for at, lpa in ((0, 0), (10**6 - 1, 3))),
        *((10**6, op, lpa * PAGE, PAGE) for lpa, op in enumerate(["read", "write", "write"])),
    ]
    done = run(rows, KEYS["scheduler"]("own_policies.WritesFirst")).done_at()
    assert done[3] < done[4] < done[2]


def test_a_bus_arbiter(run):
    rows = [(at, "write", lpa * PAGE, PAGE) for lpa, at in enumerate([0, 10, 20])]
    done = run(rows, KEYS["bus"]("own_policies.LastComeFirstServed") | {"hardware": {"chips_per_channel": 3}}).done_at()
    assert done == [104_296, 3 * 4296 + 100_000, 2 * 4296 + 100_000]


def test_a_plane_allocation(run):
    out = run(
        scattered(12), KEYS["plane"]("own_policies.LastPlane") | {"hardware": {"channels": 2, "planes_per_die": 2}}
    )
    assert {(row["channel"], row["plane"]) for row in out.commands} == {(1, 1)}


def test_an_arbitration(experiment):
    changes = {"host": {"arbitration": "own_policies.LastStreamFirst", "queue_depth": 1}}
    out = experiment([{"rows": scattered(3), "queue_depth": 3}] * 3, changes)
    assert [row["stream"] for row in out.requests] == [2, 2, 2, 1, 1, 1, 0, 0, 0]


@pytest.mark.parametrize(
    ("key", "name", "message"),
    [
        (
            "scheduler",
            "Never",
            r"stalled at \d+ ns: .* 8 requests are outstanding \(the oldest are numbers 0, 1, 2, 3, 4, 5, 6, 7\): "
            r"8 transactions wait for die 0.* idle",
        ),
        ("victim", "NoVictim", r"stalled at .* writes wait for room in plane 0, which has 1 free blocks and \d+ dead"),
        (
            "arbitration",
            "NeverAdmits",
            r"stalled at .*, and 0 requests are outstanding: stream main waits to be admitted",
        ),
    ],
)
def test_a_run_that_cannot_go_on_says_who_waits(experiment, key, name, message):
    with pytest.raises(SimulationError, match=message):
        experiment(loads_for(key), {"host": {"queue_depth": 8}} | KEYS[key](f"own_policies.{name}"))


@pytest.mark.parametrize("rows", [scattered(40), [(0, "write", 0, 16 * PAGE)] * 4])
def test_a_block_that_is_not_full_is_no_victim(run, rows):
    with pytest.raises(FlashError, match="only a full block can be collected"):
        run(rows, KEYS["victim"]("own_policies.FirstBlock"))


@pytest.mark.parametrize("key", ["victim", "scheduler"])
def test_what_a_policy_raises_comes_out(experiment, key):
    """As one sentence with his file and line; the error itself is its cause, and his part of the traceback at hand."""
    place = rf"Broken{key.title()}\.\w+ raised ValueError: of the user's own making \(.*own_policies\.py, line \d+\)\.$"
    with pytest.raises(PolicyError, match=place) as error:
        experiment(loads_for(key), KEYS[key](f"own_policies.Broken{key.title()}"))
    assert error.value.frames.count("own_policies.py") == 1 and "ssdsim/" not in error.value.frames
    assert error.value.exit_status == 2


@pytest.mark.parametrize(
    ("key", "name", "message"),
    [
        ("victim", "Misspelt", r"Misspelt in .*own_policies\.py lacks a method that it owes: select\(plane\)"),
        ("victim", "Word", r"Word\.select in .*own_policies\.py returned 'the first', and owes a whole number"),
        ("bus", "NoDie", r"NoDie\.choose in .* returned 3, and owes a die or None"),
        ("scheduler", "NoTransaction", r"NoTransaction\.choose in .* returned \[.*\], and owes a transaction or None"),
        ("arbitration", "NoStream", r"NoStream\.choose in .* returned 'main', and owes a ready stream or None"),
        ("victim", "BrokenStart", r"BrokenStart\.__init__ raised ZeroDivisionError: .*own_policies\.py, line \d+"),
    ],
)
def test_what_a_policy_owes_is_said_with_class_file_and_method(experiment, key, name, message):
    with pytest.raises(InputError, match=message) as error:
        experiment(loads_for(key), KEYS[key](f"own_policies.{name}"))
    assert str(error.value).count("\n") == 0 and error.value.exit_status == 2


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("own_policies.Missing", r"cannot be imported: .*Missing"),
        ("no_such_module.Class", r"cannot be imported: No module named 'no_such_module'"),
        ("collections.Counter", r"is not a subclass of ssdsim\."),
        ("collections.deque.maxlen", r"cannot be imported"),
        ("greedi", r"must be one of"),
    ],
)
def test_what_is_no_policy_is_refused(run, name, message):
    with pytest.raises(ConfigError, match=message):
        run(scattered(4), KEYS["scheduler"](name))


@pytest.fixture
def folders(monkeypatch, tmp_path):
    """Stand in one folder while the other has what is installed."""
    monkeypatch.setattr(sys, "path", [str(tmp_path / "installed"), *sys.path])
    for name in ("installed", "here"):
        (tmp_path / name).mkdir()
    monkeypatch.chdir(tmp_path / "here")
    yield SimpleNamespace(installed=tmp_path / "installed", here=tmp_path / "here")
    for name in ("told_here", "told_twice"):
        sys.modules.pop(name, None)


def test_classes_are_looked_for_among_what_is_installed_and_then_in_the_current_folder(folders, capsys):
    """A file of one's own does not take the place of a module that something else may need."""
    for folder, name in ((folders.here, "told_here"), (folders.here, "told_twice"), (folders.installed, "told_twice")):
        (folder / f"{name}.py").write_text(f"class X:\n    place = {folder.name!r}\n")
    assert import_class("key", "told_here.X").place == "here"
    assert import_class("key", "told_twice.X").place == "installed"
    said = capsys.readouterr().err
    assert f"imported from {folders.here}/told_here.py." in said
    assert f"imported from {folders.installed}/told_twice.py." in said
