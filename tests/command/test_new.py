"""`ssdsim new KIND NAME`: what it writes works as written, for every kind, and nothing that is there is lost."""

import importlib
import os
import re
import shlex
import subprocess
import sys
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path

import pytest

from ssdsim import ConfigError
from ssdsim.assembly.own_policies import _check_age, own_class
from ssdsim.assembly.parts import BASES
from ssdsim.command import new
from ssdsim.command.cli import main
from ssdsim.command.compare import planned
from ssdsim.config.registry import AXES
from ssdsim.workload import Generator

PROJECT = Path(__file__).parents[2]
SMALL = [
    *("hardware.blocks_per_plane=24", "hardware.pages_per_block=24", "hardware.over_provisioning=0.6"),
    *("integrity=on", "check=always", "precondition=fill"),
]


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


def test_there_is_a_skeleton_of_every_kind_of_policy():
    own = {key for key, axis in AXES.items() if axis.own}
    assert {kind.key for kind in new.KINDS.values()} == own | {"workload.generator"}
    there = {path.stem for path in new.SKELETONS.iterdir()}
    assert there == {*new.KINDS, *(f"test_{kind}" for kind in new.KINDS), "short_run", "bench", "stack", "test_stack"}


@pytest.mark.parametrize("kind", new.KINDS)
def test_the_policy_is_one_of_its_kind_and_its_test_passes(kind, here):
    assert main(["new", kind, f"my_{kind}"]) == 0
    policy, name = new.KINDS[kind], f"my_{kind}"
    cls = own_class(policy.key, f"{name}.{new.class_of(name)}", BASES.get(policy.key, Generator))
    assert cls.__module__ == name
    checked = 0
    for called, test in [*vars(importlib.import_module(f"test_{name}")).items()]:
        for case in cases(test) if called.startswith("test_") else ():
            test(*case)
            checked += 1
    assert checked >= 2


def test_a_stack_is_chosen_by_its_name_and_its_test_passes(here, capsys):
    assert main(["new", "stack", "my_stack"]) == 0
    assert {str(path.relative_to(here)) for path in here.rglob("*.*")} == {"stack/my_stack.yaml", "test_my_stack.py"}
    test = importlib.import_module("test_my_stack")
    test.test_it_is_what_its_file_says()
    test.test_it_serves_a_short_run()
    (command,) = re.findall(rf"^  {new.COMMAND} compare (.*)$", capsys.readouterr().out, re.MULTILINE)
    plan = planned(shlex.split(command.replace("$PWD", str(here))), [])
    assert [config.ftl.gc.victim for config in plan.configs("workload").values()] == ["greedy", "rga"]
    assert main(["new", "stack", "my_stack"]) == 2


def cases(test):
    """Return the arguments of each case of a test of pytest's."""
    marks = [mark for mark in getattr(test, "pytestmark", []) if mark.name == "parametrize"]
    return marks[0].args[1] if marks else [()]


@pytest.mark.parametrize("kind", new.KINDS)
def test_the_benchmark_is_of_two_systems_that_differ_in_nothing_but_the_policy(kind, here):
    name = f"my_{kind}"
    assert main(["new", new.KINDS[kind].key, name]) == 0
    bench = importlib.import_module(f"bench_{name}")
    configs = planned(bench.COMMON, bench.SYSTEMS).configs("workload")
    (default, own), key = configs.values(), new.KINDS[kind].key.split(".")
    assert default.hardware == own.hardware and list(configs)[1] == name
    if kind != "generator":
        assert default.workload == own.workload
        for part in key:
            default, own = getattr(default, part), getattr(own, part)
        assert f"{name}.{new.class_of(name)}" in (own if isinstance(own, list) else [own]) and default != own


@pytest.mark.parametrize(
    "kind", ["victim", *(pytest.param(kind, marks=pytest.mark.more) for kind in new.KINDS if kind != "victim")]
)
def test_the_command_that_is_printed_runs(kind, here, capsys):
    assert main(["new", kind, "mine_of_it"]) == 0
    assert f"{new.COMMAND} workload=" in capsys.readouterr().out.replace("'", "")
    assert main([*SMALL, *new.command_of(kind, "mine_of_it"), "hydra.run.dir=run"]) == 0
    assert (here / "run" / "summary.json").exists()


@pytest.mark.more
@pytest.mark.parametrize("kind", ["scheduler"])
def test_the_benchmark_runs(kind, here):
    assert new.main([kind, "mine_of_it"]) == 0
    told = {**os.environ, "PYTHONPATH": str(PROJECT), "MPLBACKEND": "agg"}
    done = subprocess.run([sys.executable, "bench_mine_of_it.py", "--seeds", "1"], env=told, capture_output=True)
    assert done.returncode == 0, done.stderr
    assert (here / "results" / "bench_mine_of_it" / "comparison.parquet").exists()


@pytest.mark.more  # some 5 s of CPU time each
@pytest.mark.parametrize("kind", [kind for kind in new.KINDS if kind not in new.INTERPRETED])
def test_a_compiled_policy_passes_its_test_and_gives_the_same_results(kind, here):
    results = []
    assert main(["new", kind, "mine_of_it", "--compiled"]) == 0
    for is_built in (False, True):
        if is_built:
            assert main(["build", "mine_of_it.py"]) == 0
        told = {**os.environ, "PYTHONPATH": str(PROJECT)}
        code = "import mine_of_it, test_mine_of_it as t; t.test_it_serves_a_short_run(); print(mine_of_it.__file__)"
        run = f"{code}; print(t.simulate(t.preset('baseline', *t.SMALL, *t.RUN)).summary['gc'])"
        done = subprocess.run([sys.executable, "-c", run], env=told, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        file, _, summary = done.stdout.partition("\n")
        assert file.endswith(".py") != is_built
        results.append(summary)
    assert results[0] == results[1]


def test_what_cannot_be_compiled_is_told_in_a_sentence(here, capsys):
    assert main(["new", "scheduler", "mine_of_it", "--compiled"]) == 2
    (here / "untyped.py").write_text("class Mine:\n    pass\n")
    (here / "wrong.py").write_text(
        "# cython: infer_types=True\nclass Mine:\n    def f(self) -> int:\n        return (\n"
    )
    select = "    def select(self, plane: int) -> int:\n        return max(block for block in [plane])\n"
    source = (
        f"# cython: infer_types=True\nfrom ssdsim.policies import VictimPolicy\nclass Mine(VictimPolicy):\n{select}"
    )
    (here / "closure.py").write_text(source)
    assert [main(["build", f"{name}.py"]) for name in ("none", "untyped", "wrong", "closure")] == [2, 2, 2, 2]
    told = capsys.readouterr().err.splitlines()
    assert len(told) == 5 and "closure.py:4: Mine.select has a lambda" in told[-1]


def test_what_was_compiled_of_an_older_source_is_refused(here):
    (here / "of_old.py").write_text("")
    file = here / f"of_old{EXTENSION_SUFFIXES[0]}"
    file.touch()
    os.utime(file, (1, 1))
    with pytest.raises(ConfigError, match=r"of_old\.py is newer than of_old\..*; build it again"):
        _check_age("key", "of_old.Mine", file)


def test_nothing_that_is_there_is_overwritten(here, capsys):
    (here / "test_mine_of_it.py").write_text("# of old")
    assert main(["new", "victim", "mine_of_it"]) == 2
    told = capsys.readouterr().err
    assert told.startswith("test_mine_of_it.py: is there already") and len(told.splitlines()) == 1
    assert [path.name for path in here.iterdir()] == ["test_mine_of_it.py"]
    assert (here / "test_mine_of_it.py").read_text() == "# of old"


def test_a_second_call_refuses_and_a_folder_of_its_own_does_not(here, capsys):
    assert [main(["new", "bus", "mine_of_it", *words]) for words in ([], [], ["--folder", "a/b"])] == [0, 2, 0]
    assert {path.name for path in (here / "a" / "b").iterdir()} == {
        f"{prefix}mine_of_it.py" for prefix in ("", "test_", "bench_")
    }
    (here / "file").touch()
    capsys.readouterr()
    for folder in ("file", "file/below"):
        assert main(["new", "bus", "mine_of_it", "--folder", folder]) == 2
        assert len(capsys.readouterr().err.splitlines()) == 1


def test_a_package_in_the_folder_hides_no_policy(here, capsys):
    (here / "mine_of_it").mkdir()
    assert main(["new", "bus", "mine_of_it"]) == 2
    assert capsys.readouterr().err.startswith("mine_of_it: is there already")


@pytest.mark.parametrize(
    ("kind", "name", "told"),
    [
        ("vctim", "mine", "did you mean 'victim'?"),
        ("vctim", "mine", "there are victim, scheduler, suspension, "),
        ("victim", "my-policy", "must be a Python identifier"),
        ("victim", "2nd", "must be a Python identifier"),
        ("victim", "class", "must be a Python identifier"),
        ("victim", "none", "must be a Python identifier"),  # whose class would be None
        ("victim", "_", "must be a Python identifier"),
        ("victim", "größe", "must be a Python identifier"),
        ("stack", "my-stack", "must be a Python identifier"),
        ("stack", "baseline", "a stack of that name is there already"),
        ("stck", "mine", "did you mean 'stack'?"),
        ("victim", "a/b", "must be a Python identifier"),
        ("victim", "", "must be a Python identifier"),
        ("victim", "json", "a module of that name is there already"),
        ("victim", "numpy", "a module of that name is there already"),
        ("victim", "ssdsim", "a module of that name is there already"),
        ("victim", "victim_policy", "the class would be VictimPolicy"),
        ("generator", "chunk", "the class would be Chunk"),
        ("page_order", "separate", "the class would be Separate"),
    ],
)
def test_what_cannot_be_is_told_in_a_sentence(kind, name, told, here, capsys):
    assert main(["new", kind, name]) == 2
    said = capsys.readouterr().err
    assert told in said and len(said.splitlines()) == 1
    assert not list(here.iterdir())


def test_help_names_the_kinds(capsys):
    with pytest.raises(SystemExit) as ended:
        main(["new", "--help"])
    assert ended.value.code == 0
    told = capsys.readouterr().out
    assert all(kind in told for kind in new.KINDS)
