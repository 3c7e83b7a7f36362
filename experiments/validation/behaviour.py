"""The behaviour of every stack, as checksums: to be kept before code is moved, and compared after each move.

    python -m experiments.validation.behaviour --keep before.json
    python -m experiments.validation.behaviour --against before.json

Every stack runs on its paper's small device, with flash timing under two workloads, untimed where it can be, and three
stacks with a loss of power; kept are checksums of the requests, of the flash commands, of the time series and of the
summary without what tells of the machine. `--kernel simpy` and `SSDSIM_INTERPRETED=1` have to give the same ones.
"""

import argparse
import hashlib
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tqdm import tqdm

from ssdsim.command.compose import CONF, composed
from ssdsim.errors import ConfigError
from ssdsim.metrics.summary import provenance
from ssdsim.run.simulation import simulate

DEVICES = {
    "pa_ssd_small": ("pa_ssd", "slc_mode"),
    "tbm_small": ("tbm",),
    "spd_small": ("spd", "spd_plus", "baseline_d", "baseline_p", "twinblk", "superpage", "paragc", "fast"),
    "flexftl_small": ("flex_ftl", "parity_ftl", "rtf_ftl", "page_ftl"),
    "pcftl_small": ("pcftl", "dloop", "dftl"),
}
"""The stacks that run on each small device; all others run on the default one with fewer blocks."""

LOADS = {
    "mixed": ["workload.requests=6000", "workload.read_share=0.3", "workload.queue_depth=16", "workload.size_kib=8"],
    "skewed": [
        *("workload.requests=6000", "workload.read_share=0", "workload.pattern=zipf", "workload.queue_depth=64"),
        "workload.size_kib={4:0.6,16:0.4}",
    ],
}
LOSES_POWER = ("baseline", "flex_ftl", "tbm")
FULL = ["precondition=fill", "workload=synthetic", "check=end", "seed=3"]
OF_THE_MACHINE = ("simulator", "kernel")


def stacks() -> list[str]:
    """Return the names of all stacks."""
    return sorted(file.stem for file in (CONF / "stack").glob("*.yaml"))


def on_small_device(stack: str) -> list[str]:
    """Return the overrides that put a stack on its small device."""
    small = next((device for device, of_device in DEVICES.items() if stack in of_device), None)
    own = ["hardware=tlc_4g", "hardware.blocks_per_plane=32"]
    return [f"stack={stack}", *([f"hardware={small}"] if small else own)]


def cases() -> Iterator[tuple[str, list[str]]]:
    """Yield the name and the overrides of each run."""
    for stack in stacks():
        device = [*on_small_device(stack), *FULL]
        for name, load in LOADS.items():
            yield f"{stack} {name}", [*device, *load, "record=[requests,commands]"]
        yield f"{stack} untimed", [*device, *LOADS["mixed"], "timing=off"]
        if stack in LOSES_POWER:
            cut = ["power_loss.after_programs=2500", "record=[requests,commands]"]
            yield f"{stack} losing power", [*device, *LOADS["skewed"], *cut]


def checksum(content: Any) -> str:
    """Return a short checksum of values by name."""
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()[:16]  # enough to tell a change


def behaviour(overrides: list[str], kernel: str) -> dict[str, str]:
    """Return the checksums of one run, or the sentence that refuses it."""
    try:
        config = composed([*overrides, f"kernel={kernel}"])
        result = simulate(config)
    except ConfigError as refusal:
        return {"refused": str(refusal)}
    left_out = {*OF_THE_MACHINE, *provenance(config)}  # versions, and the hash of all keys: other ones do the same
    summary = {name: value for name, value in result.summary.items() if name not in left_out}
    tables = ["timeseries", *(["requests", "commands"] if config.record else [])]
    # values, not bytes: another version of Arrow stores them otherwise
    return {"summary": checksum(summary), **{name: checksum(getattr(result, name).to_pydict()) for name in tables}}


def main() -> int:
    """Run all, and keep the checksums or compare them; the exit status is 1 where one differs."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kernel", choices=("compiled", "simpy"), default="compiled")
    parser.add_argument("--only", default="", help="runs whose name has this in it")
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--keep", type=Path, metavar="FILE", help="write the checksums to FILE")
    what.add_argument("--against", type=Path, metavar="FILE", help="compare them with those in FILE")
    asked = parser.parse_args()
    chosen = [case for case in cases() if asked.only in case[0]]
    watched = tqdm(chosen, disable=not sys.stderr.isatty())
    checksums = {name: behaviour(overrides, asked.kernel) for name, overrides in watched}
    if asked.keep:
        asked.keep.write_text(json.dumps(checksums, indent=1) + "\n", encoding="utf-8")
        return 0
    kept = json.loads(asked.against.read_text(encoding="utf-8"))
    differ = {name: sums for name, sums in checksums.items() if kept.get(name) != sums}
    for name, sums in differ.items():
        before = kept.get(name, {})
        changed = [part for part in sorted({*sums, *before}) if sums.get(part) != before.get(part)]
        print(f"{name}: {', '.join(changed)}")
    print(f"{len(checksums) - len(differ)} of {len(checksums)} runs are as they were.")
    return 1 if differ else 0


if __name__ == "__main__":
    raise SystemExit(main())
