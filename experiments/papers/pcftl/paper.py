"""The numbers that the papers print, in percent."""

RESPONSE_SAVED = {"PCFTL": 47, "DLOOP": 45}
"""Section 5.2: mean response time below DFTL's, average of all workloads and page sizes."""

RESPONSE_SAVED_UNDER = {
    ("TPC-C", "PCFTL"): 69.5,
    ("TPC-C", "DLOOP"): 69.6,
    ("Fin1", "PCFTL"): 55.1,
    ("Fin2", "PCFTL"): 24.2,
}
"""The same under single workloads, average of the page sizes."""

RESPONSE_BELOW_DLOOP = 2
RESPONSE_BELOW_DLOOP_UNDER = ("TPC-C", -1)
"""Section 5.2: mean response time below DLOOP's in almost all cases, and with pages of 2 KiB under one workload."""

RESPONSE_SAVED_32_GB = 57.3
"""Section 1: PCFTL's mean response time below DFTL's on a device of 32 GB."""

SDWPP_SAVED = {"DFTL": 80, "DLOOP": 74}
"""Section 5.2: PCFTL's SDWPP below theirs, average of all workloads and page sizes."""

SDWPP_SAVED_BY_DEFAULT = {"DFTL": 80, "DLOOP": 73}
"""Section 5.3: the same at 3 percent of extra blocks."""

SDWPP_OF_TPCC = {"DFTL": 5083, "DLOOP": 4961, "PCFTL": 661}
"""Section 5.3: SDWPP under TPC-C at 3 percent of extra blocks, in pages: the only one that is not relative."""

MORE_SPACE = ("Fin2", 21.4, 26.8)
"""Section 5.3: what PCFTL saves from 3 to 30 percent of extra blocks: workload, response time, collections."""

MORE_COLLECTIONS = {"PCFTL": 2.4, "DLOOP": 3.7}
"""Section 5.4: collections above DFTL's."""

COLLECTIONS_BELOW_DLOOP = 1.3

WASTED = {"Exchange": 1.18, "Fin2": 0.09}
"""Section 5.5: wasted pages of all, under the workload with the most and, at most, under that with the fewest."""

VALID = {"Fin1": 17.7, "Build": 24.0}
"""Section 5.5: valid pages in victims, under the workload with the fewest and that with the most."""

LARGER_CACHE_RESPONSE = {"Fin2": 12.1}
LARGER_CACHE_SDWPP = {"Fin1": 29, "Exchange": 27}
"""Section 5.6: what PCFTL saves with a write cache of 4 MB in place of 256 KB."""

SLOWER_WITH_2_MIB = ("Fin1", "Exchange")
"""Section 5.6: where its response time rises with a write cache of 2 MB in place of 1 MB."""

DFTL_ON_SPD = 22.47
"""SPD, 6.5 (3): write latency of SPD with DFTL above that with page mapping, under RSR_0."""

FAST_ON_SPD = 23.43
"""SPD, 6.5 (3): write latency of SPD with FAST below that of Baseline-D with FAST."""
