"""The list of `tests/mutations.py`, which breaks the source on purpose, fits that source."""

import ast
import importlib.util
from pathlib import Path

import attrs
import pytest

spec = importlib.util.spec_from_file_location("command_that_mutates", Path(__file__).parent / "mutations.py")
command = importlib.util.module_from_spec(spec)
spec.loader.exec_module(command)
LISTED = list(command.mutations())


def test_every_text_stands_in_its_file_once():
    assert command.stale(LISTED) == []
    assert len({(each.file, each.name) for each in LISTED}) == len(LISTED) >= 60


def test_every_module_can_be_read_when_it_is_broken():
    for each in LISTED:
        if each.file.endswith(".py"):
            ast.parse((command.PROJECT / each.file).read_text(encoding="utf-8").replace(each.text, each.instead))


def test_what_does_not_fit_is_told():
    first = LISTED[0]
    gone = attrs.evolve(first, text="what nobody wrote")
    same = attrs.evolve(first, instead=first.text)
    untested = attrs.evolve(first, tests=("tests/test_nothing.py",))
    told = command.stale([first, gone, same, untested])
    assert [any(part in each for each in told) for part in ("0 times", "changes nothing", "does not exist")] == [
        True
    ] * 3
    assert len(told) == 3


def test_a_mutation_is_applied_and_undone(tmp_path, monkeypatch):
    mutation = command.Mutation("file.py", "a name", "a < b", "a <= b", ("tests",))
    (tmp_path / "file.py").write_text("if a < b: pass")
    seen = []
    monkeypatch.setattr(command, "failures", lambda *_: seen.append((tmp_path / "file.py").read_text()) or [])
    assert not command.verdict(mutation, tmp_path).is_as_listed
    assert seen == ["if a <= b: pass"] * 2 and (tmp_path / "file.py").read_text() == "if a < b: pass"


@pytest.mark.parametrize(
    ("found_by", "survives", "as_listed"), [("a", "", 1), ("", "x", 1), ("a", "x", 0), ("", "", 0)]
)
def test_what_is_found_and_what_survives_is_as_listed(found_by, survives, as_listed):
    mutation = command.Mutation("file.py", "a name", "a", "b", ("tests",), survives)
    assert command.Verdict(mutation, found_by, 1.0).is_as_listed == bool(as_listed)


def test_a_file_that_cannot_be_collected_is_not_taken_for_what_finds_mutations(monkeypatch):
    monkeypatch.setattr(command, "copy", lambda folder: None)
    monkeypatch.setattr(command, "failures", lambda *_: ["tests/test_a.py::test_b", "tests/test_c.py"])
    with pytest.raises(SystemExit, match=r"^Without any mutation: tests/test_c\.py: "):
        list(command.hunt([command.Mutation("file.py", "a name", "a", "b", ("tests",))], 1))
