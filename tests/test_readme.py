"""What the README and the pages of the documentation show works as shown."""

import os
import re
import shlex
import sys
from pathlib import Path

import pytest

from ssdsim.command.cli import main
from ssdsim.command.compose import composed, parse, points, session

PROJECT = Path(__file__).parents[1]
PAGES = [PROJECT / "README.md", *sorted((PROJECT / "docs" / "pages").rglob("*.md"))]
TEXT = "\n".join(page.read_text(encoding="utf-8") for page in PAGES)
BLOCKS = list(dict.fromkeys(re.findall(r"^```python[^\n]*\n(.*?)^```", TEXT, re.DOTALL | re.MULTILINE)))
COMMANDS = sorted(
    set(re.findall(r"^(?:python -m experiments|ssdsim) ((?:sweep )?(?!--config|[a-z]+ ).*=.*)$", TEXT, re.M))
)
FILES = re.findall(r"^```\w+ title=\"(.*?)\"\n(.*?)^```", TEXT, re.DOTALL | re.MULTILINE)
SMALL = ["hardware.blocks_per_plane=24", "hardware.over_provisioning=0.3", "hardware.pages_per_block=24"]


def test_the_notebook_example_runs(capsys):
    example = BLOCKS[0]  # of the README, which has one
    exec(example, {})
    amplification, p99 = map(float, capsys.readouterr().out.split())
    assert amplification >= 1
    assert p99 > 0


def test_the_example_of_presets_runs(tmp_path, monkeypatch):
    (example,) = [block for block in BLOCKS if "load_config(" in block]
    monkeypatch.chdir(tmp_path)
    made = {}
    exec(example.replace("seed=3", 'seed=3, precondition="fill"'), made)
    assert made["requests"].num_rows == 2000


def test_the_policy_example_collects(tmp_path, monkeypatch):
    (example,) = [block for block in BLOCKS if "SecondBest" in block]
    assert len(example.strip().splitlines()) <= 15
    (tmp_path / "mine.py").write_text(example)
    monkeypatch.chdir(tmp_path)
    monkeypatch.delitem(sys.modules, "mine", raising=False)
    workload = ["workload=synthetic", "workload.requests=3000", "workload.read_share=0"]
    folder = f"hydra.run.dir={tmp_path / 'run'}"
    status = main(["ftl.gc.victim=mine.SecondBest", folder, *SMALL, *workload])
    assert status == 0
    text = (tmp_path / "run" / "summary.json").read_text()
    assert int(re.search(r'"collections": (\d+)', text)[1]) > 0


@pytest.mark.parametrize("line", COMMANDS)
def test_the_command_lines_compose(line, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PWD", str(tmp_path))
    (tmp_path / "prxy_0.csv.xz").touch()
    for name, content in FILES:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(content)
    with session():
        words = [
            word
            for word in shlex.split(os.path.expandvars(line))
            if word != "sweep" and not word.startswith(("-", "hydra.launcher."))
        ]
        for job in points(parse(words)):
            assert composed(job).workload is not None
