"""The read cache in the controller's DRAM."""

from typing import ClassVar

from attrs import define, field

from ssdsim.config.validators import number, one_of, whole, whole_floats


@define(kw_only=True, field_transformer=whole_floats)
class ReadCacheConfig:
    """A cache of pages that were read, in the DRAM of the write buffer (`buffer.access_ns`); off without a size."""

    group: ClassVar[str] = "read_cache."

    size_mib: float = field(default=0.0, validator=number(0, 1e9, "a size in MiB, 0 to 1e9"))
    """Size of the read cache; 0: there is none."""
    keeps: str = field(default="reads", validator=one_of("reads", "reads_and_writes"))
    """Which data is kept."""
    pages_ahead: int = field(default=0, validator=whole(0, 65_536, "a whole number, 0 to 65536"))
    """Pages that are read ahead of a sequential stream of reads."""
