"""For how long a backup is kept: as long as a program may destroy what it covers, by hand and against a model."""

from support.backups import LSB, MSB, PARITY
from support.requests import read, writes
from support.tiny_device import merge

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
