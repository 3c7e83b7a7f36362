"""A loss of power in the middle of the run."""

from typing import ClassVar

from attrs import define, field

from ssdsim.config.validators import COUNT_OR_NONE, MOMENT_OR_NONE, refuse


@define(kw_only=True)
class PowerLossConfig:
    """When power is cut, once: `at_s` seconds into the measured run, or when so many programs are done in it.

    Programs and erases in flight are destroyed, and everything in controller memory is gone; the write buffer stays if
    it has a `capacitor`. After the reboot the run goes on with the requests that had not been admitted.
    """

    group: ClassVar[str] = "power_loss."

    at_s: float | None = field(default=None, validator=MOMENT_OR_NONE)
    """Cut power once, so long after the measured run began."""
    after_programs: int | None = field(default=None, validator=COUNT_OR_NONE)
    """Cut power once, when so many programs are done in the measured run."""
    capacitor: bool = False
    """Whether the write buffer outlasts the loss of power."""

    def __attrs_post_init__(self) -> None:
        """Refuse two moments for one cut."""
        if self.at_s is not None and self.after_programs is not None:
            raise refuse(self, "after_programs", self.after_programs, "null with power_loss.at_s, as power is cut once")

    @property
    def wanted(self) -> bool:
        """Whether power is cut at all."""
        return self.at_s is not None or self.after_programs is not None
