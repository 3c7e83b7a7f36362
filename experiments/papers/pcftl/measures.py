"""The paper's measures, from the summaries of runs."""

from ...study.measures import Measure, Summary, percent, ratio, requests
from .systems import PLANES


def served_ms(summary: Summary) -> float | None:
    """Return the mean time in milliseconds that requests wait for the flash, behind collections that others caused."""
    served = [summary["requests"][op] for op in ("read", "write")]
    total_us = sum(op["count"] * op["response_us"]["mean"] for op in served if op["count"])
    return ratio(total_us, 1000 * requests(summary))


def response_ms(summary: Summary) -> float | None:
    """Return the mean response time in milliseconds, with the time of each collection for the write that caused it.

    That write is complete when the collection is (Fig. 9, lines 17 to 33).
    """
    served, caused = served_ms(summary), ratio(sum(summary["gc"]["cost_us"].values()), 1000 * requests(summary))
    return None if served is None or caused is None else served + caused


def sdwpp(summary: Summary) -> float | None:
    """Return the standard deviation of page writes a plane."""
    spread: float | None = summary["page_writes_per_plane_std"]
    return spread


def variation(summary: Summary) -> float | None:
    """Return that deviation in percent of the pages that the host asks to be written, a plane."""
    return percent(ratio(sdwpp(summary), summary["requested_page_writes"] / PLANES))


def valid(summary: Summary) -> float | None:
    """Return the percent of valid pages in victims."""
    return percent(summary["gc"]["victim_valid_share"])


def wasted(pages: int) -> Measure:
    """Return the measure of the pages wasted for parity in percent of the `pages` that the host sees (5.5)."""
    return lambda summary: 100 * summary["wasted_pages"] / pages


def not_copied(summary: Summary) -> float | None:
    """Return the percent of the pages that collection moves that copying back would have gained nothing by."""
    moves = summary["gc"]["page_moves"]
    return percent(ratio(moves - summary["flash"]["copybacks"]["gc"], moves))
