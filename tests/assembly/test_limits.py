"""Which devices are refused up front, and that those which are not keep going with every logical page in use."""

import numpy as np
import pytest

import ssdsim.assembly.capacity
from ssdsim import ConfigError
from ssdsim.assembly.capacity import check_room
from ssdsim.assembly.device import Device
from ssdsim.assembly.parts import Parts
from ssdsim.host.request import Request
from support.tiny_device import PAGE

PAGES = 4


def device(blocks, logical_pages, active="separate", soft=2, **more):
    """Return the changes that make a plane of `blocks` blocks with so many logical pages."""
    hardware = {"blocks_per_plane": blocks, "over_provisioning": 1 - logical_pages / (blocks * PAGES)}
    gc = {"soft_threshold": soft, "hard_threshold": 2} | more.pop("gc", {})
    return {"hardware": hardware | more.pop("hardware", {}), "ftl": {"active_blocks": active, "gc": gc} | more}


def churn(lpas, writes, seed):
    """Return writes of every logical page in order and then of random ones, all of them pending from the start."""
    order = [*range(lpas), *np.random.default_rng(seed).integers(0, lpas, writes).tolist()]
    return [(0, "write", lpa * PAGE, PAGE) for lpa in order]


VICTIMS = ["greedy", "rga", "fifo", "random", "cost_benefit"]
ALLOCATIONS = ["CWDP", "PDWC", "round_robin", "f", "d", "f2"]


@pytest.mark.parametrize(
    ("victim", "trigger", "active", "allocation", "depth"),
    [
        (
            VICTIMS[at % 5],
            ["free_blocks", "free_pages"][at % 2],
            ["separate", "shared"][at % 3 // 2],
            each,
            [1, 64][at % 4 // 2],
        )
        for at, each in enumerate(ALLOCATIONS * 2)
    ],
)
def test_the_fullest_device_allowed_never_gets_stuck(experiment, victim, trigger, active, allocation, depth):
    blocks, soft, planes = 8, 2, 4
    logical = (blocks - soft - (2 if active == "separate" else 1)) * PAGES
    share = {"soft_threshold": soft / blocks, "hard_threshold": soft / blocks} if trigger == "free_pages" else {}
    changes = device(
        blocks,
        logical,
        active,
        gc={"victim": victim, "trigger": trigger} | share,
        hardware={"channels": 2, "planes_per_die": 2},
        plane_allocation=allocation,
    )
    rows = churn(logical * planes, 600, seed=len(victim))
    out = experiment([{"rows": rows, "queue_depth": depth}], changes | {"check": "gc"})
    assert out.summary["requests"]["write"]["count"] == len(rows)
    assert out.summary["gc"]["collections"] > 100


@pytest.mark.parametrize("active", ["separate", "shared"])
@pytest.mark.parametrize("soft", [2, 2.5, 3, 4])
def test_the_fullest_device_allowed_gets_back_to_its_soft_threshold(tiny, active, soft):
    """Whatever the order of writes; the last ones leave hardly any data in the active blocks, which is the worst."""
    blocks = 12
    logical = int((blocks - soft - (2 if active == "separate" else 1)) * PAGES)
    made = Device(tiny(device(blocks, logical, active, soft)))
    random = np.random.default_rng(7)
    for lpa in [*range(logical), *random.integers(0, logical, 2000).tolist(), *([0] * 100)]:
        made.layer.writes.write_now(Request(), lpa)
        assert made.blocks.free_blocks(0) >= soft
    made.check()


@pytest.mark.parametrize("active", ["separate", "shared"])
def test_the_limit_is_not_needlessly_strict(tiny, monkeypatch, active):
    """One block less is refused, as the margin that the limit promises; two less would not get back."""
    blocks, soft = 8, 3
    logical = (blocks - soft - (2 if active == "separate" else 1)) * PAGES
    check_room(Parts(tiny(device(blocks, logical, active, soft))))
    with pytest.raises(ConfigError, match=r"1\.0 too many"):
        check_room(Parts(tiny(device(blocks - 1, logical, active, soft))))
    monkeypatch.setattr(ssdsim.assembly.capacity, "check_room", lambda parts: None)
    made = Device(tiny(device(blocks - 2, logical, active, soft)))
    for lpa in [*range(logical), 0]:
        made.layer.writes.write_now(Request(), lpa)
    assert made.blocks.free_blocks(0) < soft


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (device(8, 17), r"over_provisioning=0\.46875: .* 8 blocks holds 4\.2 blocks of data, 2 active .*about 0\.5"),
        (device(4, 1), r"too many; set hardware\.blocks_per_plane higher"),
        (device(8, 4, soft=6), r"soft_threshold=6 \(6 free blocks\), which is 1\.0 too many"),
        (device(8, 4, gc={"hard_threshold": 1}), r"ftl\.gc\.hard_threshold=1: is 1 blocks a plane.*at least 2"),
        (device(8, 4, gc={"soft_threshold": 1, "hard_threshold": 1}), r"ftl\.gc\.hard_threshold=1: "),
        (
            device(8, 4, gc={"trigger": "free_pages", "soft_threshold": 0.2, "hard_threshold": 0.1}),
            r"ftl\.gc\.hard_threshold=0\.1: is 0\.8 blocks",
        ),
        ({"hardware": {"over_provisioning": 0.99}}, r"over_provisioning=0\.99: leaves no logical page"),
    ],
)
def test_what_cannot_work_is_refused_with_the_numbers(tiny, changes, message):
    with pytest.raises(ConfigError, match=message):
        Device(tiny(changes))
