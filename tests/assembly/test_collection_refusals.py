"""Room that units of collection need, and shares that a device can be filled to."""

import pytest

from ssdsim import ConfigError
from ssdsim.assembly.device import Device
from ssdsim.states.preconditioning import fill
from support.requests import GAP, flush, write
from support.tiny_device import merge

DIE = {"unit": "die"}
EPO = {"replacement": "epo"}


def test_collection_of_half_valid_rows_goes_on_with_those_of_no_data_first(tiny, experiment):
    """Ranked by the least, two rows with a page each would come before those with none for ever, in order of number."""
    hardware = {"planes_per_die": 2, "blocks_per_plane": 12, "pages_per_block": 1, "over_provisioning": 0.85}
    gc = {"victim": "greedy_in_order", "ranking": "least"}
    changes = {"hardware": hardware, "ftl": DIE | {"gc": gc}, "buffer": EPO}
    rows = [row for at, page in enumerate([0] * 20 + [1, 0, 0, 0]) for row in (write(page, at * GAP), flush(at * GAP))]
    with pytest.raises(ConfigError, match=r"^ftl\.gc\.ranking=least: .* not those of ftl\.unit=die"):
        Device(tiny(changes))
    gc["ranking"] = "total"
    out = experiment([{"rows": rows}], changes)
    assert (out.summary["gc"]["collections"], out.summary["gc"]["page_moves"]) == (14, 0)


@pytest.mark.parametrize("planes", [2, 3, 4])
@pytest.mark.parametrize("pages", [1, 2, 4])
def test_pages_that_make_up_no_row_are_left_room_and_the_message_says_how_much(tiny, planes, pages):
    """Of each aligned block up to a row less a page may be dead for good; what is advised is accepted, less is not."""
    hardware = {"planes_per_die": planes, "blocks_per_plane": 24, "pages_per_block": pages, "over_provisioning": 0.0}
    changes = {"hardware": hardware, "ftl": DIE, "buffer": EPO}
    lost = (1 - 1 / planes) * 24 / pages
    with pytest.raises(ConfigError, match=rf"{lost:.1f} of dead pages that do not make up a row") as refused:
        Device(tiny(changes))
    share = float(str(refused.value).split("over_provisioning to about ")[1].split(",")[0].rstrip("."))
    Device(tiny(merge(changes, {"hardware": {"over_provisioning": share}})))
    with pytest.raises(ConfigError):
        Device(tiny(merge(changes, {"hardware": {"over_provisioning": share - 2 / 24 / pages}})))


FILL = {"mode": "fill", "valid_reads": False}


@pytest.mark.parametrize("frontier", ["sequential", "aligned"])
def test_planes_are_filled_to_shares_drawn_between_the_two(experiment, tiny, frontier):
    """Each plane, or each die, to its own; both ends are drawn."""
    shape = {
        "channels": 8,
        "chips_per_channel": 4,
        "planes_per_die": 2,
        "blocks_per_plane": 12,
        "over_provisioning": 0.6,
    }
    unit = {"unit": "twin" if frontier == "aligned" else "block"}
    wish = FILL | {"fill_share": 0.5, "fill_share_to": 0.75, "valid_share": 0.25}
    config = {"hardware": shape, "ftl": unit, "precondition": wish}
    counts = free_blocks_after_filling(tiny(config))
    units = 32 if frontier == "aligned" else 64
    assert len(counts) == units and set(counts) == {3, 4, 5, 6}
    assert counts == free_blocks_after_filling(tiny(config)) != free_blocks_after_filling(tiny(config | {"seed": 2}))


def free_blocks_after_filling(config):
    """Return the free blocks of each unit of a device filled as `config` says."""
    device = Device(config)
    fill(device, config, [])
    device.check()
    return [device.blocks.free_blocks(unit) for unit in range(device.blocks.units)]
