"""The numbers that the TBM paper prints, in percent."""

WRITE_SHARE_LOST = 90
"""Section 4: by how much the share of multi-plane writes of D+BAC falls in the long run."""

BAC_COSTS = 1, 1
"""Sections 4 and 6: a restriction to equal block addresses costs 0 to 2 percent of response time: middle, and half."""

MOST_GAIN = {"F+TBM": {"iops": 5, "response": 17}, "D+TBM": {"iops": 68, "response": 42}}
MOST_GAIN["F2+TBM"] = {"iops": 73, "response": 40}
"""Section 6: the largest improvements over the seven workloads, of D+TBM over D, of the others over F."""

LOSERS = ("fin1", "prn-1")
LOSS = -5.5, 4.5
"""Section 6: D+TBM is 1 to 10 percent slower than D under these: middle, and half."""
