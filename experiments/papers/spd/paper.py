"""The numbers that the SPD paper prints; reductions in percent of Baseline-D's where nothing else is said."""

# Section 6.1: the device does not collect.

WRITE_REDUCTION = {"TwinBlk": 7.8, "SuperPage": 10.4}
"""Average reduction of the mean write latency (Fig. 9)."""

MOST_BY_BASELINE_P = 1.4
SPD_LEAST_OF_FIVE = 15
SPD_ABOVE_15 = ("HM_0", "PRN_0", "PROJ_3", "SRC2_0", "PRXY_0")
"""Workloads whose write latency SPD lowers by more than 15 percent."""

JOINED_BY_SPD = 100
"""Percent of SPD's page writes that multi-plane commands make (Fig. 10).

Baseline-P's share is like Baseline-D's, TwinBlk's largely above it: ten percent of the page writes, at the least."""

READ_REDUCTION = {"Baseline-P": 0.049, "TwinBlk": 0.011, "SuperPage": 0.304, "SPD": 0.096}
"""Table 3."""

UTILIZATION_RISE = {"SuperPage": 32.9, "SPD": 34.5}
"""Average rise of the mean plane utilization (Fig. 11)."""

HIT_RATIO_LOSS = 1.92
"""Percent by which SPD lowers the buffer's hit ratio, average (Fig. 12)."""

# Sections 6.2 and 6.3: it does.

SPD_BELOW = {"Baseline-D": 48.61, "Baseline-P": 47.65, "TwinBlk": 42.05, "SuperPage": 28.19, "ParaGC": 28.58}
"""Average reduction of the mean write latency by SPD, of each other scheme's (Fig. 13)."""

SPD_BELOW_ON_PRN_1 = 13.7
"""The least of all workloads, against Baseline-D."""

GC_COST_REDUCTION = {"TwinBlk": 6.9, "SuperPage": 22.4, "ParaGC": 30.8, "SPD": 36.4}
"""Average reduction of the time that collection takes in all (Fig. 14)."""

READ_REDUCTION_WITH_GC = {"Baseline-P": 0.052, "TwinBlk": -0.042, "SuperPage": 4.173, "ParaGC": 1.144, "SPD": 1.203}
"""Table 4."""

COUNT_REDUCTION = (32.9, 50.1)
"""Least and largest reduction of the number of collections by SPD (Fig. 16)."""

ERASES_BELOW = {"TwinBlk": 13.43, "SuperPage": 34.23, "ParaGC": 10.04}
"""Average reduction of the erases by SPD, of each other scheme's (Fig. 17)."""

MOST_ERASES = {"TwinBlk": 102.2, "SuperPage": 177.7, "ParaGC": 65.8}
"""Largest rise of the erases over Baseline-D's; TwinBlk's under PRXY_0."""

# Section 6.4: SPD+, in percent of SPD's.

BLOCKED_SHARE = 18.2
BLOCKED_SHARE_PRN_1 = 5.1
"""Percent of the time of SPD's page writes that those blocked by collection take, average and under PRN_1 (Fig. 18)."""

PLUS_REDUCTION = 23.2
PLUS_REDUCTIONS = {"PRN_0": 0.5, "PRN_1": 0.2, "TS_0": 5.1, "PROJ_3": 28.7}
"""Reduction of the mean write latency by SPD+, average and by workload (Fig. 19)."""

PLUS_BLOCKED_REDUCTION = 27.1
PLUS_BLOCKED_REDUCTIONS = {"PRN_1": 2.2, "PROJ_3": 31.2}
"""Reduction of the mean time of a blocked page write, average and by workload (Fig. 20)."""

PLUS_GC = {"total cost": 0.012, "cost a collection": -0.015, "collections": 0.027}
"""Rise by SPD+."""

PLUS_READ_REDUCTION = 0.33

# Section 6.5.

FOUR_PLANES_REDUCTION = 43.9
"""Average reduction of the mean write latency by SPD with four planes a die, without collection (Fig. 22)."""

SEPARATED_PLUS_REDUCTION = 57.64
SEPARATION_REDUCTION = 23.83
"""Reductions of the mean write latency: by SPD+ where all separate hot and cold data, and by the separation in
Baseline-D (Fig. 24)."""
