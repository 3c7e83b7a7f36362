"""Collection by copy-back in idle time: page after page, stopped at once by the host, and gone on with later."""

from support.idle_time import FILLED, LONG_AFTER
from support.tiny_device import COPY_PAGE, ERASE_BLOCK, PAGE, READ_PAGE, WRITE_PAGE

QUIET = 20 * WRITE_PAGE
IN_IDLE_TIME = {"ftl": {"gc": {"moves": "copyback", "copyback_waste": 0.5, "background_threshold": 0.5}}}
"""Below four free blocks of eight; above two, nothing is collected otherwise. Half of what is won may be wasted."""


def collected(out):
    """Return what was done in the background: operation, block and page, with its start and end."""
    names = ("op", "block", "page", "bus_start_ns", "end_ns")
    return [tuple(row[name] for name in names) for row in out.commands if row["source"] == "gc"]


def one_after_another(at, *steps):
    """Return steps of (operation, block, page) with their starts and ends, from `at` on."""
    found = []
    for op, block, page in steps:
        end = at + {"read": READ_PAGE, "program": WRITE_PAGE, "copyback": COPY_PAGE, "erase": ERASE_BLOCK}[op]
        found.append((op, block, page, at, end))
        at = end
    return found


FIRST = [("copyback", 5, 1), ("erase", 0, 0)]
"""Page 3 of block 0 goes to page 1 of a fresh block: page 0 is wasted, three are gained."""

SECOND = [
    *(("read", 1, 1), ("program", 5, 2), ("read", 1, 2), ("program", 5, 3)),
    *(("read", 1, 3), ("program", 6, 0), ("erase", 1, 0)),
]
"""Pages 1, 2 and 3 of block 1, of which one would be wasted for the first and one gained: through the controller."""

THIRD = [("copyback", 6, 1), ("copyback", 6, 2), ("copyback", 6, 3), ("erase", 5, 0)]
"""What is in block 5, of which page 0 was wasted, fits as it is; then four blocks are free."""


def test_it_collects_page_after_page_until_there_are_enough_free_blocks(run):
    out = run([*FILLED, LONG_AFTER], IN_IDLE_TIME)
    assert collected(out) == one_after_another(QUIET, *FIRST, *SECOND, *THIRD)
    assert (out.summary["gc"]["collections"], out.summary["gc"]["page_moves"], out.summary["wasted_pages"]) == (3, 7, 1)


def test_between_two_copybacks_it_stops_and_goes_on_where_it_was(run):
    """The host comes while the second of three pages is copied, for two reads one after the other."""
    before = QUIET + COPY_PAGE + ERASE_BLOCK + 3 * (READ_PAGE + WRITE_PAGE) + ERASE_BLOCK
    begun = before + COPY_PAGE + 50_000
    out = run([*FILLED, (begun, "read", 0, PAGE), (begun, "read", PAGE, PAGE), LONG_AFTER], IN_IDLE_TIME)
    stopped = before + 2 * COPY_PAGE
    assert collected(out) == [
        *one_after_another(QUIET, *FIRST, *SECOND, *THIRD[:2]),
        *one_after_another(stopped + 2 * READ_PAGE, *THIRD[2:]),
    ]
