"""The write buffer in the controller's DRAM."""

from typing import ClassVar

from attrs import define, field

from ssdsim.config.validators import POSITIVE, POSITIVE_OR_NONE, name_or_path


@define(kw_only=True)
class BufferConfig:
    """A buffer of `size_mib`, or of a share of the bytes that the workloads touch if `footprint_share` is given."""

    group: ClassVar[str] = "buffer."

    replacement: str = field(default="none", validator=name_or_path("none", "lru", "epo", "plane_lists"))
    size_mib: float = field(default=16.0, validator=POSITIVE)
    footprint_share: float | None = field(default=None, validator=POSITIVE_OR_NONE)
