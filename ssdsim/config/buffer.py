"""The write buffer in the controller's DRAM."""

from typing import ClassVar

from attrs import define, field

from ssdsim.config.validators import checked, is_number, name_or_path


@define(kw_only=True)
class BufferConfig:
    """A buffer of `size_mib`, or of a share of the bytes that the workloads touch if `footprint_share` is given."""

    group: ClassVar[str] = "buffer."

    replacement: str = field(default="none", validator=name_or_path("none", "lru", "epo", "plane_lists"))
    size_mib: float = field(
        default=16.0, validator=checked(lambda v: is_number(v) and 0 < v <= 1e9, "a size in MiB above 0, at most 1e9")
    )
    footprint_share: float | None = field(
        default=None,
        validator=checked(
            lambda v: v is None or (is_number(v) and 0 < v <= 1e6), "a share above 0 (at most 1e6), or null"
        ),
    )
