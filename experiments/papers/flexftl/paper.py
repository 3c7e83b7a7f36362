"""The numbers that the flexFTL paper prints (Section 4.2): the largest and the mean over its five workloads."""

IOPS_RISE = {"pageFTL": (16, 5), "parityFTL": (56, 35), "rtfFTL": (61, 29)}
"""By how many percent flexFTL has more IOPS."""

ERASES_SAVED = {"parityFTL": (30, 23), "rtfFTL": (32, 28)}
"""By how many percent flexFTL erases fewer blocks."""

AS_PAGE_FTL = ("OLTP", "NTRX")
"""Under these flexFTL has about the IOPS of pageFTL."""

NOT_ABOVE_PAGE_FTL = "Webserver"
"""Under all others it has more."""

MOST_EFFECTIVE = ("Varmail", "Fileserver")
"""Under these flexFTL gains most."""

PEAK = 2.13
"""Peak write bandwidth of flexFTL under Varmail over rtfFTL's, the highest of the others'."""

BANDWIDTH_RISE = {"parityFTL": 24, "rtfFTL": 17}
"""By how many percent flexFTL's write bandwidth under Varmail is higher on average."""

CHIPS, FAST_PAGES, READ_US = 16, 64, 40
REBOOT_MS = CHIPS * 2 * FAST_PAGES * READ_US / 1000
"""Section 3.3: the fast pages of two blocks a chip, read one after the other; 81.92 ms."""
