"""Backups without flash timing: the same pages, by source, as with it."""

import pytest

from support.tiny_device import PAGE

MLC = {"bits_per_cell": 2, "program_us": [100.0, 400.0], "pages_per_block": 8, "blocks_per_plane": 16}
POLICIES = ["pair_parity", "page_copy"]
ROWS = [(0, "write", (7 * k % 50) * PAGE, PAGE) for k in range(400)]


@pytest.mark.parametrize("policy", POLICIES)
def test_they_are_counted_as_with_timing(experiment, policy):
    """One request at a time, so that both collect at the same moments; the run ends with some backups on their way."""
    changes = {
        "hardware": MLC,
        "flash": {"program_order": "fps"},
        "ftl": {"active_blocks": "shared", "backup": policy},
    }
    timed, untimed = (
        experiment([{"rows": ROWS, "queue_depth": 1}], changes | {"timing": timing, "record": []}).summary
        for timing in ("on", "off")
    )
    for summary in (timed, untimed):
        assert summary["backup"]["pages"] >= 100
        for name in ("programs", "erases"):
            key = "pages" if name == "programs" else name
            assert abs(summary["flash"][name]["backup"] - summary["backup"][key]) <= 1
        assert abs(summary["flash"]["reads"]["backup"] - summary["backup"]["reads"]) <= 1
        assert abs(summary["flash"]["erases"]["gc"] - summary["gc"]["collections"]) <= 1
    assert untimed["flash"]["erases"]["backup"] > 5
    assert untimed["gc"]["collections"] > 5
    assert abs(timed["backup"]["pages"] - untimed["backup"]["pages"]) < 0.05 * untimed["backup"]["pages"]
