"""A long run of a stack, twice: `python -m experiments.validation.soak`.

Random writes and reads, four fifths of them writes, at queue depth 32 on a small device that collects all the time. The
books of the device are recounted from the flash up at each collection (`check=gc`). Both runs go side by side, in
processes of their own: their summaries must be equal, and their memory after a tenth of the run is held against that at
its end. The status is 1 if the summaries differ or memory has grown.
"""

import argparse
import hashlib
import json
import multiprocessing
import sys
from collections.abc import Sequence
from typing import Any

import attrs

from ssdsim import PreconditionConfig, SyntheticConfig, preset, simulate
from ssdsim.assembly.memory import resident
from ssdsim.run.progress import Snapshot

SMALL = {"channels": 2, "chips_per_channel": 1, "planes_per_die": 2, "blocks_per_plane": 40, "over_provisioning": 0.5}
"""A device whose books are soon recounted: 4 planes, 160 blocks."""

EARLY, GROWTH_MIB = 0.1, 64
"""The share of a run after which its memory is noted, and by how much it may have grown at the end: what it keeps is
bounded, but full after some ten million transactions only."""


class Memory:
    """Notes the memory of this process, in MiB, early in a run and last."""

    def __init__(self) -> None:
        self.early_mib = self.last_mib = 0.0

    def update(self, snapshot: Snapshot) -> None:
        """Record the memory that is in use."""
        self.last_mib = resident() / 2**20
        if snapshot.fraction is not None and snapshot.fraction <= EARLY:  # the last report before the share is reached
            self.early_mib = self.last_mib


def soaked(stack: str, requests: int) -> dict[str, Any]:
    """Return the collections of a run of so many requests, the checksum of its summary, and its memory."""
    memory = Memory()
    config = attrs.evolve(
        preset(stack, **{f"hardware.{name}": value for name, value in SMALL.items()}),
        workload=SyntheticConfig(requests=requests, read_share=0.2, queue_depth=32),
        precondition=PreconditionConfig(mode="fill"),
        check="gc",
        record=[],
    )
    summary = simulate(config, progress=memory).summary
    del summary["simulator"]  # of the machine, and not part of what must be equal
    digest = hashlib.sha256(json.dumps(summary).encode()).hexdigest()
    return {"collections": summary["gc"]["collections"], "digest": digest, **vars(memory)}


def fault(one: dict[str, Any], two: dict[str, Any]) -> str:
    """Return the fault of two runs of the same, or nothing."""
    if one["digest"] != two["digest"]:
        return "summaries differ"
    grown = max(run["last_mib"] - run["early_mib"] for run in (one, two))
    return f"memory has grown by {grown:.0f} MiB" if grown > GROWTH_MIB else ""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run, and print a line for each stack."""
    options = argparse.ArgumentParser(prog=f"python -m {__package__}.soak", description=__doc__.partition(":")[0])
    options.add_argument("stacks", nargs="*", default=["flex_ftl", "spd_plus"], metavar="STACK")
    options.add_argument("--requests", type=int, default=100_000_000, metavar="N", help="of each stack (default: 1e8)")
    given, faults = options.parse_args(arguments), []
    # a process for each run: memory is that run's alone
    with multiprocessing.get_context("spawn").Pool(2, maxtasksperchild=1) as pool:
        for stack in given.stacks:
            one, two = pool.starmap(soaked, [(stack, given.requests)] * 2, chunksize=1)
            faults.append(fault(one, two))
            memory = f"{one['early_mib']:.0f} and {one['last_mib']:.0f} MiB"
            print(f"{stack}: {one['collections']:,} collections, {memory}, twice: {faults[-1] or 'the same'}")
    return int(any(faults))


if __name__ == "__main__":
    sys.exit(main())
