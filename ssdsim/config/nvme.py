"""The NVMe interface: queue pairs, commands and interrupts."""

from typing import ClassVar

from attrs import define, field

from ssdsim.config import validators
from ssdsim.config.validators import checked, number, whole, whole_floats


@define(kw_only=True, field_transformer=whole_floats)
class NvmeConfig:
    """Queue pairs of streams, with `host.interface=nvme`: `docs/pages/model/nvme.md` has rules and sources.

    The default depth is that of Linux's driver, whose queues have 1024 entries: one is always free. Interrupts are
    coalesced where both the threshold is above 1 and the time above 0.
    """

    group: ClassVar[str] = "host.nvme."

    queue_pairs: int = field(default=1, validator=whole(1, 1024, "a whole number, 1 to 1024"))  # drives have up to 256
    """Pairs of a submission and a completion queue that each stream has; its requests take them in turn."""
    queue_depth: int = field(default=1023, validator=whole(1, 65_535, "a whole number, 1 to 65535"))
    """Commands of a pair that are outstanding, at most; further requests wait in the host."""
    fetch_size: int | None = field(default=None, validator=validators.COUNT_OR_NONE)
    """Commands of a queue that the controller has under way, at most; null: no limit."""
    mdts_kib: int | None = field(
        default=None,
        validator=checked(
            lambda v: v is None or (validators.is_whole(v) and 4 <= v <= 2**20 and v & (v - 1) == 0),
            "a power of 2 from 4 to 1048576, or null",
        ),
    )
    """Data that a command moves, at most: larger reads and writes are split; null: no limit."""
    aggregation_threshold: int = field(default=1, validator=whole(1, 256, "a whole number, 1 to 256"))
    """Completions that are posted to a queue before the host is told of them."""
    aggregation_us: float = field(default=0.0, validator=number(0, 1e9, "a time in microseconds, 0 to 1e9"))
    """Time for which a completion waits for others, at most; 0: the host is told at once."""
