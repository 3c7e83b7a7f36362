"""How a device comes into the state in which the measured run begins: it is made, or read from a file."""

import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ssdsim._core.blocks import Blocks
from ssdsim.errors import ConfigError
from ssdsim.run.checkpoint import Kept, check_storable, depends_on, load, save
from ssdsim.run.graph import StateError
from ssdsim.run.integrity import write_filled
from ssdsim.run.preconditioning import fill, last_written, write_to_steady_state

if TYPE_CHECKING:
    from ssdsim.run.simulation import Simulation


def prepare(run: "Simulation") -> tuple[dict[str, Any], bool]:
    """Precondition the device of `run`; return what there is to report, and whether it was loaded from a file."""
    config, wanted = run.config, run.config.checkpoint
    check_storable(config)
    saved = None if wanted.saves_run else wanted.save
    if not (saved or wanted.load or config.precondition.keep):
        return precondition(run), False
    depends, roots = depends_on(config), [run.device, run.oracle]
    kept = Kept(config) if config.precondition.keep else None
    if wanted.load is not None:
        found: dict[str, Any] | None = load(Path(wanted.load), depends, roots)
    else:
        found = None if kept is None else kept.take(depends, roots)
    report = precondition(run) if found is None else found
    if kept is not None and found is None:
        kept.save(depends, roots, report)
    if saved is not None:
        try:
            save(Path(saved), depends, roots, report)
        except (StateError, OSError) as error:
            raise ConfigError(f"checkpoint.save={saved}: cannot be written: {error}.") from None
    return report, found is not None


def precondition(run: "Simulation") -> dict[str, Any]:
    """Bring the device of `run` into the state that its configuration asks for; return what there is to report."""
    config, device = run.config, run.device
    wish, report = config.precondition, dict[str, Any]()
    run.report("precondition", 0.0)

    def told(share: float) -> None:
        if time.perf_counter() >= run.next_report:
            run.report("precondition", share)

    if wish.mode == "fill":
        fill(device, config, list(run.workloads.values()), told)
        if run.oracle is not None:
            write_filled(device, run.oracle)
    elif wish.mode == "writes":
        report = write_to_steady_state(config, device, run.write_chunk, told)
    if wish.full_buffer and device.buffer is not None:
        most = device.buffer.capacity
        device.buffer.start_with(last_written(run.workloads.values(), most, config.hardware.page_bytes))
    return report | {"mode": wish.mode} | shares(device.blocks)


def shares(blocks: Blocks) -> dict[str, float]:
    """Return the pages that are written, as a share of all, and those of them that are valid."""
    written, valid = (int(blocks.column(name).sum()) for name in ("written", "valid"))
    return {"fill_share": written / blocks.pages, "valid_share": valid / written if written else 0.0}
