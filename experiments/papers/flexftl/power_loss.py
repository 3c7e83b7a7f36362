"""What each translation layer loses, recovers and reads when power is cut in the middle of a run."""

from collections.abc import Mapping

from ssdsim.metrics.result import Result
from ssdsim.report.markdown import Row, markdown

from ...study.report import Report
from . import paper
from .runs import CUT, CUT_PART, EXAMPLE_PART

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
    promises = {name.partition("/")[2]: found.summary["power_loss"]["promise"] for name, found in cuts.items()}
    return (
        "## Power loss\n\n"
        f"Power is cut under {CUT}, at three moments of a short run. Lost are pages that the host had been told are "
        "written: in flash, or in the write buffer, which has no capacitor. The reboot takes the reads of recovery, "
        "one after the other as in the paper; that the mapping is rebuilt from the spare areas of all pages, by all "
        "dies at the same time, comes on top.\n\n"
        + report.out.table("power_loss", [_row(name, found) for name, found in cuts.items()])
        + "\n"
        + report.table("power")
        + "".join(f"- {name}: {promise}\n" for name, promise in promises.items())
        + "\n"
        + _example(example)
    )


def _row(name: str, result: Result) -> Row:
    told = result.summary["power_loss"]
    return {"system": name.partition("/")[2], **{title: told[key] for key, title in SHOWN.items()}}


def _example(runs: Mapping[str, Result]) -> str:
    """Hold the runs of the paper's device against its formula."""
    told = [result.summary["power_loss"] for result in runs.values()]
    pages = paper.CHIPS * 2 * paper.FAST_PAGES
    rows = [["formula", float(pages), float(paper.REBOOT_MS)]]
    rows += [[f"run cut at {each['at_s']:.3f} s", float(each["pages_read"]), each["reboot_ms"]] for each in told]
    return (
        f"The paper's example (3.3) has {paper.CHIPS} chips, and blocks of {paper.FAST_PAGES} LSB pages: recovery "
        f"reads those of the active fast and the active slow block of each chip, at most {paper.CHIPS} x 2 x "
        f"{paper.FAST_PAGES} x {paper.READ_US} us = {paper.REBOOT_MS:g} ms. The same device of ours, under flexFTL, "
        "reads those of them that are written, and what a lost page is restored from:\n\n"
        + markdown(["", "pages read", "reboot ms"], rows)
    )
