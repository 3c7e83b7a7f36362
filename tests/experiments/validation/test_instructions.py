"""The count of instructions: what is made of valgrind's files, and when a commit is held up."""

import json
import os
import pickle
import subprocess
import sys
from pathlib import Path

import pytest

from experiments.validation import instructions
from experiments.validation.equal_work import WORK

FAKE = """\
#!{python}
import sys

folder = next(each for each in sys.argv if "cachegrind-out-file" in each).partition("=")[2].replace("%p.count", "")
for process, count in enumerate({counts}, start=100):
    open(f"{{folder}}{{process}}.count", "w").write(f"desc: none\\nfn=run\\n1 7\\nsummary: {{count}}\\n")
    print(process)
sys.exit({status})
"""


@pytest.fixture
def valgrind(tmp_path, monkeypatch):
    """Put a tool of that name on the path, which runs nothing and has counted what it is told."""

    def install(counts, status=0):
        tool = tmp_path / "bin" / "valgrind"
        tool.parent.mkdir()
        tool.write_text(FAKE.format(python=sys.executable, counts=counts, status=status))
        tool.chmod(0o755)
        monkeypatch.setenv("PATH", str(tool.parent))

    return install


@pytest.fixture
def told(tmp_path, monkeypatch, capsys):
    """Call the command on given figures and kept ones; return its exit status and what it said."""
    monkeypatch.setattr(instructions, "KEPT", tmp_path / "instructions.json")
    monkeypatch.setattr(instructions, "build", lambda: "this build")

    def told(*words, figures=None, kept=None):
        monkeypatch.setattr(instructions, "measured", lambda: figures)
        if kept is not None:
            instructions.KEPT.write_text(json.dumps(kept))
        try:
            instructions.main([*words])
        except SystemExit as end:
            return 1, str(end.code)
        return 0, capsys.readouterr().out

    return told


def test_figures_are_what_the_longer_run_takes_more_a_request(valgrind):
    more = instructions.LONG - instructions.SHORT
    valgrind([1000, 1000 + 3 * more, 5, 5 + 7 * more, 0, 2 * more, 9, 9 + more])
    assert [*instructions.measured().values()] == [3, 7, 2, 1]
    assert [*instructions.measured()] == [*WORK, "G1, untimed"]


def test_a_run_that_fails_is_told(valgrind):
    valgrind([], status=3)
    with pytest.raises(RuntimeError, match="failed"):
        instructions.measured()


def test_without_valgrind_nothing_is_counted(told, tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    assert instructions.measured() is None
    assert told("--check", kept={"this build": {"work": 1}}) == (
        0,
        "Instructions are not counted: valgrind is not installed.\n",
    )


def test_what_is_counted_runs_once_beforehand_and_once_in_a_process_of_its_own(tmp_path):
    configs = tmp_path / "configs"
    configs.write_bytes(pickle.dumps([make(50, tmp_path) for make in instructions.COUNTED.values()]))
    done = subprocess.run(
        [sys.executable, "-m", "experiments.validation.instructions", "--count", configs],
        cwd=Path(__file__).parents[3],
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert len({int(process) for process in done.stdout.split()}) == len(instructions.COUNTED)


def test_more_fails_and_names_what_is_dearer(told):
    figures, kept = {"work": 1051, "other": 1000}, {"this build": {"work": 1000, "other": 1000}}
    status, said = told("--check", figures=figures, kept=kept)
    assert status == 1 and "work by 5.1%" in said and "other" not in said
    assert told(figures=figures, kept=kept)[0] == 0  # which only shows
    assert told("--check", figures={"work": 1000}, kept=kept)[0] == 1  # other work than is kept


def test_figures_of_another_build_are_not_compared(told):
    status, said = told("--check", figures={"work": 1000}, kept={"another build": {"work": 1}})
    assert status == 0 and "No figures are kept of this build" in said


def test_kept_figures_are_those_of_the_next_check_and_others_stay(told):
    told("--keep", figures={"work": 2000}, kept={"another build": {"work": 1}, "this build": {"work": 1000}})
    assert instructions.kept() == {"another build": {"work": 1}, "this build": {"work": 2000}}
    assert told("--check", figures={"work": 2100})[0] == 0
    assert told("--check", figures={"work": 2101})[0] == 1


def test_the_kept_file_has_every_work_counted():
    assert all(figures.keys() == instructions.COUNTED.keys() for figures in instructions.kept().values())
    assert instructions.kept()


def test_a_build_tells_python_compiler_and_cython():
    python, *made = instructions.build().split(", ")
    assert python == f"CPython {sys.version_info.major}.{sys.version_info.minor}"
    assert len(made) >= 3 and made[-1].startswith("Cython 3.")
