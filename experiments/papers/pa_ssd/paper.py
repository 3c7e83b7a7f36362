"""The numbers that the PA-SSD paper prints; reductions in percent, of the baseline where nothing else is said."""

WRITE_REDUCTION = {"sU": 10, "sLF": 85, "sSB+sU": 54, "sQD+sU": 60}
READ_REDUCTION = {"sU": 18, "sLF": 42, "sSB+sU": 36, "sQD+sU": 45}
"""Section 6.1: averages over the eight workloads (Fig. 13)."""

SPEEDUP = {"write": 2.6, "read": 1.5}
"""Abstract: times the baseline's performance, of sQD+sUB+PAS."""

HEAVY = ("tMSFS", "tBS")
LIGHT = ("tFin", "tRA", "tDAP", "tRBESS", "tDTR", "tExch")
QD_SUB_OVER_QD_SU = {LIGHT: -6, HEAVY: 56}
"""Section 6.1: how much lower the writes' response time is with sQD+sUB than with sQD+sU."""

MSFS_REDUCTION = 99
UNDER_SU = {"fast": 34, "slow": 33}
"""Section 6.1: percent of the writes of tDAP that are fast and slow under sU (Fig. 14)."""

LEAST_SUCCESS = 98
"""Section 6.1: percent of sub-requests that get the page type specified, under all but sLF (Fig. 15)."""

MOST_GC_DIFFERENCE = 1
"""Section 6.1: percent by which the numbers of garbage collections differ."""

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

PAS_REDUCTION_AVERAGE = (30, 40, 41, 11, 17)
PAS_STD_REDUCTION = 55
"""Section 6.2: by how much PAS lowers the standard deviation of the writes' response time under sQD+sUB."""

TFIN_OVER_PROGRAM = 21
"""Section 6.3: percent by which the baseline's write response time under tFin exceeds the mean program latency."""

TFIN_SU = 13
TFIN_LASTED = 100 * (12.1 - 1) / 12.1
"""Section 6.3: percent of tFin after which sLF has no LSB page left: all but the last hour (Fig. 16a)."""

MSFS_LASTED = {"sLF": 100 * 7 / 24, "sQD+sUB": 100 * 22 / 24}
"""Section 6.3: percent of tMSFS, 7 and 22 of 24 quarters of an hour, for which writes are quick (Fig. 16b)."""

THIRD_ROUND_REDUCTION = {"sLF": 66, "sQD+sU": 79, "sQD+sUB": 93}
"""Section 6.4: of the writes' response time in the third round of tMSFS (Fig. 17)."""
