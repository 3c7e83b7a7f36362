"""What a run writes down of itself over time."""

from typing import ClassVar

from attrs import define, field

from ssdsim.config.validators import checked, is_number


@define(kw_only=True)
class MetricsConfig:
    """The time series, with one row for each window of `window_ms` of simulated time.

    If that is null, windows begin at 1 ms and double as often as it takes for there to be 1024 at most. Else there are
    as many as the run is long; it ends with an error beyond 100,000.
    """

    group: ClassVar[str] = "metrics."

    window_ms: float | None = field(
        default=None,
        validator=checked(
            lambda v: v is None or (is_number(v) and 1e-3 <= v <= 1e9), "a time in milliseconds, 0.001 to 1e9, or null"
        ),
    )
    """Length of the windows of the time series; null: 1 ms, doubled while there are more than 1024."""
