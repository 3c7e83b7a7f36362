"""`ssdsim new KIND NAME`: the copy is a policy of its kind that does what the original does."""

import importlib
import os
import subprocess
import sys
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path

import pytest

from ssdsim import ConfigError, preset, simulate
from ssdsim.assembly.own_policies import _check_age
from ssdsim.assembly.parts import BASES, CLASSES
from ssdsim.command.cli import main
from ssdsim.command.policy import COMPILED_ALONE, KINDS, SMALL, copy_of
from ssdsim.config import STATIC_ORDERS
from support.thinned import some

PROJECT = Path(__file__).parents[2]
TYPES = ["ftl.page_type=[utilization]", "flash.program_order=relaxed"]
ALSO = {
    "ftl.page_order=page_type": TYPES,
    "ftl.page_order=two_phase": ["ftl.page_type=[utilization]", "flash.program_order=rps"],
    "ftl.page_order=return_to_fast": TYPES,
    "ftl.backup=block_parity": ["ftl.page_order=two_phase", "flash.program_order=rps", "ftl.page_type=[utilization]"],
    "ftl.page_type=adaptive": ["buffer=lru", "buffer.size_mib=1"],
    "ftl.page_type=write_buffer": ["buffer=lru"],
}
"""What a policy needs beside what its kind does."""


@pytest.fixture
def here(tmp_path, monkeypatch):
    """An empty folder to work in, whose modules are forgotten afterwards."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    before = set(sys.modules)
    yield tmp_path
    for name in set(sys.modules) - before:
        if str(tmp_path) in str(getattr(sys.modules[name], "__file__", "")):
            del sys.modules[name]


@pytest.mark.parametrize("kind", some(0.34, [kind for kind, (key, *_) in KINDS.items() if key not in COMPILED_ALONE]))
def test_the_test_that_is_written_passes(kind, here, capsys):
    assert main(["new", kind, f"my_{kind}"]) == 0
    assert f"ssdsim {SMALL[0]} " in capsys.readouterr().out
    importlib.import_module(f"test_my_{kind}").test_it_does_what_the_original_does()


NEEDS = {key: needs for key, _, needs in KINDS.values()}
COPIED = [
    (key, name)
    for key, usual, _ in KINDS.values()
    for name, cls in CLASSES[key].items()
    if not {key, name} & {usual, *COMPILED_ALONE, *STATIC_ORDERS[1:]} and issubclass(cls, BASES[key])
]


@pytest.mark.more
@pytest.mark.parametrize(("key", "name"), COPIED)
def test_a_copy_of_any_other_policy_does_the_same(key, name, here):
    Path("copied.py").write_text(copy_of(CLASSES[key][name], "Mine"))
    next_ones = ["uniform"] if getattr(CLASSES[key][name], "may_pass", False) else []

    def summary(policy):
        chosen = f"{key}=[{','.join([policy, *next_ones])}]" if key == "ftl.page_type" else f"{key}={policy}"
        words = [*SMALL, *NEEDS[key], *ALSO.get(f"{key}={name}", []), "precondition=fill", chosen]
        return simulate(preset("baseline", *words)).summary

    own, original = summary("copied.Mine"), summary(name)
    assert all(own[part] == original[part] for part in ("requests", "flash", "gc"))


def test_what_a_run_needs_besides_is_checked_and_tested(here, capsys):
    words = ["new", "page_order", "mine_of_it", "--like", "two_phase"]
    assert main(words) == 2 and "ftl.page_order=two_phase" in capsys.readouterr().err and not [*here.iterdir()]
    assert main([*words, *ALSO["ftl.page_order=two_phase"]]) == 0
    assert "'flash.program_order=rps'," in Path("test_mine_of_it.py").read_text()


@pytest.mark.more  # some 5 s of CPU time each
@pytest.mark.parametrize("kind", [*KINDS, "plane_allocation --like chip"])
def test_a_compiled_policy_passes_its_test(kind, here):
    kind, *like = kind.split()
    assert main(["new", kind, "mine_of_it", "--compiled", *like]) == 0
    assert main(["build", "mine_of_it.py"]) == 0
    code = (
        "import mine_of_it, test_mine_of_it as t; t.test_it_does_what_the_original_does(); print(mine_of_it.__file__)"
    )
    environment = {**os.environ, "PYTHONPATH": str(PROJECT)}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    assert not done.stdout.strip().endswith(".py")


@pytest.mark.parametrize("words", [["scheduler"], ["plane_allocation", "--like", "f2"]])
def test_what_only_compiled_code_can_do_is_not_begun_otherwise(words, here, capsys):
    assert main(["new", words[0], "mine_of_it", *words[1:]]) == 2 and not [*here.iterdir()]
    assert capsys.readouterr().err.endswith("add --compiled.\n")


def test_what_cannot_be_compiled_is_told_in_a_sentence(here, capsys):
    Path("untyped.py").write_text("class Mine:\n    pass\n")
    Path("wrong.py").write_text("# cython: infer_types=True\nclass Mine:\n    def f(self) -> int:\n        return (\n")
    assert [main(["build", f"{name}.py"]) for name in ("none", "untyped", "wrong")] == [2, 2, 2]
    assert len(capsys.readouterr().err.splitlines()) == 3


def test_what_was_compiled_of_an_older_source_is_refused(here):
    Path("of_old.py").write_text("")
    file = here / f"of_old{EXTENSION_SUFFIXES[0]}"
    file.touch()
    os.utime(file, (1, 1))
    with pytest.raises(ConfigError, match=r"of_old\.py is newer than of_old\..*; build it again"):
        _check_age("key", "of_old.Mine", file)


def test_nothing_that_is_there_is_overwritten(here, capsys):
    Path("test_mine_of_it.py").write_text("# of old")
    assert main(["new", "victim", "mine_of_it"]) == 2
    assert capsys.readouterr().err.startswith("test_mine_of_it.py: is there already")
    assert [path.name for path in here.iterdir()] == ["test_mine_of_it.py"]
    assert Path("test_mine_of_it.py").read_text() == "# of old"


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["victim", "json"], "of no module"),
        (["victim", "mine", "--like", "gredy"], "did you mean 'greedy'?"),
    ],
)
def test_what_cannot_be_is_told_in_a_sentence(words, told, here, capsys):
    assert main(["new", *words]) == 2
    said = capsys.readouterr().err
    assert told in said and len(said.splitlines()) == 1
    assert not [*here.iterdir()]
