"""The seven schemes of the SPD paper as overrides, and the two states of the device that it tests them in."""

SYSTEMS = {
    "Baseline-D": ["stack=baseline_d"],
    "Baseline-P": ["stack=baseline_p"],
    "TwinBlk": ["stack=twinblk"],
    "SuperPage": ["stack=superpage"],
    "ParaGC": ["stack=paragc"],
    "SPD": ["stack=spd"],
    "SPD+": ["stack=spd_plus"],
}
BASE = "Baseline-D"
UNCOLLECTED = [name for name in SYSTEMS if name not in ("ParaGC", "SPD+")]
"""Those that differ where nothing is collected: ParaGC is Baseline-D then, and SPD+ is SPD."""

FREE, COLLECTING = "without GC", "with GC"
OF_STATE = {FREE: {name: SYSTEMS[name] for name in UNCOLLECTED}, COLLECTING: SYSTEMS}

# Section 6: half full of outdated data and what is read, so that no plane comes to collect; or warmed up (5.1).
STATES = {
    FREE: [
        *("precondition=fill", "precondition.fill_share=0.48", "precondition.fill_share_to=0.52"),
        *("precondition.valid_share=0", "precondition.whole_blocks=false", "precondition.full_buffer=true"),
    ],
    COLLECTING: ["precondition=spd_warm"],
}

BLOCKS = 2048  # a plane of the whole device (Table 1)
FEWEST_BLOCKS = 32  # 7 percent of fewer are too few for collection to work with

# All systems: no request waits for the host queue, which the paper's simulator does not have.
COMMON = ["host.queue_depth=1024"]

GROUPED = ["flash.plane_groups=2"]
# Section 6.5 (2): multi-plane commands of four planes for SPD, of planes 0 and 1 or 2 and 3 for the others.
BY_TWO = {BASE: GROUPED, "Baseline-P": GROUPED, "SPD": []}


def separated_name(system: str) -> str:
    """Return the name of a system where it has blocks for hot and for cold data."""
    return f"{system}, hot and cold"


def mapped_name(system: str) -> str:
    """Return the name of a system where it has DFTL's mapping (Section 6.5 (3))."""
    return f"{system}, DFTL"


def key(name: str) -> str:
    """Return the name of a system or workload as it stands in the names of claims."""
    return name.lower().replace("-", "_").replace("+", "_plus")


def device(blocks: int) -> list[str]:
    """Return the overrides of the paper's device with `blocks` a plane."""
    return ["hardware=spd", f"hardware.blocks_per_plane={blocks}"]
