"""What the PCFTL paper claims (`claims.tsv`), and what of our study was chosen after results (`afterwards.md`).

The slack of what only a figure tells is 2, percent of an axis that ends at about 1. Else it is half of the last digit
that the paper prints, of whole percents 0.5.
"""

from ...study.claims import published

SDWPP_OF_TPCC = {"DFTL": 5083, "DLOOP": 4961, "PCFTL": 661}
"""Section 5.3: SDWPP under TPC-C at 3 percent of extra blocks, in pages: the only one that is not relative."""

WRITES_A_PLANE = 3635 * 120 * 0.354 * 4 / 32
"""The page writes of a plane under TPC-C, by Table 2: requests/s, s, writes, pages of 2 KiB, planes."""

OF_TPCC = {system: 100 * spread / WRITES_A_PLANE for system, spread in SDWPP_OF_TPCC.items()}
"""The same in percent of these."""

CLAIMS, AFTERWARDS = published(__file__)
"""Every claim of the published text."""
