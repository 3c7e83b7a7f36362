"""A long run of two stacks, each twice: `python -m experiments.validation.soak`.

Random writes and reads, four fifths of them writes, at queue depth 32 on a small device that collects all the time. The
books of the device are recounted from the flash up at each collection (`check=gc`). Both runs of a stack go side by
side, in processes of their own: their summaries must be equal, and their memory after a tenth of the run is held
against that at its end. The status is 1 if the summaries differ or memory has grown.
"""

import argparse
import hashlib
import json
import multiprocessing
import sys
from collections.abc import Sequence
from typing import Any

import attrs

from ssdsim import PreconditionConfig, SimulationConfig, SyntheticConfig, preset, simulate
from ssdsim.assembly.memory import resident
from ssdsim.command.progress import Progress
from ssdsim.report.text import TextTable
from ssdsim.run.progress import Snapshot

STACKS = ("flex_ftl", "spd_plus")
TRANSACTIONS = 1_000_000_000
PILOT = 300_000
"""Requests of a short run, which says how many transactions one makes: many, as the first ones make more."""

SMALL = {"channels": 2, "chips_per_channel": 1, "planes_per_die": 2, "blocks_per_plane": 40, "over_provisioning": 0.5}
"""A device whose books are soon recounted: 4 planes, 160 blocks."""

EARLY, GROWTH_MIB = 0.1, 16
"""The share of a run after which its memory is noted, and by how much it may have grown at the end."""

FULL_AFTER, FILLING_MIB = 10_000_000, 48
"""What a run keeps is bounded, but full after some transactions only; where these are not done early, it takes more."""


def soak_config(stack: str, requests: int) -> SimulationConfig:
    """Return the run of `stack`."""
    small = {f"hardware.{name}": value for name, value in SMALL.items()}
    return attrs.evolve(
        preset(stack, **small),
        workload=SyntheticConfig(requests=requests, read_share=0.2, queue_depth=32),
        precondition=PreconditionConfig(mode="fill"),
        check="gc",
        record=[],
    )


class Memory:
    """Notes the memory of this process, in MiB, early in a run and last."""

    def __init__(self) -> None:
        self.early_mib = self.last_mib = 0.0

    def update(self, snapshot: Snapshot) -> None:
        """Record the memory that is in use."""
        self.last_mib = resident() / 2**20
        if snapshot.fraction is not None and snapshot.fraction <= EARLY:  # the last report before the share is reached
            self.early_mib = self.last_mib


def soaked(job: tuple[str, int, str | None]) -> dict[str, Any]:
    """Return the counts of a run of so many requests, the checksum of its summary, and its memory.

    How far it is stands on a terminal under a title, if there is one.
    """
    stack, requests, title = job
    memory = Memory()
    with Progress(title, watch=memory) as progress:
        summary = simulate(soak_config(stack, requests), progress=progress).summary
    counts = {"transactions": transactions(summary), "collections": summary["gc"]["collections"]}
    wall_s = summary.pop("simulator")["wall_s"]  # the clock's, and not part of what must be equal
    digest = hashlib.sha256(json.dumps(summary).encode()).hexdigest()
    return {**counts, "wall_s": wall_s, "digest": digest, **vars(memory)}


def transactions(summary: dict[str, Any]) -> int:
    """Return the flash transactions of a run."""
    return sum(sum(by_source.values()) for by_source in summary["flash"].values())


def fault(one: dict[str, Any], two: dict[str, Any]) -> str:
    """Return the fault of two runs of the same, or nothing."""
    if one["digest"] != two["digest"]:
        return "summaries differ"
    grown = max(run["last_mib"] - run["early_mib"] for run in (one, two))
    is_full = one["transactions"] * EARLY >= FULL_AFTER
    return f"memory has grown by {grown:.0f} MiB" if grown > GROWTH_MIB + (0 if is_full else FILLING_MIB) else ""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run, and print a line for each stack."""
    description, *_ = (__doc__ or "").split("\n\n")
    options = argparse.ArgumentParser(prog=f"python -m {__package__}.soak", description=description.replace("`", ""))
    options.add_argument("stacks", nargs="*", default=STACKS, metavar="STACK", help=f"default: {' '.join(STACKS)}")
    options.add_argument(
        "--transactions", type=float, default=TRANSACTIONS, metavar="N", help="of all stacks together (default: 1e9)"
    )
    given = options.parse_args(arguments)
    table, faults = TextTable("stack", "transactions", "collections", "h", "MiB", "at the end", "twice"), []
    # a process for each run: memory is that run's alone
    with multiprocessing.get_context("spawn").Pool(2, maxtasksperchild=1) as pool:
        for stack in given.stacks:
            share = given.transactions / len(given.stacks)
            # as many as make the share, by what the pilot's made
            requests = int(share / soaked((stack, PILOT, None))["transactions"] * PILOT)
            title = f"{stack}: {requests:,} requests, twice"
            one, two = pool.map(soaked, [(stack, requests, title), (stack, requests, None)], chunksize=1)
            faults.append(fault(one, two))
            counts = [f"{one[name]:,}" for name in ("transactions", "collections")]
            memory = [f"{one[name]:.0f}" for name in ("early_mib", "last_mib")]
            table.add_row(stack, *counts, f"{one['wall_s'] / 3600:.2f}", *memory, faults[-1] or "the same")
    print(table)
    return int(any(faults))


if __name__ == "__main__":
    sys.exit(main())
