"""Units of blocks, orders of pages and moves put together as in no paper: what their commands show."""

import numpy as np
import pytest

from support.tiny_device import PAGE, merge

PLANES = {"program_order": "relaxed", "multi_plane": ["read", "program", "erase"]}
TLC = {
    "hardware": {
        "planes_per_die": 2,
        "blocks_per_plane": 16,
        "pages_per_block": 12,
        "over_provisioning": 0.75,
        "bits_per_cell": 3,
        "program_us": [100.0, 200.0, 400.0],
    },
    "flash": PLANES,
    "ftl": {
        "page_order": "page_type",
        "active_blocks": "shared",
        "page_type": ["queue_depth", "utilization"],
        "gc": {"soft_threshold": 3, "hard_threshold": 2},
    },
    "scheduler": {"page_type_aware": True, "pass_limits": [2, 4]},
    "check": "always",
    "integrity": "on",
    "host": {"queue_depth": 16},
}
MLC = {
    "hardware": {"bits_per_cell": 2, "program_us": [100.0, 400.0]},
    "flash": {"program_order": "rps"},
    "ftl": {"page_order": "two_phase", "page_type": ["uniform"]},
}
EPO = {"buffer": {"replacement": "epo", "size_mib": 8 * PAGE / 2**20}}
DIE = EPO | {"ftl": {"unit": "die"}}
PLUS = merge(DIE, {"ftl": {"gc": {"combine_writes": True, "holds_writes": True}}})
SHORT_QUEUE = {"ftl": {"page_type_options": {"queue_depth": {"threshold": 4}}}}
PARITY = {"ftl": {"backup": "block_parity"}}
COMPOSED = {
    "page types in die writes": merge(SHORT_QUEUE, DIE),
    "page types copied back": merge(SHORT_QUEUE, {"ftl": {"gc": {"moves": "copyback"}}}),
    "two phases in die writes": merge(MLC, DIE),
    "flexFTL's parity on twins": merge(MLC, merge({"ftl": {"unit": "twin"}}, PARITY)),
    "flexFTL's parity in SPD+'s die writes": merge(MLC, merge(PLUS, PARITY)),
}


def random_requests(pages):
    """Return writes of one to three pages at random, some of them at once, and a few trims."""
    random = np.random.default_rng(1)
    rows = []
    for number in range(500):
        first, count = int(random.integers(0, pages - 3)), int(random.integers(1, 4))
        op = "trim" if random.random() < 0.05 else "write"
        rows.append((number // 4 * 400_000, op, first * PAGE, count * PAGE))
    return rows


def test_pages_of_a_type_are_copied_to_pages_of_that_type(experiment, tiny):
    """And others go through the controller."""
    changes = merge(TLC, COMPOSED["page types copied back"])
    out = experiment([{"rows": random_requests(tiny(changes).hardware.logical_pages)}], changes)
    types = [page_type for step in range(6) for page_type in range(3) if 0 <= step - page_type < 4]
    copies = [c for c in out.commands if c["op"] == "copyback"]
    assert len(copies) > 10
    assert all(types[c["page"]] == types[c["copied_from"] % 12] for c in copies)
    assert any((c["op"], c["source"]) == ("program", "gc") for c in out.commands)


@pytest.mark.parametrize("name", ["page types in die writes", "two phases in die writes"])
def test_rows_are_programmed_in_both_planes_alike(experiment, tiny, name):
    """As many pages of each plane, whatever their types."""
    changes = merge(TLC, COMPOSED[name])
    out = experiment([{"rows": random_requests(tiny(changes).hardware.logical_pages)}], changes)
    programs = [(c["plane"], c["page"]) for c in out.commands if c["op"] == "program"]
    first, second = (sorted(page for plane, page in programs if plane == each) for each in (0, 1))
    assert first == second


@pytest.mark.parametrize("name", ["flexFTL's parity on twins", "flexFTL's parity in SPD+'s die writes"])
def test_each_block_of_aligned_ones_has_a_parity_page_in_its_own_plane(experiment, tiny, name):
    """One for the six fast pages of a block, when the last of them is written; backup blocks have fast pages alone."""
    changes = merge(TLC, COMPOSED[name])
    out = experiment([{"rows": random_requests(tiny(changes).hardware.logical_pages)}], changes)
    programs = [c for c in out.commands if c["op"] == "program"]
    fast = [0, 1, 3, 5, 7, 9]
    backups = [c for c in programs if c["source"] == "backup"]
    assert {c["page"] for c in backups} == set(fast)
    for plane in (0, 1):
        last = [c for c in programs if (c["plane"], c["page"]) == (plane, fast[-1]) and c["source"] != "backup"]
        assert 0 <= len(last) - sum(c["plane"] == plane for c in backups) <= 1
    erased = {c["block"] for c in out.commands if c["op"] == "erase" and c["source"] == "backup"}
    assert len(erased) >= 2
