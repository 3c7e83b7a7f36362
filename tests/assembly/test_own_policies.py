"""The watch over a user's own policies: what a method may return, what is told of an error, where classes are found.

Runs with such policies are in `tests/test_policies.py`.
"""

import sys
from types import SimpleNamespace

import pytest

from ssdsim.assembly.own_policies import import_class


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
