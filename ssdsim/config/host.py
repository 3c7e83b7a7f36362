"""The device queue."""

from typing import ClassVar

from attrs import define, field

from ssdsim.config.validators import COUNT, MOST, checked, is_count, policy_of

ACCESS_LATENCIES = ("none", "idle", "normal", "low")
"""Access latencies that a host may hint at, by the number that NVMe's dataset management has for each."""


@define(kw_only=True)
class HostConfig:
    """The device queue and how streams share it.

    `access_latency` is the hint, by stream, of requests that come without one: how soon the host will want their data.
    """

    group: ClassVar[str] = "host."

    queue_depth: int = field(default=64, validator=COUNT)
    """Requests that the device has under way at once, at most."""
    arbitration: str = field(default="round_robin", validator=policy_of("host.arbitration"))
    """Which stream's next request is admitted."""
    weights: dict[str, int] = field(
        factory=dict,
        validator=checked(
            lambda v: all(is_count(w) for w in v.values()), f"whole numbers of at least 1, at most {MOST}"
        ),
    )
    """Share of admissions by stream, for arbitration=weighted; 1 where nothing is said."""
    access_latency: dict[str, str] = field(
        factory=dict,
        validator=checked(
            lambda v: set(v.values()).issubset(ACCESS_LATENCIES), f"one of {', '.join(ACCESS_LATENCIES)} a stream"
        ),
    )
    """Hint, by stream, of requests that come without one."""
