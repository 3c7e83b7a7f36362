"""The systems of the PA-SSD paper as overrides: conventional TLC, SLC mode, and the page-type specifying schemes."""

SCHEMES = {
    "sU": "uniform",
    "sLF": "lsb_first",
    "sSB": "size_based",
    "sQD": "queue_depth",
    "sUB": "utilization",
}
COMBINED = ["sU", "sLF", "sSB+sU", "sSB+sUB", "sQD+sU", "sQD+sUB"]
"""Section 5.3; sHG needs hints that the traces lack, and sWB without a buffer is sLF."""

REORDERED = [name for name in COMBINED if name != "sLF"]
"""Those that the paper combines with PAS."""

COMMON = ["precondition=aged", "ftl.plane_allocation=CWDP", "host.queue_depth=256"]
"""All systems: static striping, since with round robin all planes stand at the same page type; a device queue of 256
requests, 16 a chip, is deep enough for ten requests to be few (sQD) and for writes to be passed 10 and 20 times (PAS).
"""


def _page_type_aware(name: str, reorder: bool) -> list[str]:
    schemes = ",".join(SCHEMES[scheme] for scheme in name.split("+"))
    return ["stack=pa_ssd", f"ftl.page_type=[{schemes}]", f"scheduler.page_type_aware={str(reorder).lower()}"]


SYSTEMS = {
    "baseline": ["stack=baseline", "ftl.active_blocks=shared"],
    "SLC mode": ["stack=slc_mode"],
    **{name: _page_type_aware(name, reorder=False) for name in COMBINED},
    **{f"{name}+PAS": _page_type_aware(name, reorder=True) for name in REORDERED},
}
