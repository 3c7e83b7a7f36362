"""The reserve is never spent: the collector always has room for its victim, whatever the host writes and power does."""

import pytest

from ssdsim._core.blocks import Blocks
from ssdsim.config import FtlConfig, GarbageCollectionConfig, HardwareConfig
from ssdsim.ftl.frontier.sequential import SequentialFrontier
from ssdsim.ftl.reclaim.units import CollectionUnit
from ssdsim.ftl.reclaim.victims import Fifo, WearLeveling
from ssdsim.run.simulation import simulate
from support.bound import HOST_DATA, bound, given_page
from support.tiny_stacks import configured

ONE_DIE = ["hardware.channels=1", "hardware.chips_per_channel=1", "hardware.dies_per_chip=1"]
WRITES = ["workload=synthetic", "workload.read_share=0", "check=end", "integrity=on"]
DEEP = ["workload.queue_depth=256", "host.queue_depth=256"]
FOUND = {
    "tbm, cut at depth 256": [
        *("stack=tbm", "hardware=tbm_small", "workload.requests=60000", *DEEP),
        *("power_loss.after_programs=29650",),
    ],
    "spd_plus, four planes": [
        *("stack=spd_plus", *ONE_DIE, "hardware.planes_per_die=4", "hardware.blocks_per_plane=16"),
        *("hardware.pages_per_block=48", "hardware.over_provisioning=0.3", "buffer.footprint_share=null"),
        *("buffer.size_mib=0.25", "ftl.active_blocks=separate", "ftl.gc.soft_threshold=2"),
        *("workload.requests=3000", "workload.queue_depth=64"),
    ],
}
"""Runs that ended with the reserve spent; in none of them does a program that is cut short endanger other pages."""

ONE_ENTRY = [
    *("stack=spd", "ftl/mapping=dftl", "ftl.mapping.cache_kib=0.0078125", *ONE_DIE, "hardware.planes_per_die=3"),
    *("hardware.bits_per_cell=1", "hardware.program_us=[100.0]", "hardware.page_kib=2", "hardware.pages_per_block=7"),
    *("hardware.blocks_per_plane=14", "hardware.over_provisioning=0.5", "ftl.gc.soft_threshold=2"),
    *("ftl.gc.hard_threshold=2", "ftl.partial_write=pad", "buffer.footprint_share=null", "buffer.size_mib=0.05"),
    *("precondition=fill", "workload.requests=300", "workload.size_kib=4", "workload.queue_depth=8"),
]
"""A cache of the mapping with one entry, on a die whose rows a collection completes with pages of the host's."""


def test_a_collection_asks_the_host_for_no_page_whose_mapping_is_to_be_read():
    """Each would wait for the other: the read of the mapping for room to evict an entry, which collection wins."""
    out = simulate(configured(*WRITES, *ONE_ENTRY))
    assert out.summary["requests"]["write"]["count"] == 300 and out.summary["gc"]["collections"] > 0


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[] if "four" in name else [pytest.mark.more]) for name in FOUND]
)
def test_runs_that_spent_the_reserve(name):
    config = configured(*WRITES, *FOUND[name])
    out = simulate(config)
    assert sum(of["count"] for of in out.summary["requests"].values()) > 0
    assert out.summary["gc"]["collections"] > 0
    assert not config.power_loss.after_programs or out.summary["power_loss"]["lost_in_flash"] == 0


class ColdBlock(WearLeveling):
    """Wants the third block moved, of which every page is valid."""

    def cold_block(self, unit):
        return 2


@pytest.mark.parametrize("leveling", [WearLeveling, ColdBlock])
def test_a_victim_that_does_not_fit_into_what_is_left_gives_way_to_the_least_valid(leveling):
    """Room for four pages is left, where the block that has been full for longest has seven and the next one three."""
    policy, pages = Fifo(), 8
    blocks = Blocks(1, 4, pages, policy.make_index(1, 4, pages, 1))
    frontier = bound(SequentialFrontier, blocks, FtlConfig(active_blocks="shared"))
    for lpa in range(4 * pages - 4):
        blocks.program(given_page(frontier, 0, HOST_DATA, lpa))
    for dead in (0, *range(pages, pages + 5)):
        blocks.invalidate(dead)
    gc = GarbageCollectionConfig(soft_threshold=3, hard_threshold=2)
    unit = CollectionUnit(blocks, frontier, policy, leveling(blocks), gc, HardwareConfig(planes_per_die=1))
    assert unit.choose(0, unit.soft) == [1]
