"""Runs that lose power, of four stacks: `python -m docs.power_cuts --keep` stores what was lost for the site.

Each run writes until power is cut after so many programs, boots again and goes on. With `integrity=on` every logical
page is read after the reboot, and held against what the host had written.
"""

import argparse
import csv
import sys
from collections.abc import Iterator
from pathlib import Path

from attrs import asdict, fields, frozen

from ssdsim import preset, simulate

STORED = Path(__file__).parent / "data" / "power_cuts.csv"
STACKS = ("page_ftl", "parity_ftl", "rtf_ftl", "flex_ftl")
CUTS = range(200, 2600, 200)


@frozen
class Cut:
    """What a loss of power after so many programs cost a stack; pages of the host, but for `programs`."""

    stack: str
    after_programs: int
    destroyed_programs: int
    recovered: int
    lost_in_flash: int
    lost_buffered: int


def cut(stack: str, after_programs: int) -> Cut:
    """Run `stack` with power cut after so many programs."""
    config = preset(
        stack,
        hardware="flexftl_small",
        precondition="fill",
        workload="synthetic",
        integrity="on",
        **{"workload.requests": 4000, "workload.read_share": 0, "power_loss.after_programs": after_programs},
    )
    lost = simulate(config).summary["power_loss"]
    names = (each.name for each in fields(Cut)[2:])
    return Cut(stack, after_programs, *(lost[name] for name in names))


def stored() -> list[Cut]:
    """Return what is stored."""
    with STORED.open(newline="", encoding="utf-8") as file:
        return [
            Cut(row.pop("stack"), **{name: int(value) for name, value in row.items()}) for row in csv.DictReader(file)
        ]


def cuts() -> Iterator[Cut]:
    """Yield every cut, run anew."""
    yield from (cut(stack, after) for stack in STACKS for after in CUTS)


def main() -> int:
    """Print all cuts, or store them."""
    parser = argparse.ArgumentParser(prog="python -m docs.power_cuts", description=__doc__.partition("\n\n")[0])
    parser.add_argument("--keep", action="store_true", help=f"write {STORED.relative_to(Path(__file__).parents[1])}")
    keep = parser.parse_args().keep
    with STORED.open("w", newline="", encoding="utf-8") if keep else sys.stdout as file:
        writer = csv.DictWriter(file, [each.name for each in fields(Cut)], lineterminator="\n")
        writer.writeheader()
        writer.writerows(map(asdict, cuts()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
