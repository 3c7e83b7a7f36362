"""The systems of the PA-SSD paper as overrides: conventional TLC, SLC mode, and the page-type specifying schemes."""

SCHEMES = {"sU": "uniform", "sLF": "lsb_first", "sSB": "size_based", "sQD": "queue_depth", "sUB": "utilization"}
# Section 5.3; sHG needs hints that the traces lack, and sWB without a buffer is sLF.
COMBINED = ["sU", "sLF", "sSB+sU", "sSB+sUB", "sQD+sU", "sQD+sUB"]

REORDERED = [name for name in COMBINED if name != "sLF"]  # those that the paper combines with PAS

# Requests in the device at once. The paper does not say how many (5): this is deep enough for ten requests to be few
# (sQD), and for writes in the queues of 16 chips to be passed 10 and 20 times (PAS).
QUEUE_DEPTH = 256

# All systems. Planes are found by static striping: with round robin all stand at the same page type, and pages of a
# write would not be of independent types on the baseline, as Section 3 has them.
COMMON = ["precondition=aged", "ftl.plane_allocation=CWDP", f"host.queue_depth={QUEUE_DEPTH}"]


def _page_type_aware(name: str, reorder: bool) -> list[str]:
    schemes = ",".join(SCHEMES[scheme] for scheme in name.split("+"))
    return ["stack=pa_ssd", f"ftl.page_type=[{schemes}]", f"scheduler.page_type_aware={str(reorder).lower()}"]


SYSTEMS = {
    "baseline": ["stack=baseline", "ftl.active_blocks=shared"],
    **{name: _page_type_aware(name, reorder=False) for name in COMBINED},
    **{f"{name}+PAS": _page_type_aware(name, reorder=True) for name in REORDERED},
}
