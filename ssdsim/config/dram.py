"""The controller's DRAM, as all data shares it."""

from typing import ClassVar

from attrs import define, field

from ssdsim.config import validators
from ssdsim.config.validators import number, whole, whole_floats


@define(kw_only=True, field_transformer=whole_floats)
class DramConfig:
    """The DRAM that all data passes through; without a bandwidth that takes no time, but for `buffer.access_ns`."""

    group: ClassVar[str] = "dram."

    bandwidth_mib_s: float | None = field(
        default=None, validator=number(1, 1e9, "a bandwidth in MiB/s, 1 to 1e9", or_null=True)
    )
    """Bandwidth that all data and the mapping table share; null: only write buffer and read cache take time."""
    latency_ns: float = field(default=26.0, validator=validators.DURATION_NS)  # tRCD and tCL, 13 ns each
    """Time of an access before data moves: a page at most is moved in one."""
    table_accesses: int = field(default=1, validator=whole(0, 64, "a whole number, 0 to 64"))
    """Accesses to the mapping table for each page of a request, and for each that collection moves."""
    access_bytes: int = field(default=64, validator=whole(1, 65_536, "a whole number of bytes, 1 to 65536"))
    """Bytes that each of them moves: a burst."""
