"""When power is cut, and what is promised then."""

from typing import Any

from ssdsim._core.codes import COPYBACK, PROGRAM
from ssdsim.config import MOST_NS, PowerLossConfig, SimulationConfig


def promise(config: SimulationConfig) -> str:
    """Return the promise of the FTL that `config` describes on data that a loss of power finds in flash or buffer."""
    if config.hardware.page_types == 1:
        flash = "no page in flash is lost, as no two share a wordline"
    elif config.hardware.program_unit == "wordline":
        flash = "no page in flash is lost, as all of a wordline are programmed at once"
    elif config.ftl.backup == "none":
        flash = "a page in flash is lost if a slower page of its wordline is being programmed"
    else:
        flash = f"no page in flash is lost (ftl.backup={config.ftl.backup})"
    if config.flash.write_complete == "transfer_end":
        flash += "; a page counts as written before it is programmed, and is lost until then"
    if config.buffer.replacement == "none":
        return f"{flash}."
    if config.buffer.write_through:
        return f"{flash}; no write is complete that only the write buffer has."
    kept = "keeps" if config.power_loss.capacitor else "loses"
    return f"{flash}; the write buffer {kept} what it holds."


class PowerCut:
    """Watches, as an `Observer`, for the moment when power is to be cut: `event` happens then."""

    observes = ("done",)

    def __init__(self, env: Any, config: PowerLossConfig):
        self.left = config.after_programs or 0
        at_ns = MOST_NS if config.at_s is None else int(env.now) + round(config.at_s * 1e9)
        # Without a moment it happens by `done`, or never.
        self.event = env.event() if at_ns >= MOST_NS else env.timeout(at_ns - int(env.now))

    def done(self, transactions: Any, number: int, end_ns: int) -> None:
        """Count a finished transaction."""
        if transactions.op[number] in (PROGRAM, COPYBACK) and self.left:
            self.left -= 1
            if not self.left:
                self.event.succeed()
