"""Values that are refused, each with one sentence that names the key, the value and what is allowed."""

import pytest

from ssdsim import ConfigError, HardwareConfig, SimulationConfig, SyntheticConfig


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"kernel": "compild"}, r"kernel=compild: must be one of compiled, simpy \(did you mean 'compiled'\?\)\.$"),
        ({"timing": "maybe"}, r"timing=maybe: must be one of on, off"),
        ({"check": "sometimes"}, r"check=sometimes: must be one of off, end, gc, always"),
        (
            {"record": "requets"},
            r"record=\['requets'\]: must be a list of .* \(did you mean 'requests'\?\)",
        ),
        ({"record": ["commands", 3]}, r"record=\['commands', 3\]: "),
        ({"seed": -1}, r"seed=-1: must be a whole number, 0 to 9223372036854775807"),
        ({"hardware": {"channels": 0}}, r"hardware\.channels=0: must be a whole number, 1 to 2147483647"),
        ({"hardware": {"channels": True}}, r"hardware\.channels=True"),
        ({"hardware": {"channels": 2.5}}, r"hardware\.channels=2\.5"),
        ({"hardware": {"page_kib": 0.3}}, r"hardware\.page_kib=0\.3: must be a multiple of 0\.5"),
        ({"hardware": {"page_kib": float("inf")}}, r"hardware\.page_kib=inf"),
        ({"hardware": {"page_kib": 4194304}}, r"hardware\.page_kib=4194304"),
        ({"hardware": {"page_kib": "big"}}, r"hardware\.page_kib=big"),
        ({"hardware": {"bits_per_cell": 5}}, r"hardware\.bits_per_cell=5: must be a whole number, 1 to 4"),
        ({"hardware": {"bits_per_cell": 1.5}}, r"hardware\.bits_per_cell=1\.5"),
        ({"hardware": {"bits_per_cell": 3}}, r"hardware\.pages_per_block=4: must be a multiple of .*bits_per_cell=3"),
        (
            {"hardware": {"read_us": [1.0, 2.0]}},
            r"read_us=\[1\.0, 2\.0\]: must be a list of one time, or of .*_cell=1",
        ),
        ({"hardware": {"program_us": []}}, r"hardware\.program_us=\[\]"),
        ({"hardware": {"program_us": [-1.0]}}, r"hardware\.program_us=\[-1\.0\]"),
        ({"hardware": {"erase_us": float("nan")}}, r"hardware\.erase_us=nan"),
        ({"hardware": {"over_provisioning": 1}}, r"hardware\.over_provisioning=1\.0: "),
        ({"scheduler": {"policy": "fifo"}}, r"scheduler\.policy=fifo: must be one of fcfs, read_priority"),
        ({"scheduler": {"pass_limits": []}}, r"scheduler\.pass_limits=\[\]: must be a list, each a whole number, 0 to"),
        ({"scheduler": {"pass_limits": [10, -1]}}, r"scheduler\.pass_limits=\[10, -1\]"),
        ({"scheduler": {"pass_limits": 10}}, r"scheduler\.pass_limits=10: "),
        ({"flash": {"write_complete": "never"}}, r"flash\.write_complete=never"),
        (
            {"flash": {"program_order": "rsp"}},
            r"program_order=rsp: must be one of strict, relaxed, fps, rps, free \(did .*'rps'",
        ),
        ({"ftl": {"plane_allocation": "CWPP"}}, r"ftl\.plane_allocation=CWPP: .*did you mean 'CWPD'\?\)"),
        ({"ftl": {"page_order": "two_phases"}}, r"ftl\.page_order=two_phases: .*did you mean 'two_phase'"),
        ({"ftl": {"return_to_fast_blocks": 0}}, r"ftl\.return_to_fast_blocks=0: must be a whole number, 1 to"),
        ({"ftl": {"gc": {"victim": "gredy"}}}, r"ftl\.gc\.victim=gredy: .*did you mean 'greedy'"),
        (
            {"ftl": {"gc": {"hard_threshold": 3}}},
            r"ftl\.gc\.hard_threshold=3\.0: must be at most ftl\.gc\.soft_threshold=2",
        ),
        (
            {"ftl": {"gc": {"trigger": "free_pages"}}},
            r"ftl\.gc\.soft_threshold=2\.0: must be a share below 1, as ftl.gc.trigger=free_pages",
        ),
        ({"host": {"queue_depth": 0}}, r"host\.queue_depth=0"),
        ({"host": {"weights": {"main": 0}}}, r"host\.weights=.*by stream a whole number, 1 to"),
        ({"host": {"weights": [1]}}, r"host\.weights=\[1\]"),
        ({"hardware": {"channels": 2**31}}, r"hardware\.channels=2147483648: must be a whole number, 1 to 2147483647"),
        ({"ftl": {"hot_window_s": 1e-10}}, r"ftl\.hot_window_s=1e-10: must be a number, 1e-9 to 1e9"),
        ({"ftl": {"hot_updates": 0}}, r"ftl\.hot_updates=0: must be a whole number, 1 to 65535"),
        ({"ftl": {"gc": {"moves_in_flight": 2**40}}}, r"ftl\.gc\.moves_in_flight=\d+: must be a whole number"),
        ({"buffer": {"size_mib": 1e300}}, r"buffer\.size_mib=1e\+300: must be a number, 1e-6 to 1e9"),
        ({"buffer": {"footprint_share": 0}}, r"buffer\.footprint_share=0\.0: must be a number, 1e-9 to 1e6, or null"),
        ({"buffer": {"write_back": "eagerly"}}, r"buffer\.write_back=eagerly: must be one of when_full, at_once"),
        (
            {"buffer": {"pages_in_flight": 0}},
            r"buffer\.pages_in_flight=0: must be a whole number, 1 to .*, or null",
        ),
        ({"precondition": {"fill_share_to": 0.5}}, r"precondition\.fill_share_to=0\.5: must be null, or at least"),
        ({"precondition": {"fill_share": 1.5}}, r"precondition\.fill_share=1\.5: must be a number, 0 to 1, or null"),
        ({"precondition": {"mode": "full"}}, r"precondition\.mode=full: .*did you mean 'fill'"),
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
        ({"queue_depth": 1, "footprint": 0}, r"workload\.footprint=0\.0: "),
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


def test_the_geometry_follows_from_its_parts():
    hardware = HardwareConfig(
        channels=2,
        chips_per_channel=3,
        dies_per_chip=4,
        planes_per_die=5,
        blocks_per_plane=100,
        pages_per_block=30,
        page_kib=0.5,
        over_provisioning=0.07,
    )
    assert (hardware.dies, hardware.planes, hardware.page_bytes) == (24, 120, 512)
    assert (hardware.pages_per_plane, hardware.logical_pages_per_plane) == (3000, 2790)
    assert hardware.capacity_bytes == 2790 * 120 * 512


@pytest.mark.parametrize("pages", range(1, 200, 7))
def test_over_provisioning_gives_back_the_pages_it_was_made_from(pages):
    hardware = HardwareConfig(blocks_per_plane=10, pages_per_block=60, over_provisioning=1 - pages / 600)
    assert hardware.logical_pages_per_plane == pages
