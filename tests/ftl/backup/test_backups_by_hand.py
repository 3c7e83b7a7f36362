"""When each backup of paired pages is written, where, and what waits for it: commands and times added up by hand."""

from support.backups import FLEX, LSB, MSB, PARITY, RTF
from support.requests import writes
from support.tiny_device import READ_PAGE, merge


def starts_and_ends(steps):
    """Return steps of (source, operation, channel, block, page, ns) with their starts and ends, one after the other."""
    found, at = [], 0
    for *what, ns in steps:
        found.append((*what, at, at + ns))
        at += ns
    return found


def commands(out):
    names = ("source", "op", "channel", "block", "page", "bus_start_ns", "end_ns")
    return [tuple(c[name] for name in names) for c in out.commands]


def test_the_parity_of_a_block_comes_between_its_last_lsb_page_and_its_first_msb_page(run):
    """Blocks 0 and 1 are set aside. Types take turns, but where there is no slow block an LSB page is written."""
    out = run(writes(*range(8)), FLEX, queue_depth=1)
    assert commands(out) == starts_and_ends(
        [
            ("host", "program", 0, 2, 0, LSB),
            ("host", "program", 0, 2, 1, LSB),
            ("backup", "program", 0, 0, 0, LSB),
            ("host", "program", 0, 3, 0, LSB),
            ("host", "program", 0, 2, 2, MSB),
            ("host", "program", 0, 3, 1, LSB),
            ("backup", "program", 0, 0, 1, LSB),
            ("host", "program", 0, 2, 3, MSB),
            ("host", "program", 0, 4, 0, LSB),
            ("host", "program", 0, 3, 2, MSB),
        ]
    )
    assert out.summary["backup"] == {"pages": 2, "reads": 0, "erases": 0}


def test_msb_pages_wait_for_the_parity_and_lsb_pages_do_not(run):
    """All is asked for at once, so that the parities, due when the LSB pages are in flash, are the youngest of all."""
    out = run(writes(*range(8)), FLEX)
    assert [(source, block, page) for source, _, _, block, page, _, _ in commands(out)] == [
        *[("host", 2, 0), ("host", 2, 1), ("host", 3, 0), ("host", 3, 1), ("host", 4, 0)],
        *[("backup", 0, 0), ("host", 2, 2), ("host", 2, 3)],
        *[("backup", 0, 1), ("host", 3, 2)],
    ]


def test_the_parity_of_two_pages_is_written_between_the_second_and_the_first_msb_page(run):
    """L0, L1 and their parity, M0, L2, M1, L3 and their parity, M2, M3, one request after the other."""
    steps = [LSB, LSB, "parity", MSB, LSB, MSB, LSB, "parity", MSB, MSB]
    pages = {"host": iter(range(8)), "backup": iter(range(2))}
    whose = ["backup" if step == "parity" else "host" for step in steps]
    expected = [
        (source, "program", 0, 2 if source == "host" else 0, next(pages[source]), LSB if step == "parity" else step)
        for source, step in zip(whose, steps, strict=True)
    ]
    assert commands(run(writes(*range(8)), PARITY, queue_depth=1)) == starts_and_ends(expected)


def test_a_copy_is_read_and_written_just_before_the_page_that_endangers_it(run):
    """Two active blocks give L0 and L1 each. Then each MSB page takes the LSB page below it along."""
    out = run(writes(*range(8)), RTF, queue_depth=1)
    assert commands(out) == starts_and_ends(
        [
            *[("host", "program", 0, block, page, LSB) for block in (2, 3) for page in (0, 1)],
            ("backup", "read", 0, 2, 0, READ_PAGE),
            ("backup", "program", 0, 0, 0, LSB),
            ("host", "program", 0, 2, 2, MSB),
            ("host", "program", 0, 2, 3, LSB),
            ("backup", "read", 0, 2, 1, READ_PAGE),
            ("backup", "program", 0, 0, 1, LSB),
            ("host", "program", 0, 2, 4, MSB),
            ("host", "program", 0, 2, 5, LSB),
        ]
    )
    assert out.summary["backup"] == {"pages": 2, "reads": 2, "erases": 0}


def test_a_copy_of_what_is_not_in_flash_yet_needs_no_read(run):
    """All is asked for at once, so that the page to be copied is still in the controller; backups are served by age."""
    out = run(writes(*range(6)), RTF)
    assert [(c["source"], c["op"], c["block"], c["page"]) for c in out.commands] == [
        *[("host", "program", block, page) for block in (2, 3) for page in (0, 1)],
        ("backup", "program", 0, 0),
        ("host", "program", 2, 2),
        ("host", "program", 2, 3),
    ]
    assert out.summary["backup"] == {"pages": 1, "reads": 0, "erases": 0}


def test_on_the_next_channel_a_parity_is_programmed_along_with_the_second_of_its_pages(run):
    """The host writes to the channels in turn: L0, L0, L1 and the first channel's parity, L1 and the other's.

    After four times an LSB page M0 of both follows, for which nothing is left to wait.
    """
    across = merge(PARITY, {"hardware": {"channels": 2}, "ftl": {"backup_place": "next_channel"}})
    out = run(writes(*range(6)), across, queue_depth=1)
    assert commands(out) == [
        ("host", "program", 0, 2, 0, 0, LSB),
        ("host", "program", 1, 2, 0, LSB, 2 * LSB),
        ("host", "program", 0, 2, 1, 2 * LSB, 3 * LSB),
        ("backup", "program", 1, 0, 0, 2 * LSB, 3 * LSB),
        ("host", "program", 1, 2, 1, 3 * LSB, 4 * LSB),
        ("backup", "program", 0, 0, 0, 3 * LSB, 4 * LSB),
        ("host", "program", 0, 2, 2, 4 * LSB, 4 * LSB + MSB),
        ("host", "program", 1, 2, 2, 4 * LSB + MSB, 4 * LSB + 2 * MSB),
    ]


def test_where_the_program_order_wants_slow_pages_between_fast_ones_backups_pass_them_over(run):
    """Of eight pages in the fixed order 0, 1, 3 and 5 are fast; the fifth copy goes to the other backup block."""
    out = run(writes(*range(16)), merge(RTF, {"ftl": {"backup_pages": "fast"}}), queue_depth=1)
    made = [c for c in out.commands if c["source"] == "backup" and c["op"] == "program"]
    assert [(c["block"], c["page"]) for c in made[:5]] == [(0, 0), (0, 1), (0, 3), (0, 5), (1, 0)]
    assert {c["end_ns"] - c["bus_start_ns"] for c in made} == {LSB}
