"""What devices take: a value that is far beyond is allowed, and told beside the results, as of a slip of the unit."""

from operator import attrgetter

from ssdsim.config.experiment import SimulationConfig

USUAL: dict[str, tuple[float, float]] = {
    "hardware.read_us": (1, 1e3),
    "hardware.program_us": (10, 2e4),
    "hardware.erase_us": (100, 1e5),
    "hardware.bus_ns_per_byte": (0.05, 200),
    **{f"hardware.{name}_command_us": (0.01, 20) for name in ("read", "program", "erase", "copyback")},
    **{f"hardware.{name}_us": (0.01, 100) for name in ("ready_busy", "read_plane_busy", "program_plane_busy")},
    "hardware.erase_plane_busy_us": (0.01, 100),
    "buffer.access_ns": (1, 1e4),
    "buffer.transfer_ns_per_byte": (0.005, 50),
}
"""The fastest and the slowest that there are, with room to either side, in the unit of the key."""


def unusual(config: SimulationConfig) -> dict[str, str]:
    """Return the usual bounds of each key that is beyond them, by the key with its value; 0 is no time, and usual."""
    bounds = {}
    for key, (low, high) in USUAL.items():
        given = attrgetter(key)(config)  # each of a list of times
        if not all(value == 0 or low <= value <= high for value in (given if isinstance(given, list) else [given])):
            bounds[f"{key}={given}"] = f"{low:g} to {high:g}"
    return bounds
