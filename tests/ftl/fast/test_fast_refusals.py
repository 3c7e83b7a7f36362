"""How much room FAST needs, and how a device is filled for it."""

import pytest

import ssdsim
from ssdsim import ConfigError
from ssdsim.assembly.device import Device
from ssdsim.states.preconditioning import fill
from ssdsim.testing import RequestList
from support.tiny_device import PAGE, merge

FAST = {"ftl": {"mapping": {"scheme": "fast"}}}


@pytest.mark.parametrize(
    ("place", "changes"),
    [
        ("ftl.mapping.log_blocks=3", {"ftl": {"mapping": {"log_blocks": 3}}}),
        ("hardware.over_provisioning=0.3", {"hardware": {"over_provisioning": 0.3}}),
    ],
)
def test_a_device_without_room_for_log_blocks_is_refused(place, changes, tiny):
    with pytest.raises(ConfigError) as error:
        Device(tiny(merge(FAST, changes)))
    assert str(error.value).startswith(f"{place}:") and str(error.value).count(". ") == 0


def test_power_is_not_cut(tiny):
    with pytest.raises(ConfigError, match=r"ftl.mapping.scheme=fast: must be page or dftl"):
        ssdsim.Drive(ssdsim.Environment(), tiny(FAST)).cut_power()


@pytest.mark.parametrize("share", [None, 0.0, 0.4])
def test_a_filled_device_holds_what_was_asked_for(tiny, share):
    """All four logical blocks have a data block; `share` of their pages are valid, and what is read at any rate."""
    rows = RequestList(rows=[(0, "read", 6 * PAGE, PAGE)])
    wish = {"mode": "fill", "fill_share": 0.5, "valid_share": share}
    config = tiny(merge(FAST, {"precondition": wish}))
    device = Device(config)
    fill(device, config, [rows])
    device.check()
    found = [lpa for lpa in range(16) if device.mapping.table.get(lpa) >= 0]
    assert 6 in found and len(found) == (16 if share is None else max(round(share * 16), 1))
    assert all(device.mapping.table.get(lpa) % 4 == lpa % 4 for lpa in found)
