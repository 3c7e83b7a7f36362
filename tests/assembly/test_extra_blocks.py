"""Blocks beyond those that the host knows of, and thresholds of collection that are shares of what is spare."""

import pytest
from test_limits import PAGES, churn

from ssdsim import ConfigError
from ssdsim.assembly.capacity import check_room, in_blocks, spare_blocks
from ssdsim.assembly.device import Device
from ssdsim.assembly.parts import Parts
from ssdsim.host.request import Request
from support.tiny_device import PAGE

ALL_SPARE = {"trigger": "spare_blocks", "soft_threshold": 1, "hard_threshold": 1}


def plane(extra, blocks=8, over_provisioning=0.0, active="shared", gc=ALL_SPARE, **hardware):
    """Return changes that make planes of so many blocks, four pages each, and extra ones."""
    hardware |= {"blocks_per_plane": blocks, "extra_blocks": extra, "over_provisioning": over_provisioning}
    return {"hardware": hardware, "ftl": {"active_blocks": active, "gc": gc}}


def test_the_papers_four_extra_blocks_make_a_threshold_of_three(tiny):
    """With data in all others, one extra block is just used; the second leaves two, which starts collection (3.5)."""
    config = tiny(plane(extra=4))
    assert spare_blocks(Parts(config)) == in_blocks(Parts(config), 1.0) == 3
    device = Device(config)
    for lpa in range(8 * PAGES):
        device.layer.writes.write_now(Request(), lpa)
    assert device.blocks.free_blocks(0) == 4
    for lpa in range(PAGES):
        device.layer.writes.write_now(Request(), lpa)
    assert device.blocks.free_blocks(0) == 3 and device.collector.collections == 0
    device.layer.writes.write_now(Request(), 7)
    assert device.blocks.free_blocks(0) == 3 and device.collector.collections == 1


@pytest.mark.parametrize("share", [0.5, 0.7, 1])
@pytest.mark.parametrize("active", ["separate", "shared"])
@pytest.mark.parametrize(("extra", "over_provisioning"), [(5, 0.0), (4, 0.125), (9, 0.03), (0, 0.75)])
def test_thresholds_that_are_shares_of_what_is_spare_are_always_reached(tiny, extra, over_provisioning, active, share):
    gc = ALL_SPARE | {"soft_threshold": share, "hard_threshold": share}
    config = tiny(plane(extra, over_provisioning=over_provisioning, active=active, gc=gc))
    wanted = in_blocks(Parts(config), share)
    if wanted < 2:
        with pytest.raises(ConfigError, match=r"ftl\.gc\.hard_threshold=.*; set it higher"):
            check_room(Parts(config))
        return
    device = Device(config)
    for _, _, offset, _ in churn(config.hardware.logical_pages, 500, seed=extra):
        device.layer.writes.write_now(Request(), offset // PAGE)
        assert device.blocks.free_blocks(0) >= wanted
    device.check()
