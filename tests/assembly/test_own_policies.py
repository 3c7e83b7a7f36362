"""The watch over a user's own policies: what a method may return, what is told of an error, where classes are found.

Runs with such policies are in `tests/test_policies.py`.
"""

import sys
from types import SimpleNamespace

import pytest

from ssdsim.assembly.own_policies import import_class, own_class
from ssdsim.buffer.replacement import Replacement
from ssdsim.errors import PolicyError
from ssdsim.ftl.plane_allocation import PlaneAllocation

HERE = __name__


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
