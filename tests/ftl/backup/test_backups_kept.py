"""For how long a backup is kept: as long as a program may destroy what it covers, by hand and against a model."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ssdsim.assembly.device import Device
from support.backups import FLEX, LSB, MSB, PARITY, RTF
from support.requests import read, writes
from support.tiny_device import merge, tiny_config
from support.transactions import taken

FAST = merge(PARITY, {"ftl": {"backup_pages": "fast"}})
"""Four parities fill a backup block, those of two blocks of data."""
LAST_BEGINS = 12 * LSB + 7 * MSB
"""When M3 of the second block does: of each the order is L0, L1, P, M0, L2, M1, L3, P, M2, M3, one after another."""


def test_a_parity_of_two_is_kept_until_the_second_slow_page_is_programmed(run):
    """flexFTL, 4.1 and footnote 4: "two LSB pages can share a parity backup page before programming their paired MSB".

    The fourth is that of L2 and L3, and its block is erased when M3 has been programmed, not when M2 has.
    """
    out = run(writes(*range(17)), FAST, queue_depth=1)
    (erase,) = [c for c in out.commands if c["op"] == "erase"]
    assert (erase["source"], erase["block"], erase["queued_ns"]) == ("backup", 0, LAST_BEGINS + MSB)
    backups = [c["block"] for c in out.commands if (c["source"], c["op"]) == ("backup", "program")]
    assert backups == [0] * 4


def test_it_still_restores_the_second_page_when_the_first_needs_it_no_more(run):
    """Power is lost in the last nanosecond of M3: L3 is the parity without L2."""
    cut_ns = LAST_BEGINS + MSB - 1
    rows = [*writes(*range(17)), *map(read, range(15))]
    report = run(rows, merge(FAST, {"power_loss": {"at_s": cut_ns / 1e9}}), queue_depth=1).summary["power_loss"]
    assert (report["destroyed_programs"], report["lost_in_flash"], report["recovered"]) == (1, 0, 1)


def pairs(wordlines):
    """Return the wordlines that share a parity in parityFTL."""
    return [set(range(first, min(first + 2, wordlines))) for first in range(0, wordlines, 2)]


def needed(policy, wordlines, handed_out, programmed):
    """Return the wordlines of the backups that are to be there: of fast pages that a program is still to endanger.

    A parity comes with the last page that it covers, parityFTL's when that is handed out and flexFTL's when it is
    programmed; rtfFTL's copy comes when the slow page is handed out.
    """
    fast = {w for w, page_type in handed_out if page_type == 0}
    slow_done = {w for w, page_type in programmed if page_type == 1}
    if policy == "page_copy":
        groups = [{w} for w, page_type in handed_out if page_type == 1]
    elif policy == "pair_parity":
        groups = [pair for pair in pairs(wordlines) if pair <= fast]
    else:
        everything = set(range(wordlines))
        groups = [everything] if {(w, 0) for w in everything} <= set(programmed) else []
    return sorted(sorted(group) for group in groups if not group <= slow_done)


@pytest.mark.parametrize(
    ("policy", "changes"),
    [("pair_parity", PARITY), ("page_copy", RTF), ("block_parity", FLEX)],
    ids=lambda value: str(value)[:12],
)
@given(st.integers(1, 9), st.integers(1, 4), st.integers(0, 30))
def test_backups_are_those_that_the_pages_on_their_way_need(policy, changes, wordlines, lag, count):
    """Pages of a block are handed out in turn, and each is programmed when `lag` more have been."""
    config = tiny_config(merge(changes, {"hardware": {"pages_per_block": 2 * wordlines}}))
    device = Device(config)
    blocks, backup = device.blocks, device.backup
    block = blocks.take_free(0)
    order = [(w, t) for t in range(2) for w in range(wordlines)]
    if policy != "block_parity":
        order.sort(key=lambda page: (sum(page), page[1]))  # the fixed sequence; flexFTL's is two phases
    handed_out, programmed, waiting = [], [], []
    for page in [*order[:count], *[None] * lag]:
        if page:
            ppa = blocks.hand_out(block, blocks.order.page_of(*page), 0)
            handed_out.append(page)
            waiting.append(taken(device.transactions, block=block, ppa=ppa))
            backup.queued(device.transactions, waiting[-1])
        if len(waiting) > (lag if page else 0):
            transaction = waiting.pop(0)
            blocks.program(device.transactions.ppa[transaction])
            programmed.append(handed_out[len(programmed)])
            backup.programmed(device.transactions, transaction)
        kept = sorted(list(range(each.first, each.first + each.count)) for each in backup.of_block.get(block, []))
        assert kept == needed(policy, wordlines, handed_out, programmed)
        assert all(each.written and backup.at[each.ppa] is each for each in backup.of_block.get(block, []))
