"""Values that are refused, each with one sentence that names the key, the value and what is allowed."""

import pytest

from ssdsim import ConfigError, SimulationConfig, SyntheticConfig


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"kernel": "compild"}, r"kernel=compild: must be one of compiled, simpy \(did you mean 'compiled'\?\)\.$"),
        (
            {"record": "requets"},
            r"record=\['requets'\]: must be a list of .* \(did you mean 'requests'\?\)",
        ),
        ({"hardware": {"page_kib": 0.3}}, r"hardware\.page_kib=0\.3: must be a multiple of 0\.5"),
        ({"hardware": {"bits_per_cell": 3}}, r"hardware\.pages_per_block=4: must be a multiple of .*bits_per_cell=3"),
        (
            {"hardware": {"read_us": [1.0, 2.0]}},
            r"read_us=\[1\.0, 2\.0\]: must be a list of one time, or of .*_cell=1",
        ),
        (
            {"ftl": {"gc": {"hard_threshold": 3}}},
            r"ftl\.gc\.hard_threshold=3\.0: must be at most ftl\.gc\.soft_threshold=2",
        ),
        (
            {"ftl": {"gc": {"trigger": "free_pages"}}},
            r"ftl\.gc\.soft_threshold=2\.0: must be a share below 1, as ftl.gc.trigger=free_pages",
        ),
        ({"precondition": {"fill_share_to": 0.5}}, r"precondition\.fill_share_to=0\.5: must be null, or at least"),
    ],
)
def test_a_wrong_value_is_one_sentence(tiny, changes, message):
    with pytest.raises(ConfigError, match=message) as refused:
        tiny(changes)
    assert "\n" not in str(refused.value) and str(refused.value).endswith(".")


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({}, "queue_depth=None: must be given, or else workload.rate_iops"),
        (
            {"queue_depth": 1, "rate_iops": 1.0},
            "queue_depth=1: must be .*, and not both",
        ),
        ({"queue_depth": 1, "read_share": 0.7, "trim_share": 0.4}, r"workload\.trim_share=0\.4: must be at most"),
    ],
)
def test_a_load_that_makes_no_sense_is_refused(given, message):
    with pytest.raises(ConfigError, match=message):
        SyntheticConfig(**given)


@pytest.mark.parametrize(
    ("given", "kept"), [("requests", ["requests"]), (None, []), ([], []), (("commands",), ["commands"])]
)
def test_one_recording_needs_no_list(given, kept):
    assert SimulationConfig(record=given).record == kept
