"""What each translation layer loses, recovers and reads when power is cut in the middle of a run."""

from collections.abc import Mapping

from ssdsim.metrics.result import Result
from ssdsim.report.markdown import Row, markdown

from ...study.report import Report
from .runs import CHIPS, CUT, CUT_PART, EXAMPLE_PART, FAST_PAGES, READ_US, REBOOT_MS

SHOWN = {
    "at_s": "at s",
    "destroyed_programs": "programs destroyed",
    "lost_acknowledged": "acknowledged pages lost",
    "lost_in_flash": "of them in flash",
    "lost_buffered": "in the buffer",
    "recovered": "recovered",
    "pages_read": "pages read",
    "reboot_ms": "reboot ms",
    "scan_ms": "scan of spare areas ms",
}


def section(report: Report) -> str:
    """Return the section on runs that lose power, and on those of the device of the paper's example."""
    if CUT_PART not in report.first:
        return ""
    cuts, example = report.first[CUT_PART], report.first[EXAMPLE_PART]
    promises = {name.partition("/")[2]: result.summary["power_loss"]["promise"] for name, result in cuts.items()}
    return (
        "## Power loss\n\n"
        f"Power is cut under {CUT}, at three moments of a short run. Lost are pages that the host had been told are "
        "written: in flash, or in the write buffer, which has no capacitor. The reboot takes the reads of recovery, "
        "one after the other as in the paper; that the mapping is rebuilt from the spare areas of all pages, by all "
        "dies at the same time, comes on top.\n\n"
        + report.shown("power_loss", [_row(name, result) for name, result in cuts.items()], "power")
        + "".join(f"- {name}: {promise}\n" for name, promise in promises.items())
        + "\n"
        + _example(example)
    )


def _row(name: str, result: Result) -> Row:
    loss = result.summary["power_loss"]
    return {"system": name.partition("/")[2], **{title: loss[key] for key, title in SHOWN.items()}}


def _example(runs: Mapping[str, Result]) -> str:
    """Hold the runs of the paper's device against its formula."""
    losses = [result.summary["power_loss"] for result in runs.values()]
    pages = CHIPS * 2 * FAST_PAGES
    rows = [["formula", float(pages), float(REBOOT_MS)]]
    rows += [[f"run cut at {loss['at_s']:.3f} s", float(loss["pages_read"]), loss["reboot_ms"]] for loss in losses]
    return (
        f"The paper's example (3.3) has {CHIPS} chips, and blocks of {FAST_PAGES} LSB pages: recovery "
        f"reads those of the active fast and the active slow block of each chip, at most {CHIPS} x 2 x "
        f"{FAST_PAGES} x {READ_US} us = {REBOOT_MS:g} ms. The same device of ours, under flexFTL, "
        "reads those of them that are written, and what a lost page is restored from:\n\n"
        + markdown(["", "pages read", "reboot ms"], rows)
    )
