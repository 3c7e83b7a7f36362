"""What the flexFTL paper says (`claims.tsv`), and what of our study was chosen after results (`afterwards.md`)."""

from ...study.claims import published

INTENSIVE = ("OLTP", "NTRX")
"""Little idle times between requests (4.1): flexFTL has about the IOPS of pageFTL."""

NOT_ABOVE_PAGE_FTL = "Webserver"
"""Under all others flexFTL has more IOPS than pageFTL."""

MOST_EFFECTIVE = ("Varmail", "Fileserver")
"""Under these flexFTL gains most."""

CHIPS, FAST_PAGES, READ_US = 16, 64, 40
REBOOT_MS = CHIPS * 2 * FAST_PAGES * READ_US / 1000
"""Section 3.3: the fast pages of two blocks a chip, read one after the other."""

CLAIMS, AFTERWARDS = published(__file__)
"""Every claim of the published text. Largest and mean are over the five workloads."""
