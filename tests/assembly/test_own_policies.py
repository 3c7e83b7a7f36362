"""The watch over a user's own policies: what a method may return, what is told of an error, where classes are found.

Runs with such policies are in `tests/test_policies.py`.
"""

import sys
from types import SimpleNamespace

import numpy as np
import pytest

from ssdsim.assembly.own_policies import RETURNS, import_class, own_class
from ssdsim.buffer.replacement import Replacement
from ssdsim.errors import PolicyError
from ssdsim.flash.dies import Dies
from ssdsim.flash.transactions import Transactions
from ssdsim.flash.views import Die, Transaction
from ssdsim.ftl.plane_allocation import PlaneAllocation
from ssdsim.host.stream import stream_of
from ssdsim.run.workloads import OneChunk
from ssdsim.workload.chunk import WRITE, Chunk

HERE = __name__


def stream(ready):
    """Return a stream that is ready, or idle before its only request."""
    idle_ns, size = np.array([0 if ready else 1]), np.array([512])
    return stream_of(0, "main", 1, OneChunk(Chunk(idle_ns, np.array([WRITE], np.uint8), size, size), 1))


RIGHT = {
    "a whole number": [0, -1, np.int64(3), np.uint8(3), True, 2**63 - 1, -(2**63)],
    "a truth value": [True, False],
    "a list": [[], [1, "x"]],
    "a dictionary": [{}, {"x": 1}],
    "a list of whole numbers or None": [None, [], [1, np.int32(2)]],
    "a list or tuple": [[], (), [(0, 1, 2, 3)]],
    "a transaction or None": [None, Transaction(Transactions(), 1)],
    "a die or None": [None, Die(Dies(Transactions(), 1, 1, 1), 0)],
    "a ready stream or None": [None, stream(True)],
}
WRONG = {
    "a whole number": [None, "1", 1.0, np.float64(2), 2**63, -(2**63) - 1, [1]],
    "a truth value": [None, 0, 1, np.True_, "yes"],
    "a list": [None, (), {}, "", iter([])],
    "a dictionary": [None, [], ""],
    "a list of whole numbers or None": [(1,), [1.0], [None], 0, [2**63]],
    "a list or tuple": [None, {}, "", iter(())],
    "a transaction or None": [0, False, "", []],
    "a die or None": [0, False, 3],
    "a ready stream or None": [0, False, "main", stream(False)],
}


@pytest.mark.parametrize("kind", RETURNS)
def test_each_kind_of_result_is_told_from_others(kind):
    assert [value for value in RIGHT[kind] if not RETURNS[kind](value)] == []
    assert [value for value in WRONG[kind] if RETURNS[kind](value)] == []


class Forgetful(Replacement):
    def victims(self, count, force):
        return None


def test_a_method_that_a_policy_may_have_is_watched_like_one_that_it_owes():
    policy = own_class("key", f"{HERE}.Forgetful", Replacement)()
    told = rf"^key={HERE}\.Forgetful: .* in .*test_own_policies\.py returned None, and owes a list"
    with pytest.raises(PolicyError, match=told):
        policy.victims(1, False)


class Deep(PlaneAllocation):
    def plane_for(self, lpa, stream):
        return helper(lpa)


def helper(lpa):
    return 1 // (lpa - lpa)


def test_the_line_named_is_the_last_of_the_users_own():
    policy = own_class("key", f"{HERE}.Deep", PlaneAllocation)()
    line = helper.__code__.co_firstlineno + 1
    with pytest.raises(PolicyError, match=rf"plane_for raised ZeroDivisionError: .*, line {line}\)\.$") as raised:
        policy.plane_for(1, 0)
    assert raised.value.frames.count("test_own_policies.py") == 2 and "return helper(lpa)" in raised.value.frames


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
