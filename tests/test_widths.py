"""Sizes beyond the widths of machine numbers, at which compiled and interpreted code are to agree."""

import sys

import numpy as np
import pytest

from ssdsim import ConfigError
from ssdsim.assembly.capacity import check_numbers
from ssdsim.config import HardwareConfig
from ssdsim.metrics.recorder import Sampled
from support.tiny_device import run_streams, tiny_config


def both(rows, changes, interpreted):
    """Run requests compiled and interpreted and return the first run, having asserted that both are the same."""
    runs = [run_streams([{"rows": rows}], changes, modules=modules) for modules in (sys.modules, interpreted)]
    assert runs[0].facts() == runs[1].facts()
    return runs[0]


@pytest.mark.parametrize("kib", [0.5, 31.5, 32, 1024])
def test_a_write_buffer_knows_the_sectors_of_a_page_of_any_size(interpreted, kib):
    """One page is written whole; of the other only the last sector, so that all before it are nowhere."""
    size, far = int(kib * 1024), 10**9
    changes = {"hardware": {"page_kib": kib}, "buffer": {"replacement": "lru", "size_mib": 2 * kib / 1024}}
    written = [(0, "write", 0, size), (0, "write", 2 * size - 512, 512)]
    read = [(far, "read", 0, size), (far, "read", 2 * size - 512, 512)]
    read += [(far, "read", place, 512) for place in (size, 2 * size - 1024) if kib > 0.5]
    out = both(written + read, changes, interpreted)
    assert out.summary["buffer"]["read_hits"] == 2
    assert out.summary["flash"]["reads"]["host"] == 0
    assert [row["response_ns"] for row in out.requests] == [0] * len(written + read)


@pytest.mark.parametrize("planes", [33, 130])
def test_any_number_of_planes_works_in_one_command(interpreted, planes):
    page = 4096
    rows = [(0, "write", 0, planes * page), (10**8, "read", 0, planes * page)]
    changes = {
        "hardware": {"planes_per_die": planes, "over_provisioning": 0.6},
        "flash": {"multi_plane": ["program", "read"]},
        "ftl": {"plane_allocation": "PDWC"},
    }
    out = both(rows, changes, interpreted)
    written, read = out.done_at()
    assert written == planes * (200 + page) + 100_000
    assert read == 10**8 + planes * 100 + 10_000 + planes * page


GEOMETRIES = {
    "one-page blocks": {"pages_per_block": 1, "blocks_per_plane": 40},
    "one-sector pages": {"page_kib": 0.5, "pages_per_block": 2, "blocks_per_plane": 12},
    "most wordlines": {"pages_per_block": 65535, "over_provisioning": 0.9999},
    "many planes": {"planes_per_die": 48, "pages_per_block": 16, "over_provisioning": 0.7},
}


@pytest.mark.parametrize(("name", "unit"), [*zip(GEOMETRIES, ["block", "die", "block", "die"], strict=True)])
def test_extreme_geometries(interpreted, name, unit):
    changes = {
        "hardware": GEOMETRIES[name],
        "ftl": {"unit": unit},
        "buffer": {"replacement": "epo", "size_mib": 1 / 16},
        "check": "end",
    }
    hardware = tiny_config(changes).hardware
    size = hardware.page_bytes
    random = np.random.default_rng(len(name))
    lpas = random.integers(0, min(hardware.logical_pages, 60), 150).tolist()
    ops = random.choice(["write", "read", "trim"], 150, p=[0.8, 0.15, 0.05]).tolist()
    rows = [(at * 1000, op, lpa * size, size) for at, (op, lpa) in enumerate(zip(ops, lpas, strict=True))]
    assert sum(of["count"] for of in both(rows, changes, interpreted).summary["requests"].values()) == 150


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (
            {"blocks_per_plane": 2**21, "pages_per_block": 1023, "chips_per_channel": 1, "dies_per_chip": 1},
            "blocks_per_plane=2097152: .* pages a die, of which 2,147,483,647 can be; set it lower",
        ),
        (
            {"channels": 2**20},
            "channels=1048576: .* blocks, of which 1,073,741,824 can be; set it lower",
        ),
        (
            {"channels": 2**15, "pages_per_block": 384 * 16, "page_kib": 128},
            "channels=32768: .* pages, of which .* can be; set it lower",
        ),
    ],
)
def test_what_does_not_fit_the_widths_of_the_books_is_refused(changes, message):
    hardware = HardwareConfig(**{"channels": 1, "blocks_per_plane": 512} | changes)
    with pytest.raises(ConfigError, match=message):
        check_numbers(hardware)


@pytest.mark.parametrize("compiled", [True, False], ids=["compiled", "interpreted"])
def test_sums_of_waits_do_not_run_over(interpreted, compiled):
    """A thousand requests more than 2**63 ns hold, each of which waited for as long as a run may last."""
    longest, count = 2**53, 2**10 + 1000
    modules = sys.modules if compiled else interpreted
    metrics = modules["ssdsim.metrics.recorder"]
    recorder = metrics.Recorder(metrics.Windows(Sampled(7), width_ns=2**53))
    counters = modules["ssdsim.flash.counters"].FlashCounters(1)
    transactions = modules["ssdsim.flash.transactions"].Transactions()
    transactions.gc_ns[1] = 1  # blocked
    request = modules["ssdsim.host.request"].Request()
    request.op = request.slowest_type = 0
    for _ in range(count):
        recorder.request_done(request, longest)
        counters.host_page_done(transactions, 1, longest)
    assert recorder.parts_us(0)["queue"] == longest / 1000
    assert counters.host_write_ns == counters.blocked_write_ns == longest * count
