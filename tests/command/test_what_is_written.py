"""What a command changes on the disk lies in its folder: a hook of Python hears of it, and files are looked for."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

PROJECT = Path(__file__).parents[2]
AUDITED = PROJECT / "tests/support/audited.py"
SMALL = [
    *("hardware.blocks_per_plane=64", "hardware.pages_per_block=24", "workload=synthetic", "workload.requests=60"),
    *("-q", "record=[requests,commands]", "precondition=none"),
]
OF_HOME = ("XDG_CACHE_HOME", "XDG_DATA_HOME", "MPLCONFIGDIR")
LIBRARIES = ("matplotlib", "joblib_memmapping_folder", "home/.cache", "home/.config")
"""What libraries keep for themselves: the fonts that matplotlib has found, and the temporary files of joblib."""


@pytest.fixture
def places(tmp_path):
    """Return what runs a command in an empty folder, with a home and temporary files of its own."""
    for name in ("home", "tmp", "work"):
        (tmp_path / name).mkdir()

    def written(folder, module, *arguments):
        """Run a command, and return what it changed outside of `folder`, which lies in that to work in."""
        log = tmp_path / "log"
        log.unlink(missing_ok=True)
        environment = {key: value for key, value in os.environ.items() if key not in OF_HOME}
        environment |= {"HOME": str(tmp_path / "home"), "TMPDIR": str(tmp_path / "tmp"), "PYTHONDONTWRITEBYTECODE": "1"}
        done = subprocess.run(
            [sys.executable, str(AUDITED), str(log), f"ssdsim.command.{module}", *arguments],
            cwd=tmp_path / "work",
            env=environment | {"PYTHONPATH": str(PROJECT)},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        events = [json.loads(line) for line in log.read_text().splitlines()]
        assert any(str(tmp_path / "work" / folder) in path for _, *paths in events for path in paths)
        beyond = [
            (event, path)
            for event, *paths in events
            for path in paths
            if not Path(path).is_relative_to(tmp_path / "work" / folder)
        ]
        found = [path for path in tmp_path.rglob("*") if path.is_file() and path != log]
        return beyond + [("found", str(path)) for path in found if not path.is_relative_to(tmp_path / "work" / folder)]

    return written


def of_ours(changes):
    """Return what is not a library's own, nor a program that one starts to look at the machine."""
    return [
        (event, path)
        for event, path in changes
        if not any(name in path for name in LIBRARIES) and path != os.devnull and event != "subprocess.Popen"
    ]


def test_a_run_writes_into_its_folder_alone(places):
    assert places("run", "cli", *SMALL, "plot=false", "hydra.run.dir=run") == []


@pytest.mark.more
def test_what_reads_a_run_writes_what_it_says_into_the_folder_of_the_run(places):
    assert of_ours(places("run", "cli", *SMALL, "plot=true", "hydra.run.dir=run")) == []
    assert of_ours(places("run", "cli", "report", "run")) == []
    assert of_ours(places("run", "cli", "timeline", "run")) == []
    again = ["--config", "run", "-q", "plot=false", "hydra.run.dir=run", "overwrite=true"]
    assert of_ours(places("run", "cli", *again)) == []
