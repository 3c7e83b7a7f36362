"""Page types in whole runs: what requests are specified is what the command trace shows."""

import pytest

from ssdsim import ConfigError
from ssdsim.assembly.device import Device
from support.requests import GAP, write
from support.tiny_device import PAGE

LSB, CSB, MSB = range(3)


def typed(schemes, hardware=None, gc=None, **ftl):
    """Return the changes for a TLC device with blocks of one wordline, which any candidate serves in turn."""
    tlc = {"bits_per_cell": 3, "pages_per_block": 3, "blocks_per_plane": 24, "program_us": [100.0, 300.0, 700.0]}
    return {
        "hardware": tlc | (hardware or {}),
        "flash": {"program_order": "relaxed"},
        "ftl": {"page_order": "page_type", "active_blocks": "shared", "page_type": schemes, "gc": gc or {}} | ftl,
    }


def cycling(count, pages=1, start=0, modulo=36):
    """Return writes of so many pages each, one by one, over the first `modulo` pages again and again."""
    return [write(i * pages % modulo, start + GAP * i, pages) for i in range(count)]


def types(out, source="host"):
    """Return the page types programmed, in order of time."""
    return [c["page_type"] for c in out.commands if (c["op"], c["source"]) == ("program", source)]


def test_all_pages_of_a_request_inherit_its_type(run):
    out = run(cycling(6, pages=4), typed(["uniform"], {"planes_per_die": 4}))
    assert types(out) == [LSB] * 4 + [CSB] * 4 + [MSB] * 4 + [LSB] * 4 + [CSB] * 4 + [MSB] * 4
    shares = out.summary["page_types"]
    assert [shares[name] for name in ("fast", "medium", "slow", "success_rate")] == [1 / 3, 1 / 3, 1 / 3, 1.0]


def test_a_stream_can_have_a_hint_of_its_own(experiment):
    streams = [{"rows": cycling(6)}, {"rows": cycling(6, start=GAP // 2)}]
    changes = typed(["host_guided", "uniform"]) | {"host": {"access_latency": {"main": "low"}}}
    out = experiment(streams, changes)
    assert types(out)[::2] == [LSB] * 6
    assert types(out)[1::2] == [LSB, CSB, MSB, LSB, CSB, MSB]


def test_moved_data_has_schemes_of_its_own(run):
    """Blocks with cold data are collected at random, with three quarters of the plane free, so all types are there."""
    rows = [(GAP * i, "write", (i if i < 9 else i % 3) * PAGE, PAGE) for i in range(120)]
    moved = {}
    for scheme in ("lsb_first", "utilization"):
        gc = {"page_type": [scheme], "soft_threshold": 18, "victim": "random"}
        moved[scheme] = types(run(rows, typed(["uniform"], {"over_provisioning": 7 / 8}, gc)), "gc")
    assert moved["lsb_first"][:10] == [LSB] * 10
    assert set(moved["utilization"][:10]) == {LSB, CSB, MSB}


def test_moved_data_is_asked_about_once_a_row(run):
    """Of nine super pages three are written again and again; the others are moved, to a row of each type in turn."""
    rows = [write(2 * (i if i < 9 else 3 + i % 3), GAP * i, pages=2) for i in range(60)]
    gc = {"page_type": ["uniform"], "soft_threshold": 18, "victim": "fifo"}
    changes = typed(["uniform"], {"over_provisioning": 7 / 8, "planes_per_die": 2}, gc, unit="super_page")
    assert types(run(rows, changes), "gc")[:6] == [LSB] * 2 + [CSB] * 2 + [MSB] * 2


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        ({"ftl": {"page_type": ["uniform"]}}, r"ftl\.page_type=\[uniform\]: does not go with .*=sequential"),
        (typed([]), r"ftl\.page_type=\[\]: does not go with ftl\.page_order=page_type"),
        (typed(["queue_depth"]), r"ftl\.page_type=\[queue_depth\]: leaves some writes"),
        (typed(["uniform"], gc={"page_type": ["size_based"]}), r"ftl\.gc\.page_type=\[size_based\]: leaves"),
        (typed(["unifrom"]), r"ftl\.page_type=unifrom: must be one of uniform, .*did you mean 'uniform'"),
        (typed(["uniform"], gc={"page_type": []}), r"ftl\.gc\.page_type=\[\]: leaves some writes"),
        (
            typed(["uniform"], page_type_options={"queue_deph": {}}),
            r"page_type_options=queue_deph: .*did you mean 'queue_depth'",
        ),
    ],
)
def test_settings_that_do_not_fit_are_refused(tiny, changes, text):
    with pytest.raises(ConfigError, match=text):
        Device(tiny(changes))
