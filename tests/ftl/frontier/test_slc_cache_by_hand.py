"""The SLC cache on the tiny device: blocks of four wordlines, of four pages in SLC mode and twelve else."""

import pytest

from support.tiny_device import ERASE_COMMAND, PAGE, PROGRAM_COMMAND, READ_COMMAND, TRANSFER, merge, run_streams

CELLS = {
    "bits_per_cell": 3,
    "pages_per_block": 12,
    "blocks_per_plane": 16,
    "read_us": [10.0, 11.0, 12.0],
    "program_us": [100.0, 200.0, 300.0],
    "slc_read_us": 5.0,
    "slc_program_us": 40.0,
    "erase_us": 700.0,
}
CACHED = PROGRAM_COMMAND + TRANSFER + 40_000
READ_BACK = READ_COMMAND + 5_000 + TRANSFER
ERASED = ERASE_COMMAND + 700_000


def program(*times):
    """Return how long programs of pages that take so many ns one after another."""
    return sum(PROGRAM_COMMAND + TRANSFER + time for time in times)


def run(cache, rows, **more):
    """Run requests with such a cache."""
    return run_streams([{"rows": rows}], merge({"hardware": CELLS, "ftl": {"slc_cache": cache}}, more))


def writes(count, at=0, first=0):
    """Return requests for so many pages, one each."""
    return [(at, "write", page * PAGE, PAGE) for page in range(first, first + count)]


def test_a_static_cache_is_bypassed_when_it_is_full_and_folded_in_idle_time():
    """Folded pages go to L0, L1, C0, L2 of a block of TLC, those of the second block to C1, M0, L3, C2."""
    out = run({"blocks": 2}, [*writes(10), (10**9, "read", 0, PAGE)])
    full = 8 * CACHED
    cached = [(number + 1) * CACHED for number in range(8)]
    assert out.done_at()[:10] == [*cached, full + program(100_000), full + program(100_000, 100_000)]
    quiet = full + program(100_000, 100_000)
    first = quiet + 4 * READ_BACK + program(100_000, 100_000, 200_000, 100_000) + ERASED
    second = first + 4 * READ_BACK + program(200_000, 300_000, 100_000, 200_000) + ERASED
    assert out.ends("erase") == [first, second]
    assert out.done_at()[10] == 10**9 + READ_COMMAND + 10_000 + TRANSFER  # from TLC
    counts = {"written_pages": 8, "bypassed_pages": 2, "folded_blocks": 2, "folded_pages": 8}
    assert out.summary["slc_cache"] == counts
    assert out.summary["write_amplification"] == 18 / 10


def test_a_write_waits_for_the_cache_to_be_folded_if_it_is_not_to_bypass_it():
    """Block 1 takes what is moved; 2 is the first of the free ones when one is to be kept again."""
    cache = {"blocks": 1, "when_full": "fold"}
    out = run(cache, writes(5), ftl={"gc": {"moves_in_flight": 1}})
    folded = 4 * CACHED + 4 * READ_BACK + program(100_000, 100_000, 200_000, 100_000) + ERASED
    assert out.done_at()[4] == folded + CACHED
    assert [c["block"] for c in out.commands if c["source"] == "host"] == [0, 0, 0, 0, 2]
    assert out.summary["slc_cache"]["bypassed_pages"] == 0


@pytest.mark.parametrize("filled", [0, 4, 8])
def test_a_dynamic_cache_is_as_large_as_a_share_of_what_is_free(filled):
    """Half of the blocks without data, with four pages each; not to be folded, they stay there."""
    fill = {"mode": "fill", "fill_share": filled / 16, "valid_share": 0.5}
    out = run({"free_share": 0.5}, writes(40), precondition=fill, ftl={"gc": {"idle_us": 1e9}})
    assert out.summary["slc_cache"]["written_pages"] == (16 - filled) // 2 * 4


def test_the_cache_is_there_after_a_loss_of_power():
    """The third page was on its way when power was lost: the block is closed, folded, and another is the cache."""
    out = run({"blocks": 1}, writes(3) + writes(1, at=10**9), power_loss={"after_programs": 2})
    pages = [(c["block"], c["page"], c["page_type"]) for c in out.commands if c["op"] == "program"]
    assert pages == [(0, 0, -1), (0, 1, -1), (1, 0, 0), (1, 1, 0), (2, 0, -1)]
    assert out.summary["power_loss"]["lost_in_flash"] == 0
