"""The oracle of a run that checks its integrity: what it holds the device to, and what it knows of a filled one."""

from ssdsim.assembly.device import Device
from ssdsim.check import Contract, IntegrityOracle
from ssdsim.config import SimulationConfig


def make_oracle(config: SimulationConfig, device: Device) -> IntegrityOracle | None:
    """Return the oracle that holds `device` to its promises, or None if `config` does not ask for that."""
    if device.data is None:
        return None
    hardware = config.hardware
    contract = Contract(
        together=config.super_page if config.timing == "on" else 1,
        # With a buffer, or an answer before the program, only what has been flushed is promised to last.
        durable_when_complete=device.buffer is None and config.flash.write_complete == "program_end",
        # A program that is cut short takes the faster pages of its wordline with it, unless these are backed up.
        endangered=hardware.page_types - 1 if config.ftl.backup == "none" else 0,
    )
    return IntegrityOracle(hardware.logical_pages, hardware.page_bytes, contract, device.data)


def write_filled(device: Device, oracle: IntegrityOracle) -> None:
    """Put data into the pages that a fill has made valid."""
    for lpa, ppa in enumerate(device.mapping.current().to_numpy()[: oracle.logical_pages].tolist()):
        if ppa >= 0:
            oracle.data.put(ppa, oracle.filled(lpa))
