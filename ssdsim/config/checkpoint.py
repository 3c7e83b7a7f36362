"""Preconditioned devices in files: where they are kept, and used again."""

from typing import ClassVar

from attrs import define, field

from ssdsim.config.validators import POSITIVE


@define(kw_only=True)
class CheckpointConfig:
    """A file that holds the state of the device when it has been preconditioned, without simulated time.

    One is loaded by an experiment with the same hardware, policies, precondition, seed and version; what comes after
    the precondition may differ. With `precondition.keep` such files are found, and made, in a `folder` for all runs.

    A file has about 8 bytes a page: 1 GiB for a device of 512 GiB, which takes 2.4 s of CPU to fill, 3.5 s more to keep
    and 0.3 s to load. A device of 4 GiB is loaded no faster than filled, but 20 times as fast as aged by writes.
    """

    group: ClassVar[str] = "checkpoint."

    save: str | None = None
    """File that the device is saved to once it is preconditioned; null: none."""
    load: str | None = None
    """File that the preconditioned device is loaded from; null: none."""
    folder: str | None = None
    """Where precondition.keep keeps devices; null: ssdsim in XDG_CACHE_HOME, or in ~/.cache."""
    folder_gib: float = field(default=4.0, validator=POSITIVE)
    """Size of that folder, above which what was used longest ago is dropped."""
