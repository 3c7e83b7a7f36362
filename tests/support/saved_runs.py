"""A few short runs, saved to files, and the checksums of these: what is to be the same wherever they are made.

`python -m support.saved_runs FOLDER` prints those of the runs whose configurations are in FOLDER, as JSON: Hydra does
not work under `python -O`. Left out is what tells of the machine, of versions and of the time of day:
parts of the summary, manifest and status.
"""

import hashlib
import json
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path

from experiments.validation.behaviour import FULL, OF_THE_MACHINE
from ssdsim.command import compose
from ssdsim.config import SimulationConfig
from ssdsim.config.saved import load_config
from ssdsim.metrics.summary import provenance
from ssdsim.run.simulation import simulate

LOAD = ["workload.requests=400", "workload.read_share=0.3", "workload.queue_depth=16", "record=[requests,commands]"]
RUNS = {
    "page types": ["stack=pa_ssd", "hardware=pa_ssd_small"],
    "a cached mapping table": ["stack=dftl", "hardware=pcftl_small", "workload.pattern=zipf"],
    "rows from a buffer": ["stack=spd_plus", "hardware=spd_small", "workload.size_kib={4:0.6,16:0.4}"],
    "a loss of power": ["stack=flex_ftl", "hardware=flexftl_small", "power_loss.after_programs=300"],
    "random victims": [
        *("stack=baseline", "hardware.blocks_per_plane=32", "ftl.gc.victim=rga"),
        *("workload.queue_depth=null", "workload.rate_iops=20000"),
    ],
}


def of_file(file: Path, left_out: set[str]) -> str:
    """Return the checksum of a file of a run, without what may differ."""
    content = file.read_bytes()
    if file.name == "summary.json":
        summary = json.loads(content)
        content = json.dumps({name: value for name, value in summary.items() if name not in left_out}).encode()
    return hashlib.sha256(content).hexdigest()


def composed(seed: int = 3) -> list[SimulationConfig]:
    """Return the configurations of the runs."""
    return [compose.composed([*FULL, *LOAD, *overrides, f"seed={seed}"]) for overrides in RUNS.values()]


def saved_runs(folder: Path, configs: Iterable[SimulationConfig]) -> dict[str, str]:
    """Make the runs, each in a folder below `folder`, and return the checksums of their files by name."""
    sums = {}
    for name, config in zip(RUNS, configs, strict=True):
        run = folder / name
        simulate(config, run)
        for file in sorted([*run.glob("*.parquet"), run / "config.yaml", run / "summary.json"]):
            sums[f"{name}: {file.name}"] = of_file(file, {*OF_THE_MACHINE, *provenance(config)})
    return sums


if __name__ == "__main__":
    made = [load_config(Path(sys.argv[1], name)) for name in RUNS]
    with tempfile.TemporaryDirectory(prefix="ssdsim-runs-") as place:
        print(json.dumps(saved_runs(Path(place), made)))
