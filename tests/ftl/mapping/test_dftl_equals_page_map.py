"""DFTL with a cache that the whole mapping table fits into is the page map, event for event."""

import json

from hypothesis import given, settings

from support.strategies import experiments
from support.tiny_device import merge


def everything(out):
    """Return all that a run measured, and apart from that what it says of its mapping."""
    facts = out.facts()
    summary = json.loads(facts["summary"])
    mapping = summary.pop("mapping")
    return (summary, facts["tables"]), mapping


@settings(max_examples=max(settings.default.max_examples // 5, 1))
@given(experiments())
def test_on_random_devices(experiment, drawn):
    device, loads = drawn
    gc = device["ftl"]["gc"]  # with what DFTL does not go
    gc["combine_writes"], gc["moves"] = False, None if gc["moves"] == "copyback" else gc["moves"]
    results = (experiment(loads, merge(device, {"ftl": {"mapping": {"scheme": name}}})) for name in ("page", "dftl"))
    (expected, _), (found, mapping) = map(everything, results)
    assert found == expected
    assert mapping["reads"] == mapping["writes"] == 0
