"""What each translation layer loses, recovers and reads when power is cut in the middle of a run."""

from collections.abc import Mapping

from ssdsim.metrics.result import Result

from ...study.claims import Comparison, comparison_table
from ...study.report import Output
from ...study.tables import Row, markdown
from . import paper
from .runs import CUT

SHOWN = {
    "at_s": "at s",
    "destroyed_programs": "programs destroyed",
    "lost_acknowledged": "pages lost",
    "recovered": "recovered",
    "lost_buffered": "lost in the buffer",
    "pages_read": "pages read",
    "reboot_ms": "reboot ms",
    "scan_ms": "scan of spare areas ms",
}


def section(cuts: Mapping[str, Result], example: Mapping[str, Result], out: Output) -> str:
    """Return the section on runs named `moment/system`, and on those of the device of the paper's example."""
    if not cuts:
        return ""
    rows = [_row(name, result) for name, result in cuts.items()]
    promises = {name.partition("/")[2]: result.summary["power_loss"]["promise"] for name, result in cuts.items()}
    return (
        "## Power loss\n\n"
        f"Power is cut under {CUT}, at three moments of a short run. Lost are pages whose last data was in flash; what "
        "was only in the write buffer, which has no capacitor, is lost under all systems and not counted there. The "
        "reboot takes the reads of recovery, one after the other as in the paper; that the mapping is rebuilt from the "
        "spare areas of all pages, by all dies at the same time, comes on top.\n\n"
        + out.table("power_loss", rows)
        + "\n"
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
    worst = max((each["reboot_ms"] for each in told), default=None)
    return (
        f"The paper's example (3.3) has {paper.CHIPS} chips, and blocks of {paper.FAST_PAGES} LSB pages: recovery "
        f"reads those of the active fast and the active slow block of each chip, {paper.CHIPS} x 2 x "
        f"{paper.FAST_PAGES} x {paper.READ_US} us = {paper.REBOOT_MS:g} ms. The same device of ours, under flexFTL:\n\n"
        + markdown(["", "pages read", "reboot ms"], rows)
        + "\n"
        + comparison_table([Comparison("reboot, longest", worst, paper.REBOOT_MS, unit=" ms")])
    )
