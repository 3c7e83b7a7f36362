"""What the SPD paper claims (`claims.tsv`), and what of our study was chosen after results (`afterwards.md`).

Reductions and rises are in percent of Baseline-D's, and averages are over its eleven workloads, where nothing else is
said. Where the text has words and no number, a difference called similar is within 5 percent, multi-plane commands rise
largely by 10 percent of the page writes, and planes are not well used up to 50. What means nothing by the paper's own
words are 1.203 percent of read latencies (6.2) and 1.92 of hit ratios (6.1).
"""

from ...study.claims import published

ABOVE_15 = ("HM_0", "PRN_0", "PROJ_3", "SRC2_0", "PRXY_0")
LIKE_BASELINE = ("RSR_0", "STG_0", "TS_0", "PRXY_0")
SLIGHT = ("PRN_0", "PRN_1", "TS_0")
"""Workloads that the text names together: SPD gains over 15 percent, TwinBlk nothing, collection blocks little."""

CLAIMS, AFTERWARDS = published(__file__)
"""Every claim of the published text."""
