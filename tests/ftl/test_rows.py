"""Where dies have one plane there are no rows to make up: pages that leave the buffer are placed one by one."""

import pytest

from ssdsim.assembly.device import Device
from support.rows import device
from support.tiny_device import PAGE, tiny_config


@pytest.mark.parametrize("unit", ["die", "super_page", "spd_plus"])
def test_a_die_of_one_plane_has_no_rows(run, unit):
    """Sixteen logical pages, each written four times in all, through collections that are checked."""
    changes = device(unit, planes=1, buffer=4, check="always")
    assert Device(tiny_config(changes)).layer.rows is None
    rows = [(at * 200_000, "write", page * PAGE, PAGE) for at, page in enumerate([*range(16)] * 4)]
    out = run([*rows, (64 * 200_000, "flush", 0, 0)], changes)
    assert out.summary["gc"]["collections"] > 0
    assert out.summary["flash"]["programs"]["host"] == 64
    assert out.summary["write_amplification"] == 1 + out.summary["gc"]["page_moves"] / 64
