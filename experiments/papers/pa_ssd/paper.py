"""What the PA-SSD paper claims (`claims.tsv`), and what of our study was chosen after results (`afterwards.md`).

Reductions are in percent, of the baseline where nothing else is said.
"""

from ...study.claims import published

HEAVY = ("tMSFS", "tBS")
LIGHT = ("tFin", "tRA", "tDAP", "tRBESS", "tDTR", "tExch")
WORKLOADS = (*LIGHT, *HEAVY)

MEAN_PROGRAM_US = (500 + 2000 + 5500) / 3
THRESHOLD = 10
"""Requests in the device queue above which sQD takes LSB pages."""

MOST_PAGES = 8
"""Pages of the largest writes of Fig. 6."""

PAS_REDUCTION = {
    "tFin": (0, 0, 0, 0, 0),
    "tRA": (2, 7, 7, 2, 2),
    "tDAP": (21, 25, 25, 13, 13),
    "tRBESS": (60, 76, 71, 7, 7),
    "tDTR": (40, 47, 33, 9, 30),
    "tExch": (44, 67, 70, 22, 25),
    "tMSFS": (42, 51, 78, 1, 11),
    "tBS": (33, 50, 47, 38, 45),
}
"""Table 3: by how much PAS lowers the writes' response time of each scheme, in the order of `systems.REORDERED`."""

THIRD_ROUND_REDUCTION = {"sLF": 66, "sQD+sU": 79, "sQD+sUB": 93}
"""Section 6.4: of the writes' response time in the third round of tMSFS (Fig. 17)."""


def key(system: str) -> str:
    """Return a system's name as it stands in the name of a claim."""
    return system.replace("+", "_").lower()


CLAIMS, AFTERWARDS = published(__file__)
"""Every claim of the published text."""
