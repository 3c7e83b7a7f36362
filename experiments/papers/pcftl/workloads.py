"""What the translation layers are put under: the five workloads of Table 2.

Fin1 and TPC-C are pieces of the real traces if these lie beside the project, which are run whole: that of Fin1 is the
first 853 seconds, with fewer writes than the whole trace, that of TPC-C has 7,000 requests and is slowed down to the
rate of the table. The others, and these two as well, are synthetic, the presets of those names: shares, rates, mean
sizes and durations are those of the table, and footprints are such that as many of the pages written were written
before; each says in its file what it is made of. A smaller device gets a share of the requests, over the same share of
it.
"""

from collections.abc import Mapping

import attrs

from ...compose import composed
from ...study.traces import real_pieces
from .systems import Device, Setting


@attrs.frozen
class Published:
    """A row of Table 2."""

    write_percent: float
    update_percent: float
    rate_iops: float
    mean_kib: float
    minutes: float


TABLE_2 = {
    "Fin1": Published(76.8, 78, 122, 3, 728),
    "Fin2": Published(17.7, 55, 90.2, 4, 684),
    "Exchange": Published(69.2, 34, 90, 8, 15),
    "Build": Published(58, 39, 45, 12, 15),
    "TPC-C": Published(35.4, 35, 3635, 8, 2),
}
PRESETS = {"Fin1": "fin1", "Fin2": "fin2", "Exchange": "exchange", "Build": "build", "TPC-C": "tpcc"}

TPCC_PIECE_S = 0.136489
TPCC_PIECE_REQUESTS = 6999

PIECES = {
    "Fin1": ("umass_Financial1.rows3-50002.disksim.xz", ["workload.size_unit_bytes=4096"]),
    "TPC-C": (
        "msps_TPC-C.mqsim-tpcc-small.xz",
        [f"workload.speedup={TABLE_2['TPC-C'].rate_iops * TPCC_PIECE_S / TPCC_PIECE_REQUESTS:.6f}"],
    ),
}
"""Pieces of real traces: the file, and what it does not say itself or is changed."""

MADE = " (synthetic)"
"""Follows the name of a synthetic workload of which there is a piece too."""


def published(name: str) -> str:
    """Return the name in Table 2 of a workload."""
    return name.removesuffix(MADE)


@attrs.frozen
class Load:
    """A workload: its overrides, and whether it is run whole, on a device of any size."""

    overrides: list[str]
    whole: bool = False

    @property
    def kind(self) -> str:
        """What it is, for the report."""
        return "piece" if self.whole else "synthetic"


def available() -> dict[str, Load | None]:
    """Return the workloads by name, in order: the five, then synthetic ones of which there is a piece too.

    Those that are made for a device are None.
    """
    pieces = {name: Load(overrides, whole=True) for name, overrides in real_pieces(PIECES).items()}
    return {name: pieces.get(name) for name in TABLE_2} | dict.fromkeys(f"{name}{MADE}" for name in pieces)


def loads(device: Device, names: Mapping[str, Load | None]) -> dict[str, Load]:
    """Return the workloads of `names` for a device."""
    return {name: given or synthetic(name, device) for name, given in names.items()}


def synthetic(name: str, device: Device) -> Load:
    """Return one of the five, with as many of its requests as the device has of the paper's blocks."""
    chosen = [f"workload={PRESETS[published(name)]}"]
    config = composed([*device.overrides(Setting(), "DLOOP"), *chosen])
    return Load([*chosen, f"workload.requests={max(round(config.workload.requests * device.scale), 1)}"])
