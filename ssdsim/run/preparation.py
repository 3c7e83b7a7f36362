"""How a device comes into the state in which the measured run begins: it is made, or read from a file."""

from pathlib import Path
from typing import Any

from ssdsim._core.blocks import Blocks
from ssdsim.errors import ConfigError
from ssdsim.run.context import Context
from ssdsim.run.measuring import connect
from ssdsim.run.replay import replay_unmeasured
from ssdsim.run.running_in import run_in
from ssdsim.run.workloads import OneChunk
from ssdsim.states.checkpoint import Kept, load, save
from ssdsim.states.preconditioning import fill, last_written, trimmed_share, write_to_steady_state
from ssdsim.states.walk import StateError
from ssdsim.workload import Chunk


def prepare(run: Context) -> None:
    """Bring the device into the state in which the measured run begins, and give it a clock if the run has one."""
    timed, wish = run.config.timing == "on", run.config.precondition
    if run.config.prepared_in_time:
        connect(run)  # a precondition that takes simulated time needs the clock first
    report, run.reports.precondition_loaded = made_or_loaded(run)
    buffer, load = run.device.buffer, run.workloads.values()
    if wish.full_buffer and buffer is not None:
        buffer.start_with(last_written(load, buffer.pages.capacity, run.config.hardware.page_bytes))
    run.reports.preconditioned = report | {"mode": wish.mode} | shares(run.device.blocks)
    if timed and run.env is None:
        connect(run)
    # Last: free space is brought to where the load keeps it, with flash timing.
    if timed and wish.mode == "writes" and wish.run_in:
        run_in(run)
        run.reports.preconditioned |= shares(run.device.blocks)
    ramps = {name: load.ramp for name, load in run.workloads.items() if load.ramp is not None}
    if ramps and timed:
        replay_unmeasured(run, ramps)


def made_or_loaded(run: Context) -> tuple[dict[str, Any], bool]:
    """Precondition the device of `run`; return the report of that, and whether it was loaded from a file."""
    config, checkpoint = run.config, run.config.checkpoint
    saved = checkpoint.save
    if not (saved or checkpoint.load or config.precondition.keep):
        return precondition(run), False
    roots = {"device": run.device, "oracle": run.oracle}
    kept = Kept(config) if config.precondition.keep else None
    if checkpoint.load is not None:
        loaded_report: dict[str, Any] | None = load(Path(checkpoint.load), config, roots)
    else:
        loaded_report = None if kept is None else kept.take(roots)
    report = precondition(run) if loaded_report is None else loaded_report
    if kept is not None and loaded_report is None:  # one that was taken from there is there
        kept.save(roots, report)
    if saved is not None:
        try:
            save(Path(saved), config, roots, report)
        except (StateError, OSError) as error:
            raise ConfigError(f"checkpoint.save={saved}: cannot be written: {error}.") from None
    return report, loaded_report is not None


def precondition(run: Context) -> dict[str, Any]:
    """Bring the device of `run` into the state that its configuration asks for; return what there is to report."""
    config, device = run.config, run.device
    wish, report = config.precondition, dict[str, Any]()
    run.reporter.report("precondition", 0.0)

    def report_share(share: float) -> None:
        if run.reporter.is_due:
            run.reporter.report("precondition", share)

    def send(chunk: Chunk) -> None:
        if run.env is None:
            run.records.untimed.run(chunk)
        else:
            replay_unmeasured(run, {"precondition": OneChunk(chunk, config.host.queue_depth)})

    if wish.mode == "fill":
        fill(device, config, list(run.workloads.values()), report_share)
        if run.oracle is not None:  # valid pages hold data
            for lpa, ppa in enumerate(device.mapping.current().to_numpy()[: run.oracle.logical_pages].tolist()):
                if ppa >= 0:
                    run.oracle.data.put(ppa, run.oracle.filled(lpa))
    elif wish.mode == "writes":
        # without `run_in` the device knows nothing of its load, as a drive
        loads = run.workloads.values() if wish.run_in else ()
        trimmed = trimmed_share(loads, config.hardware.logical_pages, config.hardware.page_bytes)
        report = write_to_steady_state(config, device, send, report_share, trimmed)
    return report


def shares(blocks: Blocks) -> dict[str, float]:
    """Return the pages that are written, as a share of all, and those of them that are valid."""
    written, valid = (int(blocks.column(name).sum()) for name in ("written", "valid"))
    return {"fill_share": written / blocks.pages, "valid_share": valid / written if written else 0.0}
