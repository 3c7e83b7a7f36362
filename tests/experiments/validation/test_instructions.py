"""The count of instructions: what is made of valgrind's files, and when a commit is held up."""

import json
import sys

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


def test_without_valgrind_nothing_is_counted(told, tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    assert instructions.measured() is None
    assert told("--check", kept={"this build": {"work": 1}}) == (
        0,
        "Instructions are not counted: valgrind is not installed.\n",
    )


def test_more_fails_and_names_what_is_dearer(told):
    figures, kept = {"work": 1051, "other": 1000}, {"this build": {"work": 1000, "other": 1000}}
    status, said = told("--check", figures=figures, kept=kept)
    assert status == 1 and "work by 5.1%" in said and "other" not in said
    assert told(figures=figures, kept=kept)[0] == 0  # which only shows


def test_the_kept_file_has_every_work_counted():
    assert all(figures.keys() == instructions.COUNTED.keys() for figures in instructions.kept().values())
    assert instructions.kept()
