"""The same bytes, wherever a run is made."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from support.saved_runs import RUNS, composed, saved_runs

PROJECT = Path(__file__).resolve().parents[1]
ELSEWHERE = {"PYTHONHASHSEED": "7", "LC_ALL": "C", "TZ": "Asia/Kathmandu", "OPENBLAS_NUM_THREADS": "2"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("here")


@pytest.fixture(scope="module")
def here(folder):
    return saved_runs(folder, composed())


def test_hash_seed_locale_time_zone_threads_cores_and_assertions_change_no_byte(here, folder):
    paths = os.pathsep.join(map(str, (PROJECT, PROJECT / "tests")))
    done = subprocess.run(
        [sys.executable, "-O", "-m", "support.saved_runs", str(folder)],
        env=os.environ | ELSEWHERE | {"PYTHONPATH": paths},
        preexec_fn=lambda: os.sched_setaffinity(0, {min(os.sched_getaffinity(0))}),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == here


def test_another_seed_changes_what_every_run_writes(here, tmp_path):
    other = saved_runs(tmp_path, composed(seed=4))
    files = ("summary.json", "requests.parquet")
    assert not [name for name in RUNS for file in files if other[f"{name}: {file}"] == here[f"{name}: {file}"]]
