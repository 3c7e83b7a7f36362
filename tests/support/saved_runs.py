"""A few short runs, saved to files, and the checksums of these: what is to be the same wherever they are made.

`python -m support.saved_runs` prints them as JSON; `--kernel simpy` runs on stock SimPy. Left out is what tells of the
machine, of versions and of the time of day: parts of the summary, the line of the kernel, manifest and status.
"""

import argparse
import json
import tempfile
from pathlib import Path

from experiments.behaviour import FULL, OF_THE_MACHINE, checksum
from experiments.compose import prepared, session
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
    elif file.name == "config.yaml":
        content = b"\n".join(line for line in content.splitlines() if not line.startswith(b"kernel:"))
    return checksum(content)


def saved_runs(folder: Path, kernel: str = "compiled", seed: int = 3) -> dict[str, str]:
    """Make the runs, each in a folder below `folder`, and return the checksums of their files by name."""
    sums = {}
    with session():
        for number, (name, overrides) in enumerate(RUNS.items()):
            config = prepared([*FULL, *LOAD, *overrides, f"kernel={kernel}", f"seed={seed}"]).config
            simulate(config, folder / str(number))
            files = sorted([*(folder / str(number)).glob("*.parquet"), *(folder / str(number)).glob("*.yaml")])
            for file in [*files, folder / str(number) / "summary.json"]:
                sums[f"{name}: {file.name}"] = of_file(file, {*OF_THE_MACHINE, *provenance(config)})
    return sums


def main() -> None:
    """Print the checksums."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n\n")[0])
    parser.add_argument("--kernel", choices=("compiled", "simpy"), default="compiled")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="ssdsim-runs-") as place:
        print(json.dumps(saved_runs(Path(place), asked.kernel), indent=1))


if __name__ == "__main__":
    main()
