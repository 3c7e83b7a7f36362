"""The package run from its Python source: it is that source, and it gives what the compiled modules give."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import ssdsim.ftl.layer

PROGRAM = """
import json
import ssdsim
from ssdsim import HardwareConfig, PreconditionConfig, SimulationConfig, SyntheticConfig, simulate
from ssdsim.ftl import layer

config = SimulationConfig(
    hardware=HardwareConfig(channels=2, blocks_per_plane=16, pages_per_block=12, over_provisioning=0.5),
    precondition=PreconditionConfig(fill_share=0.75, valid_share=0.6),
    workload=SyntheticConfig(requests=400, queue_depth=8, read_share=0.3),
    kernel="simpy",
)
summary = simulate(config).summary
print(layer.__file__)
print(json.dumps([summary[key] for key in ("requests", "flash", "gc", "simulated_s", "utilization", "config_hash")]))
"""


def output(folder=None, **environment):
    inherited = {key: value for key, value in os.environ.items() if key != "SSDSIM_INTERPRETED"}
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        env=inherited | environment,
        cwd=folder,
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.splitlines()


def test_with_the_extension_files_removed_it_runs_from_source(tmp_path):
    package = Path(ssdsim.__file__).parent
    shutil.copytree(package, tmp_path / "ssdsim", ignore=shutil.ignore_patterns("__pycache__"))
    for extension in {*tmp_path.rglob("*.so"), *tmp_path.rglob("*.pyd")} - {*tmp_path.glob("ssdsim/_core/*")}:
        extension.unlink()
    interpreted, results = output(tmp_path, PYTHONPATH=str(tmp_path))
    assert interpreted == str(tmp_path / "ssdsim" / "ftl" / "layer.py")
    assert results == output()[1]


def test_what_is_not_built_says_so_in_a_sentence(tmp_path):
    shutil.copytree(Path(ssdsim.__file__).parent, tmp_path / "ssdsim", ignore=shutil.ignore_patterns("*.so", "*.pyd"))
    for words in (["-m", "ssdsim", "seed=2"], ["-c", "import ssdsim; ssdsim.preset()"]):
        command = [sys.executable, *words]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
        assert done.stderr.splitlines()[-1].endswith(
            "ssdsim is not built: run `pip install -e .`, which needs a C compiler, as gcc."
        )
        assert done.returncode == (2 if "-m" in words else 1)


def test_a_second_import_from_source_leaves_the_first_alone(interpreted):
    assert interpreted["ssdsim.ftl.layer"].__file__.endswith("layer.py")
    assert sys.modules["ssdsim.ftl.layer"] is ssdsim.ftl.layer
    assert not ssdsim.ftl.layer.__file__.endswith(".py")
    assert not any(name.startswith("ssdsim._core") for name in interpreted)
