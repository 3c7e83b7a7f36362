"""One-shot programs on the tiny device: blocks of four wordlines of three pages, which take 600 us a wordline."""

import pytest

from support.tiny_device import ERASE_COMMAND, PAGE, PROGRAM_COMMAND, READ_COMMAND, TRANSFER, merge, run_streams

CELLS = {
    "bits_per_cell": 3,
    "pages_per_block": 12,
    "blocks_per_plane": 16,
    "read_us": [10.0, 11.0, 12.0],
    "program_us": [100.0, 200.0, 300.0],
    "program_unit": "wordline",
    "page_type_map": "modulo",
}
SENT = PROGRAM_COMMAND + TRANSFER
ARRAY = 100_000 + 200_000 + 300_000
WORDLINE = 3 * SENT + ARRAY
WAIT = 5_000_000


def run(rows, **more):
    """Run requests on such cells."""
    return run_streams([{"rows": rows}], merge({"hardware": CELLS}, more))


def writes(pages, at=0):
    """Return requests for pages, one each."""
    return [(at, "write", page * PAGE, PAGE) for page in pages]


def test_pages_of_a_wordline_are_programmed_at_once_and_the_rest_is_padded_in_time():
    """The fourth page waits for others from the start on; it is read from memory meanwhile, which takes no time."""
    out = run([*writes(range(4)), (2 * WORDLINE - ARRAY, "read", 3 * PAGE, PAGE)])
    assert out.done_at()[:4] == [WORDLINE, WORDLINE, WORDLINE, WAIT + WORDLINE]
    assert out.requests[4]["response_ns"] == 0
    programs = [(c["page"], c["lpa"], c["array_start_ns"], c["end_ns"]) for c in out.commands]
    second = (WAIT + 3 * SENT, WAIT + WORDLINE)
    assert programs[:3] == [(page, page, 3 * SENT, WORDLINE) for page in range(3)]
    assert programs[3:] == [(3, 3, *second), (4, -1, *second), (5, -1, *second)]
    assert out.summary["padded_pages"] == 2 and out.summary["write_amplification"] == 6 / 4
    assert out.summary["utilization"]["plane"] == [2 * ARRAY / (WAIT + WORDLINE)]
    assert out.summary["multi_plane"]["write_share"] == 0


def test_the_next_wordline_of_a_block_comes_over_the_bus_while_the_array_works():
    out = run(writes(range(6)), hardware={"cache_program_us": 1.0})
    assert out.done_at() == [WORDLINE] * 3 + [WORDLINE + 1_000 + ARRAY] * 3


def test_a_flush_pads_at_once():
    out = run([*writes(range(1)), (5_000, "flush", 0, 0)])
    assert out.done_at() == [5_000 + WORDLINE] * 2


def test_wordlines_of_two_planes_join_and_each_page_is_answered_after_its_own_transfer():
    """Planes take turns page by page; the wordline of the first is complete a page before that of the other."""
    hardware = {"planes_per_die": 2, "wordline_program_us": 500.0, "program_plane_busy_us": 1.0}
    flash = {"multi_plane": ["program"], "write_complete": "transfer_end"}
    ftl = {"plane_allocation": "PWCD"}
    out = run([(0, "write", 0, 6 * PAGE)], hardware=hardware, flash=flash, ftl=ftl)
    sent = 6 * SENT + 5 * 1_000
    assert out.done_at() == [sent]
    assert {(c["array_start_ns"], c["end_ns"]) for c in out.commands} <= {(sent, sent + 500_000)}
    assert [c["plane"] for c in out.commands] in ([], [0, 0, 0, 1, 1, 1])


@pytest.mark.parametrize(("after_ns", "lost"), [(3 * SENT, 3), (WORDLINE + 1, 0)])
def test_a_cut_program_loses_all_of_its_wordline_and_no_other(after_ns, lost):
    """Three pages that are in flash are written again; power fails as that program begins, or after it."""
    again = 2 * WORDLINE
    loss = {"at_s": (again + after_ns) / 1e9}
    out = run([*writes(range(3)), *writes(range(3), again), *writes([4], again + WAIT)], power_loss=loss)
    found = out.summary["power_loss"]
    assert found["destroyed_programs"] == lost and found["aborted_requests"] == lost
    assert found["lost_acknowledged"] == found["lost_in_flash"] == 0


def test_an_slc_cache_is_folded_into_wordlines_of_which_the_last_is_padded():
    """Pages of the cache are programmed one by one; of the four that are moved the first three are a wordline."""
    slc = {"slc_read_us": 5.0, "slc_program_us": 40.0, "erase_us": 700.0}
    out = run([*writes(range(4)), (10**9, "read", 0, PAGE)], hardware=slc, ftl={"slc_cache": {"blocks": 1}})
    quiet = 4 * (SENT + 40_000)
    read = quiet + 4 * (READ_COMMAND + 5_000 + TRANSFER)
    assert out.ends("program") == [read + WORDLINE] * 3 + [read + 2 * WORDLINE] * 3
    assert [c["lpa"] for c in out.commands if c["op"] == "program"][4:] == [0, 1, 2, 3, -1, -1]
    assert out.ends("erase") == [read + 2 * WORDLINE + ERASE_COMMAND + 700_000]
    assert out.summary["padded_pages"] == 2 and out.summary["gc"]["page_moves"] == 4
