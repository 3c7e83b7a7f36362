"""Reboots in which power fails again."""

from typing import Any

LOST = ("lost_acknowledged", "lost_in_flash", "lost_buffered", "trims_undone", "recovered")
"""What the report of a reboot counts."""


class PowerFailure(Exception):  # noqa: N818 - none of the program's
    """Power has failed while page `ppa` was being programmed."""

    def __init__(self, ppa: int):
        self.ppa = ppa


class FailingProgram:
    """Has power fail, as an `Observer`, in the program after so many."""

    observes = ("queued",)

    def __init__(self, programs: int):
        self.left = programs

    def queued(self, transactions: Any, number: int) -> None:
        """Raise `PowerFailure` if it is this program."""
        if not self.left:
            raise PowerFailure(transactions.ppa[number])
        self.left -= 1


def fail_in_reboot(power_loss: Any, config: Any, remains: Any, programs: int) -> tuple[Any, dict[str, int]]:
    """Return what is left when power fails again as a device boots from `remains`, and what that reboot counted.

    Power fails in the program after so many, which is destroyed, as `cut_power` has it. What was to be erased before is
    erased, and reads have done nothing. Power fails in no more than one die: that the dies work at a time is in the
    report's times only. A reboot that has no more programs is complete when power fails, and has counted its losses.
    """
    device = power_loss.Device(config, remains.contents)
    device.observers.add(FailingProgram(programs))
    try:
        report = power_loss.Recovery(device, remains).run()
    except PowerFailure as failure:
        again = power_loss.what_is_left(device, remains.at_ns, [failure.ppa], [])
        again.buffered, again.acknowledged, again.losses = remains.buffered, remains.acknowledged, remains.losses
        return again, dict.fromkeys(LOST, 0)
    return power_loss.cut_power(device, remains.at_ns), {name: report[name] for name in LOST}
