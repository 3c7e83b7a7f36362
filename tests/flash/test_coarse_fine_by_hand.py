"""Coarse-fine programs on the tiny device: blocks of four layers of two strings, and four pages a wordline."""

import pytest

from ssdsim._core.codes import COARSE, HOST, PROGRAM
from ssdsim.config import HardwareConfig
from ssdsim.errors import SimulationError
from ssdsim.flash.array_times import PassOrder
from ssdsim.flash.transactions import Transactions
from support.tiny_device import ERASE_COMMAND, PAGE, PROGRAM_COMMAND, READ_COMMAND, TRANSFER, merge, run_streams

CELLS = {
    "bits_per_cell": 4,
    "pages_per_block": 32,
    "blocks_per_plane": 32,
    "read_us": [10.0],
    "program_us": [100.0],
    "program_unit": "wordline",
    "page_type_map": "modulo",
    "program_passes": "coarse_fine",
    "strings": 2,
    "coarse_program_us": 300.0,
    "fine_program_us": 500.0,
}
SENT = PROGRAM_COMMAND + TRANSFER
C = 4 * SENT + 300_000
F = 4 * SENT + 500_000
WAIT = 5_000_000


def run(rows, **more):
    """Run requests on such cells."""
    return run_streams([{"rows": rows}], merge({"hardware": CELLS}, more))


def writes(pages, at=0):
    """Return requests for pages, one each."""
    return [(at, "write", page * PAGE, PAGE) for page in pages]


def test_a_wordline_is_written_when_the_next_layer_has_had_its_coarse_pass():
    """Of three wordlines the first has its fine pass then; the others wait, and so long are read from memory."""
    out = run([*writes(range(12)), (3 * C, "read", 0, PAGE)])
    assert out.done_at()[:12] == [3 * C + F] * 4 + [WAIT + C + F] * 4 + [WAIT + 2 * C + 2 * F] * 4
    assert out.requests[12]["response_ns"] == 0
    passes = [(c["op"], c["page"] // 4, c["bus_start_ns"], c["end_ns"]) for c in out.commands[::4]]
    assert passes[:4] == [("coarse", n, n * C, (n + 1) * C) for n in range(3)] + [("program", 0, 3 * C, 3 * C + F)]
    assert [each[:2] for each in passes[4:]] == [("coarse", 3), ("program", 1), ("coarse", 4), ("program", 2)]
    assert out.summary["padded_pages"] == 8 and out.summary["write_amplification"] == 20 / 12
    assert out.summary["passes"]["most_pages_held"] == 12
    assert out.summary["utilization"]["plane"] == [(5 * 300_000 + 3 * 500_000) / (WAIT + 2 * C + 2 * F)]


def test_string_first_the_next_wordline_is_that_of_the_next_layer():
    out = run(writes(range(8)), hardware={"string_order": "string_first"})
    assert out.done_at() == [2 * C + F] * 4 + [WAIT + C + F] * 4
    assert out.summary["padded_pages"] == 4


def test_a_wordline_that_is_due_waits_anew_when_the_passes_of_its_block_are_over():
    """The wait of a millisecond is over in the third coarse pass."""
    out = run(writes(range(12)), flash={"wordline_wait_us": 1000.0})
    padded = 3 * C + F + 1_000_000
    assert out.done_at() == [3 * C + F] * 4 + [padded + C + F] * 4 + [padded + 2 * C + 2 * F] * 4


def test_a_flush_pads_two_wordlines_more():
    out = run([*writes(range(1)), (5_000, "flush", 0, 0)])
    assert out.done_at() == [5_000 + 3 * C + F] * 2
    assert out.summary["padded_pages"] == 3 + 2 * 4


def test_a_full_block_leaves_nothing_waiting():
    """Behind the last coarse pass come the fine ones of its layer and of the one before."""
    out = run(writes(range(32)))
    assert out.done_at()[-1] == 8 * C + 8 * F and out.summary["padded_pages"] == 0
    assert [c["op"] for c in out.commands[::4]][-5:] == ["program", "coarse", *["program"] * 3]


def test_passes_of_two_planes_join():
    hardware = {"planes_per_die": 2, "program_plane_busy_us": 1.0, "string_order": "string_first"}
    out = run([(0, "write", 0, 16 * PAGE)], hardware=hardware, flash={"multi_plane": ["program"]})
    planes = {(c["op"], c["page"] // 4): set() for c in out.commands}
    for c in out.commands:
        planes[c["op"], c["page"] // 4].add((c["plane"], c["array_start_ns"], c["end_ns"]))
    sent = 8 * SENT + 7 * 1_000
    assert planes["coarse", 0] == {(plane, sent, sent + 300_000) for plane in (0, 1)}
    begin = 2 * (sent + 300_000)
    assert planes["program", 0] == {(plane, begin + sent, begin + sent + 500_000) for plane in (0, 1)}


@pytest.mark.parametrize(
    ("at_ns", "used", "destroyed"),
    [(2 * C + 4 * SENT - 1, 8, 0), (2 * C + 4 * SENT, 12, 0), (3 * C + 4 * SENT, 12, 4), (3 * C + F + 1, 12, 0)],
)
def test_a_loss_of_power_uses_up_what_had_a_coarse_pass_begun(at_ns, used, destroyed):
    """None of it was acknowledged; the spare areas of so many pages are read, and one more of each block."""
    found = run(writes(range(12)), power_loss={"at_s": at_ns / 1e9}).summary["power_loss"]
    assert found["spare_areas_read"] == used + 32 and found["destroyed_programs"] == destroyed
    assert found["aborted_requests"] == (12 if at_ns < 3 * C + F else 8)
    assert found["lost_acknowledged"] == found["lost_in_flash"] == 0


def test_a_folded_block_of_the_slc_cache_is_erased_after_the_fine_passes():
    """Its eight pages are two wordlines, and two of padding are behind them."""
    slc = {"slc_read_us": 5.0, "slc_program_us": 40.0, "slc_erase_us": 700.0}
    out = run([*writes(range(8)), (10**9, "read", 0, PAGE)], hardware=slc, ftl={"slc_cache": {"blocks": 1}})
    read = 8 * (SENT + 40_000) + 8 * (READ_COMMAND + 5_000 + TRANSFER)
    assert out.ends("program") == [read + 3 * C + F] * 4 + [read + 4 * C + 2 * F] * 4
    assert out.ends("erase") == [read + 4 * C + 2 * F + ERASE_COMMAND + 700_000]
    assert out.summary["padded_pages"] == 8 and out.summary["gc"]["page_moves"] == 8


def test_a_coarse_pass_is_suspended_for_a_read():
    suspension = {"policy": "always", "program_least_us": 0.0}
    hardware = {"program_suspend_us": 20.0, "resume_us": 5.0, "string_order": "string_first"}
    rows = [*writes(range(8)), *writes([9, 10, 11, 12], 2 * WAIT), (2 * WAIT + 4 * SENT + 100_000, "read", 0, PAGE)]
    out = run(rows, hardware=hardware, flash={"suspension": suspension})
    read = 20_000 + READ_COMMAND + 10_000 + TRANSFER
    assert out.requests[-1]["response_ns"] == read
    assert [c for c in out.commands if c["op"] == "coarse"][-1]["suspended_ns"] in (0, read + 5_000)
    assert out.summary["suspension"]["programs"]["count"] == 1


def test_the_oracle_wants_the_coarse_pass_of_the_next_layer_first():
    transactions = Transactions()
    order = PassOrder(HardwareConfig(**CELLS))
    page = transactions.take(HOST, 0, 0)

    def end(op, wordline, begin_ns, end_ns):
        transactions.op[page], transactions.page[page] = op, 4 * wordline + 3
        transactions.bus_start_ns[page] = begin_ns
        order.done(transactions, page, end_ns)

    for wordline in range(2):
        end(COARSE, wordline, wordline, wordline + 1)
    with pytest.raises(SimulationError, match=r"program of wordline 0 .* 2 wordlines of the block had had a coarse"):
        end(PROGRAM, 0, 2, 3)
    with pytest.raises(SimulationError, match="coarse of wordline 3 of block 0 began at 2 ns"):
        end(COARSE, 3, 2, 3)
    end(COARSE, 2, 2, 3)
    end(PROGRAM, 0, 3, 4)
    with pytest.raises(SimulationError, match="that before it was over at 4 ns"):
        end(COARSE, 3, 3, 4)
