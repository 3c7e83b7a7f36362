"""The numbers that the TBM paper prints, in percent."""

WRITE_SHARE_LOST = 90
"""Section 4: by how much the share of multi-plane writes of D+BAC falls in the long run."""

BAC_COSTS = 1, 1
"""Sections 4 and 6: a restriction to equal block addresses costs 0 to 2 percent of response time: middle, and half."""

MOST_GAIN = {
    "F+TBM": {"iops": 5, "saturated": 17, "response": 17},
    "D+TBM": {"iops": 68, "saturated": 42, "response": 42},
    "F2+TBM": {"iops": 73, "saturated": 40, "response": 40},
}
"""Section 6: the largest improvements over the seven workloads, of D+TBM over D, of the others over F.

The paper does not say how it loaded the device. With a queue that is always full, response time is the queue over the
IOPS: 68 and 73 percent more IOPS are 40 and 42 percent less of it, which is what it reports, the other way round.
"""

LIMITS = ("F+TBM",)
"""Those whose numbers the paper calls limits; the other numbers are the largest that were reached."""

LOSERS = ("fin1", "prn-1")
LOSS = -5.5, 4.5
"""Section 6: D+TBM is 1 to 10 percent slower than D under these: middle, and half."""
