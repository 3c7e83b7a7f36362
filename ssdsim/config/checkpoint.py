"""Preconditioned devices and runs under way in files: where they are kept, and used again."""

from typing import ClassVar

from attrs import define, field

from ssdsim.config.validators import COUNT_OR_NONE, MOMENT_OR_NONE, POSITIVE


@define(kw_only=True)
class CheckpointConfig:
    """A file that holds the state of the device when it has been preconditioned, or of the whole run on its way.

    A preconditioned device is loaded by an experiment with the same hardware, policies, precondition, seed and version;
    what comes after the precondition may differ. With `precondition.keep` such files are found, and made, in a `folder`
    for all runs. A file has about 8 bytes a page: 1 GiB for a device of 512 GiB, which takes 2.4 s of CPU to fill, 4 s
    more to keep and 1 s to load. A device of 4 GiB is loaded no faster than filled, but 20 times as fast as aged by
    writes. A file runs no code, but one made to do harm can end the process: load those of people you trust.

    A run is saved on its way, again and again under the same name, if one of `at_s`, `at_requests` and `every_requests`
    is set. The same experiment that loads such a file goes on from there, and ends with the same results, to the byte.
    With tables of requests or commands there is a file more beside it for each, which has their rows up to then.
    """

    group: ClassVar[str] = "checkpoint."

    save: str | None = None
    """File that the device is saved to once it is preconditioned, or the run on its way; no other is replaced."""
    load: str | None = None
    """File that the preconditioned device, or the run on its way, is loaded from; null: none."""
    at_s: float | None = field(default=None, validator=MOMENT_OR_NONE)
    """Simulated time since the start of the measured run after which that is saved to `save`; null: none."""
    at_requests: int | None = field(default=None, validator=COUNT_OR_NONE)
    """Completed requests after which the run is saved to `save`; null: none."""
    every_requests: int | None = field(default=None, validator=COUNT_OR_NONE)
    """The run is saved whenever so many more requests are complete; null: not."""
    folder: str | None = None
    """Where precondition.keep keeps devices; null: ssdsim in XDG_CACHE_HOME, or in ~/.cache."""
    folder_gib: float = field(default=4.0, validator=POSITIVE)
    """Size of the devices there, above which those used longest ago are dropped."""

    @property
    def saves_run(self) -> bool:
        """Whether it is the run on its way that is saved."""
        return (self.at_s, self.at_requests, self.every_requests) != (None, None, None)
