"""How fast streams may send requests."""

from typing import Any, ClassVar

from attrs import define, field

from ssdsim.config.validators import checked, is_number, number, whole_floats


def _are_rates(value: Any) -> bool:
    return all(is_number(rate) and 1e-3 <= rate <= 1e9 for rate in value.values())


@define(kw_only=True, field_transformer=whole_floats)
class RatesConfig:
    """Limits of what streams send, with token buckets: `docs/pages/model/isolation.md` has rules and sources."""

    group: ClassVar[str] = "host.rates."

    bandwidth_mib_s: dict[str, float] = field(
        factory=dict, validator=checked(_are_rates, "rates in MiB a second by stream, 0.001 to 1e9")
    )
    """What a stream reads and writes a second, at most; no limit where nothing is said."""
    iops: dict[str, float] = field(
        factory=dict, validator=checked(_are_rates, "requests a second by stream, 0.001 to 1e9")
    )
    """Reads, writes and trims that a stream sends a second, at most."""
    burst_ms: float = field(default=1.0, validator=number(0, 1e6, "a time in milliseconds, 0 to 1e6"))
    """What a bucket holds, as the time in which it fills; what was not sent before may be sent at once then."""
