"""Completion, as shells ask for it."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from ssdsim.command.cli import VERBS
from ssdsim.command.completion import SHELLS, overrides
from ssdsim.command.groups import choices

PROJECT = Path(__file__).resolve().parents[2]
LINES = {
    "ssdsim comp": {"compare", "completion"},
    "ssdsim ": {*VERBS, "stack=", "ftl/gc=", "seed="},
    "ssdsim run seed=1 ftl/gc=": {*choices("ftl/gc")},
    "ssdsim compare --see": {"--seeds "},
    "ssdsim new sta": {"stack "},
    "ssdsim presets host.queue_d": {"host.queue_depth "},
    "ssdsim compare --fields write_am": {"write_amplification"},
    "ssdsim bench ": set(),
}
"""Lines, and words that are among their completions; nothing else is if there are none."""

ASK = """\
eval "$(cat script)"
while IFS= read -r COMP_LINE; do
    COMP_POINT=${#COMP_LINE} COMP_TYPE=9 COMPREPLY=()
    _python_argcomplete ssdsim
    printf '%s|' "${COMPREPLY[@]}"; echo
done < lines
"""


@pytest.fixture
def shell(tmp_path, monkeypatch, cli_alone):
    """Return what runs a shell on the `script` for it, where `ssdsim` is found."""
    command = tmp_path / "bin" / "ssdsim"
    command.parent.mkdir()
    command.write_text(f'#!/bin/sh\nexec {sys.executable} -m ssdsim "$@"\n')
    command.chmod(0o755)

    def ran(name, *arguments):
        if shutil.which(name) is None:
            pytest.skip(f"{name} is not installed")
        (tmp_path / "script").write_text(cli_alone("completion", name).out)
        environment = {**os.environ, "PYTHONPATH": str(PROJECT), "PATH": f"{command.parent}:{os.environ['PATH']}"}
        return subprocess.run(
            [name, *arguments], cwd=tmp_path, env=environment, capture_output=True, text=True, check=True
        ).stdout

    return ran


@pytest.mark.parametrize("name", SHELLS)
def test_a_shell_reads_its_script(shell, name):
    assert shell(name, "-n", "script") == ""


def test_bash_completes_verbs_options_keys_and_values(shell, tmp_path):
    (tmp_path / "lines").write_text("".join(f"{line}\n" for line in LINES))
    answers = [{*answer.split("|")} - {""} for answer in shell("bash", "-c", ASK).splitlines()]
    for (line, expected), answer in zip(LINES.items(), answers, strict=True):
        assert expected <= answer and (expected or not answer), line


@pytest.mark.parametrize(
    ("begun", "ends"),
    [
        ("ftl/gc=greedy,r", ["ftl/gc=greedy,random", "ftl/gc=greedy,rga"]),
        ("+stack=bas", ["+stack=baseline", "+stack=baseline_d", "+stack=baseline_p"]),
        ("ftl.gc.victim=gr", ["ftl.gc.victim=greedy", "ftl.gc.victim=greedy_in_order"]),
        ("ftl.wear_leveling.dynamic=f", ["ftl.wear_leveling.dynamic=false"]),
        ("host.queue_d", ["host.queue_depth="]),
        ("nothing=", []),
    ],
)
def test_an_override_goes_on_with_what_is_declared(begun, ends):
    assert [end for end in overrides(begun) if end.startswith(begun)] == ends
