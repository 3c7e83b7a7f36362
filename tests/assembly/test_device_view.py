"""What every policy is given of its device: the clock, the geometry and the streams."""

import pytest

from ssdsim.assembly.parts import Parts
from ssdsim.config.registry import AXES
from support.tiny_device import PAGE

ASKED = """
from ssdsim.policies import SchedulingPolicy

asked = []


class Deadlines(SchedulingPolicy):
    def choose(self, reads, writes):
        chosen = self.first(reads) or self.first(writes)
        if chosen is not None:
            asked.append((self.device.streams, chosen.stream, chosen.queued_ns, self.device.now_ns))
        return chosen
"""


@pytest.fixture
def asked(tmp_path, monkeypatch):
    (tmp_path / "asked_of_device.py").write_text(ASKED)
    monkeypatch.syspath_prepend(tmp_path)
    import asked_of_device

    asked_of_device.asked.clear()
    return asked_of_device.asked


@pytest.mark.parametrize("key", [key for key, axis in AXES.items() if axis.own])
def test_every_kind_of_policy_is_given_the_device_when_it_is_made(key, tiny):
    parts = Parts(tiny())
    name = next(name for name, of in AXES[key].named.items() if of)
    if key == "ftl.mapping.scheme":  # of which those of ssdsim's are no policies
        name = "support.mappings.MapInFlash"
    assert parts.make(key, name).device is parts.view


def test_a_scheduler_can_tell_how_long_a_transaction_has_waited(asked, run):
    """The second read waits for the end of the first: 100 ns command, 10 us array, 4096 ns data."""
    run(
        [(10**6, "write", 0, PAGE), (2 * 10**6, "read", 0, PAGE), (2 * 10**6, "read", 0, PAGE)],
        {"scheduler": {"policy": "asked_of_device.Deadlines"}},
    )
    assert asked[-1] == (("main",), 0, 2 * 10**6, 2 * 10**6 + 100 + 10_000 + 4096)
