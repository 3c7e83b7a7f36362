"""What a command writes lies in its folder: files are looked for wherever else it could have put them."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

PROJECT = Path(__file__).parents[2]
SMALL = [
    *("hardware.blocks_per_plane=64", "hardware.pages_per_block=24", "workload=synthetic", "workload.requests=60"),
    *("-q", "record=[requests,commands]", "precondition=none", "hydra.run.dir=run"),
]
OF_HOME = ("XDG_CACHE_HOME", "XDG_DATA_HOME", "MPLCONFIGDIR")


@pytest.fixture
def beside(tmp_path):
    """Run a command in an empty folder, with a home and temporary files of its own; return files beside its results."""
    for name in ("home", "tmp", "work"):
        (tmp_path / name).mkdir()

    def written(*arguments):
        environment = {key: value for key, value in os.environ.items() if key not in OF_HOME}
        environment |= {"HOME": str(tmp_path / "home"), "TMPDIR": str(tmp_path / "tmp"), "PYTHONPATH": str(PROJECT)}
        command = [sys.executable, "-B", "-m", "ssdsim", *arguments]
        done = subprocess.run(
            command, cwd=tmp_path / "work", env=environment, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
        files = {path for path in tmp_path.rglob("*") if path.is_file()}
        within = {path for path in files if path.is_relative_to(tmp_path / "work" / "run")}
        assert within
        return {path.relative_to(tmp_path).as_posix() for path in files - within}

    return written


def test_a_run_writes_into_its_folder_alone(beside):
    assert beside(*SMALL, "plot=false") == set()


@pytest.mark.more
def test_what_reads_a_run_writes_what_it_says_into_the_folder_of_the_run(beside):
    """But for the fonts that matplotlib has found, which it keeps for itself."""
    for words in ([*SMALL, "plot=true"], ["report", "run"], ["timeline", "run"]):
        assert not {file for file in beside(*words) if "matplotlib" not in file}
    again = ["--config", "run", "-q", "plot=false", "hydra.run.dir=run", "overwrite=true"]
    assert not {file for file in beside(*again) if "matplotlib" not in file}
