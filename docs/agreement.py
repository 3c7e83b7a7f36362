"""What MQSim and SSDSim answered to whole workloads: `python -m docs.agreement FOLDER` stores a checksum of each.

A workload's requests are generated (`experiments.validation.agreement_statistics`), and only the checksums of 20,000
response times are stored: ours are those of the simulator, every one, if they have the same. `FOLDER` has the reference
files of `python -m experiments.validation.agreement`.
"""

import argparse
import csv
import sys
import tempfile
from pathlib import Path

import numpy as np
from attrs import asdict, fields, frozen

from experiments.validation import agreement_collection, agreement_devices
from experiments.validation.agreement import SIMULATORS, files, reference, responses
from experiments.validation.agreement_collection import Compared, Run, compared
from experiments.validation.agreement_devices import Stored, checksum
from experiments.validation.agreement_statistics import Check, requests_of, row, two_plane_checks
from experiments.validation.agreement_statistics import stored as answers

DATA = Path(__file__).parent / "data"
STORED = DATA / "checksums.csv"
SEED = 11


@frozen
class Answer:
    """The SHA-256 of the response times that a simulator gave a workload, in ns, as 64-bit integers, low byte first."""

    workload: str
    simulator: str
    requests: int
    sha256: str


def answer(workload: str, simulator: str, response_ns: np.ndarray) -> Answer:
    """Return the answer that these response times are."""
    return Answer(workload, simulator, len(response_ns), checksum(response_ns))


def replayed(workload: str, simulator: str, kernel: str) -> Answer:
    """Return our answer to a workload, on the device that describes `simulator`."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"{workload}.csv"
        rows = [row(*request) for request in requests_of(workload, SEED)]
        path.write_text("\n".join(["arrival_ns,op,offset_bytes,size_bytes", *rows]) + "\n")
        return answer(workload, simulator, responses(path, simulator, kernel))


def stored() -> list[Answer]:
    """Return the simulators' answers that are stored."""
    with STORED.open(newline="", encoding="utf-8") as file:
        return [Answer(**{**each, "requests": int(each["requests"])}) for each in csv.DictReader(file)]


def devices() -> list[Stored]:
    """Return the simulators' answers on devices drawn at random that are stored."""
    return answers(DATA / agreement_devices.NAME, Stored)


def chips() -> list[Stored]:
    """Return the simulators' answers on devices of several dies a chip that are stored."""
    return answers(DATA / agreement_devices.CHIPS, Stored)


def linked_devices() -> list[Stored]:
    """Return MQSim's answers on drawn devices behind its link that are stored."""
    return answers(DATA / agreement_devices.LINKED, Stored)


def bursts() -> list[Stored]:
    """Return what MQSim answered on each drawn device whose requests come in bursts."""
    return answers(DATA / agreement_devices.BURSTS, Stored)


def cached_devices() -> list[Stored]:
    """Return MQSim's answers on drawn devices with a DRAM that are stored."""
    return answers(DATA / agreement_devices.DRAM, Stored)


def collecting_devices() -> list[Stored]:
    """Return SSDSim's answers on devices that collect that are stored."""
    return answers(DATA / agreement_devices.COLLECTING, Stored)


def two_planes(run: str) -> list[Check]:
    """Return how the figures of a run on two planes a die compare with those stored."""
    return list(two_plane_checks(DATA, "compiled", run))


def collection() -> list[Compared]:
    """Return how the figures of collection compare with those stored."""
    return list(compared(answers(DATA / agreement_collection.NAME, Run)))


def main() -> int:
    """Store the answers that the reference files hold."""
    parser = argparse.ArgumentParser(prog="python -m docs.agreement", description=__doc__.partition("\n\n")[0])
    parser.add_argument("folder", type=Path, help="where the reference files lie")
    found = [
        answer(path.name.partition("_")[0], simulator, reference(path)[f"{simulator}_ns"].to_numpy())
        for path in files(parser.parse_args().folder)
        for simulator in SIMULATORS
    ]
    with STORED.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, [each.name for each in fields(Answer)], lineterminator="\n")
        writer.writeheader()
        writer.writerows(map(asdict, found))
    return 0


if __name__ == "__main__":
    sys.exit(main())
